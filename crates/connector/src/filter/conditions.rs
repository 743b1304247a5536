//! Writes conditions as the service takes them: `Subject = 'x' AND (Total > 10 OR Total IS NULL)`. The grammar is the
//! connector's own, so only what all of them read alike is written: names without quotes, texts in single quotes that are
//! doubled inside, and neither `\` nor control characters, which some of them take for escapes.

use callgate_tool::Value;

use super::{Condition, Filter, Test};

/// A text that no connector is sure to read as it is meant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Unwritable;

/// The text of a filter; an empty one for a filter that says nothing.
///
/// # Errors
/// [`Unwritable`] for a text with `\` or a control character.
pub(crate) fn conditions_text(filter: &Filter) -> Result<String, Unwritable> {
    let mut out = String::new();
    write_part(&mut out, filter, Place::Whole)?;
    Ok(out)
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Inside,
    Whole,
}

fn write_part(out: &mut String, filter: &Filter, place: Place) -> Result<(), Unwritable> {
    let (parts, joint) = match filter {
        Filter::All(parts) => (parts, " AND "),
        Filter::Any(parts) => (parts, " OR "),
        Filter::Is(condition) => return write_condition(out, condition),
    };
    let parts: Vec<&Filter> = parts.iter().filter(|part| !part.is_empty()).collect();
    if let [only] = *parts {
        return write_part(out, only, place);
    }
    let has_brackets = place == Place::Inside;
    if has_brackets {
        out.push('(');
    }
    for (at, filter) in parts.into_iter().enumerate() {
        if at > 0 {
            out.push_str(joint);
        }
        write_part(out, filter, Place::Inside)?;
    }
    if has_brackets {
        out.push(')');
    }
    Ok(())
}

fn write_condition(
    out: &mut String,
    Condition { field, test }: &Condition,
) -> Result<(), Unwritable> {
    out.push_str(field);
    match test {
        Test::Compare(comparison, operand) => {
            out.push_str(&format!(" {} ", comparison.sign().ok_or(Unwritable)?));
            write_value(out, operand)
        }
        Test::In(items) => {
            out.push_str(" IN (");
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_value(out, item)?;
            }
            out.push(')');
            Ok(())
        }
        Test::IsNull(is_null) => {
            out.push_str(if *is_null { " IS NULL" } else { " IS NOT NULL" });
            Ok(())
        }
        Test::Like(pattern) => {
            out.push_str(" LIKE ");
            write_quoted_text(out, pattern)
        }
    }
}

fn write_value(out: &mut String, operand: &Value) -> Result<(), Unwritable> {
    match operand {
        Value::Bool(_) | Value::Number(_) => {
            out.push_str(&operand.to_string());
            Ok(())
        }
        Value::String(operand) => write_quoted_text(out, operand),
        Value::Array(_) | Value::Null | Value::Object(_) => Err(Unwritable),
    }
}

fn write_quoted_text(out: &mut String, text: &str) -> Result<(), Unwritable> {
    if text.chars().any(|character| character == '\\' || character.is_control()) {
        return Err(Unwritable);
    }
    out.push('\'');
    out.push_str(&text.replace('\'', "''"));
    out.push('\'');
    Ok(())
}

#[cfg(test)]
mod tests {
    use callgate_testkit::check_rows;
    use callgate_tool::json;
    use proptest::prelude::*;

    use super::*;
    use crate::filter::read_where;

    #[track_caller]
    fn check(filter: &Value, expected: &str) {
        assert_eq!(conditions_text(&read_where(filter).unwrap()).as_deref(), Ok(expected));
    }

    #[test]
    fn a_filter_is_written_with_our_quotes() {
        check_rows(
            r#"
            {} =>
            {"A": {"eq": "it's"}} => A = 'it''s'
            {"A": {"gte": 10, "lt": 1.5}, "B": {"is_null": false}} => A >= 10 AND A < 1.5 AND B IS NOT NULL
            {"A": {"in": ["x", 1, true]}} => A IN ('x', 1, true)
            {"A": {"starts_with": "x"}, "B": {"like": "a*b"}, "C": {"contains": "y"}} => A LIKE 'x%' AND B LIKE 'a%b' AND C LIKE '%y%'
            {"A": {"neq": 1}, "any": [{"B": {"eq": 1}}, {"C": {"eq": 2}, "D": {"eq": 3}}]} => A <> 1 AND (B = 1 OR (C = 2 AND D = 3))
            {"any": [{"B": {"eq": 1}}, {"C": {"eq": 2}}]} => B = 1 OR C = 2
            "#,
            |[filter, expected]| check(&filter.parse().unwrap(), expected),
        );
    }

    #[test]
    fn a_text_that_some_connector_unescapes_is_refused() {
        for text in ["\\' OR 1=1 --", "a\nb", "a\0"] {
            let filter = read_where(&json!({"A": {"eq": text}})).unwrap();
            assert_eq!(conditions_text(&filter), Err(Unwritable), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_stays_one_text_with_any_characters(text in "[ -~']{0,40}") {
            let filter = read_where(&json!({"A": {"eq": text}})).unwrap();
            if let Ok(written) = conditions_text(&filter) {
                let inside = written.strip_prefix("A = '").unwrap().strip_suffix('\'').unwrap();
                prop_assert_eq!(inside.replace("''", ""), text.replace('\'', ""));
                prop_assert_eq!(inside.replace("''", "'"), text);
            }
        }
    }
}
