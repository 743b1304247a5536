//! The keys `connection`, `actions` and `user` of a toolset, and `connections` of the configuration, which points connections at
//! databases. Reads texts only; `load` asks the service.

use std::collections::BTreeMap;

use callgate_auth::CredentialSource;
use callgate_kind::{ArgumentForm, KindCode, Operation};
use callgate_settings::{
    Count, Inputs, Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer,
};
use callgate_tool::{Effect, ToolsetName};
use callgate_tree::Node;

use crate::{
    connection_name::ConnectionName,
    settings::{ActionKind, ActionSettings, UserSettings},
};

/// One tool of a connection, by its name without the toolset: `Case-list`.
pub(crate) type NamedAction = (String, ActionSettings);

keys! {
    pub(crate) struct ToolsetKeys in "a toolset" {
        /// The tools of the connection: operations on its entities, actions, and tools of its own; those of its own tools that
        /// only read unless given.
        actions: Actions;
        /// The connection of Google's Integration Connectors whose entities and actions are tools, in place of a description:
        /// `projects/PROJECT/locations/LOCATION/connections/NAME`.
        connection: ConnectionName;
        /// The end user in whose name the connection acts: `{oauth2_auth_code: $session.credentials.NAME}`.
        user: User;
    }
}

keys! {
    pub(crate) RootKeys over (), in "the configuration" {
        /// The toolsets with databases that run the tools of connections in place of Google, by the names of the connections.
        connections => _: LocalConnections;
    }
}

keys! {
    /// The limit that a connection shares with databases.
    pub(crate) struct LimitKeys in "`limits`" {
        /// The number of rows of a result, of a connection too.
        rows: Count<10_000>;
    }
}

keys! {
    pub(crate) struct ActionKeys in "an action" {
        /// The id of an action; `ExecuteCustomQuery` only with `sql`.
        action: String;
        /// `google` for the arguments and results of Google's agents: `entityId`, `filterClause`, `connectorOutputPayload`.
        arguments: ArgumentForm;
        /// The purpose of the tool, for the model.
        description: String;
        /// The effect of an action or a statement; it writes unless another is named.
        effect: Effect;
        /// The type of entities.
        entity: String;
        /// The fields or parameters that a model gives; all unless given.
        input_fields: Vec<String>;
        /// The values behind the names that the SQL has with a colon, such as `:since`: a schema for one that the model gives, or
        /// a value of the session.
        inputs: Inputs;
        /// `true` for an update or delete by conditions too.
        many: bool;
        /// The tool's name behind the toolset's; made of the entity, the operation, the action or the tool unless given.
        name: String;
        /// The operation on entities.
        operation: Operation;
        /// The fields of results; all unless given.
        output_fields: Vec<String>;
        /// One statement, which the connection runs as it is.
        sql: String;
        /// The name of a tool that the connection has itself.
        tool: String;
    }
}

keys! {
    pub(crate) struct UserKeys in "`user`" {
        /// The header of an execution that holds the token; the published documents of the service name none.
        header: String;
        /// The user's access token: `$session.credentials.NAME`.
        oauth2_auth_code: CredentialSource, required;
    }
}

keys! {
    pub(crate) struct LocalKeys in "a connection under `connections`" {
        /// The toolset with the database whose entities the operations of the connection run on.
        toolset: String, required;
    }
}

/// The toolsets with databases, by the names of the connections that they run.
pub(crate) type LocalConnectionMap = BTreeMap<String, String>;

forms! {
    struct LocalConnections => LocalConnectionMap, Kind::Map(&LocalKeys::KIND), |reader, mapping, key| {
        let help = "for example `{projects/p/locations/l/connections/crm: {toolset: shop}}`";
        let all = reader.named_values::<LocalKeys, Vec<_>>(mapping, key, "a mapping from connections to toolsets", help)?;
        Some(all.into_iter().filter_map(|(name, keys)| Some((name, keys.toolset?))).collect())
    };
    ConnectionName => Self, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let name = text.parse::<Self>().ok();
        if name.is_none() {
            let message = format!("expected the name of a connection, got: `{text}`");
            let help = "write `projects/PROJECT/locations/LOCATION/connections/NAME`";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
        }
        name
    };
    struct Actions => Vec<NamedAction>, Kind::List(&ActionKeys::KIND), |reader, mapping, key| {
        let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
        let Some(items) = node.as_array() else {
            let help = "for example `[{entity: Case, operation: list}]`";
            reader.report_wrong_type(&pointer, "a list of actions", node, help);
            return None;
        };
        let items = items.iter().enumerate();
        let actions = items.filter_map(|(at, node)| read_action(reader, format!("{pointer}/{at}"), node));
        Some(actions.collect())
    };
    struct User => UserSettings, UserKeys::KIND, |reader, mapping, key| {
        let UserKeys { header, oauth2_auth_code } = reader.get::<UserKeys>(mapping, key)?;
        let oauth2_auth_code = oauth2_auth_code?;
        if matches!(oauth2_auth_code, CredentialSource::Secret(_)) {
            let message = "expected the token of the session's own user, got a secret of the operator";
            let help = "write `$session.credentials.NAME`; without `user` the connection's own credential is used";
            let pointer = format!("{}/oauth2_auth_code", member_pointer(mapping, key));
            reader.report_fault(SettingCode::WrongValue, pointer, message, help);
        }
        let header = header.unwrap_or_else(|| UserSettings::HEADER.to_owned());
        Some(UserSettings { oauth2_auth_code, header })
    };
}

fn read_action(reader: &mut Reader, pointer: String, node: &Node) -> Option<NamedAction> {
    let keys = reader.section::<ActionKeys>(node, &pointer)?;
    let object = node.as_object()?;
    let mapping = Mapping { object, pointer: &pointer };
    let mut kind = read_action_kind(reader, mapping, &keys)?;
    let name = keys.name.unwrap_or_else(|| kind.default_tool_name());
    let is_name = name.split('-').all(|part| ToolsetName::new(part).is_ok());
    if !is_name || name.len() > MAX_NAME {
        let message =
            format!("expected a short name of letters, digits, `_` and `-`, got: `{name}`");
        reader.report_fault(KindCode::ToolName, &pointer, message, "give the tool a `name`");
        return None;
    }
    if let ActionKind::Query { name: own, .. } = &mut kind {
        own.clone_from(&name);
    }
    let action = ActionSettings {
        pointer,
        name: None,
        description: keys.description.unwrap_or_default(),
        kind,
        input_fields: keys.input_fields,
        output_fields: keys.output_fields,
        form: keys.arguments.unwrap_or_default(),
    };
    Some((name, action))
}

/// The action of an entry, by the one key that names it; keys that mean nothing beside it are reported.
fn read_action_kind(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    keys: &ActionKeys,
) -> Option<ActionKind> {
    let effect = keys.effect.unwrap_or(Effect::Write);
    let (kind, unused): (_, &[&str]) = match keys {
        ActionKeys { entity: Some(entity), action: None, tool: None, .. } => {
            let Some(operation) = keys.operation else {
                let message = "expected `operation` beside `entity`, got none";
                let help = "add `operation: list`, or another one of `get`, `create`, `update` and `delete`";
                reader.report_fault(SettingCode::WrongValue, mapping.pointer, message, help);
                return None;
            };
            let unused: &[&str] = match operation {
                Operation::Create => &["effect", "inputs", "many", "sql"],
                Operation::Delete => &["effect", "input_fields", "inputs", "sql"],
                Operation::Get | Operation::List => {
                    &["effect", "input_fields", "inputs", "many", "sql"]
                }
                Operation::Update => &["effect", "inputs", "sql"],
            };
            let many = keys.many.unwrap_or_default();
            (ActionKind::Entity { entity: entity.clone(), operation, many }, unused)
        }
        ActionKeys { action: Some(action), entity: None, tool: None, .. } => match &keys.sql {
            Some(sql) if action == CUSTOM_QUERY => {
                let inputs = keys.inputs.clone().unwrap_or_default();
                (
                    ActionKind::Query { name: String::new(), sql: sql.clone(), inputs, effect },
                    &["input_fields", "many", "operation"],
                )
            }
            None if action == CUSTOM_QUERY => {
                let message = "expected `sql` beside the action `ExecuteCustomQuery`, got none";
                let help = "write the statement under `sql`: what a model writes could be anything, and nothing can prove that it is harmless";
                reader.report_fault(SettingCode::WrongValue, mapping.pointer, message, help);
                return None;
            }
            _ => (
                ActionKind::Action { action: action.clone(), effect },
                &["inputs", "many", "operation", "sql"],
            ),
        },
        ActionKeys { tool: Some(tool), entity: None, action: None, .. } => (
            ActionKind::Tool { tool: tool.clone() },
            &["arguments", "effect", "inputs", "many", "operation", "output_fields", "sql"],
        ),
        _ => {
            let message = "expected one of `entity`, `action` and `tool`, got none or several";
            let help = "for example `{entity: Case, operation: list}`";
            reader.report_fault(SettingCode::WrongValue, mapping.pointer, message, help);
            return None;
        }
    };
    for key in unused.iter().filter(|key| mapping.object.contains(key)) {
        let message = format!("expected no `{key}` in an entry of this kind, got one");
        reader.report_fault(
            SettingCode::UnusedKey,
            member_pointer(mapping, key),
            message,
            "remove it",
        );
    }
    Some(kind)
}

impl ActionKind {
    /// The name of a tool that has no other.
    fn default_tool_name(&self) -> String {
        match self {
            Self::Action { action, .. } => underscored_name(action),
            Self::Entity { entity, operation, .. } => {
                format!("{}-{}", underscored_name(entity), operation.as_str())
            }
            Self::Query { .. } => CUSTOM_QUERY.to_owned(),
            Self::Tool { tool } => underscored_name(tool),
        }
    }
}

/// A text as a part of a name: other characters than letters, digits and `_` become `_`.
fn underscored_name(text: &str) -> String {
    let legal = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    text.chars().map(legal).collect()
}

const CUSTOM_QUERY: &str = "ExecuteCustomQuery";
const MAX_NAME: usize = 50;
