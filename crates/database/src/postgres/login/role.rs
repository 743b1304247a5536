//! The attributes of the login, and the roles that it can take.

use super::{CatalogReader, texts};
use crate::{
    error::Error,
    login::{Grade, LoginFinding, Needs, finding},
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
    for row in reader.rows(ATTRIBUTES, &[]).await? {
        let Some([attribute, login, must_stay]) = texts(row) else { continue };
        roles.must_stay |= must_stay == "true";
        // A superuser may do the others anyway.
        if roles.must_stay && attribute != "superuser" {
            continue;
        }
        roles.is_superuser |= attribute == "superuser";
        roles.findings.push(finding(
            Grade::Dangerous,
            attribute.clone(),
            format!("the login has the attribute `{}`", attribute.to_uppercase()),
            format!("ALTER ROLE {login} NO{}", attribute.to_uppercase()),
        ));
    }
    if roles.is_superuser {
        return Ok(roles);
    }
    for row in reader.rows(MEMBERSHIPS, &[]).await? {
        let Some([role, attributes, login, direct]) = texts(row) else { continue };
        let is_dangerous = DANGEROUS.contains(&&*role) || !attributes.is_empty();
        let grade = match (is_dangerous, needs.roles.contains(&role)) {
            (true, _) => Grade::Dangerous,
            (false, true) => continue,
            (false, false) => Grade::Unused,
        };
        let with =
            if attributes.is_empty() { String::new() } else { format!(" with {attributes}") };
        roles.findings.push(finding(
            grade,
            format!("role:{role}"),
            format!("the login can take the role `{role}`{with}"),
            format!("REVOKE {direct} FROM {login}"),
        ));
    }
    Ok(roles)
}

/// Roles of the database itself that reach past tables, or past all rights on tables.
const DANGEROUS: [&str; 7] = [
    "pg_create_subscription",
    "pg_execute_server_program",
    "pg_maintain",
    "pg_read_all_data",
    "pg_read_server_files",
    "pg_write_all_data",
    "pg_write_server_files",
];

const ATTRIBUTES: &str = "select a.name, quote_ident(r.rolname), r.rolsuper and (r.oid = 10 or not exists (select from pg_roles o
        where o.rolsuper and o.rolcanlogin and o.oid <> r.oid))
    from pg_roles r, lateral (values
        ('superuser', r.rolsuper), ('bypassrls', r.rolbypassrls), ('createrole', r.rolcreaterole),
        ('createdb', r.rolcreatedb), ('replication', r.rolreplication)) a(name, has)
    where r.rolname = current_user and a.has order by a.name <> 'superuser'";

/// The roles that the login can take, with their attributes and the grants to revoke: those of the login itself, through which
/// it reaches the role.
const MEMBERSHIPS: &str = "select r.rolname,
        concat_ws(', ', case when r.rolsuper then 'SUPERUSER' end, case when r.rolbypassrls then 'BYPASSRLS' end,
            case when r.rolcreaterole then 'CREATEROLE' end, case when r.rolcreatedb then 'CREATEDB' end,
            case when r.rolreplication then 'REPLICATION' end),
        quote_ident(current_user), string_agg(distinct quote_ident(d.rolname), ', ')
    from pg_roles r
    join pg_auth_members m on m.member = (select oid from pg_roles where rolname = current_user)
    join pg_roles d on d.oid = m.roleid
    where r.rolname <> current_user and pg_has_role(r.oid, 'member')
        and (d.oid = r.oid or pg_has_role(d.oid, r.oid, 'member'))
    group by r.oid, r.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolcreatedb, r.rolreplication
    order by 1";
