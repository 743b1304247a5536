//! What the tools need and the login lacks: rights on tables, the sight of foreign keys, and engines with transactions.

use std::collections::BTreeSet;

use super::{Grants, grant::Object};
use crate::{
    engine::Engine,
    error::Error,
    login::{
        Grade, LoginFinding, Needs, TableNeeds,
        comparison::{hyphenated_right, missing_finding},
        finding,
    },
    mysql::{catalog::row_values, reader::CatalogReader},
    settings::TableName,
};

pub(super) async fn unmet_requirement_findings(
    reader: &mut CatalogReader,
    grants: &Grants,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = Vec::new();
    for (table, of_table) in &needs.tables {
        findings.extend(missing_right_findings(table, of_table, grants));
        if !of_table.inserts.is_empty() || !of_table.updates.is_empty() {
            findings.extend(hidden_foreign_keys_finding(reader, table, grants).await?);
        }
    }
    findings.extend(unsafe_engine_findings(reader, grants, needs).await?);
    Ok(findings)
}

/// The findings about rights on a table that are not held.
fn missing_right_findings(
    table: &TableName,
    of_table: &TableNeeds,
    grants: &Grants,
) -> Vec<LoginFinding> {
    let mut findings = Vec::new();
    for (right, columns) in of_table.rights() {
        let held: Vec<_> = grants
            .held
            .iter()
            .filter(|it| (it.right == right || it.right == "ALL PRIVILEGES") && it.on.covers(table))
            .collect();
        if held.iter().any(|grant| grant.columns.is_empty()) {
            continue;
        }
        let held: BTreeSet<&String> = held.iter().flat_map(|grant| &grant.columns).collect();
        let lacked: Vec<_> =
            columns.into_iter().flatten().filter(|column| !held.contains(column)).collect();
        if columns.is_some() && lacked.is_empty() {
            continue;
        }
        let list = match columns {
            Some(_) => format!(" {}", Engine::Mysql.column_list(lacked)),
            None => String::new(),
        };
        findings.push(missing_right_finding(right, &list, table, grants));
    }
    findings
}

fn missing_right_finding(
    right: &str,
    list: &str,
    table: &TableName,
    grants: &Grants,
) -> LoginFinding {
    let grantee = grants.held.first().map(|grant| grant.grantee.to_sql());
    let grantee = grantee.unwrap_or_else(|| "CURRENT_USER()".to_owned());
    let name = format!("{}:{table}", hyphenated_right(right));
    let what = format!("{right}{list} ON {}", Object::Table(table.clone()).to_sql());
    missing_finding(name, &what, "the login", &grantee)
}

/// A row must not refer to one of another caller, so that the foreign keys of a table that tools write must be seen.
async fn hidden_foreign_keys_finding(
    reader: &mut CatalogReader,
    table: &TableName,
    grants: &Grants,
) -> Result<Option<LoginFinding>, Error> {
    let schema = table.schema.as_deref().unwrap_or_default();
    let hidden = reader.read_rows(HIDDEN_KEYS, &[schema, &table.name, schema, &table.name]).await?;
    Ok((!hidden.is_empty()).then(|| missing_right_finding("SHOW VIEW", "", table, grants)))
}

/// Tables that are written and that an engine without transactions keeps.
async fn unsafe_engine_findings(
    reader: &mut CatalogReader,
    grants: &Grants,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let rows = reader.read_rows(OTHER_ENGINES, &[]).await?;
    let is_written = |table: &TableName| {
        let of_tools = needs
            .tables
            .get(table)
            .is_some_and(|it| it.deletes || !it.inserts.is_empty() || !it.updates.is_empty());
        let is_write = |right: &str| matches!(right, "DELETE" | "INSERT" | "UPDATE");
        let of_operator = !needs.own_writes.is_empty()
            && grants.held.iter().any(|it| is_write(&it.right) && it.on.covers(table));
        of_tools || of_operator
    };
    let findings = rows.into_iter().filter_map(|row| {
        let [schema, name, engine] = row_values(row)?;
        let table = TableName { schema, name: name? };
        is_written(&table).then(|| {
            let message = format!(
                "tools may write `{table}`, whose engine has no transactions: `{}`; a change could not be rolled back",
                engine.unwrap_or_default()
            );
            let on = Object::Table(table.clone()).to_sql();
            let remedy = format!("ALTER TABLE {on} ENGINE = InnoDB");
            finding(Grade::Dangerous, format!("engine:{table}"), message, remedy)
        })
    });
    Ok(findings.collect())
}

/// Foreign keys whose columns are not shown.
const HIDDEN_KEYS: &str = "SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS
    WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ? AND CONSTRAINT_NAME NOT IN (
        SELECT CONSTRAINT_NAME FROM information_schema.KEY_COLUMN_USAGE
        WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND REFERENCED_TABLE_NAME IS NOT NULL)";

const OTHER_ENGINES: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE FROM information_schema.TABLES
    WHERE TABLE_TYPE <> 'VIEW' AND ENGINE IS NOT NULL AND ENGINE <> 'InnoDB'
    AND TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";
