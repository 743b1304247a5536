//! Rights that no tool uses, each with its `REVOKE`.

use std::collections::BTreeSet;

use super::{
    Grants, column_list,
    grant::{Grant, Object},
};
use crate::{
    engine::Engine,
    error::Error,
    login::{
        Grade, LoginFinding, Needs, TableNeeds,
        comparison::{HeldRight, hyphenated_right, surplus_finding},
        finding,
    },
    mysql::{catalog::fields, reader::CatalogReader},
    settings::TableName,
};

pub(super) async fn findings(
    reader: &mut CatalogReader,
    grants: &Grants,
    needs: &Needs,
) -> Result<Vec<LoginFinding>, Error> {
    let mut findings = Vec::new();
    for grant in grants.all() {
        if grant.is_grantable {
            findings.push(grants_on(grant));
        }
        let right_finding = match (&grant.on, grant.right.as_str()) {
            (Object::Role(_), _) | (_, "USAGE") => None,
            (Object::Table(table), "INSERT" | "SELECT" | "UPDATE")
                if table.schema.as_deref() != Some("mysql") =>
            {
                let columns = columns(reader, grant, table).await?;
                of_columns(grant, table, &columns, needs)
            }
            _ => of_object(grant, needs),
        };
        findings.extend(right_finding);
    }
    Ok(findings)
}

/// The finding about the right to grant a right.
fn grants_on(grant: &Grant) -> LoginFinding {
    let (on, grantee) = (grant.on.to_sql(), grant.grantee.to_sql());
    let remedy = match &grant.on {
        Object::Role(_) => format!("REVOKE ADMIN OPTION FOR {on} FROM {grantee}"),
        Object::Proxy => format!("REVOKE PROXY ON {on} FROM {grantee}"),
        _ => format!("REVOKE GRANT OPTION ON {on} FROM {grantee}"),
    };
    let name = format!("grant-option:{}", grant.on.name());
    let message = format!("the login may grant its rights on `{}` to others", grant.on.name());
    finding(Grade::Dangerous, name, message, remedy)
}

/// The finding about a right on a whole object, unless tools use it.
fn of_object(grant: &Grant, needs: &Needs) -> Option<LoginFinding> {
    let grade = grade(grant, needs)?;
    let (on, grantee) = (grant.on.to_sql(), grant.grantee.to_sql());
    let mut remedy = vec![format!("REVOKE {} ON {on} FROM {grantee}", grant.right)];
    // What the tools use of a wider right.
    for (table, of_table) in needs.tables.iter().filter(|(table, _)| grant.on.covers(table)) {
        let used: Vec<_> = of_table
            .rights()
            .into_iter()
            .filter(|(right, _)| grant.right == *right || grant.right.starts_with("ALL"))
            .map(|(right, columns)| match columns {
                Some(columns) => format!("{right} {}", column_list(columns.iter())),
                None => right.to_owned(),
            })
            .collect();
        if !used.is_empty() {
            let table = Object::Table(table.clone()).to_sql();
            remedy.push(format!("GRANT {} ON {table} TO {grantee}", used.join(", ")));
        }
    }
    let name = format!("{}:{}", hyphenated_right(&grant.right), grant.on.name());
    let message = format!(
        "the login has the right {} on `{}`, which no tool uses",
        grant.right,
        grant.on.name()
    );
    Some(finding(grade, name, message, remedy.join("; ")))
}

/// The grade of a right on a whole object; `None` if it is used or harmless.
fn grade(grant: &Grant, needs: &Needs) -> Option<Grade> {
    let is_of_server = grant.on.reaches("mysql");
    let is_routine = matches!(grant.on, Object::Routine(_));
    match grant.right.as_str() {
        // It lets a login see how a table is made, such as its foreign keys.
        "SHOW VIEW" if !is_of_server => None,
        "CREATE TEMPORARY TABLES"
        | "LOCK TABLES"
        | "REFERENCES"
        | "SHOW CREATE ROUTINE"
        | "SHOW DATABASES"
        | "SHOW VIEW" => Some(Grade::Unused),
        // Beyond the listed columns, a text of a model reads nothing and calls nothing of others.
        "EXECUTE" | "SELECT" if needs.is_for_query => Some(Grade::Dangerous),
        "EXECUTE" if is_routine => Some(Grade::Unused),
        "SELECT" if is_of_server => Some(Grade::Dangerous),
        "SELECT" if grant.on.reaches("performance_schema") => Some(Grade::Unused),
        "SELECT" => None,
        "DELETE" if is_used_delete(grant, needs) => None,
        "DELETE" | "INSERT" | "UPDATE" if !is_of_server => Some(needs.grade_of_writing()),
        _ => Some(Grade::Dangerous),
    }
}

fn is_used_delete(grant: &Grant, needs: &Needs) -> bool {
    match &grant.on {
        Object::Table(table) => {
            needs.tables.get(table).is_some_and(|it| it.deletes)
                || needs.is_used_by_statements("DELETE", &table.name)
        }
        _ => false,
    }
}

/// The finding about a right on columns of a table, unless tools use all of it.
fn of_columns(
    grant: &Grant,
    table: &TableName,
    columns: &BTreeSet<String>,
    needs: &Needs,
) -> Option<LoginFinding> {
    let none = TableNeeds::default();
    let of_table = needs.tables.get(table).unwrap_or(&none);
    let (grade, used) = needs.use_of_columns(&grant.right, &table.name, of_table, columns)?;
    let held = HeldRight {
        right: &grant.right,
        name: &grant.on.name(),
        on: &grant.on.to_sql(),
        columns,
        named: &grant.columns,
        grantees: vec![grant.grantee.to_sql()],
    };
    surplus_finding(Engine::Mysql, &held, grade, &used)
}

/// The columns of a right: all that can be given values, unless it names some.
async fn columns(
    reader: &mut CatalogReader,
    grant: &Grant,
    table: &TableName,
) -> Result<BTreeSet<String>, Error> {
    if !grant.columns.is_empty() {
        return Ok(grant.columns.iter().cloned().collect());
    }
    let schema = table.schema.as_deref().unwrap_or_default();
    let rows = reader.rows(COLUMNS, &[schema, &table.name]).await?;
    Ok(rows.into_iter().filter_map(|row| fields(row).and_then(|[name]| name)).collect())
}

const COLUMNS: &str = "SELECT COLUMN_NAME FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COALESCE(GENERATION_EXPRESSION, '') = ''";
