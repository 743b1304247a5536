//! Conditions on metadata: those of a model (`where`), whose form the tool's schema declares, and those of the operator, whose
//! values the session has. A document without a field fulfils no condition on it.

use std::{cmp::Ordering, collections::BTreeMap};

use callgate_kind::{MOST_CONDITIONS, MOST_VALUES, Operator, conditions_schema, tests_schema};
use callgate_tool::{Fault, Object, Session, Value, json};

use crate::{
    metadata::{Kind, Metadata, Scalar},
    settings::BoundCondition,
};
use callgate_call::wording::documents as wording;

/// Conditions that must all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter(Vec<Condition>);

#[derive(Clone, Debug)]
struct Condition {
    field: String,
    operator: Operator,
    values: Vec<Scalar>,
}

impl Filter {
    /// The operator's conditions, with the values of a session.
    pub(crate) fn for_session(
        conditions: &[BoundCondition],
        session: &Session,
    ) -> Result<Self, Box<Fault>> {
        let missing = |condition: &BoundCondition| {
            let source = &condition.value;
            if session.is_unknown() && !source.is_fixed() {
                return callgate_call::wording::unknown_session();
            }
            wording::missing_value(&condition.field, &source.to_string())
        };
        let read = |condition: &BoundCondition| {
            let values = condition
                .value
                .value_in_session(session)
                .and_then(|value| nonempty_scalars(&value));
            let values = values.ok_or_else(|| missing(condition))?;
            let (field, operator) = (condition.field.clone(), condition.operator);
            Ok(Condition { field, operator, values })
        };
        conditions.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Adds a model's conditions, whose form was checked against [`schema`].
    pub(crate) fn with_conditions(mut self, conditions: &Object) -> Result<Self, Box<Fault>> {
        let read = callgate_kind::conditions(conditions);
        self.0.extend(
            read.filter_map(|(field, operator, value)| {
                Condition::for_field(field, operator, value)
            }),
        );
        let n_conditions = self.0.len();
        if n_conditions > MOST_CONDITIONS {
            return Err(wording::too_many_conditions(n_conditions, MOST_CONDITIONS));
        }
        Ok(self)
    }

    pub(crate) fn admits(&self, metadata: &Metadata) -> bool {
        self.0.iter().all(|condition| condition.holds(metadata.values(&condition.field)))
    }
}

impl Condition {
    /// A condition of a model; `None` for an operator that the schema does not have.
    fn for_field(field: &str, operator: &str, value: &Value) -> Option<Self> {
        let values = match value {
            Value::Array(items) => items.iter().filter_map(Scalar::from_value).collect(),
            other => Scalar::from_value(other).into_iter().collect(),
        };
        Some(Self { field: field.to_owned(), operator: Operator::from_name(operator)?, values })
    }

    fn holds(&self, field_values: &[Scalar]) -> bool {
        let one = |test: &dyn Fn(&Scalar, &Scalar) -> bool| {
            field_values
                .iter()
                .any(|field_value| self.values.iter().any(|wanted| test(field_value, wanted)))
        };
        let ordered = |test: fn(Ordering) -> bool| {
            one(&|field_value, wanted| scalar_order(field_value, wanted).is_some_and(test))
        };
        let parts = |test: fn(&str, &str) -> bool| {
            one(&|field_value, wanted| match (field_value, wanted) {
                (Scalar::Text(stored), Scalar::Text(wanted)) => test(stored, wanted),
                _ => false,
            })
        };
        match self.operator {
            Operator::Contains => parts(|text, wanted| text.contains(wanted)),
            Operator::Eq | Operator::In => ordered(Ordering::is_eq),
            Operator::Gt => ordered(Ordering::is_gt),
            Operator::Gte => ordered(Ordering::is_ge),
            Operator::Lt => ordered(Ordering::is_lt),
            Operator::Lte => ordered(Ordering::is_le),
            Operator::Neq => !field_values.is_empty() && !ordered(Ordering::is_eq),
            Operator::StartsWith => parts(|text, wanted| text.starts_with(wanted)),
            // No schema has these.
            Operator::IsNull | Operator::Like => false,
        }
    }
}

/// The order of two values of one type; `None` for different types.
fn scalar_order(field_value: &Scalar, wanted: &Scalar) -> Option<Ordering> {
    match (field_value, wanted) {
        (Scalar::Boolean(stored), Scalar::Boolean(wanted)) => Some(stored.cmp(wanted)),
        (Scalar::Number(stored), Scalar::Number(wanted)) => Some(stored.order(wanted)),
        (Scalar::Text(stored), Scalar::Text(wanted)) => Some(stored.cmp(wanted)),
        _ => None,
    }
}

/// The values that a session gives for a condition: a scalar, or a list of some. Null, an empty text and an empty list are none.
fn nonempty_scalars(value: &Value) -> Option<Vec<Scalar>> {
    let scalar = |value: &Value| {
        Scalar::from_value(value)
            .filter(|value| !matches!(value, Scalar::Text(text) if text.is_empty()))
    };
    match value {
        Value::Array(items) if (1..=MOST_VALUES).contains(&items.len()) => {
            items.iter().map(scalar).collect()
        }
        other => scalar(other).map(|value| vec![value]),
    }
}

/// The JSON Schema of a model's conditions; `None` if there is no field.
pub(crate) fn schema(fields: &BTreeMap<String, Vec<Kind>>) -> Option<Value> {
    if fields.is_empty() {
        return None;
    }
    let fields = fields.iter().map(|(name, kinds)| (name.clone(), schema_of_field(kinds)));
    Some(conditions_schema(fields, WHERE))
}

fn schema_of_field(kinds: &[Kind]) -> Value {
    let types: Vec<Value> = kinds.iter().map(|kind| kind.as_str().into()).collect();
    let value =
        if let [only] = types.as_slice() { json!({"type": only}) } else { json!({"type": types}) };
    let has = |operator: &&Operator| match operator {
        Operator::Contains | Operator::StartsWith => kinds.contains(&Kind::Text),
        Operator::Eq | Operator::In | Operator::Neq => true,
        Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte => kinds != [Kind::Boolean],
        Operator::IsNull | Operator::Like => false,
    };
    let operators: Vec<_> = Operator::ALL.iter().filter(has).copied().collect();
    tests_schema(&operators, &value, &json!({"type": "string"}))
}

const WHERE: &str = "Conditions on the documents, which must all hold: {\"field\": {\"operator\": value}}. Texts are compared by their bytes.";

#[cfg(test)]
mod tests {
    use callgate_tool::SessionSource;

    use super::*;

    #[track_caller]
    fn check(conditions: &str, expected: bool) {
        let metadata =
            json!({"tier": 3, "tags": ["new", "old"], "day": "2026-05-01", "open": true});
        let Ok(Value::Object(conditions)) = Value::parse(conditions) else { panic!("no object") };
        let filter = Filter::default().with_conditions(&conditions).expect("few conditions");
        assert_eq!(filter.admits(&Metadata::from_value(&metadata)), expected, "{conditions:?}");
    }

    #[test]
    fn conditions_compare_values_of_one_type() {
        check(r#"{"tier": {"eq": 3.0}}"#, true);
        check(r#"{"tier": {"eq": "3"}}"#, false);
        check(r#"{"tier": {"gte": 3, "lt": 4}}"#, true);
        check(r#"{"tier": {"gt": 3}}"#, false);
        check(r#"{"day": {"lte": "2026-05-01", "starts_with": "2026"}}"#, true);
        check(r#"{"day": {"contains": "-06-"}}"#, false);
        check(r#"{"open": {"eq": true}}"#, true);
    }

    #[test]
    fn a_list_fulfils_a_condition_by_one_of_its_values_and_excludes_every_one() {
        check(r#"{"tags": {"in": ["x", "old"]}}"#, true);
        check(r#"{"tags": {"eq": "new"}}"#, true);
        check(r#"{"tags": {"neq": "new"}}"#, false);
        check(r#"{"tags": {"neq": "x"}}"#, true);
    }

    #[test]
    fn a_missing_field_fulfils_no_condition() {
        check(r#"{"owner": {"eq": "ann"}}"#, false);
        check(r#"{"owner": {"neq": "ann"}}"#, false);
        check("{}", true);
    }

    #[test]
    fn more_than_twenty_conditions_are_refused() {
        let operators = json!({"gt": 1, "gte": 1, "lt": 1, "lte": 1, "eq": 1, "neq": 1, "in": [1]});
        let conditions = ["a", "b", "c"].map(|field| (field, operators.clone()));
        assert!(Filter::default().with_conditions(&Object::from(conditions)).is_err());
    }

    #[track_caller]
    fn check_bound(value: Value, is_given: bool) {
        let source = SessionSource::Parameter("audience".to_owned());
        let condition =
            BoundCondition { field: "audience".into(), operator: Operator::In, value: source };
        let session = Session::new("s").with_parameters(Object::from([("audience", value)]));
        assert_eq!(Filter::for_session(&[condition], &session).is_ok(), is_given);
    }

    #[test]
    fn a_session_without_a_usable_value_gets_no_filter() {
        check_bound(json!("staff"), true);
        check_bound(json!(["staff", "all"]), true);
        for value in [json!(null), json!(""), json!([]), json!([""]), json!({}), json!([["a"]])] {
            check_bound(value, false);
        }
    }
}
