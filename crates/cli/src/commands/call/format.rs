//! Prints a value: as JSON, YAML, or a table of its items or members.

use callgate_tool::{Object, Value};

use crate::{args::AnswerFormat, colour, table::Table, terminal, yaml};

/// The text of a value, with colours if it is JSON on a terminal.
pub(super) fn text(value: &Value, format: Option<AnswerFormat>) -> String {
    match format {
        Some(AnswerFormat::Yaml) => yaml::text(value),
        Some(AnswerFormat::Table) => table(value),
        _ if terminal::is_shown() => format!("{}\n", colour::json(value)),
        _ => format!("{value:#}\n"),
    }
}

/// Makes a row for each item of a list, or of the only list in an object; else a row for each member.
fn table(value: &Value) -> String {
    match items(value) {
        Some(items) => listed(items).text(terminal::width()),
        None => members(value),
    }
}

fn items(value: &Value) -> Option<&[Value]> {
    if let Value::Array(items) = value {
        return Some(items);
    }
    let members = value.as_object()?.values();
    let mut lists = members
        .filter_map(Value::as_array)
        .filter(|items| items.iter().any(|item| item.as_object().is_some()));
    lists.next().filter(|_| lists.next().is_none()).map(Vec::as_slice)
}

fn listed(items: &[Value]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for member in items.iter().filter_map(Value::as_object).flat_map(Object::keys) {
        if !names.contains(&member.as_str()) && names.len() < MOST_COLUMNS {
            names.push(member);
        }
    }
    if names.is_empty() {
        let mut table = Table::new(["value"]);
        for item in items {
            table.push([cell(Some(item))]);
        }
        return table;
    }
    let mut table = Table::new(names.iter().copied());
    for item in items {
        table.push(names.iter().map(|name| cell(item.get(name))));
    }
    table
}

fn members(value: &Value) -> String {
    let Some(members) = value.as_object() else { return format!("{}\n", cell(Some(value))) };
    let mut table = Table::new(["name", "value"]);
    for (name, member) in members {
        table.push([name.clone(), cell(Some(member))]);
    }
    table.text(terminal::width())
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

/// The most columns that fit on a terminal.
const MOST_COLUMNS: usize = 24;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(value: &Value, expected: &str) {
        assert_eq!(table(value), expected, "{value}");
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
}
