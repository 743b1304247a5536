//! Values of the session that are written where nothing fills them in.

use callgate_settings::{Reader, SettingCode, pointer_segment};
use callgate_tool::SessionSource;
use callgate_tree::{Node, Object};

/// Warns of values of the session where a reader may expect that they are filled in, and nothing does: they would be sent, or
/// shown to a model, as these letters.
pub(crate) fn warn_of_unfilled(reader: &mut Reader, root: &Node) {
    let toolsets = root.as_object().and_then(|root| root.get("toolsets")?.as_object());
    for (name, toolset) in toolsets.into_iter().flat_map(Object::iter) {
        for key in ["server", "tools"] {
            if let Some(node) = toolset.as_object().and_then(|toolset| toolset.get(key)) {
                warn_of_session_texts(
                    reader,
                    node,
                    &format!("/toolsets/{}/{key}", pointer_segment(name)),
                );
            }
        }
    }
    if let Some(agents) = root.as_object().and_then(|root| root.get("agents")) {
        warn_of_session_texts(reader, agents, "/agents");
    }
}

fn warn_of_session_texts(reader: &mut Reader, node: &Node, pointer: &str) {
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
        warn_of_session_texts(reader, item, &format!("{pointer}/{at}"));
    }
    for (name, node) in node.as_object().into_iter().flat_map(Object::iter) {
        // The credential of a model's server and the instructions of an agent take such values.
        if !["auth", "instructions"].contains(&&**name) {
            warn_of_session_texts(reader, node, &format!("{pointer}/{}", pointer_segment(name)));
        }
    }
}

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
agents: {pizza: {instructions: $session.params.instructions, tools: {include: [$request.payload.tools]}}}
";
        let root = callgate_tree::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let mut reader = Reader::default();
        warn_of_unfilled(&mut reader, &root);
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
