//! All facts about one tool as JSON, for `callgate tools --json` and `GET /v1/tools/{name}`.

use std::{
    fmt::Display,
    io::{self, Write},
};

use callgate_openapi::{AppliedEdit, Bindings, Input, Operation};
use callgate_tool::{ArgumentName, Tool, Value, json};

/// Writes all facts about a tool: its declaration, the operator's changes, and for an operation of a description the way from
/// arguments to a request. Schemas are not copied, because they may be larger than everything else.
///
/// # Errors
/// Returns the errors of `out`.
pub fn write_details(
    out: &mut dyn Write,
    operation: Option<&Operation>,
    edit: Option<&AppliedEdit>,
    tool: &Tool,
) -> io::Result<()> {
    let null = Value::Null;
    let schema = tool.output_schema().map_or(&null as &dyn Display, |schema| schema);
    write!(out, r#"{{"name":{}"#, json!(tool.name.as_str()))?;
    if let Some(operation) = operation {
        write!(out, r#","operationId":{}"#, json!(operation.operation_id.as_deref()))?;
        write!(out, r#","method":{}"#, json!(operation.method.as_str()))?;
        write!(out, r#","path":{}"#, json!(&*operation.path))?;
    }
    write!(out, r#","effect":{}"#, json!(tool.effect.as_str()))?;
    write!(out, r#","description":{}"#, json!(tool.description))?;
    write!(out, r#","inputSchema":{}"#, tool.input_schema)?;
    write!(out, r#","outputSchema":{schema}"#)?;
    write!(out, r#","tokens":{}"#, tool.tokens())?;
    if let Some(operation) = operation {
        let body = operation.body_as_arguments_name();
        let inputs = operation.inputs.iter();
        let inputs: Vec<_> =
            inputs.map(|operation_input| input_details(operation_input, body)).collect();
        write!(out, r#","inputs":{}"#, Value::Array(inputs))?;
        write!(out, r#","nestedInputs":{}"#, Value::Array(nested_inputs(operation)))?;
    }
    if let Some(edit) = edit {
        let edited =
            json!({"formerName": edit.former_name.as_str(), "changes": edit.changes.keys()});
        write!(out, r#","edited":{edited}"#)?;
    }
    out.write_all(b"}")
}

fn nested_inputs(operation: &Operation) -> Vec<Value> {
    let body = operation.body_as_arguments_name().map(|body| format!("{body}."));
    let nested = operation.bindings.iter().flat_map(Bindings::places);
    let nested = nested.map(|(way, source)| {
        let inside = body.as_deref().and_then(|body| way.strip_prefix(body));
        json!({"argument": inside.unwrap_or(&way), "source": source.as_str(), "reference": (source.reference())})
    });
    let mut nested: Vec<Value> = nested.collect();
    nested.dedup();
    nested
}

/// The facts about an input; a body whose members are the arguments is not an argument itself.
fn input_details(input: &Input, body: Option<&ArgumentName>) -> Value {
    let is_argument = body != Some(&input.argument);
    let mut details = json!({
        "argument": if is_argument { input.argument.as_str() } else { "" },
        "in": input.place().as_str(),
        "name": &*input.name,
        "required": input.required,
        "source": input.value_giver_name(),
    });
    let reference = input.source.reference();
    if let (false, Some(members)) = (reference.is_empty(), details.as_object_mut()) {
        members.insert("reference", reference.into());
    }
    details
}
