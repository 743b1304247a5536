//! The forms of values that tools have: effects, and inputs of statements.

use callgate_tool::{Effect, SessionSource, StatementInput};
use callgate_tree::Node;

use crate::{
    forms,
    keys::Kind,
    reader::{Mapping, Reader},
    words,
};

words! {
    Effect, "`read` changes nothing, and `idempotent` changes nothing more when it is called again":
    "idempotent" => Idempotent, "read" => Read, "write" => Write
}

forms! {
    /// The inputs of a statement, by their names.
    pub struct Inputs => Vec<(String, StatementInput)>, Kind::Map(&StatementInput::KIND), |reader, mapping, key| {
        let help = "for example `{since: {type: string, format: date}, owner: $session.params.user_id}`";
        reader.named_values::<StatementInput, _>(mapping, key, "a mapping from names to schemas or values of the session", help)
    };
    StatementInput => Self, Kind::AnyOf(&[Kind::Schema, Kind::Text, Kind::Number, Kind::Boolean]), read_statement_input;
}

fn read_statement_input(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<StatementInput> {
    let node: &Node = mapping.object.get(key)?;
    if node.as_object().is_some() {
        return Some(StatementInput::Model(node.to_value()));
    }
    reader.get::<SessionSource>(mapping, key).map(StatementInput::Session)
}
