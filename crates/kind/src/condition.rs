//! Conditions that a model writes (`where`): `{"total": {"gte": 10}}`. Every kind reads its own values; the operators, the schema of
//! the tests of a field and the limits stand here.

use callgate_tool::{Object, Value, json, named};

named! {
    /// An operator of a condition, by its name.
    #[derive(Ord, PartialOrd)]
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum Operator {
        /// The text has this part.
        Contains = "contains",
        /// The value is this one.
        Eq = "eq",
        /// The value is larger.
        Gt = "gt",
        /// The value is larger or this one.
        Gte = "gte",
        /// The value is one of these.
        In = "in",
        /// There is no value.
        IsNull = "is_null",
        /// The text matches a pattern.
        Like = "like",
        /// The value is smaller.
        Lt = "lt",
        /// The value is smaller or this one.
        Lte = "lte",
        /// The value is not this one.
        Neq = "neq",
        /// The text begins like this.
        StartsWith = "starts_with",
    }
}

/// The most conditions of one call.
pub const MOST_CONDITIONS: usize = 20;

/// The most values of one condition.
pub const MOST_VALUES: usize = 100;

impl Operator {
    /// The sign of a comparison in the languages of services; `None` of another operator.
    pub fn sign(self) -> Option<&'static str> {
        Some(match self {
            Self::Eq => "=",
            Self::Gt => ">",
            Self::Gte => ">=",
            Self::Lt => "<",
            Self::Lte => "<=",
            Self::Neq => "<>",
            Self::Contains | Self::In | Self::IsNull | Self::Like | Self::StartsWith => {
                return None;
            }
        })
    }

    /// The comparison of a sign.
    pub fn from_sign(sign: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|operator| operator.sign() == Some(sign))
    }
}

/// The JSON Schema of the tests of a field: an operator with its operand. `value` is the schema of the field's values, `text` that of
/// the parts of texts.
pub fn tests_schema(operators: &[Operator], value: &Value, text: &Value) -> Value {
    let operand = |operator: Operator| match operator {
        Operator::Contains | Operator::StartsWith => text.clone(),
        Operator::In => {
            json!({"type": "array", "items": value, "minItems": 1, "maxItems": MOST_VALUES})
        }
        Operator::IsNull => json!({"type": "boolean"}),
        Operator::Like => json!({"type": "string", "description": "`*` is any text"}),
        Operator::Eq
        | Operator::Gt
        | Operator::Gte
        | Operator::Lt
        | Operator::Lte
        | Operator::Neq => value.clone(),
    };
    let operands = operators.iter().map(|operator| (operator.as_str(), operand(*operator)));
    json!({
        "type": "object", "properties": Value::Object(operands.collect()),
        "additionalProperties": false, "minProperties": 1,
    })
}

/// The JSON Schema of conditions by the names of fields, with a description.
pub fn conditions_schema(
    fields: impl Iterator<Item = (String, Value)>,
    description: &str,
) -> Value {
    json!({
        "type": "object",
        "description": description,
        "properties": Value::Object(fields.collect()),
        "additionalProperties": false,
    })
}

/// The conditions that a model wrote: the field, the operator's name and the operand of each.
pub fn conditions(written: &Object) -> impl Iterator<Item = (&String, &String, &Value)> {
    written.iter().flat_map(|(field, tests)| {
        let tests = tests.as_object().into_iter().flatten();
        tests.map(move |(operator, operand)| (field, operator, operand))
    })
}
