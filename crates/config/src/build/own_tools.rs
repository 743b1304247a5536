//! The tools that no description has: functions, and those of a database. Their names stand in the configuration, so they are
//! there before a database answers.

use callgate_kind::{CommonSettings, NamedTool};
use callgate_settings::Words as _;
use callgate_tool::{Effect, ToolName};

use super::functions;
use crate::{
    connection::ActionConfig,
    database::{DatabaseConfig, EntityConfig, Operation, StatementConfig},
    server::ServerUrl,
    toolset::ToolsetConfig,
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

/// A tool of a database or of a connection.
#[derive(Clone, Debug)]
pub(super) struct DatabaseTool<'a> {
    pub(super) named: NamedTool,
    #[cfg_attr(
        not(any(feature = "_database", feature = "connector")),
        expect(dead_code, reason = "a build that opens none needs the names alone")
    )]
    pub(super) kind: DatabaseToolKind<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum DatabaseToolKind<'a> {
    /// A tool of a connection.
    Action(&'a ActionConfig),
    Entity(&'a EntityConfig, Operation),
    Query,
    Statement(&'a StatementConfig),
}

impl AsRef<NamedTool> for DatabaseTool<'_> {
    fn as_ref(&self) -> &NamedTool {
        &self.named
    }
}

/// The settings of a toolset that do not depend on its kind.
pub(super) fn common(toolset: &ToolsetConfig) -> CommonSettings<'_> {
    CommonSettings {
        name: toolset.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        pointer: &toolset.pointer,
        prefix: toolset.prefix.as_ref(),
        server: toolset.server.as_ref().map(ServerUrl::as_str),
        call: &toolset.call,
        selection: &toolset.selection,
        edits: &toolset.edits,
        functions: functions::all_names(toolset),
    }
}

impl OwnTool {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|own_name| own_name == name)
    }
}

impl<'a> DatabaseTool<'a> {
    /// A tool of a toolset, by its name without the toolset.
    fn new(toolset: &ToolsetConfig, short: String, kind: DatabaseToolKind<'a>) -> Self {
        let effect = match kind {
            DatabaseToolKind::Action(action) => action.kind.effect(),
            DatabaseToolKind::Entity(_, Operation::Get | Operation::List) => Effect::Read,
            // Nothing says that a text of a model reads the same again.
            DatabaseToolKind::Entity(..) | DatabaseToolKind::Query => Effect::Write,
            DatabaseToolKind::Statement(statement) => statement.keys.effect.unwrap_or(Effect::Read),
        };
        let pointer = match kind {
            DatabaseToolKind::Action(action) => action.pointer.clone(),
            DatabaseToolKind::Entity(entity, _) => entity.pointer.clone(),
            DatabaseToolKind::Query => format!("{}/query", toolset.pointer),
            DatabaseToolKind::Statement(statement) => statement.pointer.clone(),
        };
        Self { named: NamedTool { short, effect, pointer }, kind }
    }
}

/// The tools of a toolset's database or connection, in the order of the configuration, with those that `tools` leaves out.
pub(super) fn of_database(toolset: &ToolsetConfig) -> Vec<DatabaseTool<'_>> {
    let DatabaseConfig { connection, entities, statements, query, .. } = &toolset.database;
    let mut named: Vec<(String, DatabaseToolKind<'_>)> = Vec::new();
    if connection.is_none() {
        let is_connection = toolset.connector.connection.is_some();
        let actions = toolset.connector.actions.iter().flatten().filter(|_| is_connection);
        named.extend(actions.map(|one| (one.name.clone(), DatabaseToolKind::Action(one))));
    } else {
        for entity in entities {
            named.extend(operations(entity).iter().map(|operation| {
                let short = format!("{}-{}", entity.name, word(*operation));
                (short, DatabaseToolKind::Entity(entity, *operation))
            }));
        }
        named.extend(
            statements.iter().map(|one| (one.name.clone(), DatabaseToolKind::Statement(one))),
        );
        named.extend(query.iter().map(|_| ("query".to_owned(), DatabaseToolKind::Query)));
    }
    named.into_iter().map(|(short, kind)| DatabaseTool::new(toolset, short, kind)).collect()
}

/// The tools of a toolset that no description has and that are no functions, with those that `tools` leaves out.
fn named_tools(toolset: &ToolsetConfig) -> Vec<NamedTool> {
    let of_kind = toolset.kind.iter().flat_map(|kind| kind.tools(&toolset.pointer));
    of_kind.chain(of_database(toolset).into_iter().map(|tool| tool.named)).collect()
}

/// The functions of a toolset and its other tools without a description.
pub(super) fn of_toolset(toolset: &ToolsetConfig) -> Vec<OwnTool> {
    let functions = toolset.functions.iter().filter_map(|function| {
        let name = functions::tool_name(toolset, function).ok()?;
        let (names, pointer) = (functions::names(toolset, function), function.pointer.clone());
        Some(OwnTool { name, names, pointer })
    });
    let common = common(toolset);
    let others = named_tools(toolset).into_iter().filter_map(|tool| {
        let name = tool.name(&common).ok()?;
        let names = [tool.former_name(&common).ok()?.to_string(), name.to_string()];
        let new = tool.edit(&common).and_then(|rule| rule.rule.name.clone());
        let names = names.into_iter().chain(new).chain([tool.short]).collect();
        Some(OwnTool { name, names, pointer: tool.pointer })
    });
    functions.chain(others).collect()
}

/// The operations of an entity; those that read unless others are named.
pub(super) fn operations(entity: &EntityConfig) -> &[Operation] {
    entity.keys.operations.as_deref().unwrap_or(&[Operation::List, Operation::Get])
}

fn word(operation: Operation) -> &'static str {
    let mut words = Operation::WORDS.iter();
    words.find(|(_, listed_operation)| *listed_operation == operation).map_or("", |(word, _)| word)
}
