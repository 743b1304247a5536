//! Finds the values that a request would omit: styles of parameters and fields cannot write a `null` or an empty list or
//! object. An optional one is recorded in the journal, so that the result says it; a required one is refused, because it
//! would leave no trace (OpenAPI 3.1.1 §4.8.12: a required parameter is mandatory). `body::omission` finds members of bodies.

use callgate_openapi::{Encoding, Input, Placement, Style, Styled};
use callgate_tool::{Event, Fault, Journal, Object, Problem, Value};

use crate::{
    check::resolved_schema,
    inputs::Fillings,
    query::FORM,
    querystring::{MemberEncodings, encoding_of_member, is_member_omitted},
    style::{is_deeply_empty, is_empty_or_null},
    wording,
};

#[derive(Debug)]
pub(crate) struct OmittedValues<'j> {
    journal: &'j mut Journal,
    problems: Vec<Problem>,
}

/// A value that may be omitted: where it is given, its schema, and whether it must leave a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenValue<'a> {
    pub(crate) at: &'a str,
    pub(crate) value: &'a Value,
    pub(crate) schema: Option<&'a Value>,
    pub(crate) arguments: &'a Value,
    pub(crate) is_required: bool,
}

impl<'j> OmittedValues<'j> {
    pub(crate) fn new(journal: &'j mut Journal) -> Self {
        Self { journal, problems: Vec::new() }
    }

    pub(crate) fn record_omission(&mut self, given: GivenValue<'_>) {
        let at = given.at.to_owned();
        if given.is_required {
            let expected = match given.value {
                Value::Array(_) => "at least one item",
                Value::Object(_) => "at least one member that is neither null nor empty",
                _ => "a value",
            };
            let (expected, got) = (expected.to_owned(), wording::value_description(given.value));
            return self.problems.push(Problem { at, expected, got, suggestion: None });
        }
        self.journal.note(if given.value.is_null() {
            Event::NullOmitted { argument: at }
        } else {
            Event::EmptyOmitted { argument: at }
        });
    }

    /// Returns true if a `null` in a value was omitted before.
    fn has_omitted_null_in(&self, at: &str) -> bool {
        self.journal.events().iter().any(|event| match event {
            Event::NullOmitted { argument } => {
                argument.strip_prefix(at).is_some_and(|rest| rest.starts_with('.'))
            }
            _ => false,
        })
    }

    pub(crate) fn journal(&mut self) -> &mut Journal {
        self.journal
    }

    /// Refuses the request if a required value would be omitted.
    pub(crate) fn refuse_if_required(self) -> Result<(), Box<Fault>> {
        if self.problems.is_empty() {
            return Ok(());
        }
        Err(wording::invalid_arguments(self.problems))
    }
}

impl<'a> GivenValue<'a> {
    pub(crate) fn member(self, at: &'a str, name: &str, value: &'a Value) -> Self {
        let Self { schema, arguments, .. } = self;
        let is_required =
            schema.is_some_and(|schema| requires_member(schema, arguments, name, DEPTH));
        let schema = schema.and_then(|schema| member_schema(schema, arguments, name, DEPTH));
        Self { at, value, schema, arguments, is_required }
    }
}

/// Finds the values that the parameters of a request omit; `arguments` is the schema of all arguments.
pub(crate) fn find_omitted_parameters(
    inputs: &[Input],
    fillings: &Fillings<'_>,
    arguments: &Value,
    omitted: &mut OmittedValues<'_>,
) {
    let own = |name: &str| arguments.get("properties").and_then(|all| all.get(name));
    for (input, filling) in inputs.iter().zip(fillings) {
        let value = filling.as_ref().map(|filling| &*filling.value);
        let may_be_omitted = |value: &&Value| match value {
            Value::Array(_) | Value::Null | Value::Object(_) => true,
            Value::String(text) => text.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        let Some(value) = value.filter(may_be_omitted) else { continue };
        let (at, is_required) = (input.argument.as_str(), input.required);
        let given = GivenValue { at, value, schema: own(at), arguments, is_required };
        match &input.placement {
            // A path cannot hold an empty value, so it is refused.
            Placement::Path(_) if is_empty_or_null(value) => {}
            Placement::Querystring { media_type, encodings } if **media_type == *FORM => {
                find_omitted_in_pairs(given, encodings, omitted);
            }
            placement => {
                placement
                    .parameter_style()
                    .into_iter()
                    .for_each(|styled| find_omitted_by_style(given, styled, omitted));
            }
        }
    }
}

pub(crate) fn find_omitted_by_style(
    given: GivenValue<'_>,
    styled: &Styled,
    omitted: &mut OmittedValues<'_>,
) {
    let is_apart = styled.explode || styled.style == Style::DeepObject;
    // Each member of an exploded object is a parameter of its own, so an empty one is complete.
    let is_complete = is_apart
        && given.value.as_object().is_some_and(Object::is_empty)
        && !omitted.has_omitted_null_in(given.at);
    let is_required = given.is_required && !is_complete;
    if is_empty_or_null(given.value) || (is_required && is_written_as_nothing(given.value, styled))
    {
        return omitted.record_omission(GivenValue { is_required, ..given });
    }
    if styled.style == Style::DeepObject {
        return find_omitted_in_brackets(given, omitted);
    }
    let is_repeated = is_list_exploded(styled);
    for (name, member) in given.value.as_object().into_iter().flatten() {
        let at = format!("{}.{name}", given.at);
        let member = given.member(&at, name, member);
        let is_list = is_repeated && member.value.as_array().is_some_and(Vec::is_empty);
        if member.value.is_null() || is_list {
            omitted.record_omission(member);
        }
    }
}

/// Returns true if a list in an object is written item by item. Elsewhere it is written as JSON, as other nested structures
/// are, which has `null`.
fn is_list_exploded(styled: &Styled) -> bool {
    styled.explode && !matches!(styled.style, Style::Label | Style::Matrix | Style::Simple)
}

/// Returns true if a style writes nothing of a value, because nothing in it has a text.
fn is_written_as_nothing(value: &Value, styled: &Styled) -> bool {
    if styled.style == Style::DeepObject {
        return is_deeply_empty(value);
    }
    let is_empty = |member: &Value| member.as_array().is_some_and(Vec::is_empty);
    let members = value.as_object().filter(|_| is_list_exploded(styled));
    is_empty_or_null(value)
        || members.is_some_and(|members| members.values().all(|own| own.is_null() || is_empty(own)))
}

/// Finds the omitted members of a value written with brackets, at any depth; the reader of arguments limits the depth.
fn find_omitted_in_brackets(given: GivenValue<'_>, omitted: &mut OmittedValues<'_>) {
    let mut of_one = |given: GivenValue<'_>| {
        if is_empty_or_null(given.value) {
            omitted.record_omission(given);
        } else {
            find_omitted_in_brackets(given, omitted);
        }
    };
    match given.value {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                let at = format!("{}[{n}]", given.at);
                of_one(GivenValue {
                    at: &at,
                    value: item,
                    schema: None,
                    is_required: false,
                    ..given
                });
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                of_one(given.member(&format!("{}.{name}", given.at), name, member));
            }
        }
        _ => {}
    }
}

fn find_omitted_in_pairs(
    given: GivenValue<'_>,
    encodings: &MemberEncodings,
    omitted: &mut OmittedValues<'_>,
) {
    let Some(members) = given.value.as_object() else {
        // A text is the whole query string.
        if given.value.is_string() {
            omitted.record_omission(given);
        }
        return;
    };
    let is_complete = members.is_empty() && !omitted.has_omitted_null_in(given.at);
    let is_required = given.is_required && !is_complete;
    if members.is_empty() || (is_required && members.values().all(is_empty_or_null)) {
        return omitted.record_omission(GivenValue { is_required, ..given });
    }
    for (name, member) in members {
        let encoding = encoding_of_member(encodings, name);
        let at = format!("{}.{name}", given.at);
        let own = given.member(&at, name, member);
        if let Some(Encoding::Styled(styled)) = encoding {
            find_omitted_by_style(own, styled, omitted);
        } else if is_member_omitted(encoding, member) {
            omitted.record_omission(own);
        }
    }
}

/// Returns true if an object schema requires a member, itself or by its `allOf`.
fn requires_member(schema: &Value, arguments: &Value, name: &str, depth: usize) -> bool {
    let own = schema.get("required").and_then(Value::as_array);
    own.is_some_and(|names| names.iter().any(|required_name| required_name.as_str() == Some(name)))
        || jointly_required_schemas(schema, arguments, depth)
            .any(|other| requires_member(other, arguments, name, depth.saturating_sub(1)))
}

fn member_schema<'a>(
    schema: &'a Value,
    arguments: &'a Value,
    name: &str,
    depth: usize,
) -> Option<&'a Value> {
    let own = schema.get("properties").and_then(|members| members.get(name));
    own.or_else(|| {
        jointly_required_schemas(schema, arguments, depth)
            .find_map(|other| member_schema(other, arguments, name, depth.saturating_sub(1)))
    })
}

/// The schemas that a value meets together with this one.
fn jointly_required_schemas<'a>(
    schema: &'a Value,
    arguments: &'a Value,
    depth: usize,
) -> impl Iterator<Item = &'a Value> {
    let target = schema.get("$ref").and_then(|_| resolved_schema(schema, arguments));
    let all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    target.into_iter().chain(all).filter(move |_| depth > 0)
}

/// The most references and compositions between a schema and the declaration of its member.
const DEPTH: usize = 8;
