//! Names of arguments as the service's own manual writes them: `X-Request-ID`, `$filter`, `filter[length]`. The name of an
//! argument comes first; another name stands for the one input that the service calls so.

use std::borrow::Cow;

use callgate::Entry;
use callgate_openapi::{Input, InputLocation};

use super::{ArgumentTarget, body};
use crate::{exit::Failure, guide::Guide};

/// The name of the argument that a person means; an unknown name stays, and the call reports it.
pub(super) fn resolve_if_wire_name<'a>(
    name: &'a str,
    target: ArgumentTarget<'_>,
) -> Result<Cow<'a, str>, Failure> {
    let ArgumentTarget { guide: Some(guide), entry: Some(entry) } = target else {
        return Ok(name.into());
    };
    if let Some(argument) = argument_by_wire_name(name, guide, entry)? {
        return Ok(argument.into());
    }
    let Some((head, rest)) = name.split_once('.').filter(|_| guide.member(name).is_none()) else {
        return Ok(name.into());
    };
    let argument = argument_by_wire_name(head, guide, entry)?;
    Ok(argument.map_or(Cow::Borrowed(name), |argument| format!("{argument}.{rest}").into()))
}

/// The argument of the only input with this name at the service; `None` if the tool, or its body, declares the name.
fn argument_by_wire_name(
    name: &str,
    guide: Guide<'_>,
    entry: Entry<'_>,
) -> Result<Option<String>, Failure> {
    let of_body =
        body::whole_body_argument(Some(entry)).and_then(|body| guide.member(body)?.member(name));
    if guide.member(name).is_some() || of_body.is_some() {
        return Ok(None);
    }
    let inputs = entry.operation().into_iter().flat_map(|operation| &operation.inputs);
    let meant: Vec<_> =
        inputs.filter(|input| input.visible && has_wire_name(input, name)).collect();
    match &*meant {
        [] => Ok(None),
        [only] => Ok(Some(only.argument.to_string())),
        several => Err(ambiguous_name_failure(name, several)),
    }
}

/// True if the service calls an input so; names of headers have no case (RFC 9110 §5.1).
fn has_wire_name(input: &Input, name: &str) -> bool {
    match input.place() {
        InputLocation::Header => input.name.eq_ignore_ascii_case(name),
        _ => &*input.name == name,
    }
}

fn ambiguous_name_failure(name: &str, inputs: &[&Input]) -> Failure {
    let named = |input: &&Input| format!("`{}` ({})", input.argument, input.place().as_str());
    let named: Vec<_> = inputs.iter().map(named).collect();
    Failure(format!(
        "error: `{name}`: expected the name of one argument, got that of {}\nhelp: the service has several inputs of this name; write one of the arguments",
        named.join(" and ")
    ))
}
