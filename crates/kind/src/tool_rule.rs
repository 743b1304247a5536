//! A rule for one tool, as an operator writes it beside others.

use std::sync::Arc;

use callgate_tool::ToolEdit;

/// A rule for one tool.
#[derive(Clone, Debug)]
pub struct ToolRule<T> {
    /// The tool's name, its `operationId` or the name of a function.
    pub tool: String,
    /// The place of the rule in the configuration.
    pub pointer: String,
    /// The rule.
    pub rule: T,
}

/// An operator's changes to one tool.
pub type EditRule = ToolRule<Arc<ToolEdit>>;

impl<T> ToolRule<T> {
    /// The rule of a tool that no text names.
    pub fn new(tool: impl Into<String>, rule: T) -> Self {
        Self { tool: tool.into(), pointer: String::new(), rule }
    }
}
