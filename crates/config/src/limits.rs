//! `limits` of a toolset: the bounds of its description and of one exchange. Those of what a model is shown are read in
//! `output`.

use callgate_openapi::Limits as DescriptionLimits;
use callgate_transport::Limits;
use callgate_tree::{Limits as TextLimits, Node};

use crate::{
    keys::LIMITS,
    reader::{Mapping, Reader, at},
};

/// Reads the bounds of the description, and those of one exchange.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> (DescriptionLimits, Limits) {
    (of_description(reader, toolset), of_exchange(reader, toolset))
}

fn of_exchange(reader: &mut Reader, mapping: Mapping<'_>) -> Limits {
    let mut limits = Limits::default();
    let Some(node) = mapping.object.get("limits") else { return limits };
    let pointer = at(mapping, "limits");
    let Some(mapping) = reader.mapping(node, &pointer, &LIMITS) else { return limits };
    if let Some(timeout) = reader.duration(mapping, "timeout") {
        limits.timeout = timeout;
    }
    if let Some(bytes) = reader.bytes(mapping, "response_bytes") {
        limits.response_bytes = bytes;
    }
    limits
}

/// The bounds of the description: what stands under `limits` about it.
fn of_description(reader: &mut Reader, toolset: Mapping<'_>) -> DescriptionLimits {
    let mut limits = DescriptionLimits::default();
    let pointer = at(toolset, "limits");
    // What is wrong with the mapping as a whole is said once, by `of_exchange`.
    let Some(object) = toolset.object.get("limits").and_then(Node::as_object) else {
        return limits;
    };
    let mapping = Mapping { object, pointer: &pointer };
    for (key, limit) in [
        ("alias_bytes", &mut limits.text.alias_bytes),
        ("description_bytes", &mut limits.text.bytes),
    ] {
        *limit = reader.bytes(mapping, key).unwrap_or(*limit);
    }
    for (key, limit, most) in [
        // What walks a tree recurses: a thread's stack bounds the depth.
        ("description_depth", &mut limits.text.depth, TextLimits::default().depth),
        ("all_declarations_effort", &mut limits.all_declarations_effort, usize::MAX),
        ("declaration_effort", &mut limits.declaration_effort, usize::MAX),
        ("description_effort", &mut limits.effort, usize::MAX),
        ("description_nodes", &mut limits.text.nodes, usize::MAX),
        ("operations", &mut limits.operations, usize::MAX),
        ("shared_definitions_effort", &mut limits.shared_definitions_effort, usize::MAX),
        ("tool_tokens", &mut limits.tool_tokens, usize::MAX),
    ] {
        *limit = reader.count(mapping, key, most).unwrap_or(*limit);
    }
    let per_byte = reader.whole(mapping, "effort_per_byte", 0..=usize::MAX);
    limits.effort_per_byte = per_byte.unwrap_or(limits.effort_per_byte);
    limits
}
