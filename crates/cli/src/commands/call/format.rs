//! Prints a value: as JSON, with colours on a terminal, as YAML, or as a table of its items or members.

use callgate_tool::{Object, Value};

use crate::{args::AnswerFormat, output, table::Table, yaml};

pub(super) fn formatted_value(value: &Value, format: Option<AnswerFormat>) -> String {
    match format {
        Some(AnswerFormat::Yaml) => yaml::yaml_text(value),
        Some(AnswerFormat::Table) => value_table(value),
        _ if output::is_stdout_terminal() => format!("{}\n", coloured_json(value)),
        _ => format!("{value:#}\n"),
    }
}

/// Makes a row for each item of a list, or of the only list in an object; else a row for each member.
fn value_table(value: &Value) -> String {
    match only_list_items(value) {
        Some(items) => item_table(items).text(output::terminal_width()),
        None => member_table(value),
    }
}

fn only_list_items(value: &Value) -> Option<&[Value]> {
    if let Value::Array(items) = value {
        return Some(items);
    }
    let members = value.as_object()?.values();
    let mut lists = members
        .filter_map(Value::as_array)
        .filter(|items| items.iter().any(|item| item.as_object().is_some()));
    lists.next().filter(|_| lists.next().is_none()).map(Vec::as_slice)
}

fn item_table(items: &[Value]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for member in items.iter().filter_map(Value::as_object).flat_map(Object::keys) {
        if !names.contains(&member.as_str()) && names.len() < MOST_COLUMNS {
            names.push(member);
        }
    }
    if names.is_empty() {
        let mut table = Table::new(["value"]);
        for item in items {
            table.push_row([cell_text(Some(item))]);
        }
        return table;
    }
    let mut table = Table::new(names.iter().copied());
    for item in items {
        table.push_row(names.iter().map(|name| cell_text(item.get(name))));
    }
    table
}

fn member_table(value: &Value) -> String {
    let Some(members) = value.as_object() else { return format!("{}\n", cell_text(Some(value))) };
    let mut table = Table::new(["name", "value"]);
    for (name, member) in members {
        table.push_row([name.clone(), cell_text(Some(member))]);
    }
    table.text(output::terminal_width())
}

fn cell_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

/// JSON with colours for terminals; `output` removes the colours if no terminal shows them or `NO_COLOR` is set.
fn coloured_json(value: &Value) -> String {
    let mut text = String::new();
    push_coloured_value(&mut text, value, 0);
    text
}

fn push_coloured_value(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                push_new_line(text, at, depth + 1);
                push_coloured_value(text, item, depth + 1);
            }
            end_brackets(text, ']', depth);
        }
        Value::Object(members) if !members.is_empty() => {
            text.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                push_new_line(text, at, depth + 1);
                push_coloured(text, NAME, &Value::from(name.as_str()));
                text.push_str(": ");
                push_coloured_value(text, member, depth + 1);
            }
            end_brackets(text, '}', depth);
        }
        Value::String(_) => push_coloured(text, TEXT, value),
        Value::Number(_) => push_coloured(text, NUMBER, value),
        Value::Bool(_) | Value::Null => push_coloured(text, WORD, value),
        Value::Array(_) | Value::Object(_) => text.push_str(&value.to_string()),
    }
}

fn push_new_line(text: &mut String, at: usize, depth: usize) {
    text.push_str(if at == 0 { "\n" } else { ",\n" });
    text.push_str(&"  ".repeat(depth));
}

fn end_brackets(text: &mut String, bracket: char, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(bracket);
}

fn push_coloured(text: &mut String, colour: &str, value: &Value) {
    text.push_str(&output::in_style(colour, &value.to_string()));
}

/// The colours, as parameters of a control sequence.
const NAME: &str = "34";
const NUMBER: &str = "36";
const TEXT: &str = "32";
const WORD: &str = "35";

const MOST_COLUMNS: usize = 24;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(value: &Value, expected: &str) {
        assert_eq!(value_table(value), expected, "{value}");
    }

    #[test]
    fn a_table_has_a_row_for_each_item_and_a_column_for_each_member() {
        let pets = json!([{"id": 7, "name": "Rex"}, {"id": 8, "tags": ["a"]}]);
        let rows = "ID  NAME  TAGS\n7   Rex\n8         [\"a\"]\n";
        check(&pets, rows);
        check(&json!({"items": pets, "total": 2}), rows);
        check(&json!(["a", 1]), "VALUE\na\n1\n");
        check(&json!({"id": 7, "tags": ["a"]}), "NAME  VALUE\nid    7\ntags  [\"a\"]\n");
        check(&json!(7), "7\n");
    }

    #[test]
    fn without_its_colours_the_text_is_that_of_the_value() {
        let text = r#"{"a": [1.10, "x\u001b", true, null, [], {}], "b": {"c": -7}}"#;
        let value = Value::parse(text).unwrap();
        let shown = output::without_styles(&coloured_json(&value));
        assert_eq!(shown, format!("{value:#}"));
    }
}
