//! A filter as the conditions that tools of a database take: `{"total": {"gt": 10}}`, with one level of `any`.

use callgate_tool::{Object, Value, json};

use crate::filter::{Condition, Filter, Test};

/// The conditions; the error is what was expected of a filter that they cannot say.
pub(super) fn conditions_from_filter(filter: &Filter) -> Result<Value, &'static str> {
    let mut conditions = Object::new();
    let parts = match filter {
        Filter::All(parts) => parts.iter().collect(),
        other => vec![other],
    };
    for part in parts {
        match part {
            Filter::Any(groups) => {
                let groups = groups.iter().map(condition_group).collect::<Result<Vec<_>, _>>()?;
                if conditions.insert("any", Value::Array(groups)).is_some() {
                    return Err("one group of conditions with `OR`");
                }
            }
            Filter::All(_) => return Err(DEPTH),
            Filter::Is(condition) => put_condition(&mut conditions, condition)?,
        }
    }
    Ok(Value::Object(conditions))
}

fn condition_group(filter: &Filter) -> Result<Value, &'static str> {
    let mut group = Object::new();
    let parts = match filter {
        Filter::All(parts) => parts.iter().collect(),
        other => vec![other],
    };
    for part in parts {
        let Filter::Is(condition) = part else { return Err(DEPTH) };
        put_condition(&mut group, condition)?;
    }
    Ok(Value::Object(group))
}

fn put_condition(
    conditions: &mut Object,
    Condition { field, test }: &Condition,
) -> Result<(), &'static str> {
    let (operator, operand) = match test {
        Test::Compare(comparison, value) => (comparison.as_str(), value.clone()),
        Test::In(items) => ("in", Value::Array(items.clone())),
        Test::IsNull(is_null) => ("is_null", Value::Bool(*is_null)),
        Test::Like(pattern) if pattern.contains(['_', '*']) => {
            return Err("a pattern without `_` and `*`");
        }
        Test::Like(pattern) => ("like", pattern.replace('%', "*").into()),
    };
    let tests = conditions.entry(field.as_str()).or_insert(json!({}));
    let is_new = tests.as_object_mut().map(|tests| tests.insert(operator, operand).is_none());
    if is_new == Some(true) { Ok(()) } else { Err("one condition of a kind on a field") }
}

const DEPTH: &str = "conditions with one level of `OR` below `AND`";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{field::Field, filter::clause};

    #[track_caller]
    fn check(text: &str, expected: &Result<Value, &str>) {
        let fields = ["a", "b"].map(|name| Field::read(&json!({"name": name})).unwrap());
        let filter = clause::parse_clause(text, &fields.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(&conditions_from_filter(&filter), expected, "{text}");
    }

    #[test]
    fn a_clause_becomes_conditions() {
        check("a = 1", &Ok(json!({"a": {"eq": 1}})));
        check(
            "a > 1 AND a <= 3 AND b LIKE 'x%'",
            &Ok(json!({"a": {"gt": 1, "lte": 3}, "b": {"like": "x*"}})),
        );
        check(
            "a = 1 OR b IS NULL",
            &Ok(json!({"any": [{"a": {"eq": 1}}, {"b": {"is_null": true}}]})),
        );
        check(
            "a = 1 AND (b = 2 OR b = 3 AND a != 4)",
            &Ok(
                json!({"a": {"eq": 1}, "any": [{"b": {"eq": 2}}, {"b": {"eq": 3}, "a": {"neq": 4}}]}),
            ),
        );
        check("a = 1 AND a = 2", &Err("one condition of a kind on a field"));
        check("b LIKE 'x_'", &Err("a pattern without `_` and `*`"));
        check("a = 1 OR (b = 2 AND (a = 3 OR a = 4))", &Err(DEPTH));
        check("(a = 1 OR b = 1) AND (a = 2 OR b = 2)", &Err("one group of conditions with `OR`"));
    }
}
