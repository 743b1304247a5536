//! The settings of a connection as the crate for connections takes them, from those of its toolset.

use callgate_connector::{
    ActionKind, ActionSettings, ConnectionSettings, Form, Operation, SERVICE, UserSettings,
};
use callgate_kind::ArgumentForm;

use crate::{
    build::own_tools::{DatabaseTool, DatabaseToolKind, common},
    connection::{ActionConfig, ActionKind as KindConfig},
    database::Operation as OperationConfig,
    toolset::ToolsetConfig,
};

/// The settings; `None` if the connection has no valid name, which is reported elsewhere.
pub(super) fn of_toolset(
    toolset: &ToolsetConfig,
    selected: &[DatabaseTool<'_>],
) -> Option<ConnectionSettings> {
    let config = &toolset.connector;
    let actions = config.actions.as_ref().map(|_| {
        let actions = selected.iter().filter_map(|tool| action(toolset, tool));
        actions.collect()
    });
    let server = toolset.server.as_ref().map_or(SERVICE, |server| server.as_str());
    let user = config.user.as_ref().map(|user| UserSettings {
        oauth2_auth_code: user.oauth2_auth_code.clone(),
        header: user.header.clone().unwrap_or_else(|| UserSettings::HEADER.to_owned()),
    });
    let rows = toolset.database.limits.rows.and_then(|rows| u32::try_from(rows).ok());
    Some(ConnectionSettings {
        pointer: toolset.pointer.clone(),
        toolset: toolset.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        prefix: toolset.prefix.clone(),
        connection: config.connection.as_ref()?.parse().ok()?,
        server: server.to_owned(),
        actions,
        user,
        call: toolset.call.clone(),
        rows: rows.unwrap_or(ROWS),
    })
}

fn action(toolset: &ToolsetConfig, tool: &DatabaseTool<'_>) -> Option<ActionSettings> {
    let DatabaseToolKind::Action(ActionConfig { pointer, kind, keys, .. }) = tool.kind else {
        return None;
    };
    let form = match keys.arguments {
        Some(ArgumentForm::Google) => Form::Google,
        Some(ArgumentForm::Own) | None => Form::Own,
    };
    Some(ActionSettings {
        pointer: pointer.clone(),
        name: Some(tool.named.former_name(&common(toolset)).ok()?),
        description: keys.description.clone().unwrap_or_default(),
        kind: of_kind(kind, &tool.named.short),
        input_fields: keys.input_fields.clone(),
        output_fields: keys.output_fields.clone(),
        form,
    })
}

fn of_kind(kind: &KindConfig, name: &str) -> ActionKind {
    match kind.clone() {
        KindConfig::Action { action, effect } => ActionKind::Action { action, effect },
        KindConfig::Entity { entity, operation, many } => {
            ActionKind::Entity { entity, operation: of_operation(operation), many }
        }
        KindConfig::Query { sql, inputs, effect } => {
            ActionKind::Query { name: name.to_owned(), sql, inputs, effect }
        }
        KindConfig::Tool(tool) => ActionKind::Tool { tool },
    }
}

fn of_operation(operation: OperationConfig) -> Operation {
    match operation {
        OperationConfig::Create => Operation::Create,
        OperationConfig::Delete => Operation::Delete,
        OperationConfig::Get => Operation::Get,
        OperationConfig::List => Operation::List,
        OperationConfig::Update => Operation::Update,
    }
}

/// The rows of a result, unless an operator sets them; as for databases.
const ROWS: u32 = 50;
