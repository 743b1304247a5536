//! Conditions on entities: what a model writes as `where`, checked against the fields. `clause` reads the text form of
//! Google's agents, `conditions` writes the text that the service takes.

pub(crate) mod clause;
pub(crate) mod conditions;

use callgate_kind::{MOST_CONDITIONS, Operator, tests_schema};
use callgate_tool::{Object, Problem, Value, json};

use crate::field::{Field, FieldKind};

/// Conditions that hold together or one by one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Filter {
    All(Vec<Self>),
    Any(Vec<Self>),
    Is(Condition),
}

/// One condition on one field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Condition {
    pub(crate) field: String,
    pub(crate) test: Test,
}

/// A test of a field's value. Values are checked by the schema of `where`, or by the reader of a clause.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Test {
    Compare(Operator, Value),
    In(Vec<Value>),
    IsNull(bool),
    /// The pattern with `%` for any text.
    Like(String),
}

impl Filter {
    /// True if it says nothing, so that every entity meets it.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(Self::is_empty),
            Self::Any(parts) => parts.is_empty() || parts.iter().any(Self::is_empty),
            Self::Is(_) => false,
        }
    }

    fn n_conditions(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::n_conditions).sum(),
            Self::Is(_) => 1,
        }
    }
}

/// The JSON Schema of `where` over these fields.
pub(crate) fn where_schema<'a>(fields: impl Iterator<Item = &'a Field>) -> Value {
    let fields = fields.map(|field| (field.name.clone(), field_conditions_schema(field)));
    let mut properties: Object = fields.collect();
    let group = json!({
        "type": "object", "properties": Value::Object(properties.clone()),
        "minProperties": 1, "additionalProperties": false,
    });
    let any = json!({
        "type": "array", "items": group, "minItems": 2, "maxItems": MOST_CONDITIONS,
        "description": "Groups, of which one holds as a whole",
    });
    properties.insert(ANY, any);
    json!({
        "type": "object", "properties": Value::Object(properties), "additionalProperties": false,
        "description": "Conditions, which all hold: {\"field\": {\"eq\": value}}",
    })
}

/// The filter that a model wrote.
///
/// # Errors
/// Every condition that cannot be written for the service.
pub(crate) fn read_where(value: &Value) -> Result<Filter, Vec<Problem>> {
    let (mut parts, mut problems) = (Vec::new(), Vec::new());
    for (name, value) in value.as_object().into_iter().flatten() {
        match value.as_array().filter(|_| name == ANY) {
            Some(groups) => {
                let groups = groups.iter().enumerate().map(|(at, group)| {
                    Filter::All(read_group(group, &format!("any[{at}]."), &mut problems))
                });
                parts.push(Filter::Any(groups.collect()));
            }
            None => add_field_conditions(name, value, "", &mut parts, &mut problems),
        }
    }
    let filter = Filter::All(parts);
    if filter.n_conditions() > MOST_CONDITIONS {
        problems.push(too_many_conditions(filter.n_conditions()));
    }
    if problems.is_empty() { Ok(filter) } else { Err(problems) }
}

fn read_group(group: &Value, before: &str, problems: &mut Vec<Problem>) -> Vec<Filter> {
    let mut parts = Vec::new();
    for (name, value) in group.as_object().into_iter().flatten() {
        add_field_conditions(name, value, before, &mut parts, problems);
    }
    parts
}

fn add_field_conditions(
    field: &str,
    value: &Value,
    before: &str,
    parts: &mut Vec<Filter>,
    problems: &mut Vec<Problem>,
) {
    for (operator, operand) in value.as_object().into_iter().flatten() {
        match operator_test(operator, operand) {
            Ok(test) => parts.push(Filter::Is(Condition { field: field.to_owned(), test })),
            Err(expected) => problems.push(Problem {
                at: format!("{before}{field}.{operator}"),
                expected: expected.to_owned(),
                got: "another one".to_owned(),
                suggestion: None,
            }),
        }
    }
}

/// The test of an operator; the error is what was expected of its value.
fn operator_test(operator: &str, operand: &Value) -> Result<Test, &'static str> {
    let text = operand.as_str().unwrap_or_default();
    let pattern = |pattern: String| check_no_wildcards(text).map(|()| Test::Like(pattern));
    let operator = Operator::from_name(operator).ok_or("an operator of the declaration")?;
    match operator {
        Operator::Contains => pattern(format!("%{text}%")),
        Operator::Eq
        | Operator::Gt
        | Operator::Gte
        | Operator::Lt
        | Operator::Lte
        | Operator::Neq => Ok(Test::Compare(operator, operand.clone())),
        Operator::In => Ok(Test::In(operand.as_array().cloned().unwrap_or_default())),
        Operator::IsNull => Ok(Test::IsNull(operand.as_bool().unwrap_or_default())),
        Operator::Like => pattern(text.replace('*', "%")),
        Operator::StartsWith => pattern(format!("{text}%")),
    }
}

/// No text may hold a wildcard, since it is not known how a connector escapes one.
fn check_no_wildcards(text: &str) -> Result<(), &'static str> {
    if text.contains(['%', '_']) { Err("a text without `%` and `_`") } else { Ok(()) }
}

fn field_conditions_schema(field: &Field) -> Value {
    use Operator::{Contains, Eq, Gt, Gte, In, IsNull, Like, Lt, Lte, Neq, StartsWith};
    let operators: &[Operator] = match field.kind {
        FieldKind::Boolean => &[Eq, Neq, In, IsNull],
        FieldKind::Text => &[Eq, Neq, In, IsNull, Lt, Lte, Gt, Gte, StartsWith, Contains, Like],
        _ => &[Eq, Neq, In, IsNull, Lt, Lte, Gt, Gte],
    };
    let text = json!({"type": "string", "minLength": 1});
    tests_schema(operators, &Value::Object(field.non_null_schema()), &text)
}

fn too_many_conditions(n_conditions: usize) -> Problem {
    Problem {
        at: String::new(),
        expected: format!("at most {MOST_CONDITIONS} conditions"),
        got: n_conditions.to_string(),
        suggestion: None,
    }
}

const ANY: &str = "any";
