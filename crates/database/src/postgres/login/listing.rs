//! Rows and functions that a list of functions cannot keep from a text: those that rules keep from others, and those that types and casts of
//! the offered columns run by themselves. Other rights of the login are beyond what a text can name.

use super::{CatalogReader, row_reach, row_texts};
use crate::{
    error::Error,
    login::{Grade, LoginFinding, Needs, finding},
    postgres::listing::schema_or_public,
};

pub(super) async fn list_evasion_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = row_reach::rule_evasion_findings(reader, needs).await?;
    let offered = needs.offered.iter().map(|(table, columns)| {
        serde_json::json!({"schema": schema_or_public(table), "name": table.name, "columns": columns})
    });
    let offered = serde_json::to_string(&offered.collect::<Vec<_>>()).unwrap_or_default();
    for row in reader.read_rows(OWN_TYPES, &[&offered]).await? {
        let Some([table, column]) = row_texts(row) else { continue };
        findings.push(finding(
            Grade::Dangerous,
            format!("type:{table}.{column}"),
            format!("the column `{column}` of `{table}` has a type that is not one of the server's own, whose functions a text would run"),
            "leave the column out of `query`, or offer a view that casts it to text",
        ));
    }
    Ok(findings)
}

/// The offered columns whose type, or what it is made of, is neither one of the server's own nor an enumeration, or has a cast by another function than
/// the server's own.
const OWN_TYPES: &str = "with recursive made_of(oid, name, column_name, type) as (
        select c.oid, n.nspname || '.' || c.relname, a.attname, a.atttypid
        from json_array_elements($1::json) o join pg_namespace n on n.nspname = o ->> 'schema'
        join pg_class c on c.relnamespace = n.oid and c.relname = o ->> 'name'
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and a.attname in (select json_array_elements_text(o -> 'columns'))
        union
        select m.oid, m.name, m.column_name, x.type from made_of m join pg_type t on t.oid = m.type,
            lateral (values (t.typbasetype), (case when t.typcategory = 'A' then t.typelem else 0 end)) x(type)
        where x.type <> 0)
    select distinct m.name, m.column_name from made_of m join pg_type t on t.oid = m.type
    where (t.typnamespace <> 'pg_catalog'::regnamespace and t.typtype not in ('d', 'e') and t.typcategory <> 'A')
        or exists (select from pg_cast k join pg_proc p on p.oid = k.castfunc
            where m.type in (k.castsource, k.casttarget) and p.pronamespace <> 'pg_catalog'::regnamespace)
    order by 1, 2";
