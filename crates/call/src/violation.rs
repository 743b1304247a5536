//! Turns what the validator found into problems in our own words; its own texts are never used, since they echo
//! values. Knows no argument but the one it is told; values come from `check`.

use callgate_tool::{Problem, Value};
use jsonschema::{
    JsonType, JsonTypeSet, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
    paths::LocationSegment,
};

use crate::{convert::schema_below, wording};

/// Where a violation lies: an argument, its schema, and whether its value may be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The argument.
    pub(crate) argument: &'a str,
    /// Its schema.
    pub(crate) schema: &'a Value,
    /// What references point into.
    pub(crate) root: &'a Value,
    /// Whether the value may be shown.
    pub(crate) privacy: Privacy,
}

/// Whether a value may be shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Privacy {
    /// It came from the session: it may be a token.
    Private,
    /// The model wrote it.
    Public,
}

/// Adds the problems behind one violation.
pub(crate) fn explain(error: &ValidationError<'_>, place: Place<'_>, problems: &mut Vec<Problem>) {
    explain_within(error, place, problems, DEPTH);
}

/// Whether a violation is none: values that match several branches of a `oneOf` are accepted, since descriptions
/// often overlap by mistake.
pub(crate) fn is_forgiven(error: &ValidationError<'_>) -> bool {
    match error.kind() {
        Kind::OneOfMultipleValid { .. } => true,
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            context.iter().any(|branch| !branch.is_empty() && branch.iter().all(is_forgiven))
        }
        _ => false,
    }
}

/// The types that are due where `error` lies, when it is only the type that is wrong: those of all branches together.
pub(crate) fn types_due(error: &ValidationError<'_>) -> Option<JsonTypeSet> {
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(one) } => Some(JsonTypeSet::from(*one)),
        Kind::Type { kind: TypeKind::Multiple(set) } => Some(*set),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let at = error.instance_path();
            let branches = context.iter().flatten().filter(|inner| inner.instance_path() == at);
            let due = branches.filter_map(types_due).fold(JsonTypeSet::empty(), JsonTypeSet::union);
            (!due.is_empty()).then_some(due)
        }
        _ => None,
    }
}

/// The argument with a path into it: `owner.labels[2]`.
pub(crate) fn path_of(argument: &str, error: &ValidationError<'_>) -> String {
    let mut path = argument.to_owned();
    for segment in error.instance_path().segments() {
        match segment {
            LocationSegment::Property(name) => {
                path.push('.');
                path.push_str(&name);
            }
            LocationSegment::Index(at) => {
                path.push('[');
                path.push_str(&at.to_string());
                path.push(']');
            }
        }
    }
    path
}

fn explain_within(
    error: &ValidationError<'_>,
    place: Place<'_>,
    problems: &mut Vec<Problem>,
    depth: usize,
) {
    let at = path_of(place.argument, error);
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let names = names_at(error, place);
            for name in unexpected {
                let mut problem = wording::unknown_argument(name, names.iter().copied());
                problem.at = format!("{at}.{}", problem.at);
                "an unknown property".clone_into(&mut problem.got);
                problems.push(problem);
            }
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            match best_branch(error, context).filter(|_| depth > 0) {
                Some(branch) => branch
                    .iter()
                    .for_each(|inner| explain_within(inner, place, problems, depth - 1)),
                None => problems.push(problem(at, expected(error), error, place.privacy)),
            }
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            problems.push(wording::missing(format!("{at}.{name}"), "a value"));
        }
        _ => {
            let mut found = problem(at, expected(error), error, place.privacy);
            found.suggestion = nearest_option(error);
            problems.push(found);
        }
    }
}

/// The branch the value was most likely meant for: one whose type fits, with the fewest violations.
fn best_branch<'a, 'b>(
    error: &ValidationError<'_>,
    context: &'a [Vec<ValidationError<'b>>],
) -> Option<&'a [ValidationError<'b>]> {
    let at = error.instance_path();
    let is_other_type = |inner: &ValidationError<'_>| {
        inner.instance_path() == at
            && matches!(inner.kind(), Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. })
    };
    let fitting = context.iter().filter(|branch| !branch.iter().any(is_other_type));
    fitting.min_by_key(|branch| branch.len()).map(Vec::as_slice)
}

fn problem(at: String, expected: String, error: &ValidationError<'_>, privacy: Privacy) -> Problem {
    let value = &Value::from(error.instance().clone().into_owned());
    let got = match privacy {
        Privacy::Private => wording::kind(value).to_owned(),
        Privacy::Public => wording::shown(value),
    };
    Problem { at, expected, got, suggestion: None }
}

fn expected(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => match types_due(error) {
            Some(types) => type_names(types),
            None => "a value of one of the declared shapes".to_owned(),
        },
        Kind::Constant { expected_value } => {
            format!("`{}`", wording::shortened(&text(&Value::from((**expected_value).clone()))))
        }
        Kind::Enum { options } => one_of(&Value::from((**options).clone())),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::FalseSchema => "nothing: it may not be sent".to_owned(),
        Kind::Format { format } => format_example(format),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MaxProperties { limit } => format!("at most {limit} members"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MinProperties { limit } => format!("at least {limit} members"),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::Pattern { pattern } => {
            format!("text that matches `{}`", wording::shortened(pattern))
        }
        Kind::Type { kind: TypeKind::Single(one) } => one.as_str().to_owned(),
        Kind::Type { kind: TypeKind::Multiple(types) } => type_names(*types),
        Kind::UniqueItems => "items that differ from each other".to_owned(),
        other => format!("a value that meets `{}`", other.keyword()),
    }
}

fn type_names(types: JsonTypeSet) -> String {
    let names: Vec<_> = types.iter().map(JsonType::as_str).collect();
    names.join(" or ")
}

fn format_example(format: &str) -> String {
    let example = match format {
        "date" => "2026-01-31",
        "date-time" => "2026-01-31T12:00:00Z",
        "email" => "name@example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uuid" => "123e4567-e89b-42d3-a456-426614174000",
        _ => return format!("text of the format `{}`", wording::shortened(format)),
    };
    format!("text of the format `{format}`, such as `{example}`")
}

fn one_of(options: &Value) -> String {
    let texts: Vec<_> = options.as_array().into_iter().flatten().map(text).collect();
    let mut expected = String::from("one of ");
    wording::push_list(&mut expected, texts.iter().map(String::as_str));
    expected
}

fn nearest_option(error: &ValidationError<'_>) -> Option<String> {
    let Kind::Enum { options } = error.kind() else { return None };
    let asked = error.instance().as_str()?;
    let known = options.as_array()?.iter().filter_map(serde_json::Value::as_str);
    wording::nearest(asked, known).map(|known| format!("`{}`", wording::shortened(known)))
}

/// The property names the description declares where `error` lies.
fn names_at<'a>(error: &ValidationError<'_>, place: Place<'a>) -> Vec<&'a str> {
    let mut schema = crate::convert::resolved(place.schema, place.root);
    for segment in error.instance_path().segments() {
        let below = |schema| match &segment {
            LocationSegment::Property(name) => schema_below(schema, place.root, Some(name)),
            LocationSegment::Index(_) => schema_below(schema, place.root, None),
        };
        schema = schema.and_then(below);
    }
    let properties = schema.and_then(|schema| crate::convert::resolved(schema, place.root));
    let properties = properties.and_then(|schema| schema.get("properties")?.as_object());
    properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Branches inside branches are explained to this depth.
const DEPTH: usize = 8;
