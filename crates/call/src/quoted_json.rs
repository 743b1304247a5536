//! The value that a text holds as JSON, however often it is quoted as JSON again. It knows no schema: `check` decides where
//! a value is read from a text.

use callgate_tool::Value;

/// The value of a JSON text, or of one that is quoted as JSON text again. `None` if readers understand it differently.
pub(crate) fn unquoted_json_value(text: &str) -> Option<Value> {
    // A text that is quoted again is twice as long, so the recursion ends soon.
    match Value::parse_unambiguous(text).ok().flatten()? {
        Value::String(inner) => unquoted_json_value(&inner),
        value => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_text_is_read_however_often_it_is_quoted() {
        let mut text = json!({"a": "[1]"}).to_string();
        for _ in 0..5 {
            assert_eq!(unquoted_json_value(&text), Some(json!({"a": "[1]"})), "{text}");
            text = Value::from(text).to_string();
        }
        for other in
            ["", "a", "\"a\"", "\"\"", "{\"a\":1,\"a\":2}", "\"{\\\"a\\\":1,\\\"a\\\":2}\""]
        {
            assert_eq!(unquoted_json_value(other), None, "{other}");
        }
    }
}
