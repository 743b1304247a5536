//! The first difference of two values of JSON, with its place, as a sentence.

use callgate_tool::{Value, pointer_segment, shortened_text};

/// The first difference between `expected` and `got`, as a sentence with its place; `None` if they are equal.
pub(crate) fn first_difference(expected: &Value, got: &Value) -> Option<String> {
    difference_at("", expected, got)
}

fn difference_at(pointer: &str, expected: &Value, got: &Value) -> Option<String> {
    if expected == got {
        return None;
    }
    let below = |name: &str| format!("{pointer}/{}", pointer_segment(name));
    match (expected, got) {
        (Value::Array(expected), Value::Array(got)) => {
            let mut pairs = expected.iter().zip(got).enumerate();
            let inside =
                pairs.find_map(|(index, (a, b))| difference_at(&below(&index.to_string()), a, b));
            inside.or_else(|| {
                let (place, n_expected, n_got) = (place_text(pointer), expected.len(), got.len());
                Some(format!("{place}: expected {n_expected} items, got {n_got}"))
            })
        }
        (Value::Object(expected), Value::Object(got)) => {
            let missing = expected.iter().find(|(name, _)| got.get(name).is_none());
            if let Some((name, value)) = missing {
                return Some(format!(
                    "{}: expected {}, got none",
                    place_text(&below(name)),
                    cut_value_text(value)
                ));
            }
            if let Some((name, value)) = got.iter().find(|(name, _)| expected.get(name).is_none()) {
                return Some(format!(
                    "{}: expected none, got {}",
                    place_text(&below(name)),
                    cut_value_text(value)
                ));
            }
            expected
                .iter()
                .find_map(|(name, value)| difference_at(&below(name), value, got.get(name)?))
        }
        _ => Some(format!(
            "{}: expected {}, got {}",
            place_text(pointer),
            cut_value_text(expected),
            cut_value_text(got)
        )),
    }
}

fn place_text(pointer: &str) -> String {
    if pointer.is_empty() { "the whole".to_owned() } else { format!("`{pointer}`") }
}

/// A value, without the rest of a long one.
fn cut_value_text(value: &Value) -> String {
    shortened_text(&value.to_string(), MOST_SHOWN).into_owned()
}

const MOST_SHOWN: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: &str, got: &str, sentence: Option<&str>) {
        let [expected, got] = [expected, got].map(|text| Value::parse(text).unwrap());
        assert_eq!(first_difference(&expected, &got).as_deref(), sentence);
    }

    #[test]
    fn the_first_difference_is_reported_with_its_location() {
        check(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, None);
        check(
            r#"{"a":[1,{"b/c":2}]}"#,
            r#"{"a":[1,{"b/c":3}]}"#,
            Some("`/a/1/b~1c`: expected 2, got 3"),
        );
        check(r#"{"a":1}"#, "{}", Some("`/a`: expected 1, got none"));
        check("{}", r#"{"a":1}"#, Some("`/a`: expected none, got 1"));
        check("[1]", "[1,2]", Some("the whole: expected 1 items, got 2"));
        check(r#"{"a":[[]]}"#, r#"{"a":[[1,2]]}"#, Some("`/a/0`: expected 0 items, got 2"));
        check("1", r#""1""#, Some("the whole: expected 1, got \"1\""));
    }
}
