//! The attributes of the login, and the roles that it can take.

use std::collections::BTreeSet;

use super::{CatalogReader, row_texts};
use crate::{
    engine::Engine::Postgres,
    error::Error,
    login::{
        Grade, LoginFinding, Needs, finding,
        right::{JudgedRight, Scope, allowance_clause},
    },
};

/// The findings about roles.
pub(super) struct Roles {
    pub(super) findings: Vec<LoginFinding>,
    pub(super) is_superuser: bool,
    /// True for a superuser that may be the last one, the database's first or the only one that can sign in; and for an owner of the
    /// database that makes roles, as the first login of a managed server.
    pub(super) must_stay: bool,
}

pub(super) async fn findings(reader: &mut CatalogReader, needs: &Needs) -> Result<Roles, Error> {
    let mut roles = Roles { findings: Vec::new(), is_superuser: false, must_stay: false };
    for row in reader.read_rows(ROLES, &[]).await? {
        let Some([role, attributes, login, direct, must_stay]) = row_texts(row) else { continue };
        if role.is_empty() {
            roles.is_superuser = attributes.starts_with("SUPERUSER");
            roles.must_stay = must_stay == "true";
            // One finding names the login to use in place of one that must stay.
            let most = if roles.must_stay { 1 } else { usize::MAX };
            let attributes = attributes.split(", ").filter(|word| !word.is_empty()).take(most);
            roles.findings.extend(attributes.map(|word| {
                let allowance = allowance_clause(Postgres, word);
                let message = format!("the login has the attribute `{word}`{allowance}");
                let remedy = format!("ALTER ROLE {login} NO{word}");
                finding(Grade::Dangerous, word.to_lowercase(), message, remedy)
            }));
        } else if !roles.is_superuser && !roles.must_stay && !direct.is_empty() {
            let remedy = format!("REVOKE {direct} FROM {login}");
            roles.findings.extend(role_finding(&role, &attributes, remedy, needs));
        }
    }
    Ok(roles)
}

/// The finding about a role that the login can take, unless transactions take it.
fn role_finding(
    role: &str,
    attributes: &str,
    remedy: String,
    needs: &Needs,
) -> Option<LoginFinding> {
    let (scope, columns) = (Scope::Any, &BTreeSet::new());
    let right = JudgedRight { engine: Postgres, word: role, scope, table: None, columns };
    let (grade, with) = if attributes.is_empty() {
        (needs.grade_right(&right)?.0, allowance_clause(Postgres, role))
    } else {
        (Grade::Dangerous, format!(" with {attributes}"))
    };
    let is_taken = grade == Grade::Unused && needs.roles.contains(role);
    let message = format!("the login can take the role `{role}`{with}");
    (!is_taken).then(|| finding(grade, format!("role:{role}"), message, remedy))
}

/// The login first, without its name, then the roles that it can take: their attributes, the grants through which it reaches them, and true for a
/// login that must stay.
const ROLES: &str = "select case when r.oid <> me.oid then r.rolname end,
        concat_ws(', ', case when r.rolsuper then 'SUPERUSER' end, case when r.rolbypassrls then 'BYPASSRLS' end,
            case when r.rolcreatedb then 'CREATEDB' end, case when r.rolcreaterole then 'CREATEROLE' end,
            case when r.rolreplication then 'REPLICATION' end),
        quote_ident(me.rolname), (select string_agg(distinct quote_ident(d.rolname), ', ') from pg_auth_members m
            join pg_roles d on d.oid = m.roleid
            where m.member = me.oid and (d.oid = r.oid or pg_has_role(d.oid, r.oid, 'member'))),
        r.rolsuper and (r.oid = 10 or not exists (select from pg_roles o
            where o.rolsuper and o.rolcanlogin and o.oid <> r.oid))
            or not r.rolsuper and r.rolcreaterole and exists (select from pg_database d
                where d.datname = current_database() and pg_has_role(d.datdba, 'member'))
    from pg_roles me join pg_roles r on r.oid = me.oid or pg_has_role(r.oid, 'member')
    where me.rolname = current_user order by r.oid <> me.oid, 1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roles_of_managed_servers_are_judged_by_their_names_and_attributes() {
        let roles = ["authenticated".to_owned(), "rds_superuser".to_owned()].into();
        let needs = Needs { roles, ..Needs::default() };
        let dangerous = Some(Grade::Dangerous);
        for (role, attributes, expected) in [
            // Amazon RDS
            ("rds_superuser", "", dangerous),
            ("rds_replication", "", dangerous),
            ("rds_iam", "", None),
            ("rds_password", "", Some(Grade::Unused)),
            // Cloud SQL and AlloyDB
            ("cloudsqlsuperuser", "", dangerous),
            ("cloudsqlsuperuser", "CREATEDB, CREATEROLE", dangerous),
            ("cloudsqliamuser", "", None),
            ("alloydbsuperuser", "CREATEDB, CREATEROLE", dangerous),
            ("alloydbiamuser", "", None),
            ("alloydbreplica", "REPLICATION", dangerous),
            // Supabase: two of these are taken for a request, and row policies hold for them.
            ("postgres", "BYPASSRLS, CREATEDB, CREATEROLE, REPLICATION", dangerous),
            ("service_role", "BYPASSRLS", dangerous),
            ("anon", "", Some(Grade::Unused)),
            ("authenticated", "", None),
            // Neon, Azure and Aiven
            ("neon_superuser", "BYPASSRLS, CREATEDB, CREATEROLE, REPLICATION", dangerous),
            ("neon_superuser", "", dangerous),
            ("azure_pg_admin", "", dangerous),
            ("avnadmin", "", dangerous),
            // A role of a harmless name that somebody made.
            ("rds_iam", "CREATEROLE", dangerous),
            ("authenticated", "BYPASSRLS", dangerous),
        ] {
            let finding = role_finding(role, attributes, String::new(), &needs);
            assert_eq!(finding.map(|it| it.grade), expected, "{role} {attributes}");
        }
    }
}
