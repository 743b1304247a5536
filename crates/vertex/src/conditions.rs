//! The conditions of a model (`where`), whose form the tool's schema declares: they become a filter. Text fields compare by whole
//! values, because the service has no parts of texts.

use callgate_kind::{MOST_CONDITIONS, Operator, conditions_schema, tests_schema};
use callgate_settings::words;
use callgate_tool::{Object, Value, json};

use crate::filter::{Condition, Expression, Operand, Test, is_date_or_time};

/// The type of a field's values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the service's filters know these")]
pub enum FieldType {
    /// A date or a time of ISO 8601.
    Date,
    /// A number.
    Number,
    /// A text.
    Text,
}

words! {
    FieldType, "for example `text`: the type of a field's values decides which comparisons it has":
    "date" => Date, "number" => Number, "text" => Text
}

/// The JSON Schema of conditions on these fields; `None` if there is no field.
pub(crate) fn where_schema(fields: &[(String, FieldType)]) -> Option<Value> {
    if fields.is_empty() {
        return None;
    }
    let fields = fields.iter().map(|(name, kind)| (name.clone(), schema_of_field(*kind)));
    Some(conditions_schema(fields, WHERE))
}

fn schema_of_field(kind: FieldType) -> Value {
    use Operator::{Eq, Gt, Gte, In, Lt, Lte, Neq};
    let (operators, value): (&[Operator], _) = match kind {
        FieldType::Date => (
            &[Eq, In, Neq, Gt, Gte, Lt, Lte],
            json!({"type": "string", "pattern": DATE, "description": "An ISO 8601 date, or a time"}),
        ),
        FieldType::Number => (&[Eq, In, Neq, Gt, Gte, Lt, Lte], json!({"type": "number"})),
        FieldType::Text => {
            (&[Eq, In, Neq], json!({"type": "string", "minLength": 1, "maxLength": 1000}))
        }
    };
    tests_schema(operators, &value, &Value::Null)
}

/// The filter that a model gave.
///
/// # Errors
/// The place of a value that no filter can have, and what was expected there.
pub(crate) fn read_conditions(
    conditions: &Object,
    fields: &[(String, FieldType)],
) -> Result<Vec<Expression>, (String, &'static str)> {
    let mut parts = Vec::new();
    for (field, operator, value) in callgate_kind::conditions(conditions) {
        let schema_field = fields.iter().find(|(name, _)| name == field);
        let Some((_, kind)) = schema_field else {
            return Err((field.clone(), "a field of the schema"));
        };
        let read = condition_expression(field, *kind, operator, value);
        parts.push(read.map_err(|expected| (format!("{field}.{operator}"), expected))?);
    }
    if parts.len() > MOST_CONDITIONS {
        return Err((String::new(), "at most 20 conditions"));
    }
    Ok(parts)
}

fn condition_expression(
    field: &str,
    kind: FieldType,
    operator: &str,
    value: &Value,
) -> Result<Expression, &'static str> {
    let is = |test| Expression::Is(Condition { field: field.to_owned(), test });
    let equal = |value: &Value| {
        let operand = typed_operand(kind, value)?;
        Ok(is(match kind {
            FieldType::Text => Test::Any(vec![operand]),
            FieldType::Date | FieldType::Number => Test::Compare(Operator::Eq, operand),
        }))
    };
    let unknown = "an operator of the schema";
    let operator = Operator::from_name(operator).ok_or(unknown)?;
    match operator {
        Operator::Eq => equal(value),
        Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte if kind != FieldType::Text => {
            Ok(is(Test::Compare(operator, typed_operand(kind, value)?)))
        }
        Operator::In => {
            let items = value.as_array().filter(|items| !items.is_empty());
            let items = items.ok_or("a list of values")?;
            if kind == FieldType::Text {
                let texts: Result<_, _> =
                    items.iter().map(|item| typed_operand(kind, item)).collect();
                return Ok(is(Test::Any(texts?)));
            }
            items.iter().map(equal).collect::<Result<_, _>>().map(Expression::Any)
        }
        Operator::Neq => Ok(Expression::Not(Box::new(equal(value)?))),
        _ => Err(unknown),
    }
}

fn typed_operand(kind: FieldType, value: &Value) -> Result<Operand, &'static str> {
    let number = |value: &Value| value.as_number().cloned().map(Operand::Number);
    let text = |value: &Value| Some(Operand::Text(value.as_str()?.to_owned()));
    match kind {
        FieldType::Date => text(value)
            .filter(|_| value.as_str().is_some_and(is_date_or_time))
            .ok_or("an ISO 8601 date"),
        FieldType::Number => number(value).ok_or("a number"),
        FieldType::Text => text(value).ok_or("a text"),
    }
}

const WHERE: &str = "Conditions on the documents, which must all hold: {\"field\": {\"operator\": value}}. Texts are compared as a whole.";
const DATE: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.+Z-]{2,30})?$";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::expression_text;

    #[track_caller]
    fn check(conditions: &str, expected: &str) {
        let fields = [
            ("day".to_owned(), FieldType::Date),
            ("price".to_owned(), FieldType::Number),
            ("tag".to_owned(), FieldType::Text),
        ];
        let Ok(Value::Object(conditions)) = Value::parse(conditions) else { panic!("no object") };
        let written = match read_conditions(&conditions, &fields) {
            Ok(parts) => expression_text(&Expression::All(parts)).unwrap(),
            Err((at, expected)) => format!("{at}: {expected}"),
        };
        assert_eq!(written, expected, "{conditions:?}");
    }

    #[test]
    fn conditions_become_a_filter_by_the_type_of_their_field() {
        check(r#"{"tag": {"eq": "a\"b"}}"#, r#"tag: ANY("a\"b")"#);
        check(
            r#"{"tag": {"neq": "a", "in": ["b", "c"]}}"#,
            r#"NOT tag: ANY("a") AND tag: ANY("b", "c")"#,
        );
        check(r#"{"price": {"gte": 10, "lt": 1e3}}"#, "price >= 10 AND price < 1000");
        check(
            r#"{"price": {"in": [1, 2.50]}, "day": {"gt": "2026-05-01"}}"#,
            r#"(price = 1 OR price = 2.50) AND day > "2026-05-01""#,
        );
    }

    #[test]
    fn values_that_no_filter_has_are_refused_at_their_place() {
        check(r#"{"tag": {"gt": "a"}}"#, "tag.gt: an operator of the schema");
        check(r#"{"day": {"eq": "soon"}}"#, "day.eq: an ISO 8601 date");
        check(r#"{"price": {"eq": "1 OR a = 1"}}"#, "price.eq: a number");
        check(r#"{"other": {"eq": 1}}"#, "other: a field of the schema");
        check(r#"{"price": {"in": []}}"#, "price.in: a list of values");
    }
}
