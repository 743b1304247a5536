//! `callgate tools FILE`: the tools as a table, as declarations in a dialect, or everything known of each as JSON. Each
//! is written before the next one is built.

use callgate::{
    Entry, Executor, Tool,
    config::{Built, BuiltToolset},
    dialect::Dialect,
    openapi::{Allowance, Bindings, Input, Operation},
    tree::Diagnostic,
};
use callgate_tool::{Value, json};

use crate::{
    args::ToolsArguments,
    exit::{Failure, Verdict},
    open::{options, usable},
    output, render,
};

/// Shows the tools.
pub(crate) fn run(arguments: &ToolsArguments) -> Result<Verdict, Failure> {
    let built = usable(&arguments.source.file, &options(&arguments.source))?;
    let n_tools: usize = built.toolsets.iter().map(|toolset| toolset.operations.len()).sum();
    let mut left = MOST_BYTES.max(n_tools.saturating_mul(MOST_BYTES_OF_ONE));
    if arguments.json {
        listed(&built, ["[", ",", "]\n"], |operation, tool| {
            take(&mut left, operation, tool).then(|| known(operation, tool))
        });
    } else if let Some(dialect) = arguments.dialect {
        listed(&built, ["[\n  ", ",\n  ", "\n]\n"], |operation, tool| {
            let declaration = || format!("{:#}", dialect.declaration(tool)).replace('\n', "\n  ");
            take(&mut left, operation, tool).then(declaration)
        });
    } else {
        table(&built);
    }
    Ok(Verdict::Fine)
}

/// The declarations of every tool as indented JSON.
pub(crate) fn declarations(executor: &Executor, dialect: Dialect) -> String {
    let all =
        executor.entries().filter_map(Entry::declaration).map(|tool| dialect.declaration(tool));
    format!("{:#}\n", Value::Array(all.collect()))
}

fn table(built: &Built) {
    let names = built.executor.entries().map(|entry| entry.name().as_str().len());
    let width = names.max().unwrap_or_default();
    listed(built, ["", "", ""], |_, tool| {
        let summary = tool.description.lines().next().unwrap_or_default();
        let (name, effect) = (tool.name.as_str(), tool.effect.as_str());
        Some(format!("{name:width$}  {effect:10}  {:>6}  {summary}\n", tool.tokens()))
    });
}

/// Writes what `shown` makes of every tool, with what stands before the first, between two and after the last of them. A
/// tool whose declaration takes more than it may, or of which nothing is shown, is told of on standard error.
fn listed(
    built: &Built,
    [before, between, after]: [&str; 3],
    mut shown: impl FnMut(&Operation, &Tool) -> Option<String>,
) {
    let mut n_shown = 0;
    for toolset in &built.toolsets {
        let first = toolset.operations.first();
        let mut allowance = first.map_or_else(Allowance::default, |first| first.allowance());
        let mut refusals = Refusals::default();
        for operation in &toolset.operations {
            let text = match operation.declared(&mut allowance) {
                Ok(tool) => shown(operation, &tool),
                Err(refusal) => {
                    refusals.add(*refusal);
                    continue;
                }
            };
            let Some(text) = text else {
                refusals.n_long += 1;
                continue;
            };
            output::result(if n_shown == 0 { before } else { between });
            output::result(&text);
            n_shown += 1;
        }
        refusals.tell(toolset);
    }
    match n_shown {
        0 => output::result(&format!("{}{}", before.trim_end(), after.trim_start())),
        _ => output::result(after),
    }
}

/// The tools that are not shown.
#[derive(Debug, Default)]
struct Refusals {
    first: Option<Diagnostic>,
    n_more: usize,
    n_long: usize,
}

impl Refusals {
    fn add(&mut self, refusal: Diagnostic) {
        match self.first {
            None => self.first = Some(refusal),
            Some(_) => self.n_more += 1,
        }
    }

    fn tell(&self, toolset: &BuiltToolset) {
        if let Some(first) = &self.first {
            output::talk(&render::diagnostic(&toolset.file, &render::Lines::default(), first));
        }
        let file = toolset.file.display();
        if self.n_more > 0 {
            output::talk(&format!("note: so are {} more operations of `{file}`\n", self.n_more));
        }
        if self.n_long > 0 {
            output::talk(&format!(
                "note: {} more tools of `{file}` are not shown: the declarations take more than so many may in total; choose fewer with `tools:`\n",
                self.n_long
            ));
        }
    }
}

/// Whether what is shown of a tool finds room.
fn take(left: &mut usize, operation: &Operation, tool: &Tool) -> bool {
    let output = tool.output_schema.as_ref().map_or(0, callgate::Schema::n_bytes);
    let n_inputs = operation.inputs.len();
    let n_bytes = tool.description.len() + tool.input_schema.n_bytes() + output;
    let rest = left.checked_sub(n_bytes + n_inputs * BYTES_OF_INPUT);
    *left = rest.unwrap_or_default();
    rest.is_some()
}

/// Everything known of a tool, as JSON.
fn known(operation: &Operation, tool: &Tool) -> String {
    let inputs: Vec<_> = operation.inputs.iter().map(input).collect();
    let nested = operation.bindings.iter().flat_map(Bindings::places);
    let nested = nested.map(|(way, source)| json!({"argument": way, "source": source.as_str()}));
    let mut nested: Vec<Value> = nested.collect();
    nested.dedup();
    let output = tool.output_schema.as_ref().map_or_else(|| NULL.to_owned(), ToString::to_string);
    let members = [
        ("name", json!(tool.name.as_str()).to_string()),
        ("operationId", json!(operation.operation_id.as_deref()).to_string()),
        ("method", json!(operation.method.as_str()).to_string()),
        ("path", json!(&*operation.path).to_string()),
        ("effect", json!(tool.effect.as_str()).to_string()),
        ("description", json!(tool.description).to_string()),
        ("inputSchema", tool.input_schema.to_string()),
        ("outputSchema", output),
        ("tokens", tool.tokens().to_string()),
        ("inputs", Value::Array(inputs).to_string()),
        ("nestedInputs", Value::Array(nested).to_string()),
    ];
    let members: Vec<_> =
        members.iter().map(|(name, value)| format!(r#""{name}":{value}"#)).collect();
    format!("{{{}}}", members.join(","))
}

fn input(input: &Input) -> Value {
    json!({
        "argument": input.argument.as_str(),
        "in": input.place().as_str(),
        "name": &*input.name,
        "required": input.required,
        "source": input.source.as_str(),
    })
}

const NULL: &str = "null";

/// The JSON of all declarations together. Those of Stripe have 180 MB, more than any other real ones.
const MOST_BYTES: usize = 256 << 20;

/// What each tool adds to that: a large description shows all of its tools.
const MOST_BYTES_OF_ONE: usize = 256 << 10;

/// About what an input takes beside its schema.
const BYTES_OF_INPUT: usize = 100;
