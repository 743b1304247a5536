//! The key `argument_headers` of a toolset: which withheld headers its operator lets arguments set, for all of its tools or
//! for single ones. Whether tools have such parameters is known when the description was loaded.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::Place as CredentialPart;
use callgate_executor::Callable;
use callgate_openapi::{
    ArgumentHeader, ArgumentHeaders, Effects, NotAnArgumentHeader, Operation, Selection,
};

use crate::{
    keys::ARGUMENT_HEADERS,
    output::{is_called, nearest_tool},
    reader::{Mapping, Reader, at},
    toolset::{ListedHeader, ToolsetConfig},
};

/// Reads the headers that are let through: a list for all tools, or a mapping that says which are for single ones.
pub(crate) fn read(
    reader: &mut Reader,
    toolset: Mapping<'_>,
    selection: &Selection,
) -> Vec<ListedHeader> {
    let Some(node) = toolset.object.get("argument_headers") else { return Vec::new() };
    let mut listed = Vec::new();
    if node.as_array().is_some() {
        listed = list(reader, toolset, ("argument_headers", None));
    } else {
        let pointer = at(toolset, "argument_headers");
        if let Some(mapping) = reader.mapping(node, &pointer, &ARGUMENT_HEADERS) {
            listed = list(reader, mapping, ("allow", None));
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
        reader.complain("wrong-value", known.pointer.clone(), message, help);
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
    object.iter().flat_map(|(tool, _)| list(reader, tools, (tool, Some(tool)))).collect()
}

/// The list under a key, for a tool or for all.
fn list(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    (key, tool): (&str, Option<&str>),
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
                    "selects-nothing",
                    pointer,
                    &message,
                    "remove it; nothing withholds it",
                );
            }
            Err(why) => {
                let message = format!("expected a header that an argument may set, got: `{name}`");
                reader.complain("wrong-value", pointer, message, format!("remove it: {why}"));
            }
        }
    }
    listed
}

/// The same as the description is loaded with.
pub(crate) fn options(listed: &[ListedHeader]) -> ArgumentHeaders {
    let mut all = Vec::new();
    let mut tools: BTreeMap<String, Vec<ArgumentHeader>> = BTreeMap::new();
    for ListedHeader { tool, header, .. } in listed {
        match tool {
            Some(tool) => tools.entry(tool.clone()).or_default().push(header.clone()),
            None => all.push(header.clone()),
        }
    }
    ArgumentHeaders { all, tools }
}

/// Complains about a header that a credential goes to, and warns about one that no tool has.
pub(crate) fn check(reader: &mut Reader, config: &ToolsetConfig, callables: &[Callable]) {
    let operations: Vec<Arc<Operation>> =
        callables.iter().map(|callable| Arc::clone(&callable.operation)).collect();
    for ListedHeader { pointer, tool, header } in &config.argument_headers {
        let name = header.as_str();
        let is_meant = |callable: &&Callable| {
            tool.as_ref().is_none_or(|tool| is_called(&callable.operation, tool))
        };
        let mut meant = callables.iter().filter(is_meant).peekable();
        if let (Some(tool), None) = (tool, meant.peek()) {
            let (message, help) = nearest_tool(tool, &operations);
            reader.warn("selects-nothing", pointer.clone(), &message, &help);
        } else if let Some(taken) = meant.clone().find(|callable| is_taken(header, callable)) {
            let message = format!("expected a header without a credential, got: `{name}`");
            let help =
                format!("remove it: the credential of `{}` goes there", taken.operation.tool_name);
            reader.complain("wrong-value", pointer.clone(), message, help);
        } else if !meant.any(|callable| callable.operation.argument_headers.contains(header)) {
            let message = format!("expected tools with a header parameter `{name}`, got none");
            reader.warn("selects-nothing", pointer.clone(), &message, "correct it or remove it");
        }
    }
}

/// Whether a credential of the operation goes to the header, or to a cookie in it.
fn is_taken(header: &ArgumentHeader, callable: &Callable) -> bool {
    callable.authenticator.places().iter().any(|place| match place.place() {
        CredentialPart::Cookie => header.is("Cookie"),
        CredentialPart::Header => header.is(place.name()),
        _ => false,
    })
}
