//! The key `limits` of a toolset, or of all of them at the root: the limits on descriptions, on one exchange, and on
//! the results that a model sees. `policy` reads the limits on calls together.

use std::time::Duration;

use callgate_call::Shape;
use callgate_openapi::Limits as DescriptionLimits;
use callgate_transport::Limits;

use crate::{
    form::{Bytes, Count, Whole},
    policy::CallLimitKeys,
    reader::{Mapping, Reader, at},
    settings::{Section, keys},
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

keys! {
    /// The limits that may also be at the root, for every toolset that does not set its own.
    pub(crate) SharedLimits over Bounds, in "`limits`" {
        /// The longest description, all documents that it refers to together.
        description_bytes => description.text.bytes: Bytes;
        /// The largest image or sound that is passed on.
        media_bytes: Bytes;
        /// The longest response that is read.
        response_bytes => exchange.response_bytes: Bytes;
        /// The longest text of a result that a model sees.
        result_bytes: Bytes;
        /// The time limit of a whole call, from connecting to the last byte.
        timeout => exchange.timeout: Duration;
        /// The tokens that the declaration of one tool takes; beyond them, deep and optional parts become words.
        tool_tokens => description.tool_tokens: Count;
    }
}

keys! {
    /// The limits on a description, on one exchange, and on calls together.
    pub(crate) ToolsetLimits over Bounds, in "`limits`" with SharedLimits, CallLimitKeys {
        /// The bytes of text that the YAML aliases of the description may stand for.
        alias_bytes => description.text.alias_bytes: Bytes;
        /// The steps that declaring all tools of the description may take.
        all_declarations_effort => description.all_declarations_effort: Count;
        /// The steps that declaring one tool, or building one definition that tools share, may take.
        declaration_effort => description.declaration_effort: Count;
        // Code that walks a tree recurses: a thread's stack limits the depth.
        /// The depth to which lists and objects may be nested in the description.
        description_depth => description.text.depth: Count<120>;
        /// The steps that making tools of the description may take.
        description_effort => description.effort: Count;
        /// The number of values that the description may have.
        description_nodes => description.text.nodes: Count;
        /// The steps that each byte of a large description gives instead, where that is more.
        effort_per_byte => description.effort_per_byte: Whole;
        /// The number of operations that the description may have.
        operations => description.operations: Count;
        /// The steps that building the definitions that tools share, each once, may take.
        shared_definitions_effort => description.shared_definitions_effort: Count;
    }
}

/// The limits for toolsets under the key `limits` of the whole configuration; its other keys are the sidecar's.
pub(crate) fn of_all(reader: &mut Reader, root: Mapping<'_>) -> Bounds {
    let pointer = at(root, "limits");
    let mut bounds = Bounds::default();
    if let Some(object) = root.object.get("limits").and_then(|node| node.as_object()) {
        SharedLimits::fill(&mut bounds, reader, Mapping { object, pointer: &pointer });
    }
    bounds
}

/// The limits, overridden by the key `limits` of a toolset.
pub(crate) fn over(reader: &mut Reader, toolset: Mapping<'_>, mut bounds: Bounds) -> Bounds {
    let Some(node) = toolset.object.get("limits") else { return bounds };
    let pointer = at(toolset, "limits");
    if let Some(mapping) = reader.mapping(node, &pointer, &ToolsetLimits::TABLE) {
        ToolsetLimits::fill(&mut bounds, reader, mapping);
        SharedLimits::fill(&mut bounds, reader, mapping);
    }
    bounds
}
