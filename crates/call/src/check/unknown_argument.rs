//! Finds arguments that no input has, and suggests the argument that was meant: by its own name, or by the service's name.

use callgate_openapi::{Input, InputLocation};
use callgate_tool::{ArgumentName, Arguments, Problem, Value, nearest};

use super::convert::resolved_schema;
use crate::{inputs::Subject, wording};

/// The problems of arguments that are no inputs; `schema` is that of all arguments.
pub(super) fn unknown_argument_problems(
    subject: Subject<'_>,
    schema: &Value,
    arguments: &Arguments,
) -> Vec<Problem> {
    let existing = || subject.inputs.iter().filter(|input| !input.edit.is_hidden);
    let has_input = |name: &str| existing().any(|input| input.argument.as_str() == name);
    let n_known =
        existing().filter(|input| arguments.contains_key(input.argument.as_str())).count();
    if n_known == arguments.len() {
        return Vec::new();
    }
    let content_type = subject.body.and_then(|body| body.content_type.as_ref());
    let content_type = content_type.map(ArgumentName::as_str);
    let visible = subject.inputs.iter().filter(|input| input.visible);
    let allowed = visible.clone().map(|input| input.argument.as_str()).chain(content_type);
    let unknown = arguments.keys().filter(|name| !has_input(name));
    let unknown = unknown.filter(|name| content_type != Some(name.as_str()));
    let problem = |name: &String| {
        let mut problem = wording::unknown_argument(name, allowed.clone());
        let called = visible.clone().find(|input| input.has_wire_name(name));
        let own = |input: &Input| input.argument.to_string();
        let intended = called
            .map(own)
            .or_else(|| {
                let body = body_with_member(name, schema, visible.clone())?;
                Some(format!("{}.{}", body.argument, problem.at))
            })
            .or_else(|| {
                let alike = similar_input(name, visible.clone());
                alike.filter(|_| problem.suggestion.is_none()).map(own)
            });
        if let Some(intended) = intended {
            problem.suggestion = Some(format!("`{intended}`"));
        }
        problem
    };
    let n_unknown = unknown.clone().count();
    let number =
        (n_unknown > MOST_LISTED).then(|| wording::many_unknown_arguments(n_unknown, MOST_LISTED));
    number.into_iter().chain(unknown.take(MOST_LISTED).map(problem)).collect()
}

/// The body that is one argument, if it declares a member of this name.
fn body_with_member<'a>(
    name: &str,
    schema: &Value,
    mut inputs: impl Iterator<Item = &'a Input>,
) -> Option<&'a Input> {
    let body =
        inputs.find(|input| input.place() == InputLocation::Body && input.name.is_empty())?;
    let own = schema.get("properties")?.get(body.argument.as_str())?;
    resolved_schema(own, schema)?.get("properties")?.get(name).map(|_| body)
}

fn similar_input<'a>(
    name: &str,
    inputs: impl Iterator<Item = &'a Input> + Clone,
) -> Option<&'a Input> {
    let names = inputs.clone().map(|input| &*input.name).filter(|name| !name.is_empty());
    let alike = nearest(name, names)?;
    let mut inputs = inputs;
    inputs.find(|input| *input.name == *alike)
}

/// The most unknown arguments that are listed one by one: a request of a megabyte may have 80,000.
const MOST_LISTED: usize = 32;
