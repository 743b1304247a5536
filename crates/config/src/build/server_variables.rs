//! Warns of values under `server_variables` for variables that no server has: calls would go to the server of another value.

use std::collections::BTreeSet;

use callgate_kind::KindCode;
use callgate_settings::{Reader, nearest_help, pointer_segment};
use callgate_tree::Node;

use crate::toolset::ToolsetConfig;

/// Warns of each value at its place. `description` is corrected by its overlays.
pub(super) fn report_unused_variables(
    reader: &mut Reader,
    config: &ToolsetConfig,
    description: &Node,
) {
    let texts = match &config.server {
        _ if config.server_variables.is_empty() => return,
        Some(server) => Some(vec![server.as_str()]),
        None => server_url_texts(description),
    };
    let Some(texts) = texts else { return };
    let variables = |text| {
        let after = str::split(text, '{').skip(1);
        after.filter_map(|after| Some(after.split_once('}')?.0))
    };
    let variables: BTreeSet<&str> = texts.into_iter().flat_map(variables).collect();
    for name in config.server_variables.keys() {
        if variables.contains(&**name) {
            continue;
        }
        let pointer = format!("{}/server_variables/{}", config.pointer, pointer_segment(name));
        let message = format!("expected a variable of the server, got one that it lacks: `{name}`");
        let help =
            nearest_help(name, variables.iter().copied(), || "correct it or remove it".to_owned());
        reader.warn(KindCode::SelectsNothing, pointer, &message, &help);
    }
}

/// The texts of all servers; `None` if some may stand in other documents.
fn server_url_texts(description: &Node) -> Option<Vec<&str>> {
    let items: Vec<&Node> = description.members_of("paths").map(|(_, item)| item).collect();
    let usual = items.iter().copied().flat_map(Node::members);
    // OpenAPI 3.2.0 §4.9.1: operations of further methods.
    let more = items.iter().copied().flat_map(|item| item.members_of("additionalOperations"));
    let operations = usual.chain(more).map(|(_, operation)| operation);
    let holders: Vec<&Node> =
        [description].into_iter().chain(items.iter().copied()).chain(operations).collect();
    if holders.iter().any(|holder| holder.get("$ref").is_some()) {
        return None;
    }
    let servers = holders.into_iter().flat_map(|holder| holder.list("servers"));
    Some(servers.filter_map(|server| server.text("url")).collect())
}

#[cfg(test)]
mod tests {
    use callgate_tree::Limits;

    use super::*;

    #[test]
    fn the_servers_of_every_operation_count_unless_some_are_elsewhere() {
        let own = r#"{"servers": [{"url": "https://{a}"}]}"#;
        for (item, expected) in [
            (own.to_owned(), Some(vec!["https://{a}"])),
            (format!(r#"{{"get": {own}}}"#), Some(vec!["https://{a}"])),
            (
                format!(r#"{{"additionalOperations": {{"COPY": {own}}}}}"#),
                Some(vec!["https://{a}"]),
            ),
            (r#"{"get": {}, "parameters": [{"$ref": "b.yaml"}]}"#.to_owned(), Some(vec![])),
            (r#"{"$ref": "b.yaml"}"#.to_owned(), None),
            (r#"{"get": {"$ref": "b.yaml"}}"#.to_owned(), None),
        ] {
            let text = format!(r#"{{"paths": {{"/a": {item}}}}}"#);
            let read = callgate_tree::read(text.as_bytes(), &Limits::default()).unwrap();
            assert_eq!(server_url_texts(&read.value), expected, "{text}");
        }
    }
}
