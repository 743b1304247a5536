//! Rights that the tools need and the login, or the roles that its transactions take, do not have.

use super::{CatalogReader, column_list, quoted_identifier, texts};
use crate::{
    error::Error,
    login::{Grade, LoginFinding, Needs, TableNeeds, comparison::missing_finding, finding},
    postgres::catalog::list,
    settings::TableName,
};

pub(super) async fn findings(
    reader: &mut CatalogReader,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = Vec::new();
    let login = reader.rows("select current_user", &[]).await?;
    let login = login.into_iter().next().and_then(texts).map(|[login]| login).unwrap_or_default();
    let mut who = needs.roles.clone();
    if who.is_empty() {
        who.insert(login.clone());
    }
    for role in &needs.roles {
        let member = reader.rows(MEMBER, &[role]).await?;
        if member.is_empty() {
            findings.push(finding(
                Grade::Missing,
                format!("role:{role}"),
                format!("the login cannot take the role `{role}`"),
                format!("GRANT {} TO {}", quoted_identifier(role), quoted_identifier(&login)),
            ));
            who.remove(role);
        }
    }
    for role in &who {
        let tables: Vec<_> = needs.tables.iter().collect();
        let asked: Vec<_> =
            tables.iter().map(|(name, needs)| requirement_json(name, needs)).collect();
        let asked = serde_json::to_string(&asked).unwrap_or_default();
        for row in reader.rows(OF_TABLES, &[role, &asked]).await? {
            let Some([at, rights @ ..]) = texts::<7>(row) else { continue };
            let table = at.parse::<usize>().ok().and_then(|at| tables.get(at.checked_sub(1)?));
            if let Some((name, needs)) = table {
                findings.extend(of_table(role, name, needs, rights));
            }
        }
    }
    Ok(findings)
}

/// A table with the columns that are read and written, as the query takes them.
fn requirement_json(name: &TableName, needs: &TableNeeds) -> serde_json::Value {
    serde_json::json!({
        "schema": name.schema.as_deref().unwrap_or("public"),
        "name": name.name,
        "selects": needs.selects,
        "inserts": needs.inserts,
        "updates": needs.updates,
    })
}

/// The findings about one table, by the columns on which a role lacks rights.
fn of_table(
    role: &str,
    name: &TableName,
    needs: &TableNeeds,
    [is_visible, deletes, selects, inserts, updates, sequences]: [String; 6],
) -> Vec<LoginFinding> {
    let schema = name.schema.as_deref().unwrap_or("public");
    let grantee = quoted_identifier(role);
    let table = format!("{}.{}", quoted_identifier(schema), quoted_identifier(&name.name));
    let who = format!("the role `{role}`");
    let missing = |name: String, what: String| missing_finding(name, &what, &who, &grantee);
    let mut findings = Vec::new();
    if is_visible != "true" {
        findings.push(missing(
            format!("usage:{schema}"),
            format!("USAGE ON SCHEMA {}", quoted_identifier(schema)),
        ));
    }
    for (right, columns) in [("SELECT", selects), ("INSERT", inserts), ("UPDATE", updates)] {
        let columns = list(&columns);
        if !columns.is_empty() {
            let name = format!("{}:{schema}.{}", right.to_lowercase(), name.name);
            findings.push(missing(name, format!("{right} {} ON {table}", column_list(&columns))));
        }
    }
    if needs.deletes && deletes != "true" {
        findings
            .push(missing(format!("delete:{schema}.{}", name.name), format!("DELETE ON {table}")));
    }
    if !needs.inserts.is_empty() {
        for sequence in list(&sequences) {
            findings.push(missing(
                format!("usage:{sequence}"),
                format!("USAGE ON SEQUENCE {sequence}"),
            ));
        }
    }
    findings
}

const MEMBER: &str = "select 1 from pg_roles where rolname = $1 and pg_has_role(oid, 'member')";

/// The rights of a role on tables: the columns on which it lacks them, and the sequences that number their rows. `case`, since SQL
/// orders no conditions: an index depends on its table, too, and `has_sequence_privilege` fails for it.
const OF_TABLES: &str = "select j.n, has_schema_privilege($1::name, n.oid, 'usage'), has_table_privilege($1::name, c.oid, 'delete'),
    (select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attname in (select json_array_elements_text(j.t -> 'selects'))
        and not has_column_privilege($1::name, c.oid, a.attnum, 'select')),
    (select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attname in (select json_array_elements_text(j.t -> 'inserts'))
        and not has_column_privilege($1::name, c.oid, a.attnum, 'insert')),
    (select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attname in (select json_array_elements_text(j.t -> 'updates'))
        and not has_column_privilege($1::name, c.oid, a.attnum, 'update')),
    (select json_agg(format('%I.%I', sn.nspname, s.relname))::text from pg_depend d join pg_class s on s.oid = d.objid
        join pg_namespace sn on sn.oid = s.relnamespace
        where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
        and d.deptype = 'a'
        and case when s.relkind = 'S' then not has_sequence_privilege($1::name, s.oid, 'usage') end)
    from json_array_elements($2::json) with ordinality j(t, n) join pg_namespace n on n.nspname = j.t ->> 'schema'
    join pg_class c on c.relnamespace = n.oid and c.relname = j.t ->> 'name'";
