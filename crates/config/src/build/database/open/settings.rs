//! From the values of the configuration to the settings of a database, with the secrets behind its addresses.

use std::time::Duration;

use callgate_database::{
    DatabaseLimits, DatabaseSettings, EntitySettings, Operation, QuerySettings, RoleRule,
    StatementSettings, TableName,
};
use callgate_secret::{Secret, SecretReference};
use callgate_tool::Effect;
use tokio::time::timeout;

use crate::{
    build::{
        context::BuildContext,
        innermost::innermost,
        own_tools::{DatabaseTool, DatabaseToolKind},
    },
    database::{
        ConnectionConfig, DatabaseLimits as LimitsConfig, EntityConfig,
        Operation as OperationConfig, QueryConfig, RoleConfig, StatementConfig,
        entity::TableName as TableConfig,
    },
    toolset::ToolsetConfig,
};

/// A secret that cannot be read: the key that names it, and the reason.
#[derive(Clone, Debug)]
pub(super) struct MissingSecret {
    pub(super) pointer: String,
    pub(super) why: String,
}

/// The settings of a toolset's database, with these tools.
pub(super) async fn of_toolset(
    toolset: &ToolsetConfig,
    connection: &ConnectionConfig,
    tools: &[DatabaseTool<'_>],
    build_context: &BuildContext<'_>,
) -> Result<DatabaseSettings, MissingSecret> {
    let at = &toolset.pointer;
    let pointer = format!("{at}/database/url");
    let url = secret(&connection.url, pointer, build_context).await?;
    let is_queried = tools.iter().any(|tool| matches!(tool.kind, DatabaseToolKind::Query));
    let query = match toolset.database.query.as_ref().filter(|_| is_queried) {
        Some(query) => {
            let pointer = format!("{at}/query/url");
            let url = secret(&query.url, pointer, build_context).await?;
            Some(query_settings(query, url, format!("{at}/query")))
        }
        None => None,
    };
    let statements = tools.iter().filter_map(|tool| match tool.kind {
        DatabaseToolKind::Statement(statement) => Some(statement_settings(statement)),
        DatabaseToolKind::Action(_) | DatabaseToolKind::Entity(..) | DatabaseToolKind::Query => {
            None
        }
    });
    let entities = &toolset.database.entities;
    Ok(DatabaseSettings {
        toolset: toolset.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        prefix: toolset.prefix.clone(),
        url,
        identity: connection.identity.clone(),
        role: connection.role.as_ref().map(role),
        allowed_rights: connection.allowed_rights.clone(),
        // An entity without a tool still has rows that other tables refer to.
        entities: entities.iter().map(|entity| entity_settings(entity, tools)).collect(),
        statements: statements.collect(),
        query,
        limits: limits(&toolset.database.limits),
    })
}

async fn secret(
    reference: &SecretReference,
    pointer: String,
    build_context: &BuildContext<'_>,
) -> Result<Secret, MissingSecret> {
    match timeout(MOST_TIME, build_context.secrets.get(reference)).await {
        Ok(secret) => secret.map_err(|error| MissingSecret { pointer, why: innermost(&error) }),
        Err(_) => {
            Err(MissingSecret { pointer, why: "the secret store does not answer".to_owned() })
        }
    }
}

/// The time of a store; a slower one counts as unavailable.
const MOST_TIME: Duration = Duration::from_secs(5);

fn entity_settings(entity: &EntityConfig, tools: &[DatabaseTool<'_>]) -> EntitySettings {
    let EntityConfig { name, pointer, table, keys } = entity;
    let operations = tools.iter().filter_map(|tool| match tool.kind {
        DatabaseToolKind::Entity(tool_entity, one) if std::ptr::eq(tool_entity, entity) => {
            Some(operation(one))
        }
        _ => None,
    });
    let inputs = keys.input_fields.clone().unwrap_or_default();
    let inputs = [(Operation::Create, inputs.create), (Operation::Update, inputs.update)];
    let outputs = keys.output_fields.clone().unwrap_or_default();
    let outputs = [
        (Operation::Create, outputs.create),
        (Operation::Get, outputs.get),
        (Operation::List, outputs.list),
        (Operation::Update, outputs.update),
    ];
    let given = |(operation, fields): (Operation, Option<Vec<String>>)| Some((operation, fields?));
    EntitySettings {
        pointer: pointer.clone(),
        name: name.clone(),
        table: table_name(table),
        key: keys.key.clone(),
        description: keys.description.clone().unwrap_or_default(),
        operations: operations.collect(),
        fields: keys.fields.clone(),
        input_fields: inputs.into_iter().filter_map(given).collect(),
        output_fields: outputs.into_iter().filter_map(given).collect(),
        rows: keys.rows.clone().unwrap_or_default(),
        filter: keys.filter.clone(),
        sort: keys.sort.clone(),
        many: keys.many.unwrap_or_default(),
        affected: max_affected_rows(keys.affected),
        version: keys.version.clone(),
    }
}

fn statement_settings(statement: &StatementConfig) -> StatementSettings {
    let StatementConfig { name, pointer, sql, keys } = statement;
    StatementSettings {
        pointer: pointer.clone(),
        name: name.clone(),
        description: keys.description.clone().unwrap_or_default(),
        sql: sql.clone(),
        inputs: keys.inputs.clone().unwrap_or_default(),
        effect: keys.effect.unwrap_or(Effect::Read),
        affected: max_affected_rows(keys.affected),
    }
}

/// One row unless the operator allows more.
fn max_affected_rows(most: Option<usize>) -> u64 {
    most.and_then(|most| u64::try_from(most).ok()).unwrap_or(1)
}

fn query_settings(query: &QueryConfig, url: Secret, pointer: String) -> QuerySettings {
    let tables = query.tables.iter();
    let tables = tables.map(|(table, columns)| (table_name(table), columns.clone())).collect();
    QuerySettings { pointer, url, tables, functions: query.functions.clone() }
}

fn limits(config: &LimitsConfig) -> DatabaseLimits {
    let usual = DatabaseLimits::default();
    DatabaseLimits {
        timeout: config.timeout.unwrap_or(usual.timeout),
        lock_time: config.lock_time.unwrap_or(usual.lock_time),
        rows: config.rows.and_then(|n| u32::try_from(n).ok()).unwrap_or(usual.rows),
        row_bytes: config.row_bytes.unwrap_or(usual.row_bytes),
        result_bytes: config.result_bytes.unwrap_or(usual.result_bytes),
        connections: config.connections.unwrap_or(usual.connections),
    }
}

fn role(config: &RoleConfig) -> RoleRule {
    RoleRule { from: config.from.clone(), allow: config.allow.clone() }
}

fn table_name(name: &TableConfig) -> TableName {
    TableName { schema: name.schema.clone(), name: name.name.clone() }
}

fn operation(operation: OperationConfig) -> Operation {
    match operation {
        OperationConfig::Create => Operation::Create,
        OperationConfig::Delete => Operation::Delete,
        OperationConfig::Get => Operation::Get,
        OperationConfig::List => Operation::List,
        OperationConfig::Update => Operation::Update,
    }
}
