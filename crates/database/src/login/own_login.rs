//! The statements that make a login with the rights of some tools and no others: those that `init` prints, and the remedy for a login
//! whose own rights must stay, as those of the last superuser.

use std::collections::BTreeSet;

use super::Needs;
use crate::{
    engine::{Ability, Engine},
    settings::TableName,
};

/// The statements, for an owner of the database to run; none where the engine has no logins.
pub(crate) fn login_statements(
    engine: Engine,
    database: Option<&str>,
    needs: &Needs,
) -> Vec<String> {
    let role = engine.quote(ROLE);
    let Some([create, password]) = engine.facts().login_words else { return Vec::new() };
    let mut statements = vec![format!("create {create} {role} {password} '…'")];
    if engine.has(Ability::SchemaRights) {
        let database = database.map(|database| engine.quote(database));
        let connect = |database| format!("grant connect on database {database} to {role}");
        statements.extend(database.map(connect));
        let schemas: BTreeSet<&str> =
            needs.tables.keys().map(|name| name.schema.as_deref().unwrap_or("public")).collect();
        let usage = |schema| format!("grant usage on schema {} to {role}", engine.quote(schema));
        statements.extend(schemas.into_iter().map(usage));
        let member = |of: &String| format!("grant {} to {role}", engine.quote(of));
        statements.extend(needs.roles.iter().map(member));
    }
    let tables = needs.tables.iter().filter_map(|(name, of_table)| {
        let rights: Vec<_> = of_table
            .rights()
            .into_iter()
            .map(|(right, columns)| {
                let columns = columns.map(|columns| format!(" {}", engine.column_list(columns)));
                right.to_lowercase() + &columns.unwrap_or_default()
            })
            .collect();
        let on = quoted_table(engine, name);
        (!rights.is_empty()).then(|| format!("grant {} on {on} to {role}", rights.join(", ")))
    });
    statements.extend(tables);
    statements
}

fn quoted_table(engine: Engine, name: &TableName) -> String {
    let schema = name.schema.iter().map(|schema| format!("{}.", engine.quote(schema)));
    schema.chain([engine.quote(&name.name)]).collect()
}

/// The remedy for a login that must keep its rights.
pub(crate) fn own_login_remedy(statements: &[String]) -> String {
    format!(
        "use a login of its own in `url`, which these statements make: {}",
        statements.join("; ")
    )
}

const ROLE: &str = "callgate_agent";
