//! Rights that the tools need and the login, or the roles that its transactions take, do not have.

use super::{CatalogReader, row_texts};
use crate::{
    engine::Engine::Postgres,
    error::Error,
    login::{Grade, LoginFinding, Needs, TableNeeds, comparison::missing_finding, finding},
    postgres::catalog::json_texts,
    settings::TableName,
};

pub(super) async fn missing_right_findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = Vec::new();
    let login = reader.read_rows("select current_user", &[]).await?;
    let login =
        login.into_iter().next().and_then(row_texts).map(|[login]| login).unwrap_or_default();
    let mut who = needs.roles.clone();
    if who.is_empty() {
        who.insert(login.clone());
    }
    for role in &needs.roles {
        let member = reader.read_rows(MEMBER, &[role]).await?;
        if member.is_empty() {
            findings.push(finding(
                Grade::Missing,
                format!("role:{role}"),
                format!("the login cannot take the role `{role}`"),
                format!("GRANT {} TO {}", Postgres.quote(role), Postgres.quote(&login)),
            ));
            who.remove(role);
        }
    }
    for role in &who {
        let tables: Vec<_> =
            needs.tables.iter().map(|(name, table)| needed_json(name, table)).collect();
        let tables = serde_json::to_string(&tables).unwrap_or_default();
        let lacked = reader.read_rows(LACKED, &[role, &tables]).await?.into_iter();
        findings.extend(lacked.filter_map(|row| {
            let [right, columns, object, name] = row_texts(row)?;
            let columns = json_texts(&columns);
            let on = if columns.is_empty() {
                String::new()
            } else {
                format!(" {}", Postgres.column_list(&columns))
            };
            let name = format!("{}:{name}", right.to_lowercase());
            let what = format!("{right}{on} ON {object}");
            Some(missing_finding(name, &what, &format!("the role `{role}`"), &Postgres.quote(role)))
        }));
    }
    Ok(findings)
}

/// A table with the rights that tools need on it, as the query takes them.
fn needed_json(name: &TableName, needs: &TableNeeds) -> serde_json::Value {
    let rights: serde_json::Map<_, _> = needs
        .rights()
        .into_iter()
        .map(|(right, columns)| (right.to_owned(), serde_json::json!(columns)))
        .collect();
    let schema = name.schema.as_deref().unwrap_or("public");
    serde_json::json!({"schema": schema, "name": name.name, "rights": rights})
}

const MEMBER: &str = "select 1 from pg_roles where rolname = $1 and pg_has_role(oid, 'member')";

/// The rights that a role lacks on tables: the right, its columns, the object as GRANT writes it, and its name. `case`, since SQL orders no
/// conditions: an index depends on its table, too, and `has_sequence_privilege` fails for it.
const LACKED: &str = "with needed as (select c.oid, n.oid as schema, n.nspname, c.relname, j.t -> 'rights' as rights,
        format('%I.%I', n.nspname, c.relname) as quoted
        from json_array_elements($2::json) j(t) join pg_namespace n on n.nspname = j.t ->> 'schema'
        join pg_class c on c.relnamespace = n.oid and c.relname = j.t ->> 'name')
    select distinct 'USAGE', '', format('SCHEMA %I', nspname), nspname::text from needed
        where not has_schema_privilege($1::name, schema, 'usage')
    union all
    select r.key, case when r.key <> 'DELETE' then json_agg(a.attname)::text end, t.quoted, t.nspname || '.' || t.relname
        from needed t cross join lateral json_each(t.rights) r
        left join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
            and a.attname in (select json_array_elements_text(case when r.key <> 'DELETE' then r.value else '[]' end))
        where case when r.key = 'DELETE' then not has_table_privilege($1::name, t.oid, 'delete')
            else not has_column_privilege($1::name, t.oid, a.attnum, r.key) end
        group by r.key, t.quoted, t.nspname, t.relname
    union all
    select 'USAGE', '', 'SEQUENCE ' || s.quoted, s.quoted from (select distinct s.oid, s.relkind, format('%I.%I', sn.nspname, s.relname) as quoted
        from needed t join pg_depend d on d.refobjid = t.oid and d.deptype = 'a' and d.classid = 'pg_class'::regclass
            and d.refclassid = 'pg_class'::regclass
        join pg_class s on s.oid = d.objid join pg_namespace sn on sn.oid = s.relnamespace
        where t.rights ->> 'INSERT' is not null) s
        where case when s.relkind = 'S' then not has_sequence_privilege($1::name, s.oid, 'usage') end
    order by 4, 1";
