//! Notes about declarations that work but cost an agent more than necessary, or that lose something at a provider. They
//! need every declaration, so only `check` makes them; they cause no failure.

use std::{collections::BTreeMap, fmt};

use callgate::{
    Tool,
    openapi::{Code, Diagnostic, Severity},
};
use callgate_dialect::{LimitFinder, ProviderLimit, exceeded_request_limits};
use callgate_openapi::Operation;

use crate::{
    number::grouped_digits,
    token_advice::{MOST_TOKENS, Sizes},
};

/// A longer declaration costs more than a page of text in every turn; most have less than 300.
const TOOL_TOKENS: usize = 1000;
/// The number of the most expensive tools that are shown.
const DEAREST: usize = 10;
/// The most notes about single tools; nobody reads more.
const MOST_NOTES: usize = 5_000;
const NAMED: usize = 3;

#[derive(Default)]
pub(crate) struct Advice {
    limits: LimitFinder,
    notes: Vec<Diagnostic>,
    dearest: Vec<(usize, String)>,
    n_tools: usize,
    pub(crate) tokens: usize,
    pub(crate) sizes: Sizes,
    exceeded: BTreeMap<ProviderLimit, Exceeding>,
}

/// The tools that exceed a provider's limits: their number, and the first of them.
#[derive(Clone, Debug, Default)]
struct Exceeding {
    n_tools: usize,
    named: Vec<String>,
}

impl Advice {
    pub(crate) fn add_tool(&mut self, operation: &Operation, tool: &Tool) {
        self.n_tools += 1;
        let tokens = tool.tokens();
        self.tokens += tokens;
        self.sizes.add_tool(tool);
        if tokens > TOOL_TOKENS {
            let at = self.dearest.partition_point(|(entry, _)| *entry >= tokens);
            if at < DEAREST {
                self.dearest.insert(at, (tokens, tool.name.to_string()));
                self.dearest.truncate(DEAREST);
            }
        }
        if tokens > TOOL_TOKENS && self.notes.len() < MOST_NOTES {
            self.notes.push(large_tool_note(operation, tool));
        }
        for limit in self.limits.exceeded_limits_for_tool(tool) {
            let exceeding = self.exceeded.entry(limit).or_default();
            exceeding.n_tools += 1;
            if exceeding.named.len() < NAMED {
                exceeding.named.push(format!("`{}`", tool.name));
            }
        }
    }

    /// The tools that cost more than they should as a table, the ten most expensive; empty if there are none.
    pub(crate) fn dearest_table(&self) -> String {
        let rows = self.dearest.iter();
        let rows: String = rows
            .map(|(tokens, name)| format!("{:>10}  {name}\n", grouped_digits(*tokens)))
            .collect();
        if rows.is_empty() { rows } else { format!("    tokens  dearest tools\n{rows}") }
    }

    pub(crate) fn notes(&self) -> Vec<Diagnostic> {
        let Self { n_tools, tokens, exceeded, .. } = self;
        let mut notes = self.notes.clone();
        let (n_tools, tokens) = (*n_tools, *tokens);
        if tokens > MOST_TOKENS {
            let message = format!(
                "expected at most {} tokens of declarations in total, got: {}",
                grouped_digits(MOST_TOKENS),
                grouped_digits(tokens)
            );
            notes.push(advice_note(Code::ManyTokens, message, "let the model search, or offer fewer operations: `mcp: {mode: search}`, `tools: {tags: […]}`"));
        }
        for ProviderLimit { provider, expected, instead, .. } in
            exceeded_request_limits(n_tools, tokens)
        {
            let (n_tools, tokens) = (grouped_digits(n_tools), grouped_digits(tokens));
            let message =
                format!("{provider} takes {expected}, got: {n_tools} tools of {tokens} tokens");
            let help = format!("{instead}, `--deferred`");
            notes.push(advice_note(Code::ProviderLimit, message, &help));
        }
        for (ProviderLimit { provider, expected, instead, .. }, tools) in exceeded {
            let message = format!("{provider} takes {expected}, got {tools}");
            let help =
                format!("{instead}: `callgate tools FILE --losses --projection NAME` shows it");
            notes.push(advice_note(Code::ProviderLimit, message, &help));
        }
        notes
    }
}

impl fmt::Display for Exceeding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.n_tools > NAMED { ", …" } else { "" };
        let noun = if self.n_tools == 1 { "tool" } else { "tools" };
        write!(
            f,
            "{} {noun} with another: {}{more}",
            grouped_digits(self.n_tools),
            self.named.join(", ")
        )
    }
}

fn large_tool_note(operation: &Operation, tool: &Tool) -> Diagnostic {
    let tokens = tool.tokens();
    let message = format!(
        "expected a declaration of at most {} tokens, got: {}",
        grouped_digits(TOOL_TOKENS),
        grouped_digits(tokens)
    );
    let shorten = "shorten descriptions, or remove what a model does not need with an overlay";
    let help = if tokens > tool.most_tokens {
        let most = grouped_digits(tool.most_tokens);
        format!(
            "{shorten}; providers get at most {most} (`limits.tool_tokens`), the deepest optional parts in words"
        )
    } else {
        shorten.to_owned()
    };
    Diagnostic {
        pointer: operation.source_pointer().to_owned(),
        operation: Some(operation.label().to_owned()),
        ..advice_note(Code::LargeTool, message, &help)
    }
}

fn advice_note(code: Code, message: String, help: &str) -> Diagnostic {
    Diagnostic::new(code, Severity::Note, message, help)
}
