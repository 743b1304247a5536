//! JSON with colours for terminals; `output` removes the colours if no terminal shows them or `NO_COLOR` is set.

use callgate_tool::Value;

pub(crate) fn json(value: &Value) -> String {
    let mut text = String::new();
    push(&mut text, value, 0);
    text
}

fn push(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                new_line(text, at, depth + 1);
                push(text, item, depth + 1);
            }
            end(text, ']', depth);
        }
        Value::Object(members) if !members.is_empty() => {
            text.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                new_line(text, at, depth + 1);
                coloured(text, NAME, &Value::from(name.as_str()));
                text.push_str(": ");
                push(text, member, depth + 1);
            }
            end(text, '}', depth);
        }
        Value::String(_) => coloured(text, TEXT, value),
        Value::Number(_) => coloured(text, NUMBER, value),
        Value::Bool(_) | Value::Null => coloured(text, WORD, value),
        Value::Array(_) | Value::Object(_) => text.push_str(&value.to_string()),
    }
}

fn new_line(text: &mut String, at: usize, depth: usize) {
    text.push_str(if at == 0 { "\n" } else { ",\n" });
    text.push_str(&"  ".repeat(depth));
}

fn end(text: &mut String, bracket: char, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(bracket);
}

fn coloured(text: &mut String, colour: &str, value: &Value) {
    text.push_str(colour);
    text.push_str(&value.to_string());
    text.push_str(PLAIN);
}

const NAME: &str = "\u{1b}[34m";
const NUMBER: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";
const TEXT: &str = "\u{1b}[32m";
const WORD: &str = "\u{1b}[35m";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_its_colours_the_text_is_that_of_the_value() {
        let text = r#"{"a": [1.10, "x\u001b", true, null, [], {}], "b": {"c": -7}}"#;
        let value = Value::parse(text).unwrap();
        let shown = anstream::adapter::strip_str(&json(&value)).to_string();
        assert_eq!(shown, format!("{value:#}"));
    }
}
