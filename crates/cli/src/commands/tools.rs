//! `callgate tools FILE`: the tools as a table, as declarations in a dialect, or everything known of each as JSON.

use callgate::{
    Executor, Tool,
    dialect::Dialect,
    openapi::{Input, NestedInput, Operation},
};
use serde_json::{Value, json};

use crate::{
    args::ToolsArguments,
    exit::{Failure, Verdict},
    open::{options, usable},
    output,
};

/// Shows the tools.
pub(crate) fn run(arguments: &ToolsArguments) -> Result<Verdict, Failure> {
    let built = usable(&arguments.source.file, &options(&arguments.source))?;
    let executor = &built.executor;
    if arguments.json {
        let tools: Vec<_> = executor.operations().map(|operation| known(operation)).collect();
        output::result(&format!("{}\n", Value::Array(tools)));
    } else if let Some(dialect) = arguments.dialect {
        output::result(&declarations(executor, dialect));
    } else {
        output::result(&table(executor));
    }
    Ok(Verdict::Fine)
}

/// The declarations of every tool as indented JSON.
pub(crate) fn declarations(executor: &Executor, dialect: Dialect) -> String {
    let all = executor.tools().map(|tool| dialect.declaration(tool)).collect();
    format!("{:#}\n", Value::Array(all))
}

fn table(executor: &Executor) -> String {
    let width = executor.tools().map(|tool| tool.name.as_str().len()).max().unwrap_or_default();
    let row = |tool: &Tool| {
        let summary = tool.description.lines().next().unwrap_or_default();
        let (name, effect) = (tool.name.as_str(), tool.effect.as_str());
        format!("{name:width$}  {effect:10}  {:>6}  {summary}\n", tool.tokens())
    };
    executor.tools().map(row).collect()
}

fn known(operation: &Operation) -> Value {
    let tool = operation.declaration();
    let inputs: Vec<_> = operation.inputs.iter().map(input).collect();
    let nested: Vec<_> = operation.nested_inputs.iter().filter_map(nested_input).collect();
    json!({
        "name": tool.name.as_str(),
        "operationId": operation.operation_id.as_deref(),
        "method": operation.method.as_str(),
        "path": &*operation.path,
        "effect": tool.effect.as_str(),
        "description": tool.description,
        "inputSchema": tool.input_schema.as_value(),
        "outputSchema": tool.output_schema.as_ref().map(callgate::Schema::as_value),
        "tokens": tool.tokens(),
        "inputs": inputs,
        "nestedInputs": nested,
    })
}

fn input(input: &Input) -> Value {
    json!({
        "argument": input.argument.as_str(),
        "in": input.place.as_str(),
        "name": &*input.name,
        "required": input.required,
        "source": input.source.as_str(),
    })
}

/// A value inside an argument that the session may give; one that only has a default says so in the schema.
fn nested_input(nested: &NestedInput) -> Option<Value> {
    let source = nested.source.as_str();
    (source != "model").then(|| json!({"argument": nested.to_string(), "source": source}))
}
