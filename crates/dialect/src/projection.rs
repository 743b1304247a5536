//! Projects the schemas of tools onto the forms that providers accept. Canonical schemas are JSON Schema 2020-12, and only
//! they check arguments: a provider's form may be wider or narrower, and each difference is a [`Loss`]. No tool is ever
//! rejected.

mod alternatives;
mod circles;
mod copy;
mod cut;
mod definitions;
mod description;
mod grammar;
mod kinds;
mod loss;
mod names;
mod nullable;
mod object;
mod parts;
mod pattern;
mod projector;
mod restore;
mod root;
mod type_schema;
mod words;

use std::cell::LazyCell;

use callgate_tool::{Arguments, Schema, Tool, Value};

use self::{
    cut::Cut, definitions::Definitions, grammar::Names, loss::Losses, projector::Projector,
    restore::Restoring, words::Words,
};
pub use self::{
    grammar::{Projection, UnknownProjection},
    loss::{Loss, Lost},
};

/// A tool in a form that a provider accepts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Projected {
    /// The schema of the tool's arguments.
    pub schema: Value,
    /// The tool's description, with the rules on all arguments that the schema cannot express.
    pub description: String,
    /// The losses: parts of the canonical schema that the provider's form lacks or changes.
    pub losses: Vec<Loss>,
}

/// Projects a tool onto a provider's form, within its token budget ([`Tool::most_tokens`]) where possible.
///
/// ```
/// use callgate_dialect::{Projection, project};
/// use callgate_tool::{Effect, Schema, Tool, ToolName, json};
///
/// let schema = json!({"type": "object", "properties": {"size": {"type": ["integer", "null"], "enum": [1, 2, null]}}});
/// let tool = Tool::new(ToolName::new("find")?, "Find".into(), Schema::new(schema), Effect::Read);
/// let projected = project(&tool, Projection::GeminiSchema);
/// let size = json!({"type": "INTEGER", "description": "one of: 1, 2", "nullable": true});
/// assert_eq!(projected.schema["properties"]["size"], size);
/// assert_eq!(projected.losses[0].to_string(), "`enum` at `/properties/size`: told in words");
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
pub fn project(tool: &Tool, projection: Projection) -> Projected {
    let schema = &tool.input_schema;
    let (grammar, definitions) = (projection.grammar(), Definitions::new(schema));
    let names = names::name_replacements(grammar, schema, &definitions);
    let head = tool.name.as_str().len() + tool.description.len();
    let bound = if grammar.is_closed { MOST_STRICT_BYTES } else { MOST_BYTES };
    let most = tool.most_tokens.saturating_mul(4).min(bound).saturating_sub(head);
    let mut shown = (Value::Null, Words::default(), Losses::default());
    for cut in Cut::increasing_cuts(grammar.deepest) {
        let mut walk = Projector::new(grammar, cut, &definitions, &names, most.max(1));
        let (mut built, words) = walk.projected_root(schema.without_definitions());
        let wanted = walk.referenced_definitions();
        if let (Value::Object(members), false) = (&mut built, wanted.is_empty()) {
            members.insert("$defs", Value::Object(wanted));
        }
        let built = Schema::new(built);
        let is_small = !walk.is_byte_budget_spent() && built.n_bytes() <= most;
        shown = (built.into_value(), words, walk.losses);
        if is_small || cut.is_largest() {
            break;
        }
    }
    let (schema, words, losses) = shown;
    let description = words.description_with_words(&tool.description, usize::MAX);
    Projected { schema, description, losses: losses.list }
}

/// Converts the arguments of a call to the canonical schema: members get their own names, and `null` of optional members is
/// removed if the projection makes all of them required.
pub fn restore(tool: &Tool, projection: Projection, arguments: Arguments) -> Arguments {
    if !projection.needs_restore() {
        return arguments;
    }
    let grammar = projection.grammar();
    let definitions = Definitions::new(&tool.input_schema);
    let schema = &tool.input_schema;
    let restoring = Restoring {
        definitions: &definitions,
        names: LazyCell::new(Box::new(|| {
            let names = names::name_replacements(grammar, schema, &definitions).into_iter();
            names.map(|(own, other)| (other, own)).collect()
        })),
        is_shallow: grammar.names == Names::Dotted,
        has_names: grammar.names != Names::Any,
        drops_null: grammar.is_complete,
        reads_texts: grammar.is_closed,
    };
    restoring.restored_object(arguments, &[tool.input_schema.without_definitions()], 0)
}

impl Projected {
    /// The estimated tokens that the declaration costs a model, computed like [`Tool::tokens`].
    pub fn tokens(&self, tool: &Tool) -> usize {
        let schema = self.schema.to_string().len();
        (tool.name.as_str().len() + self.description.len() + schema).div_ceil(4)
    }
}

/// The largest schema that is written, whatever budget is requested.
const MOST_BYTES: usize = 1 << 20;
/// Below the limits of `OpenAI`'s strict mode: 120,000 characters of names and values, and 5,000 members.
const MOST_STRICT_BYTES: usize = 100_000;
