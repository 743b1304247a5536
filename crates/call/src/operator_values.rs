//! Checks what an operator's edit gives to an operation: each value against the schema of its argument and against the form
//! of its location, and each example against the declaration. `config` asks once, when a description is loaded.

use std::borrow::Cow;

use callgate_openapi::{Encoding, Input, InputLocation, Operation, Placement, Style};
use callgate_tool::{EditFault, Object, Problem, ToolEdit, Value, json};

use crate::{
    check::{Evaluated, Evaluator, Verdict},
    cookie::{check_unescaped_cookie_value, cookie_pairs_writer},
    header::{checked_header_value, header_value},
    parameter::{text_in_media_type, write_encoded_pair},
    path::{Variable, write_segment},
    query::Pairs,
    querystring::write_querystring,
    style::{Unwritable, is_empty_or_null, unwritable_reason},
    wording,
};

/// The faults of the values and examples that an operator's edit gives to an operation; empty without an edit. Builds the
/// schemas of the operation.
///
/// ```
/// use callgate_call::edit_faults;
/// use callgate_openapi::{Document, LoadOptions, load};
/// use callgate_tool::{ToolEdit, json};
///
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/pets: {get: {parameters: [{name: limit, in: query, schema: {type: integer}}]}}}";
/// let document = Document::read(text, &Default::default()).expect("a description").value;
/// let edit = ToolEdit { fix: [("limit".to_owned(), json!("few"))].into(), ..ToolEdit::default() };
/// let edits = [("get_pets".to_owned(), edit.into())].into();
/// let loaded = load(&document, &LoadOptions { edits, ..LoadOptions::default() });
/// let faults = edit_faults(&loaded.operations[0]);
/// assert_eq!(faults[0].pointer, "/fix/limit");
/// assert_eq!(faults[0].message, "expected integer, got: string \"few\"");
/// ```
pub fn edit_faults(operation: &Operation) -> Vec<EditFault> {
    let Some(edit) = operation.edit.as_ref().map(|edit| &*edit.changes) else { return Vec::new() };
    let mut faults = Vec::new();
    let values = operator_values_schema(operation).map(Evaluator::new);
    for (input, value) in operation.configured_values() {
        let name = input.argument.as_str();
        let given = Value::Object(Object::from_iter([(name.to_owned(), value.clone())]));
        let problems =
            values.as_ref().map(|schema| object_problems(schema, &given)).unwrap_or_default();
        let problems = if problems.is_empty() {
            writing_problem(operation, input, value).into_iter().collect()
        } else {
            problems
        };
        let pointer = edit.hide_or_value_pointer(name);
        faults.extend(problems.iter().map(|problem| edit_fault(&pointer, name, problem)));
    }
    faults.extend(example_faults(operation, edit));
    faults
}

/// The schemas of the arguments with the operator's own values; `None` if there are none.
fn operator_values_schema(operation: &Operation) -> Option<Value> {
    operation.configured_values().next()?;
    let root = operation.arguments_schema();
    let mut properties = Object::new();
    for (input, _) in operation.configured_values() {
        let name = input.argument.as_str();
        let Some(schema) = root.get("properties").and_then(|all| all.get(name)) else { continue };
        let first = operation.body.as_ref().and_then(|body| body.media.first());
        let first = first.filter(|_| input.place() == InputLocation::Body);
        let schema = first.and_then(|media| media.schema_in(schema)).unwrap_or(schema);
        properties.insert(name.to_owned(), schema.clone());
    }
    let definitions = root.get("$defs").cloned().unwrap_or_else(|| json!({}));
    Some(json!({"type": "object", "properties": properties, "$defs": definitions}))
}

fn example_faults(operation: &Operation, edit: &ToolEdit) -> Vec<EditFault> {
    if edit.examples.is_empty() {
        return Vec::new();
    }
    // A tool without a declaration is reported by itself.
    let Ok(tool) = operation.uncached_declaration(&mut operation.new_declaration_budget()) else {
        return Vec::new();
    };
    faults_of_examples(tool.input_schema.into_value(), edit)
}

/// The faults of examples that the schema of all arguments does not allow.
#[doc(hidden)]
pub fn faults_of_examples(schema: Value, edit: &ToolEdit) -> Vec<EditFault> {
    let schema = Evaluator::new(schema);
    let mut faults = Vec::new();
    for (at, example) in edit.examples.iter().enumerate() {
        let pointer = format!("/examples/{at}");
        let problems = object_problems(&schema, &Value::Object(example.clone()));
        faults.extend(problems.iter().map(|problem| edit_fault(&pointer, "", problem)));
    }
    faults
}

/// The problems of an object; its members are called by their own names.
fn object_problems(schema: &Evaluator, value: &Value) -> Vec<Problem> {
    let Evaluated { verdict, mut problems, .. } = schema.evaluate("", value);
    if verdict == Verdict::TooDear {
        problems = vec![wording::check_too_expensive(String::new())];
    }
    for problem in &mut problems {
        problem.at = problem.at.trim_start_matches('.').to_owned();
    }
    problems
}

/// The fault of a problem; a value at the place that the pointer names needs no name.
fn edit_fault(pointer: &str, name: &str, problem: &Problem) -> EditFault {
    let Problem { at, expected, got, suggestion } = problem;
    let place = if at == name { String::new() } else { format!("`{at}`: ") };
    let help = match suggestion {
        Some(suggestion) if suggestion.starts_with('`') => format!("did you mean {suggestion}?"),
        _ => "write a value that the service takes there".to_owned(),
    };
    EditFault::impossible_change(pointer, format!("{place}expected {expected}, got: {got}"), help)
}

fn writing_problem(operation: &Operation, input: &Input, value: &Value) -> Option<Problem> {
    let why = check_writable(operation, input, value).err()?;
    let fault = wording::unwritable(input.argument.as_str(), why);
    fault.problems.into_iter().next()
}

fn check_writable(operation: &Operation, input: &Input, value: &Value) -> Result<(), Unwritable> {
    let mut text = String::new();
    let is_styled = input.placement.parameter_style().is_some();
    match &input.placement {
        Placement::Body => Ok(()),
        Placement::Path(encoding) => check_path_is_writable(operation, input, encoding, value),
        // No style can write an empty value: it would be left out of every call.
        _ if is_styled && is_empty_or_null(value) => Err(unwritable_reason(value)),
        Placement::Cookie(encoding) => {
            let is_bare =
                matches!(encoding, Encoding::Styled(styled) if styled.style == Style::Cookie);
            let checked = if is_bare { check_unescaped_cookie_value(value) } else { Ok(()) };
            checked.and_then(|()| {
                write_encoded_pair(
                    &mut cookie_pairs_writer(&mut text),
                    &input.name,
                    encoding,
                    value,
                )
            })
        }
        Placement::Header(Encoding::Content { media_type }) => {
            text_in_media_type(value, media_type)
                .and_then(|text| checked_header_value(&text))
                .map(drop)
        }
        Placement::Header(Encoding::Styled(styled)) => header_value(value, styled).map(drop),
        Placement::Query(encoding) => {
            write_encoded_pair(&mut Pairs::new(&mut text, "&"), &input.name, encoding, value)
        }
        Placement::Querystring { media_type, encodings } => {
            write_querystring(&mut text, media_type, encodings, value)
        }
    }
}

/// Writes the segments of a path that a value is part of, with a letter for all other values.
fn check_path_is_writable(
    operation: &Operation,
    input: &Input,
    encoding: &Encoding,
    value: &Value,
) -> Result<(), Unwritable> {
    let (value, styled) = match encoding {
        Encoding::Styled(styled) => (Cow::Borrowed(value), Some(styled)),
        Encoding::Content { media_type } => {
            let text = text_in_media_type(value, media_type)?.into_owned();
            (Cow::Owned(Value::String(text)), None)
        }
    };
    let mut url = String::new();
    for segment in operation.segments.iter() {
        let find = |name: &str| {
            let is_own = *input.name == *name;
            let (value, styled) = if is_own {
                (value.clone(), styled)
            } else {
                (Cow::Owned(Value::String("x".to_owned())), None)
            };
            let named = operation.inputs.iter().find(|input| *input.name == *name);
            Some(Variable { name: named.map_or("", |input| &input.name), value, styled })
        };
        write_segment(&mut url, segment, find).map_err(|(_, why)| why)?;
    }
    Ok(())
}
