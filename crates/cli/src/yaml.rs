//! Values as YAML that reads back unchanged.

use callgate::openapi::TextLimits as Limits;
use callgate_tool::Value;
use callgate_tree::read;

/// The text of a value. Numbers whose digits YAML would change are written as JSON, which is also YAML.
pub(crate) fn yaml_text(value: &Value) -> String {
    let written = serde_yaml::to_string(value).unwrap_or_default();
    let again = read(written.as_bytes(), &Limits::default()).ok().map(|read| read.value.to_value());
    if again.as_ref() == Some(value) { written } else { format!("{value:#}\n") }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn every_value_is_read_back_from_written_yaml() {
        let exact = Value::parse(r#"{"a": 1.10, "b": 123456789012345678901234567890}"#).unwrap();
        for value in [
            json!({"a": "no", "b": "1.10", "c": "~", "d": "017", "e": "a: b\n\n# c\n", "f": " x", "g": ""}),
            json!({"200": {"on": null, "y": [true, -7, 1.5, {}, []]}, "<<": "*a", "": "&b"}),
            json!({"tab": "a\tb", "line": "a\r\nb", "wide": "\u{85}\u{2028}\u{feff}é😀", "bell": "\u{7}"}),
            exact,
        ] {
            let text = yaml_text(&value);
            let read = read(text.as_bytes(), &Limits::default()).unwrap();
            assert_eq!(read.value.to_value(), value, "{text}");
        }
    }
}
