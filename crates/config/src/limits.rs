//! The key `limits` of a toolset, or of all of them at the root: the limits on descriptions, on one exchange, and on
//! the results that a model sees. `policy` reads the limits on calls together.

use callgate_call::Shape;
use callgate_openapi::Limits as DescriptionLimits;
use callgate_transport::Limits;
use callgate_tree::Limits as TextLimits;

use crate::{
    keys::LIMITS,
    reader::{Mapping, Reader, at},
    toolset::ToolsetConfig,
};

/// The limits of one toolset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) description: DescriptionLimits,
    pub(crate) exchange: Limits,
    /// The largest image or sound that is passed on.
    pub(crate) media_bytes: usize,
    /// The longest text that a model sees.
    pub(crate) result_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        let Shape { media_bytes, result_bytes, .. } = Shape::default();
        let (description, exchange) = (DescriptionLimits::default(), Limits::default());
        Self { description, exchange, media_bytes, result_bytes }
    }
}

impl Bounds {
    /// The limits of a toolset.
    pub(crate) fn of(toolset: &ToolsetConfig) -> Self {
        Self {
            description: toolset.description_limits,
            exchange: toolset.limits,
            media_bytes: toolset.shape.media_bytes,
            result_bytes: toolset.shape.result_bytes,
        }
    }

    /// Sets the limits of a toolset.
    pub(crate) fn put(self, toolset: &mut ToolsetConfig) {
        toolset.description_limits = self.description;
        toolset.limits = self.exchange;
        toolset.shape.media_bytes = self.media_bytes;
        toolset.shape.result_bytes = self.result_bytes;
    }
}

/// The limits for toolsets under the key `limits` of the whole configuration; its other keys are the sidecar's.
pub(crate) fn of_all(reader: &mut Reader, root: Mapping<'_>) -> Bounds {
    let pointer = at(root, "limits");
    let limits = root.object.get("limits").and_then(|node| node.as_object());
    let Some(object) = limits else { return Bounds::default() };
    filled(reader, Mapping { object, pointer: &pointer }, Bounds::default())
}

/// The limits, overridden by the key `limits` of a toolset.
pub(crate) fn over(reader: &mut Reader, toolset: Mapping<'_>, bounds: Bounds) -> Bounds {
    let Some(node) = toolset.object.get("limits") else { return bounds };
    let pointer = at(toolset, "limits");
    let Some(mapping) = reader.mapping(node, &pointer, &LIMITS) else { return bounds };
    filled(reader, mapping, bounds)
}

fn filled(reader: &mut Reader, mapping: Mapping<'_>, mut bounds: Bounds) -> Bounds {
    if let Some(timeout) = reader.duration(mapping, "timeout") {
        bounds.exchange.timeout = timeout;
    }
    let description = &mut bounds.description;
    for (key, limit) in [
        ("alias_bytes", &mut description.text.alias_bytes),
        ("description_bytes", &mut description.text.bytes),
        ("media_bytes", &mut bounds.media_bytes),
        ("response_bytes", &mut bounds.exchange.response_bytes),
        ("result_bytes", &mut bounds.result_bytes),
    ] {
        *limit = reader.bytes(mapping, key).unwrap_or(*limit);
    }
    for (key, limit, most) in [
        // Code that walks a tree recurses: a thread's stack limits the depth.
        ("description_depth", &mut description.text.depth, TextLimits::default().depth),
        ("all_declarations_effort", &mut description.all_declarations_effort, usize::MAX),
        ("declaration_effort", &mut description.declaration_effort, usize::MAX),
        ("description_effort", &mut description.effort, usize::MAX),
        ("description_nodes", &mut description.text.nodes, usize::MAX),
        ("operations", &mut description.operations, usize::MAX),
        ("shared_definitions_effort", &mut description.shared_definitions_effort, usize::MAX),
        ("tool_tokens", &mut description.tool_tokens, usize::MAX),
    ] {
        *limit = reader.count(mapping, key, most).unwrap_or(*limit);
    }
    let per_byte = reader.whole(mapping, "effort_per_byte", 0..=usize::MAX);
    description.effort_per_byte = per_byte.unwrap_or(description.effort_per_byte);
    bounds
}
