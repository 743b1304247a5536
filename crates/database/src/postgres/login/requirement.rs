//! Rights that the tools need and the login, or the roles that its transactions take, do not have.

use std::collections::BTreeSet;

use super::{Reader, column_list, finding, quoted, texts};
use crate::{
    error::Error,
    login::{Grade, LoginFinding, Needs, TableNeeds},
    postgres::catalog::list,
    settings::TableName,
};

pub(super) async fn findings(
    reader: &mut Reader,
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
                format!("GRANT {} TO {}", quoted(role), quoted(&login)),
            ));
            who.remove(role);
        }
    }
    for role in &who {
        for (table, needs) in &needs.tables {
            findings.extend(of_table(reader, role, table, needs).await?);
        }
    }
    Ok(findings)
}

async fn of_table(
    reader: &mut Reader,
    role: &str,
    name: &TableName,
    needs: &TableNeeds,
) -> Result<Vec<LoginFinding>, Error> {
    let schema = name.schema.as_deref().unwrap_or("public");
    let json = |names: &BTreeSet<String>| serde_json::to_string(names).unwrap_or_default();
    let columns = [json(&needs.selects), json(&needs.inserts), json(&needs.updates)];
    let values = [role, schema, &name.name, &columns[0], &columns[1], &columns[2]];
    let rows = reader.rows(OF_TABLE, &values).await?;
    let Some([is_visible, deletes, selects, inserts, updates, sequences]) =
        rows.into_iter().next().and_then(texts)
    else {
        return Ok(Vec::new());
    };
    let grantee = quoted(role);
    let table = format!("{}.{}", quoted(schema), quoted(&name.name));
    let missing = |name: String, what: String| {
        let message =
            format!("the tools need the right {what}, which the role `{role}` does not have");
        finding(Grade::Missing, name, message, format!("GRANT {what} TO {grantee}"))
    };
    let mut findings = Vec::new();
    if is_visible != "true" {
        findings.push(missing(
            format!("usage:{schema}"),
            format!("USAGE ON SCHEMA {}", quoted(schema)),
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
    Ok(findings)
}

const MEMBER: &str = "select 1 from pg_roles where rolname = $1 and pg_has_role(oid, 'member')";

/// The rights of a role on a table: the columns on which it lacks them, and the sequences that number its rows.
const OF_TABLE: &str = "select has_schema_privilege($1::name, n.oid, 'usage'), has_table_privilege($1::name, c.oid, 'delete'),
    (select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attname in (select json_array_elements_text($4::json))
        and not has_column_privilege($1::name, c.oid, a.attnum, 'select')),
    (select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attname in (select json_array_elements_text($5::json))
        and not has_column_privilege($1::name, c.oid, a.attnum, 'insert')),
    (select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attname in (select json_array_elements_text($6::json))
        and not has_column_privilege($1::name, c.oid, a.attnum, 'update')),
    (select json_agg(format('%I.%I', sn.nspname, s.relname))::text from pg_depend d join pg_class s on s.oid = d.objid
        join pg_namespace sn on sn.oid = s.relnamespace
        where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
        and d.deptype = 'a' and s.relkind = 'S' and not has_sequence_privilege($1::name, s.oid, 'usage'))
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $2 and c.relname = $3";
