//! Values as YAML that reads back unchanged.

use callgate::openapi::TextLimits as Limits;
use callgate_tool::Value;
use callgate_tree::read;

/// The text of a value. Numbers whose digits YAML would change are written as JSON, which is also YAML.
pub(crate) fn yaml_text(value: &Value) -> String {
    let written = serde_yaml::to_string(value).unwrap_or_default();
    let is_same = |text: &String| {
        let again = read(text.as_bytes(), &Limits::default()).ok();
        again.is_some_and(|read| read.value.to_value() == *value)
    };
    // A line of a longer text may look like one of a list: then nothing is quoted.
    let candidates = [quote_yaml_1_1_bools(&written), written];
    candidates.into_iter().find(is_same).unwrap_or_else(|| format!("{value:#}\n"))
}

/// Quotes names and values that readers of YAML 1.1 take for `true` and `false`, as many still do: `no`, `on`, `y`.
fn quote_yaml_1_1_bools(written: &str) -> String {
    let mut quoted = String::with_capacity(written.len());
    for line in written.lines() {
        let content = line.trim_start_matches([' ', '-']);
        quoted.push_str(line.strip_suffix(content).unwrap_or_default());
        match content
            .split_once(':')
            .filter(|(name, _)| is_yaml_1_1_bool(name) || content.contains(": "))
        {
            Some((name, value)) => {
                let word = value.trim_start();
                let space = if word.is_empty() { "" } else { " " };
                quoted.push_str(&format!(
                    "{}:{space}{}",
                    quote_if_yaml_1_1_bool(name),
                    quote_if_yaml_1_1_bool(word)
                ));
            }
            None => quoted.push_str(&quote_if_yaml_1_1_bool(content)),
        }
        quoted.push('\n');
    }
    quoted
}

fn quote_if_yaml_1_1_bool(text: &str) -> String {
    if is_yaml_1_1_bool(text) { format!("'{text}'") } else { text.to_owned() }
}

/// The words of `bool` in YAML 1.1, without those of 1.2.
fn is_yaml_1_1_bool(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    matches!(lower.as_str(), "y" | "n" | "yes" | "no" | "on" | "off")
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn words_that_are_truth_values_in_yaml_1_1_are_quoted() {
        let value =
            json!({"on": ["no", "yes", "none"], "y": {"off": "N"}, "url": "https://a.example:8"});
        let text = "'on':\n- 'no'\n- 'yes'\n- none\n'y':\n  'off': 'N'\nurl: https://a.example:8\n";
        assert_eq!(yaml_text(&value), text);
    }

    #[test]
    fn every_value_is_read_back_from_written_yaml() {
        let exact = Value::parse(r#"{"a": 1.10, "b": 123456789012345678901234567890}"#).unwrap();
        for value in [
            json!({"a": "no", "b": "1.10", "c": "~", "d": "017", "e": "a: b\n\n# c\n", "f": " x", "g": ""}),
            json!({"200": {"on": null, "y": [true, -7, 1.5, {}, []]}, "<<": "*a", "": "&b"}),
            json!({"tab": "a\tb", "line": "a\r\nb", "wide": "\u{85}\u{2028}\u{feff}é😀", "bell": "\u{7}"}),
            json!({"script": "- no\non: yes\n", "a": "no"}),
            exact,
        ] {
            let text = yaml_text(&value);
            let read = read(text.as_bytes(), &Limits::default()).unwrap();
            assert_eq!(read.value.to_value(), value, "{text}");
        }
    }
}
