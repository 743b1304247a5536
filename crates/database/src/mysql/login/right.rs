//! Rights that no tool uses, each with its `REVOKE`.

use std::collections::BTreeSet;

use super::{
    Grants,
    grant::{Grant, Object},
};
use crate::{
    engine::Engine,
    error::Error,
    login::{
        Grade, LoginFinding, Needs,
        comparison::{HeldRight, surplus_finding},
        finding,
        right::{JudgedRight, Scope},
    },
    mysql::{catalog::row_values, reader::CatalogReader},
    settings::TableName,
};

pub(super) async fn surplus_right_findings(
    reader: &mut CatalogReader,
    grants: &Grants,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = Vec::new();
    for grant in grants.held_and_reached_grants() {
        if grant.is_grantable {
            findings.push(grant_option_finding(grant));
        }
        if !matches!((&grant.on, &*grant.right), (Object::Role(_), _) | (_, "USAGE")) {
            let columns = granted_or_all_columns(reader, grant).await?;
            findings.extend(surplus_right_finding(grant, &columns, needs));
        }
    }
    Ok(findings)
}

/// The finding about the right to grant a right.
fn grant_option_finding(grant: &Grant) -> LoginFinding {
    let (on, grantee) = (grant.on.to_sql(), grant.grantee.to_sql());
    let remedy = match &grant.on {
        Object::Role(_) => format!("REVOKE ADMIN OPTION FOR {on} FROM {grantee}"),
        Object::Proxy => format!("REVOKE PROXY ON {on} FROM {grantee}"),
        _ => format!("REVOKE GRANT OPTION ON {on} FROM {grantee}"),
    };
    let name = format!("grant-option:{}", grant.on.name_in_finding());
    let message =
        format!("the login may grant its rights on `{}` to others", grant.on.name_in_finding());
    finding(Grade::Dangerous, name, message, remedy)
}

/// The finding about a right, unless tools use all of it.
fn surplus_right_finding(
    grant: &Grant,
    columns: &BTreeSet<String>,
    needs: &Needs,
) -> Option<LoginFinding> {
    let (grade, used) = needs.grade_right(&judged_right(grant, columns, needs))?;
    let grantee = grant.grantee.to_sql();
    let held = HeldRight {
        right: &grant.right,
        name: &grant.on.name_in_finding(),
        on: &grant.on.to_sql(),
        columns,
        named: &grant.columns,
        grantees: vec![grantee.clone()],
    };
    let mut finding = surplus_finding(Engine::Mysql, &held, grade, &used)?;
    // What the tools use of a wider right.
    let is_wider = |(table, _): &(&TableName, _)| columns.is_empty() && grant.on.covers(table);
    for (table, of_table) in needs.tables.iter().filter(is_wider) {
        let used: Vec<_> = of_table
            .rights()
            .into_iter()
            .filter(|(right, _)| grant.right == *right || grant.right.starts_with("ALL"))
            .map(|(right, columns)| match columns {
                Some(columns) => format!("{right} {}", Engine::Mysql.column_list(columns)),
                None => right.to_owned(),
            })
            .collect();
        if !used.is_empty() {
            let (table, used) = (Object::Table(table.clone()).to_sql(), used.join(", "));
            finding.remedy.push_str(&format!("; GRANT {used} ON {table} TO {grantee}"));
        }
    }
    Some(finding)
}

/// A right as the table of rights judges it.
fn judged_right<'a>(
    grant: &'a Grant,
    columns: &'a BTreeSet<String>,
    needs: &'a Needs,
) -> JudgedRight<'a> {
    let (table, scope) = match &grant.on {
        on if on.covers_table_in_schema("mysql") => (None, Scope::System),
        Object::Table(name) => (Some((&*name.name, needs.tables.get(name))), Scope::Table),
        Object::Routine(_) => (None, Scope::Routine),
        on if on.covers_table_in_schema("performance_schema") => (None, Scope::Statistics),
        _ => (None, Scope::Any),
    };
    JudgedRight { engine: Engine::Mysql, word: &grant.right, scope, table, columns }
}

/// The columns of a right on those of a table: all that can be given values, unless it names some.
async fn granted_or_all_columns(
    reader: &mut CatalogReader,
    grant: &Grant,
) -> Result<BTreeSet<String>, Error> {
    let Object::Table(table) = &grant.on else { return Ok(BTreeSet::new()) };
    let is_of_columns = matches!(&*grant.right, "INSERT" | "SELECT" | "UPDATE");
    if !grant.columns.is_empty() || !is_of_columns || grant.on.covers_table_in_schema("mysql") {
        return Ok(grant.columns.iter().cloned().collect());
    }
    let schema = table.schema.as_deref().unwrap_or_default();
    let rows = reader.read_rows(COLUMNS, &[schema, &table.name]).await?;
    Ok(rows.into_iter().filter_map(|row| row_values(row).and_then(|[name]| name)).collect())
}

const COLUMNS: &str = "SELECT COLUMN_NAME FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COALESCE(GENERATION_EXPRESSION, '') = ''";
