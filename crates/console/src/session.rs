//! The session of a call that a person tries: JSON, as `session` of `/v1/calls`, with the names of the values that a tool reads.

use callgate_tool::{Object, Value};

use crate::{
    json_view,
    layout::{member_items, member_text},
};

/// The inputs of a tool that callers give in a session, also those inside an argument.
pub(crate) fn session_inputs(tool: &Value) -> Vec<&Value> {
    let own = member_items(tool, "inputs").iter();
    let own = own.filter(|input| !member_text(input, "reference").is_empty());
    own.chain(member_items(tool, "nestedInputs")).collect()
}

/// A session as JSON with the names of all values that a tool reads.
pub(crate) fn session_with_names(session: Value, tool: &Value) -> String {
    let inputs = session_inputs(tool);
    json_view::indented_json(&with_missing_names(
        session,
        inputs.iter().map(|input| member_text(input, "reference")),
    ))
}

/// A session with an empty text for each value that it lacks.
fn with_missing_names<'s>(mut session: Value, sources: impl Iterator<Item = &'s str>) -> Value {
    // The id is a value of its own.
    for source in sources.filter(|source| *source != "$context.session_id") {
        for (prefix, member) in PLACES {
            if let Some(name) = source.strip_prefix(prefix) {
                add_empty_member(
                    &mut session,
                    &[&[member], &*name.split('.').collect::<Vec<_>>()].concat(),
                );
            }
        }
    }
    session
}

fn add_empty_member(value: &mut Value, names: &[&str]) {
    let (Some((name, deeper)), Some(members)) = (names.split_first(), value.as_object_mut()) else {
        return;
    };
    let is_last = deeper.is_empty();
    let empty = || if is_last { "".into() } else { Value::Object(Object::new()) };
    add_empty_member(members.entry(*name).or_insert_with(empty), deeper);
}

/// The beginnings of the sources that a caller gives, and their members of a session.
const PLACES: [(&str, &str); 3] = [
    ("$context.", "context"),
    ("$request.payload.", "payload"),
    ("$session.params.", "parameters"),
];

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_session_gets_the_names_that_it_lacks() {
        let sources = ["$session.params.cart.id", "$session.params.token", "$caller.token"];
        let session = json!({"id": "s-2", "parameters": {"token": "t"}});
        let expected = json!({"id": "s-2", "parameters": {"token": "t", "cart": {"id": ""}}});
        assert_eq!(with_missing_names(session, sources.into_iter()), expected);
    }
}
