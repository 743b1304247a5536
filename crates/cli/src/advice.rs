//! Notes about declarations that work but cost an agent more than they need to, or that a provider would refuse. They
//! need every declaration, so only `check` asks for them, and nothing fails because of them.

use std::{collections::BTreeMap, sync::Arc};

use callgate::{
    dialect::{ProviderLimit, request_limits, tool_limits},
    openapi::{Code, Diagnostic, Operation, Severity},
};

use crate::number::grouped;

/// A declaration above this costs more than a page of text in every turn; most have less than 300.
const TOOL_TOKENS: usize = 1000;
/// Half of a context of 200,000 tokens, which is what most models have.
const ALL_TOKENS: usize = 100_000;
/// How many tools a note names.
const NAMED: usize = 3;

/// The notes about these operations.
pub(crate) fn notes(operations: &[Arc<Operation>]) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    let mut total = 0;
    let mut exceeded: BTreeMap<ProviderLimit, Vec<&str>> = BTreeMap::new();
    for operation in operations {
        let tool = operation.declaration();
        let tokens = tool.tokens();
        total += tokens;
        if tokens > TOOL_TOKENS {
            notes.push(large_tool(operation, tokens));
        }
        for limit in tool_limits(tool) {
            exceeded.entry(limit).or_default().push(tool.name.as_str());
        }
    }
    if total > ALL_TOKENS {
        let message = format!(
            "expected at most {} tokens of declarations in total, got: {}",
            grouped(ALL_TOKENS),
            grouped(total)
        );
        notes.push(note(Code::ManyTokens, message, "offer fewer operations with `tools:`"));
    }
    for ProviderLimit { provider, expected, .. } in request_limits(operations.len()) {
        let message = format!("{provider} takes {expected}, got: {}", grouped(operations.len()));
        notes.push(note(Code::ProviderLimit, message, "offer fewer operations with `tools:`"));
    }
    for (ProviderLimit { provider, expected, .. }, tools) in exceeded {
        let message = format!("{provider} takes {expected}, got {}", named(&tools));
        let help = "it refuses the request or loses that part; simplify the schema, or leave the tools out there";
        notes.push(note(Code::ProviderLimit, message, help));
    }
    notes
}

fn large_tool(operation: &Operation, tokens: usize) -> Diagnostic {
    let message = format!(
        "expected a declaration of at most {} tokens, got: {}",
        grouped(TOOL_TOKENS),
        grouped(tokens)
    );
    let help = "shorten descriptions, or remove what a model does not need with an overlay";
    Diagnostic {
        pointer: operation.source_pointer().to_owned(),
        operation: Some(operation.label().to_owned()),
        ..note(Code::LargeTool, message, help)
    }
}

fn named(tools: &[&str]) -> String {
    let names: Vec<_> = tools.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = if tools.len() > NAMED { ", …" } else { "" };
    let noun = if tools.len() == 1 { "tool" } else { "tools" };
    format!("{} {noun} with another: {}{more}", grouped(tools.len()), names.join(", "))
}

fn note(code: Code, message: String, help: &str) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Note,
        file: None,
        pointer: String::new(),
        position: None,
        message,
        help: help.to_owned(),
        operation: None,
    }
}
