//! Values of the session that are written where nothing fills them in.

use callgate_settings::{Reader, SettingCode, escaped};
use callgate_tool::SessionSource;
use callgate_tree::{Node, Object};

/// Warns of values of the session where nothing fills them in: they would be sent, or shown to a model, as these letters.
pub(crate) fn warn_of_unfilled(reader: &mut Reader, node: &Node, pointer: &str) {
    if let Node::String(_) = node {
        let text = node.as_str().unwrap_or_default();
        if SessionSource::parse(text).is_none() || text.contains(char::is_whitespace) {
            return;
        }
        let message =
            format!("expected no value of the session, got: `{text}`, which is not filled in here");
        let help = "bind an argument with `x-agent-input-parameter` in the description or an overlay; `headers` of a toolset take such a value";
        reader.warn(SettingCode::WrongValue, pointer.to_owned(), &message, help);
        return;
    }
    for (at, item) in node.as_array().into_iter().flatten().enumerate() {
        warn_of_unfilled(reader, item, &format!("{pointer}/{at}"));
    }
    for (name, node) in node.as_object().into_iter().flat_map(Object::iter) {
        if !FILLED.contains(&&**name) {
            warn_of_unfilled(reader, node, &format!("{pointer}/{}", escaped(name)));
        }
    }
}

/// The keys below which values of the session are filled in, or refused by what reads them.
const FILLED: [&str; 10] = [
    "auth",
    "connection",
    "connections",
    "credentials",
    "data_stores",
    "database",
    "documents",
    "headers",
    "overlays",
    "vertex",
];

#[cfg(test)]
mod tests {
    use callgate_tree::Limits;

    use super::*;

    #[test]
    fn a_value_of_the_session_is_found_where_nothing_fills_it_in() {
        let text = "
toolsets:
  pets:
    server: $session.params.server
    auth: {bearer: {token: $session.credentials.a}}
    headers: {X-A: $session.params.a}
    tools: {edit: {getPet: {arguments: {id: {value: $context.variables.id}}, description: of $session.params.a}}}
agents: {pizza: {instructions: 'The user is $session.params.user.', tools: {include: [$request.payload.tools]}}}
";
        let root = callgate_tree::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let mut reader = Reader::default();
        warn_of_unfilled(&mut reader, &root, "");
        let found: Vec<_> = reader.complaints.iter().map(|it| it.pointer.as_str()).collect();
        let expected = [
            "/toolsets/pets/server",
            "/toolsets/pets/tools/edit/getPet/arguments/id/value",
            "/agents/pizza/tools/include/0",
        ];
        assert_eq!(found, expected);
        assert!(!reader.has_faults());
    }
}
