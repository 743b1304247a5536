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
    /// True for a superuser that may be the last one: the database's first, or the only one that can sign in.
    pub(super) must_stay: bool,
}

pub(super) async fn findings(reader: &mut CatalogReader, needs: &Needs) -> Result<Roles, Error> {
    let mut roles = Roles { findings: Vec::new(), is_superuser: false, must_stay: false };
    for row in reader.read_rows(ROLES, &[]).await? {
        let Some([role, attributes, login, direct, must_stay]) = row_texts(row) else { continue };
        if role.is_empty() {
            roles.is_superuser = attributes.starts_with("SUPERUSER");
            roles.must_stay = must_stay == "true";
            // A superuser that must stay may do the others anyway.
            let most = if roles.must_stay { 1 } else { usize::MAX };
            let attributes = attributes.split(", ").filter(|word| !word.is_empty()).take(most);
            roles.findings.extend(attributes.map(|word| {
                let allowance = allowance_clause(Postgres, word);
                let message = format!("the login has the attribute `{word}`{allowance}");
                let remedy = format!("ALTER ROLE {login} NO{word}");
                finding(Grade::Dangerous, word.to_lowercase(), message, remedy)
            }));
        } else if !roles.is_superuser && !direct.is_empty() {
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
    let (mut grade, _) = needs.grade_right(&right)?;
    let mut with = allowance_clause(Postgres, role);
    if !attributes.is_empty() {
        grade = Grade::Dangerous;
        with = format!(" with {attributes}");
    }
    let is_taken = grade == Grade::Unused && needs.roles.contains(role);
    let message = format!("the login can take the role `{role}`{with}");
    (!is_taken).then(|| finding(grade, format!("role:{role}"), message, remedy))
}

/// The login first, without its name, then the roles that it can take: their attributes, the grants through which it reaches them, and true for a
/// superuser that may be the last one.
const ROLES: &str = "select case when r.oid <> me.oid then r.rolname end,
        concat_ws(', ', case when r.rolsuper then 'SUPERUSER' end, case when r.rolbypassrls then 'BYPASSRLS' end,
            case when r.rolcreatedb then 'CREATEDB' end, case when r.rolcreaterole then 'CREATEROLE' end,
            case when r.rolreplication then 'REPLICATION' end),
        quote_ident(me.rolname), (select string_agg(distinct quote_ident(d.rolname), ', ') from pg_auth_members m
            join pg_roles d on d.oid = m.roleid
            where m.member = me.oid and (d.oid = r.oid or pg_has_role(d.oid, r.oid, 'member'))),
        r.rolsuper and (r.oid = 10 or not exists (select from pg_roles o
            where o.rolsuper and o.rolcanlogin and o.oid <> r.oid))
    from pg_roles me join pg_roles r on r.oid = me.oid or pg_has_role(r.oid, 'member')
    where me.rolname = current_user order by r.oid <> me.oid, 1";
