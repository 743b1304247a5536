//! Rights on the database, on schemas and on functions; for SQL that a model writes also on large objects, and on functions of
//! the database itself that do more than compute.

use std::collections::{BTreeMap, BTreeSet};

use super::{CatalogReader, grantee, row_texts, subjects};
use crate::{
    engine::Engine,
    error::Error,
    functions,
    login::{Grade, LoginFinding, Needs, finding},
};

pub(super) async fn object_right_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut rows = reader.read_rows(OBJECTS, &[]).await?;
    let mut dangerous = Vec::new();
    let mut of_the_database = None;
    if needs.is_for_query {
        let harmless = functions::names(Engine::Postgres).chain(HARMLESS);
        let harmless = harmless.collect::<Vec<_>>().join(",");
        let functions = reader.read_rows(FUNCTIONS, &[&harmless]).await?;
        let (own, others): (Vec<_>, Vec<_>) = functions.into_iter().partition(|row| {
            let name = row.first().and_then(Option::as_deref);
            name.is_some_and(|name| name.starts_with("execute:pg_catalog."))
        });
        rows.extend(others);
        of_the_database = builtin_functions_finding(own);
        dangerous.extend(reader.read_rows(LARGE_OBJECTS, &[]).await?);
    }
    let of = |grade, rows: Vec<Vec<Option<String>>>| {
        rows.into_iter().filter_map(move |row| {
            let [name, message, right, grantees] = row_texts(row)?;
            let remedy = format!("REVOKE {right} FROM {grantees}");
            Some(finding(grade, name, message, remedy))
        })
    };
    let findings = of(Grade::Dangerous, dangerous).chain(of(Grade::Unused, rows));
    Ok(findings.chain(of_the_database).collect())
}

/// One finding about the database's own functions, of which each new database lets everybody run more than a hundred.
fn builtin_functions_finding(rows: Vec<Vec<Option<String>>>) -> Option<LoginFinding> {
    let mut names = BTreeSet::new();
    let mut routines: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let Some([name, _, right, grantees]) = row_texts(row) else { continue };
        let name = name.split(['.', '(']).nth(1).unwrap_or_default();
        names.insert(name.to_owned());
        let routine = right.strip_prefix("EXECUTE ON ROUTINE ").unwrap_or(&right).to_owned();
        routines.entry(grantees).or_default().push(routine);
    }
    let some: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let message = format!(
        "the login may run {} functions of the database itself that do more than compute, such as {}; where nobody may revoke them, as on a managed server, `query: {{functions: listed}}` runs none of them",
        names.len(),
        some.join(", ")
    );
    let revoke = routines.iter().map(|(grantees, routines)| {
        format!("REVOKE EXECUTE ON ROUTINE {} FROM {grantees}", routines.join(", "))
    });
    let remedy = revoke.collect::<Vec<_>>().join("; ");
    (!names.is_empty()).then(|| finding(Grade::Dangerous, "execute:pg_catalog", message, remedy))
}

/// The functions that a finding about all of them names.
const SHOWN: usize = 5;

/// Volatile functions beside those of the list that show what is of the session, or wait no longer than the time limit.
const HARMLESS: [&str; 6] =
    ["currval", "lastval", "pg_backend_pid", "pg_sleep_for", "pg_sleep_until", "setseed"];

/// A function that a view calls, which needs no right to use the function's schema.
macro_rules! behind_a_view {
    () => {
        "exists (select from pg_depend d join pg_rewrite w on w.oid = d.objid
            where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid)"
    };
}

const OBJECTS: &str = concat!(
    "select case x.privilege_type when 'TEMPORARY' then 'temp' else 'create' end,
        case x.privilege_type when 'TEMPORARY' then 'the login may make temporary tables'
            else 'the login may make schemas' end,
        format('%s ON DATABASE %I', x.privilege_type, d.datname), string_agg(distinct ",
    grantee!("x.grantee"),
    ", ', ') from pg_database d, lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) x
    where d.datname = current_database() and x.privilege_type in ('TEMPORARY', 'CREATE') and x.grantee <> d.datdba
        and x.grantee in ",
    subjects!(),
    " group by 1, 2, 3
    union all
    select 'create:' || n.nspname, format('the login may make tables and functions in the schema `%s`', n.nspname),
        format('CREATE ON SCHEMA %I', n.nspname), string_agg(distinct ",
    grantee!("x.grantee"),
    ", ', ') from pg_namespace n, lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
    where x.privilege_type = 'CREATE' and x.grantee <> n.nspowner and x.grantee in ",
    subjects!(),
    " group by 1, 2, 3
    union all
    select format('execute:%s.%s(%s)', n.nspname, p.proname, replace(oidvectortypes(p.proargtypes), ', ', ',')),
        format('the login may run `%s.%s`, which has the rights of its owner', n.nspname, p.proname),
        format('EXECUTE ON ROUTINE %s', p.oid::regprocedure), string_agg(distinct ",
    grantee!("x.grantee"),
    ", ', ') from pg_proc p join pg_namespace n on n.oid = p.pronamespace,
        lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
    where p.prosecdef and n.nspname <> 'pg_catalog' and (has_schema_privilege(n.oid, 'usage') or ",
    behind_a_view!(),
    ")
        and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype) and x.grantee <> p.proowner
        and x.grantee in ",
    subjects!(),
    " group by 1, 2, 3"
);

/// Volatile functions within reach: those of the database itself but the harmless ones, and all others.
const FUNCTIONS: &str = concat!(
    "select format('execute:%s.%s(%s)', n.nspname, p.proname, replace(oidvectortypes(p.proargtypes), ', ', ',')),
        format('the login may run `%s.%s`, which does more than compute', n.nspname, p.proname),
        format('EXECUTE ON ROUTINE %s', p.oid::regprocedure), string_agg(distinct ",
    grantee!("x.grantee"),
    ", ', ') from pg_proc p join pg_namespace n on n.oid = p.pronamespace,
        lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
    where (p.provolatile = 'v' or p.proname in ('query_to_xml', 'query_to_xmlschema', 'query_to_xml_and_xmlschema',
            'ts_stat', 'cursor_to_xml', 'table_to_xml', 'schema_to_xml', 'database_to_xml'))
        and (has_schema_privilege(n.oid, 'usage') or ",
    behind_a_view!(),
    ") and n.nspname <> 'information_schema'
        and not (n.nspname = 'pg_catalog' and p.proname = any (string_to_array($1, ',')))
        and p.prokind in ('f', 'p')
        and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype,
            'index_am_handler'::regtype, 'table_am_handler'::regtype, 'tsm_handler'::regtype,
            'fdw_handler'::regtype, 'language_handler'::regtype)
        and not (p.proargtypes::oid[] && array['internal'::regtype::oid, 'cstring'::regtype::oid])
        and x.grantee <> p.proowner and x.grantee in ",
    subjects!(),
    " group by 1, 2, 3"
);

const LARGE_OBJECTS: &str = concat!(
    "select 'large_object:' || l.oid, format('the login has rights on the large object %s', l.oid),
        format('ALL ON LARGE OBJECT %s', l.oid), string_agg(distinct ",
    grantee!("x.grantee"),
    ", ', ') from pg_largeobject_metadata l, lateral aclexplode(coalesce(l.lomacl, acldefault('L', l.lomowner))) x
    where x.grantee in ",
    subjects!(),
    " group by l.oid"
);
