//! The action of one tool of a connection, with the fields that it offers: the common ground of its declaration, its requests and
//! its results.

use callgate_kind::{ArgumentForm, Operation};
use callgate_tool::{Effect, StatementInput, Value};

use crate::{field::Field, sql::Statement};

/// The action of one tool.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Action(Action),
    Entity(Entity),
    Query(Query),
    Tool(ServiceTool),
}

/// Reads or changes the entities of one type.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    pub(crate) name: String,
    pub(crate) operation: Operation,
    pub(crate) form: ArgumentForm,
    /// True if update and delete also take conditions.
    pub(crate) many: bool,
    /// The argument for the id, and the schema of its values.
    pub(crate) key: (String, Value),
    pub(crate) inputs: Vec<Input>,
    /// The fields that conditions may name.
    pub(crate) filtered: Vec<Field>,
    pub(crate) sorted: Vec<String>,
    /// True if the service finds the next page without a sort.
    pub(crate) is_paged: bool,
    pub(crate) output_fields: Option<Vec<String>>,
}

/// A field or parameter that a model gives, with the name of its argument.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) argument: String,
    pub(crate) field: Field,
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) id: String,
    pub(crate) form: ArgumentForm,
    pub(crate) schema: Value,
    pub(crate) effect: Effect,
    pub(crate) output_fields: Option<Vec<String>>,
}

/// Runs a statement of the operator.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) statement: Statement,
    pub(crate) inputs: Vec<(String, StatementInput)>,
    pub(crate) effect: Effect,
    pub(crate) output_fields: Option<Vec<String>>,
}

/// Runs a tool of the connection.
#[derive(Clone, Debug)]
pub(crate) struct ServiceTool {
    pub(crate) id: String,
    pub(crate) schema: Value,
    pub(crate) effect: Effect,
}

impl Work {
    pub(crate) fn effect(&self) -> Effect {
        match self {
            Self::Action(action) => action.effect,
            Self::Entity(entity) => entity.operation.effect(),
            Self::Query(query) => query.effect,
            Self::Tool(tool) => tool.effect,
        }
    }
}

impl Input {
    /// The inputs of these fields. Names that no argument can have are spelled with `_`; of two that become equal the first stays.
    pub(crate) fn from_fields(fields: impl IntoIterator<Item = Field>) -> Vec<Self> {
        let mut inputs: Vec<Self> = Vec::new();
        for field in fields {
            let argument = truncated_underscored_name(&field.name, MAX_ARGUMENT);
            if inputs.iter().all(|input| input.argument != argument) {
                inputs.push(Self { argument, field });
            }
        }
        inputs
    }
}

/// A text as a part of a name: other characters than letters, digits and `_` become `_`.
pub(crate) fn truncated_underscored_name(text: &str, most: usize) -> String {
    let legal = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    let word: String = text.chars().take(most).map(legal).collect();
    if word.starts_with(|first: char| first.is_ascii_digit()) { format!("_{word}") } else { word }
}

const MAX_ARGUMENT: usize = 60;
