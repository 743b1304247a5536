//! A tool as the stub of a function: its parameters and its result with types of Python, and its purpose in one line.

use callgate_tool::{Effect, Object, Schema, Tool, Value, shortened_text};

use crate::{
    name::{is_idempotency_key_name, python_name},
    path::FunctionPath,
};

/// A parameter of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter<'s> {
    pub(crate) name: &'s str,
    schema: &'s Value,
    is_required: bool,
}

impl<'s> Parameter<'s> {
    pub(crate) fn description(&self) -> &'s str {
        self.schema["description"].as_str().unwrap_or_default()
    }
}

/// The parameters of a schema, the required ones first, and the key of a write last.
pub(crate) fn sorted_parameters(schema: &Value) -> Vec<Parameter<'_>> {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let properties = schema["properties"].as_object().into_iter().flat_map(Object::iter);
    let mut parameters: Vec<_> = properties
        .map(|(name, schema)| {
            let is_required = required.iter().any(|it| it.as_str() == Some(name));
            Parameter { name, schema, is_required }
        })
        .collect();
    // Code leaves the key of a write to callgate.
    parameters
        .sort_by_key(|parameter| (is_idempotency_key_name(parameter.name), !parameter.is_required));
    parameters
}

/// The stub of a tool: `pets.getPet(petId: int) -> {"id": int, "name": str}  # Returns a pet`.
pub(crate) fn stub(path: &FunctionPath<'_>, tool: &Tool) -> String {
    let schema = tool.input_schema.to_value();
    let parameter = |parameter: &Parameter<'_>| {
        let end = if parameter.is_required { "" } else { " = None" };
        format!(
            "{}: {}{end}",
            python_name(parameter.name),
            deeper_type_if_short(&schema, parameter.schema, 1)
        )
    };
    let is_shown =
        |it: &&Parameter<'_>| tool.effect == Effect::Read || !is_idempotency_key_name(it.name);
    let parameters: Vec<_> =
        sorted_parameters(&schema).iter().filter(is_shown).map(parameter).collect();
    let result = tool.output_schema().map(Schema::to_value);
    let result = result.map(|output| format!(" -> {}", deeper_type_if_short(&output, &output, 2)));
    format!(
        "{}({}){}  # {}",
        path.python_path(),
        parameters.join(", "),
        shortened_text(&result.unwrap_or_default(), LONGEST_TYPE),
        shortened_first_line(&tool.description, LONGEST_PURPOSE)
    )
}

/// The first line of a description, at most so many characters of it.
pub(crate) fn shortened_first_line(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    shortened_text(&line, most).into_owned()
}

/// The type of a schema, one level deeper than `depth` where that is short: the fields of a page's items, the values in a list of objects.
fn deeper_type_if_short(root: &Value, schema: &Value, depth: usize) -> String {
    let deep = python_type(root, schema, depth + 1);
    if deep.len() <= LONGEST_TYPE { deep } else { python_type(root, schema, depth) }
}

/// The type of a schema in words of Python; parts below `depth` are `dict` and `list`.
fn python_type(root: &Value, schema: &Value, depth: usize) -> String {
    let schema = resolved_schema(root, schema);
    if let Some(values) = schema["enum"].as_array() {
        return literal_type(values);
    }
    match &schema["type"] {
        Value::String(kind) => python_type_of_kind(root, schema, kind, depth),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            kinds
                .map(|kind| python_type_of_kind(root, schema, kind, depth))
                .collect::<Vec<_>>()
                .join(" | ")
        }
        _ if schema["properties"].is_object() => python_type_of_kind(root, schema, "object", depth),
        _ => "Any".to_owned(),
    }
}

/// All values where they are few or short, such as the columns of a table, and else the first.
fn literal_type(values: &[Value]) -> String {
    let mut values: Vec<_> = values.iter().map(Value::to_string).collect();
    let n_bytes: usize = values.iter().map(String::len).sum();
    if values.len() > MOST_VALUES && n_bytes > LONGEST_TYPE {
        values.truncate(MOST_VALUES);
        values.push("…".to_owned());
    }
    format!("Literal[{}]", values.join(", "))
}

fn python_type_of_kind(root: &Value, schema: &Value, kind: &str, depth: usize) -> String {
    let members = schema["properties"].as_object().filter(|members| !members.is_empty());
    match (kind, depth.checked_sub(1), members) {
        ("string", ..) => "str".to_owned(),
        ("integer", ..) => "int".to_owned(),
        ("number", ..) => "float".to_owned(),
        ("boolean", ..) => "bool".to_owned(),
        ("null", ..) => "None".to_owned(),
        ("array", Some(depth), _) if schema["items"].is_object() => {
            format!("list[{}]", python_type(root, &schema["items"], depth))
        }
        ("array", ..) => "list".to_owned(),
        ("object", Some(depth), Some(members)) => {
            let member = |(name, schema): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), python_type(root, schema, depth))
            };
            let shown: Vec<_> = members.iter().take(MOST_MEMBERS).map(member).collect();
            let more = if members.len() > MOST_MEMBERS { ", …" } else { "" };
            format!("{{{}{more}}}", shown.join(", "))
        }
        ("object", ..) => "dict".to_owned(),
        _ => "Any".to_owned(),
    }
}

/// The schema that a reference within the root names, or the schema itself.
pub(crate) fn resolved_schema<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..MOST_REFERENCES {
        let reference = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
        match reference.and_then(|pointer| root.pointer(pointer)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// The values that are shown of an enum whose values are longer than a type.
const MOST_VALUES: usize = 6;
const MOST_MEMBERS: usize = 8;
const MOST_REFERENCES: usize = 4;
/// The bytes of a result's type, of the values of an enum, and of a purpose: a stub is one line.
const LONGEST_TYPE: usize = 240;
const LONGEST_PURPOSE: usize = 100;

#[cfg(test)]
mod tests {
    use callgate_tool::{ToolName, json};

    use super::*;

    #[test]
    fn a_stub_has_types_defaults_and_one_line() {
        let input = json!({
            "type": "object",
            "properties": {
                "status": {"enum": ["sold", "new"]}, "petId": {"type": "integer"},
                "X-Trace": {"type": ["string", "null"]}, "owner": {"type": "object", "properties": {"a": {}}},
            },
            "required": ["petId"],
        });
        let output = json!({
            "$defs": {"Pet": {"type": "object", "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}}},
            "type": "array", "items": {"$ref": "#/$defs/Pet"},
        });
        let name = ToolName::new("pets-get-pet").unwrap();
        let text = "Returns a pet\nby its id".to_owned();
        let tool = Tool::new(name, text, Schema::new(input), Effect::Read)
            .with_output_schema(Some(Schema::new(output)));
        let path = FunctionPath::new("pets", tool.name.as_str());
        assert_eq!(
            stub(&path, &tool),
            r#"pets.get_pet(petId: int, status: Literal["sold", "new"] = None, X_Trace: str | None = None, owner: {"a": Any} = None) -> list[{"id": int, "tags": list[str]}]  # Returns a pet"#
        );
    }

    #[track_caller]
    fn check(input: Value, output: Value, expected: &str) {
        let name = ToolName::new("pets-list").unwrap();
        let tool = Tool::new(name, "Lists".to_owned(), Schema::new(input), Effect::Read)
            .with_output_schema(Some(Schema::new(output)));
        assert_eq!(stub(&FunctionPath::new("pets", "pets-list"), &tool), expected);
    }

    /// A program names the columns that it wants.
    #[test]
    fn many_short_values_are_all_shown_and_of_many_long_ones_the_first() {
        let values = |n_bytes: usize| -> Vec<_> {
            ('a'..='i').map(|letter| Value::from(letter.to_string().repeat(n_bytes))).collect()
        };
        let input = json!({"type": "object", "properties": {
            "select": {"type": "array", "items": {"enum": values(1)}}, "order": {"enum": values(30)},
        }});
        let order: Vec<_> = values(30).iter().take(6).map(Value::to_string).collect();
        let order = order.join(", ");
        let expected = format!(
            r#"pets.list(select: list[Literal["a", "b", "c", "d", "e", "f", "g", "h", "i"]] = None, order: Literal[{order}, …] = None) -> dict  # Lists"#
        );
        check(input, json!({"type": "object"}), &expected);
    }

    #[test]
    fn items_of_lists_have_their_fields_where_these_are_few() {
        let item = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
        let lines = json!({"type": "array", "items": item});
        let input = json!({"type": "object", "properties": {"lines": lines}});
        let page =
            json!({"type": "object", "properties": {"items": lines, "more": {"type": "boolean"}}});
        let expected = r#"pets.list(lines: list[{"id": int}] = None) -> {"items": list[{"id": int}], "more": bool}  # Lists"#;
        check(input, page, expected);
        let wide: Object = ('a'..='h')
            .map(|letter| (letter.to_string().repeat(30), json!({"type": "integer"})))
            .collect();
        let item = json!({"type": "object", "properties": wide});
        let page =
            json!({"type": "object", "properties": {"items": {"type": "array", "items": item}}});
        check(json!({"type": "object"}), page, r#"pets.list() -> {"items": list[dict]}  # Lists"#);
    }
}
