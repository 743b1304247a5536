//! The key `argument_headers` of a toolset: the withheld headers that its operator lets arguments set, for all of its
//! tools or for single ones. The check that tools have such parameters runs after the description is loaded.

use callgate_openapi::{ArgumentHeader, Effects, NotAnArgumentHeader, Selection};

use crate::{
    code::ConfigCode,
    keys::ARGUMENT_HEADERS,
    reader::{Mapping, Reader, at},
    toolset::ListedHeader,
};

/// Reads the allowed headers: a list for all tools, or a mapping with a list for each single tool.
pub(crate) fn read(
    reader: &mut Reader,
    toolset: Mapping<'_>,
    selection: &Selection,
) -> Vec<ListedHeader> {
    let Some(node) = toolset.object.get("argument_headers") else { return Vec::new() };
    let mut listed = Vec::new();
    if node.as_array().is_some() {
        listed = list(reader, toolset, "argument_headers", None);
    } else {
        let pointer = at(toolset, "argument_headers");
        if let Some(mapping) = reader.mapping(node, &pointer, &ARGUMENT_HEADERS) {
            listed = list(reader, mapping, "allow", None);
            listed.append(&mut of_tools(reader, mapping));
        }
    }
    let overrides = |known: &&ListedHeader| known.header.overrides_method();
    if selection.effects == Effects::Read
        && let Some(known) = listed.iter().find(overrides)
    {
        let message = format!(
            "expected no other method than that of the request where only reads are offered, got: `{}`",
            known.header.as_str()
        );
        let help = "remove it, or `read_only` of `tools`";
        reader.complain(ConfigCode::WrongValue, known.pointer.clone(), message, help);
    }
    listed
}

fn of_tools(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<ListedHeader> {
    let Some(node) = mapping.object.get("tools") else { return Vec::new() };
    let pointer = at(mapping, "tools");
    let Some(object) = node.as_object() else {
        let help = "for example `{getSession: [Cookie]}`";
        reader.expected(&pointer, "a mapping from tools to names of headers", node, help);
        return Vec::new();
    };
    let tools = Mapping { object, pointer: &pointer };
    object.iter().flat_map(|(tool, _)| list(reader, tools, tool, Some(tool))).collect()
}

/// The list under a key, for one tool or for all.
fn list(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    tool: Option<&str>,
) -> Vec<ListedHeader> {
    let mut listed = Vec::new();
    for (index, name) in reader.strings(mapping, key).into_iter().enumerate() {
        let pointer = format!("{}/{index}", at(mapping, key));
        match ArgumentHeader::new(name) {
            Ok(header) => {
                listed.push(ListedHeader { pointer, tool: tool.map(ToOwned::to_owned), header });
            }
            Err(NotAnArgumentHeader::Offered) => {
                let message =
                    format!("expected a header that arguments may not set, got: `{name}`");
                reader.warn(
                    ConfigCode::SelectsNothing,
                    pointer,
                    &message,
                    "remove it; nothing withholds it",
                );
            }
            Err(why) => {
                let message = format!("expected a header that an argument may set, got: `{name}`");
                reader.complain(
                    ConfigCode::WrongValue,
                    pointer,
                    message,
                    format!("remove it: {why}"),
                );
            }
        }
    }
    listed
}
