//! The tables of keys as a JSON Schema (2020-12), for editors and for programs that write configurations. Rules that a
//! schema cannot express (such as: the store of a secret's reference must exist) are checked when a configuration is
//! read.

use callgate_tool::{Object, Value, json};

use crate::keys::{Key, Kind, Table, Takes};

/// The schema of a mapping, by its title: `root` is its table, and `tables` are those that it refers to.
pub fn schema(title: &str, root: &Table<'_>, tables: &[Table<'_>]) -> Value {
    let mut schema = Object::new();
    schema.insert("$schema", Value::from("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title", Value::from(title));
    let Value::Object(root) = table_schema(root) else { return Value::Null };
    schema.extend(root);
    let definitions = tables.iter().map(|table| (definition_name(table), table_schema(table)));
    schema.insert("$defs", Value::from(definitions.collect::<Object>()));
    Value::Object(schema)
}

fn table_schema(table: &Table<'_>) -> Value {
    let properties: Object =
        table.keys().into_iter().map(|key| (key.name.to_owned(), key_schema(key))).collect();
    let required: Vec<Value> =
        table.keys().iter().filter(|key| key.is_required).map(|key| key.name.into()).collect();
    let mut schema = Object::new();
    schema.insert("type", Value::from("object"));
    schema.insert("properties", Value::from(properties));
    schema.insert("additionalProperties", Value::from(false));
    schema.insert_unless_empty("required", required);
    if table.takes == Takes::One {
        schema.insert("minProperties", Value::from(1));
        schema.insert("maxProperties", Value::from(1));
    }
    Value::Object(schema)
}

fn key_schema(key: &Key) -> Value {
    let mut schema = Object::new();
    schema.insert("description", Value::from(key.about));
    if let Value::Object(kind) = kind_schema(&key.kind) {
        schema.extend(kind);
    }
    Value::Object(schema)
}

fn kind_schema(kind: &Kind) -> Value {
    match kind {
        Kind::Address => json!({"type": "string", "pattern": "^https?://"}),
        Kind::AnyOf(kinds) => {
            json!({"anyOf": kinds.iter().map(kind_schema).collect::<Vec<_>>()})
        }
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::Bytes => json!({"anyOf": [
            {"type": "integer", "minimum": 1},
            {"type": "string", "pattern": "^[0-9]+ *(B|KiB|MiB|GiB)?$"},
        ]}),
        Kind::Choice(words) => {
            json!({"enum": words.iter().map(|word| Value::from(*word)).collect::<Vec<_>>()})
        }
        Kind::Count(usize::MAX) => json!({"type": "integer", "minimum": 1}),
        Kind::Count(most) => json!({"type": "integer", "minimum": 1, "maximum": *most}),
        Kind::Duration => json!({"type": "string", "pattern": "^[0-9]+(ms|s|m|h)$"}),
        Kind::List(items) => json!({"type": "array", "items": kind_schema(items)}),
        Kind::Map(values) => json!({"type": "object", "additionalProperties": kind_schema(values)}),
        Kind::Number => json!({"type": "number"}),
        Kind::Schema => json!({"type": "object"}),
        Kind::Secret => json!({"type": "string", "pattern": "^([a-z][a-z0-9-]*:|projects/)"}),
        Kind::SecretOrCaller => {
            json!({"type": "string", "pattern": "^([a-z][a-z0-9-]*:|projects/|\\$session\\.|\\$context\\.|\\$caller\\.token$)"})
        }
        Kind::SecretOrSession => {
            json!({"type": "string", "pattern": "^([a-z][a-z0-9-]*:|projects/|\\$session\\.|\\$context\\.)"})
        }
        Kind::Setting => json!({"type": "string", "pattern": "^(https?://|env:)"}),
        Kind::Table(table) => json!({"$ref": format!("#/$defs/{}", definition_name(table))}),
        Kind::Text => json!({"type": "string"}),
        Kind::Value => json!({}),
        Kind::Whole => json!({"type": "integer", "minimum": 0}),
    }
}

/// The name of a table in the schema: `a_toolset`.
fn definition_name(table: &Table<'_>) -> String {
    table.name.replace(['`', '\''], "").replace(' ', "_")
}
