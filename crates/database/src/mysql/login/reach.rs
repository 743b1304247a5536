//! What a login for SQL of a model reaches beyond its own grants: columns by rights of everybody, views that read with the rights
//! of their definer, and a database of the server's own.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Grants,
    grant::{Grant, Object},
};
use crate::{
    engine::Engine,
    error::Error,
    login::{Grade, LoginFinding, Needs, finding},
    mysql::{catalog::row_values, reader::CatalogReader},
    settings::TableName,
};

pub(super) async fn reach_beyond_grants_findings(
    reader: &mut CatalogReader,
    grants: &Grants,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut readable: BTreeMap<TableName, BTreeSet<String>> = BTreeMap::new();
    for row in reader.read_rows(READABLE, &[]).await? {
        let Some([schema, Some(name), Some(column)]) = row_values(row) else { continue };
        readable.entry(TableName { schema, name }).or_default().insert(column);
    }
    let mut findings: Vec<_> = readable
        .iter()
        .filter_map(|(table, columns)| ungranted_columns_finding(table, columns, grants, needs))
        .collect();
    for row in reader.read_rows(DEFINED, &[]).await? {
        let Some([schema, Some(name)]) = row_values(row) else { continue };
        let view = TableName { schema, name };
        if readable.contains_key(&view) {
            findings.push(definer_view_finding(&view, needs));
        }
    }
    Ok(findings)
}

/// The finding about columns that no grant of the login shows, and that it may read.
fn ungranted_columns_finding(
    table: &TableName,
    columns: &BTreeSet<String>,
    grants: &Grants,
    needs: &Needs,
) -> Option<LoginFinding> {
    let listed = needs.tables.get(table).map(|of_table| &of_table.selects);
    let is_granted = |column: &String| {
        let is_it = |grant: &Grant| {
            grant.on.covers(table)
                && matches!(grant.right.as_str(), "ALL PRIVILEGES" | "SELECT")
                && (grant.columns.is_empty() || grant.columns.contains(column))
        };
        // `right` has the findings about these.
        grants.held_and_reached_grants().any(is_it)
    };
    let is_listed = |column: &String| listed.is_some_and(|listed| listed.contains(column));
    let beyond = || columns.iter().filter(|column| !is_listed(column) && !is_granted(column));
    beyond().next()?;
    let list = Engine::Mysql.column_list(beyond());
    let message = format!("everybody may read columns of `{table}`, so that the login may: {list}");
    let remedy = "take the right from the account without a name, by which everybody has it: DROP USER ''@'HOST', or its rows in `mysql.db`";
    Some(finding(Grade::Dangerous, format!("select:{table}"), message, remedy))
}

/// Nothing says what such a view reads: it may show the rows of tables that the login may not read.
fn definer_view_finding(view: &TableName, needs: &Needs) -> LoginFinding {
    let grade = if needs.withheld.is_empty() { Grade::Unused } else { Grade::Dangerous };
    let quoted = Object::Table(view.clone()).to_sql();
    let message = format!(
        "the view `{view}` reads with the rights of its definer, whatever the login may read"
    );
    let remedy = format!("ALTER SQL SECURITY INVOKER VIEW {quoted} AS its statement");
    finding(grade, format!("view:{view}"), message, remedy)
}

/// Unqualified names of a text would be those of the server.
pub(super) fn server_database_finding(database: &str) -> Option<LoginFinding> {
    let is_of_server = ["information_schema", "mysql", "performance_schema", "sys"]
        .iter()
        .any(|name| database.eq_ignore_ascii_case(name));
    is_of_server.then(|| {
        let message =
            format!("the address of the login names a database of the server's own: `{database}`");
        let remedy = "name the database of the listed tables in `url`";
        finding(Grade::Dangerous, format!("database:{database}"), message, remedy)
    })
}

/// The columns that the login may read, by whatever right. Texts do not name the schemas that everybody reads.
const READABLE: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema') AND FIND_IN_SET('select', PRIVILEGES) > 0";

const DEFINED: &str = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.VIEWS
    WHERE SECURITY_TYPE = 'DEFINER' AND TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema')";
