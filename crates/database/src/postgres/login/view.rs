//! Views whose owner's rights read tables with row policies, or tables whose rows the session decides: they show every row,
//! whoever asks.

use super::{CatalogReader, grantee, qualified_table_name, row_texts, subjects};
use crate::{
    error::Error,
    login::{Grade, LoginFinding, Needs, finding},
};

pub(super) async fn unfiltered_view_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let withheld: Vec<String> = needs.withheld.iter().map(qualified_table_name).collect();
    let withheld = serde_json::to_string(&withheld).unwrap_or_default();
    let rows = reader.read_rows(VIEWS, &[&withheld]).await?;
    let findings = rows.into_iter().filter_map(|row| {
        let [name, quoted, is_lasting, tables, grantees] = row_texts(row)?;
        let message = format!(
            "the view `{name}` reads with the rights of its owner, so nothing decides whose rows of these tables it shows: {tables}"
        );
        let remedy = match &*is_lasting {
            "true" => format!("REVOKE SELECT ON {quoted} FROM {grantees}"),
            _ => format!("ALTER VIEW {quoted} SET (security_invoker = true)"),
        };
        Some(finding(Grade::Dangerous, format!("view:{name}"), message, remedy))
    });
    Ok(findings.collect())
}

/// The views that the login may use, those that they use in turn, and the tables with policies below them. Its own rights make no view
/// right whose rows are read once for all, nor one above rows that the session decides.
const VIEWS: &str = concat!(
    "with recursive uses as (
        select distinct w.ev_class as view, d.refobjid as used from pg_rewrite w
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
            and d.refclassid = 'pg_class'::regclass and d.refobjid <> w.ev_class),
    granted as (
        select c.oid, string_agg(distinct ",
    grantee!("x.grantee"),
    ", ', ') as grantees from pg_class c,
            lateral aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
        where c.relkind in ('v', 'm') and c.relnamespace <> 'pg_catalog'::regnamespace
            and c.relnamespace <> 'information_schema'::regnamespace
            and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE') and x.grantee in ",
    subjects!(),
    " group by c.oid
        union
        select c.oid, string_agg(distinct ",
    grantee!("x.grantee"),
    ", ', ') from pg_class c join pg_attribute a on a.attrelid = c.oid, lateral aclexplode(a.attacl) x
        where c.relkind in ('v', 'm') and a.attacl is not null and x.grantee in ",
    subjects!(),
    " group by c.oid),
    reached as (
        select oid as view, grantees from granted
        union
        select u.used, r.grantees from reached r join uses u on u.view = r.view
            join pg_class c on c.oid = u.used and c.relkind in ('v', 'm')),
    below as (
        select view as top, used from uses
        union
        select b.top, u.used from below b join uses u on u.view = b.used)
    select n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname),
        bool_or(c.relkind = 'm' or tn.nspname || '.' || t.relname in (select json_array_elements_text($1::json)))::text,
        string_agg(distinct format('`%s.%s`', tn.nspname, t.relname), ', '), string_agg(distinct r.grantees, ', ')
    from reached r join pg_class c on c.oid = r.view join pg_namespace n on n.oid = c.relnamespace
    join below b on b.top = c.oid join pg_class t on t.oid = b.used join pg_namespace tn on tn.oid = t.relnamespace
        and (t.relrowsecurity or tn.nspname || '.' || t.relname in (select json_array_elements_text($1::json)))
    where not coalesce((select o.option_value::boolean from pg_options_to_table(c.reloptions) o
        where o.option_name = 'security_invoker'), false)
    group by 1, 2 order by 1"
);
