//! The tools that no description has: functions, and those of a database. Their names stand in the configuration, so they are
//! there before a database answers.

#[cfg(feature = "_own_tools")]
pub(super) mod edits;
#[cfg(feature = "_own_tools")]
pub(super) mod selection;
#[cfg(feature = "_own_tools")]
mod stand_ins;

use std::sync::Arc;

use callgate_executor::{Backend, EditedTool};
use callgate_openapi::renamed;
use callgate_settings::Words as _;
use callgate_tool::{Effect, ToolName};

#[cfg(feature = "_own_tools")]
pub(super) use self::stand_ins::{Absence, stand_ins};
use super::functions;
use crate::{
    connection::ActionConfig,
    database::{DatabaseConfig, EntityConfig, Operation, StatementConfig},
    tool_rules::EditRule,
    toolset::ToolsetConfig,
    vertex::VertexAction,
};

/// A tool of a toolset that no description has.
#[derive(Clone, Debug)]
pub(super) struct OwnTool {
    /// The name that models see.
    pub(super) name: ToolName,
    /// The names by which a configuration may mean it.
    names: Vec<String>,
    /// The place in the configuration.
    pub(super) pointer: String,
}

/// A tool of a database, of a connection or of documents.
#[derive(Clone, Debug)]
pub(super) struct DatabaseTool<'a> {
    /// The name without the toolset: `orders-list`.
    pub(super) short: String,
    pub(super) kind: DatabaseToolKind<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum DatabaseToolKind<'a> {
    /// A tool of a connection.
    Action(&'a ActionConfig),
    /// A search of documents, or a reading.
    Documents,
    Entity(&'a EntityConfig, Operation),
    Query,
    Statement(&'a StatementConfig),
    /// A search of data stores, or an answer from them.
    Vertex(
        #[cfg_attr(
            not(feature = "vertex"),
            expect(dead_code, reason = "only what calls the service reads it")
        )]
        VertexAction,
    ),
}

/// A tool of a database, and its declaration if an operator changed it.
#[derive(Debug)]
pub(super) struct DatabaseBackend {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) edit: Option<EditedTool>,
}

impl OwnTool {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

impl DatabaseTool<'_> {
    /// The name of its tool without an edit.
    pub(super) fn former_name(&self, toolset: &ToolsetConfig) -> Result<ToolName, String> {
        let full = match &toolset.prefix {
            Some(prefix) => format!("{prefix}-{}", self.short),
            None => self.short.clone(),
        };
        ToolName::new(&full).map_err(|error| error.to_string())
    }

    /// The name that models see.
    pub(super) fn name(&self, toolset: &ToolsetConfig) -> Result<ToolName, String> {
        let edit = self.edit(toolset).map(|rule| &*rule.rule);
        match edit.and_then(|edit| renamed(toolset.prefix.as_ref(), edit)) {
            Some(Ok(name)) => Ok(name),
            // The fault of the new name is reported by itself.
            Some(Err(_)) | None => self.former_name(toolset),
        }
    }

    /// The first edit that means it.
    pub(super) fn edit<'t>(&self, toolset: &'t ToolsetConfig) -> Option<&'t EditRule> {
        toolset.edits.iter().find(|rule| self.is_meant(toolset, &rule.tool))
    }

    /// True if `name` is its own one, or that of its tool without an edit.
    pub(super) fn is_meant(&self, toolset: &ToolsetConfig, name: &str) -> bool {
        self.short == name || self.former_name(toolset).is_ok_and(|full| full.as_str() == name)
    }

    /// The effect, as the configuration has it.
    pub(super) fn effect(&self) -> Effect {
        match self.kind {
            DatabaseToolKind::Action(action) => action.kind.effect(),
            DatabaseToolKind::Documents
            | DatabaseToolKind::Entity(_, Operation::Get | Operation::List)
            | DatabaseToolKind::Vertex(_) => Effect::Read,
            // Nothing says that a text of a model reads the same again.
            DatabaseToolKind::Entity(..) | DatabaseToolKind::Query => Effect::Write,
            DatabaseToolKind::Statement(statement) => statement.keys.effect.unwrap_or(Effect::Read),
        }
    }

    /// The place of the tool in the configuration.
    pub(super) fn pointer(&self, toolset: &ToolsetConfig) -> String {
        match self.kind {
            DatabaseToolKind::Action(action) => action.pointer.clone(),
            DatabaseToolKind::Documents => format!("{}/documents", toolset.pointer),
            DatabaseToolKind::Entity(entity, _) => entity.pointer.clone(),
            DatabaseToolKind::Query => format!("{}/query", toolset.pointer),
            DatabaseToolKind::Statement(statement) => statement.pointer.clone(),
            DatabaseToolKind::Vertex(_) => format!("{}/vertex", toolset.pointer),
        }
    }
}

/// The tools of a toolset's database, documents or connection, in the order of the configuration, with those that `tools` leaves out.
pub(super) fn of_database(toolset: &ToolsetConfig) -> Vec<DatabaseTool<'_>> {
    if toolset.documents.keys.is_some() {
        let tool = |short: &str| DatabaseTool {
            short: short.to_owned(),
            kind: DatabaseToolKind::Documents,
        };
        return ["search", "read"].map(tool).into();
    }
    if let Some(vertex) = &toolset.vertex {
        let tool = |(short, action)| DatabaseTool { short, kind: DatabaseToolKind::Vertex(action) };
        return vertex.tools().into_iter().map(tool).collect();
    }
    let DatabaseConfig { connection, entities, statements, query, .. } = &toolset.database;
    if connection.is_none() {
        return of_connection(toolset);
    }
    let of_entity = |entity| {
        operations(entity).iter().map(move |operation| DatabaseTool {
            short: format!("{}-{}", entity.name, word(*operation)),
            kind: DatabaseToolKind::Entity(entity, *operation),
        })
    };
    let statement = |statement: &'_ StatementConfig| statement.name.clone();
    let statements = statements.iter().map(|known| DatabaseTool {
        short: statement(known),
        kind: DatabaseToolKind::Statement(known),
    });
    let query = query
        .iter()
        .map(|_| DatabaseTool { short: "query".to_owned(), kind: DatabaseToolKind::Query });
    entities.iter().flat_map(of_entity).chain(statements).chain(query).collect()
}

/// The tools of a connection that the configuration names.
fn of_connection(toolset: &ToolsetConfig) -> Vec<DatabaseTool<'_>> {
    let is_connection = toolset.connector.connection.is_some();
    let actions = toolset.connector.actions.iter().flatten().filter(|_| is_connection);
    let tool =
        |action| DatabaseTool { short: short(action), kind: DatabaseToolKind::Action(action) };
    actions.map(tool).collect()
}

fn short(action: &ActionConfig) -> String {
    action.name.clone()
}

/// The functions of a toolset and the tools of its database.
pub(super) fn of_toolset(toolset: &ToolsetConfig) -> Vec<OwnTool> {
    let functions = toolset.functions.iter().filter_map(|function| {
        let name = functions::tool_name(toolset, function).ok()?;
        let (names, pointer) = (functions::names(toolset, function), function.pointer.clone());
        Some(OwnTool { name, names, pointer })
    });
    let of_database = of_database(toolset).into_iter().filter_map(|tool| {
        let name = tool.name(toolset).ok()?;
        let names = [tool.former_name(toolset).ok()?.to_string(), name.to_string()];
        let new = tool.edit(toolset).and_then(|rule| rule.rule.name.clone());
        let pointer = tool.pointer(toolset);
        let names = names.into_iter().chain(new).chain([tool.short]).collect();
        Some(OwnTool { name, names, pointer })
    });
    functions.chain(of_database).collect()
}

/// The operations of an entity; those that read unless others are named.
pub(super) fn operations(entity: &EntityConfig) -> &[Operation] {
    entity.keys.operations.as_deref().unwrap_or(&[Operation::List, Operation::Get])
}

fn word(operation: Operation) -> &'static str {
    let mut words = Operation::WORDS.iter();
    words.find(|(_, known)| *known == operation).map_or("", |(word, _)| word)
}
