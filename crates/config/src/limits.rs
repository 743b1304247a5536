//! The key `limits` of a toolset, or of all of them at the root: the limits on descriptions, on one exchange, on the
//! results that a model sees, and on calls together.

use std::time::Duration;

use callgate_policy::settings::CallLimitKeys;
use callgate_settings::{
    Bytes, Count, Key, Mapping, Reader, Section, Table, Whole, keys, member_pointer,
};

use crate::toolset::ToolsetConfig;

keys! {
    /// The limits that may also be at the root, for every toolset that does not set its own.
    pub(crate) SharedLimits over ToolsetConfig, in "`limits`" {
        /// The longest description, all documents that it refers to together.
        description_bytes => description_limits.text.bytes: Bytes;
        /// The largest image or sound that is passed on.
        media_bytes => call.shape.media_bytes: Bytes;
        /// The longest body of a request that is sent; any unless given.
        request_bytes => call.request_bytes: Bytes;
        /// The longest response that is read.
        response_bytes => call.limits.response_bytes: Bytes;
        /// The longest text of a result that a model sees.
        result_bytes => call.shape.result_bytes: Bytes;
        /// The time limit of a whole call, from connecting to the last byte.
        timeout => call.limits.timeout: Duration;
        /// The tokens that the declaration of one tool takes; beyond them, deep and optional parts become words.
        tool_tokens => description_limits.tool_tokens: Count;
    }
}

keys! {
    pub(crate) ToolsetLimits over ToolsetConfig, in "`limits`" with SharedLimits, CallLimitKeys {
        /// The bytes of text that the YAML aliases of the description may stand for.
        alias_bytes => description_limits.text.alias_bytes: Bytes;
        /// The steps that declaring all tools of the description may take.
        all_declarations_effort => description_limits.all_declarations_effort: Count;
        /// The steps that declaring one tool, or building one definition that tools share, may take.
        declaration_effort => description_limits.declaration_effort: Count;
        // Code that walks a tree recurses: a thread's stack limits the depth.
        /// The depth to which lists and objects may be nested in the description.
        description_depth => description_limits.text.depth: Count<120>;
        /// The steps that making tools of the description may take.
        description_effort => description_limits.effort: Count;
        /// The number of values that the description may have.
        description_nodes => description_limits.text.nodes: Count;
        /// The steps that each byte of a large description gives instead, where that is more.
        effort_per_byte => description_limits.effort_per_byte: Whole;
        /// The number of operations that the description may have.
        operations => description_limits.operations: Count;
        /// The steps that building the definitions that tools share, each once, may take.
        shared_definitions_effort => description_limits.shared_definitions_effort: Count;
    }
}

/// A toolset with the limits under the key `limits` of the whole configuration; its other keys are the sidecar's.
pub(crate) fn read_common_limits(reader: &mut Reader, root: Mapping<'_>) -> ToolsetConfig {
    let (mut toolset, pointer) = (ToolsetConfig::default(), member_pointer(root, "limits"));
    if let Some(object) = root.object.get("limits").and_then(|node| node.as_object()) {
        let mapping = Mapping { object, pointer: &pointer };
        SharedLimits::fill(&mut toolset, reader, mapping);
        record_given_limits(mapping, &mut toolset);
    }
    toolset
}

/// Applies the key `limits` over the limits of a toolset. It has also these keys.
pub(crate) fn apply_limits(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    toolset: &mut ToolsetConfig,
    keys: &[&'static [Key]],
) {
    let Some(node) = mapping.object.get("limits") else { return };
    let pointer = member_pointer(mapping, "limits");
    let table = Table { shared: keys, ..ToolsetLimits::TABLE };
    if let Some(mapping) = reader.checked_mapping(node, &pointer, &table) {
        ToolsetLimits::fill(toolset, reader, mapping);
        SharedLimits::fill(toolset, reader, mapping);
        CallLimitKeys::fill(&mut toolset.call_limits, reader, mapping);
        record_given_limits(mapping, toolset);
    }
}

/// The limits that a kind of toolset shares with others, where they are set: unset ones are smaller for some kinds.
fn record_given_limits(mapping: Mapping<'_>, toolset: &mut ToolsetConfig) {
    if mapping.object.contains("timeout") {
        toolset.given.timeout = Some(toolset.call.limits.timeout);
    }
    if mapping.object.contains("result_bytes") {
        toolset.given.result_bytes = Some(toolset.call.shape.result_bytes);
    }
}

/// Applies the key `limits` of a mapping over the limits of a toolset's kind.
pub(crate) fn apply_kind_limits(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    toolset: &mut ToolsetConfig,
) {
    let pointer = member_pointer(mapping, "limits");
    let limits = mapping.object.get("limits").and_then(|node| node.as_object());
    let limits = limits.map(|object| Mapping { object, pointer: &pointer });
    toolset.kind = toolset.kind.take().map(|kind| kind.with_limits(reader, limits, toolset.given));
}
