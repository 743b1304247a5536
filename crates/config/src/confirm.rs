//! The key `confirm` of a toolset: the calls that a person has to approve.

use callgate_policy::Confirm;
use callgate_tree::Node;

use crate::{
    keys::CONFIRM,
    reader::{Mapping, Reader, at, escaped},
};

/// The calls of a toolset that a person has to approve.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfirmConfig {
    /// The rule for tools that are not named.
    pub(crate) default: Confirm,
    /// The rules of single tools.
    pub(crate) tools: Vec<ToolConfirm>,
}

/// The calls of one tool that a person has to approve.
#[derive(Clone, Debug)]
pub(crate) struct ToolConfirm {
    /// The tool's name, its `operationId` or the name of a function.
    pub(crate) tool: String,
    /// The JSON pointer of its entry.
    pub(crate) pointer: String,
    /// The rule.
    pub(crate) confirm: Confirm,
}

impl ToolConfirm {
    /// The rule of one tool.
    pub(crate) fn new(tool: impl Into<String>, confirm: Confirm) -> Self {
        Self { tool: tool.into(), pointer: String::new(), confirm }
    }
}

/// Reads `confirm:`.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> ConfirmConfig {
    let mut config = ConfirmConfig::default();
    let Some(node) = toolset.object.get("confirm") else { return config };
    let pointer = at(toolset, "confirm");
    if node.as_object().is_none() {
        config.default = rule(reader, &pointer, node);
        return config;
    }
    let Some(mapping) = reader.mapping(node, &pointer, &CONFIRM) else { return config };
    if let Some(node) = mapping.object.get("default") {
        config.default = rule(reader, &at(mapping, "default"), node);
    }
    let Some(node) = mapping.object.get("tools") else { return config };
    let pointer = at(mapping, "tools");
    let Some(tools) = node.as_object() else {
        let help = "for example `{deletePet: always}`";
        reader.expected(&pointer, "a mapping from tools to rules", node, help);
        return config;
    };
    for (tool, node) in tools.iter() {
        let pointer = format!("{pointer}/{}", escaped(tool));
        let confirm = rule(reader, &pointer, node);
        config.tools.push(ToolConfirm { tool: tool.to_string(), pointer, confirm });
    }
    config
}

fn rule(reader: &mut Reader, pointer: &str, node: &Node) -> Confirm {
    let found = node.as_str().and_then(|text| Confirm::ALL.iter().find(|it| it.as_str() == text));
    found.copied().unwrap_or_else(|| {
        let expected = "`always`, `destructive`, `dialogflow_v2`, `never` or `writes`";
        let help = "`writes` asks about every call that changes something";
        reader.expected_plain(pointer, expected, node, help);
        // A configuration with a fault is never built.
        Confirm::Always
    })
}
