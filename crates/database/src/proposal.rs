//! A proposal of the entities that a database has, and of the least login for them: for `callgate init`. Nothing is changed; the
//! statements for the login are for an owner of the database to run.

use std::collections::BTreeSet;

use callgate_secret::Secret;

use crate::{
    catalog::Table,
    driver::Driver,
    endpoint::Connecting,
    engine::Engine,
    entity::is_offered,
    error::Error,
    load::Surroundings,
    settings::{DatabaseLimits, TableName},
};

/// The entities that a database could have.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Proposal {
    /// The tables and views.
    pub entities: Vec<ProposedEntity>,
    /// The statements that make a login with the rights of these entities; empty where the engine has no logins.
    pub login: Vec<String>,
}

/// A table or view with the name that its tools would have.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProposedEntity {
    /// The name in the names of tools.
    pub name: String,
    /// The table.
    pub table: TableName,
    /// The comment of the table; empty if it has none.
    pub description: String,
    /// True if one row can be got by its key.
    pub has_key: bool,
}

/// Reads which tables there are.
///
/// # Errors
/// The database cannot be reached, or refuses the login.
pub async fn propose(url: Secret, around: Surroundings) -> Result<Proposal, Error> {
    let Surroundings { network, tls, base, .. } = around;
    let limits = DatabaseLimits { connections: 1, ..DatabaseLimits::default() };
    let connecting = Connecting { url, base, limits, is_read_only: true, network, tls };
    let driver = Driver::connect(&connecting).await?;
    let names = driver.all_tables().await?;
    let tables: Vec<Table> = driver.tables(&names).await?.into_values().collect();
    Ok(Proposal { entities: entities(&tables), login: login(driver.engine(), &tables) })
}

fn entities(tables: &[Table]) -> Vec<ProposedEntity> {
    let mut taken = BTreeSet::new();
    let mut entities = Vec::new();
    for table in tables {
        let full = table.name.to_string();
        let names = [entity_name(&table.name.name), entity_name(&full)];
        let Some(name) = names.into_iter().find(|name| taken.insert(name.clone())) else {
            continue;
        };
        entities.push(ProposedEntity {
            name,
            table: table.name.clone(),
            description: table.comment.clone().unwrap_or_default(),
            has_key: !table.key.is_empty(),
        });
    }
    entities
}

/// A name of letters, digits and `_`.
fn entity_name(table: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    table.chars().map(letter).collect()
}

fn login(engine: Engine, tables: &[Table]) -> Vec<String> {
    let role = engine.quote(ROLE);
    let mut statements = match engine {
        Engine::Mysql => vec![format!("create user {role} identified by '…'")],
        Engine::Postgres => vec![format!("create role {role} login password '…'")],
        Engine::Sqlite => return Vec::new(),
    };
    let schemas: BTreeSet<_> =
        tables.iter().filter_map(|table| table.name.schema.as_ref()).collect();
    // The right to use a schema is one of PostgreSQL.
    for schema in schemas.into_iter().filter(|_| engine == Engine::Postgres) {
        statements.push(format!("grant usage on schema {} to {role}", engine.quote(schema)));
    }
    for table in tables {
        let columns = table.columns.iter().filter(|column| is_offered(column));
        let columns: Vec<_> = columns.map(|column| engine.quote(&column.name)).collect();
        if columns.is_empty() {
            continue;
        }
        let schema = table.name.schema.iter().map(|schema| format!("{}.", engine.quote(schema)));
        let name: String = schema.chain([engine.quote(&table.name.name)]).collect();
        statements.push(format!("grant select ({}) on {name} to {role}", columns.join(", ")));
    }
    statements
}

const ROLE: &str = "callgate_agent";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_has_a_name_that_models_can_write() {
        for (table, expected) in
            [("orders", "orders"), ("Order Lines", "order_lines"), ("sales.orders", "sales_orders")]
        {
            assert_eq!(entity_name(table), expected);
        }
    }
}
