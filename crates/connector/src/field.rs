//! A field of an entity, or a parameter of an action: its name, the kind of its values, and their schema.

use callgate_tool::{Object, Value, json};

use crate::json_schema;

/// A field of an entity, or a parameter of an action.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) kind: FieldKind,
    pub(crate) is_key: bool,
    pub(crate) is_nullable: bool,
    pub(crate) has_default: bool,
    json_schema: Option<Value>,
}

/// The kind of a field's values, as far as conditions distinguish it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FieldKind {
    Any,
    Boolean,
    Date,
    Integer,
    Number,
    Text,
}

impl Field {
    /// Reads a `Field`, `InputParameter` or `ResultMetadata` of the service; `None` for one without a name.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let name = value.get("name")?.as_str().filter(|name| !name.is_empty())?;
        let is = |member: &str| value.get(member).and_then(Value::as_bool).unwrap_or_default();
        let data_type = value.get("dataType").and_then(Value::as_str).unwrap_or_default();
        let has_default = value.get("defaultValue").is_some_and(|value| !value.is_null());
        Some(Self {
            name: name.to_owned(),
            description: member_text_or_empty(value, "description"),
            kind: kind_of_jdbc_type(data_type),
            is_key: is("key"),
            is_nullable: is("nullable"),
            has_default,
            json_schema: value.get("jsonSchema").filter(|schema| schema.is_object()).cloned(),
        })
    }

    /// The schema of a value that a model gives.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = self.non_null_schema();
        if self.is_nullable {
            allow_null(&mut schema);
        }
        schema.insert_unless_empty("description", self.description.as_str());
        Value::Object(schema)
    }

    /// The schema of a value that is compared: it is not null.
    pub(crate) fn non_null_schema(&self) -> Object {
        let schema = match self.kind {
            FieldKind::Boolean => json!({"type": "boolean"}),
            FieldKind::Date => json!({"type": "string", "format": "date"}),
            FieldKind::Integer => json!({"type": "integer"}),
            FieldKind::Number => json!({"type": "number"}),
            FieldKind::Text => json!({"type": "string"}),
            FieldKind::Any => match &self.json_schema {
                Some(schema) => json_schema::limited_standard_schema(schema),
                None => json!({}),
            },
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Object::new(),
        }
    }

    /// True if conditions may name the field: its name needs no quotes in any grammar, and its values can be compared.
    pub(crate) fn allows_conditions(&self) -> bool {
        let mut bytes = self.name.bytes();
        let begins = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let is_plain = bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        begins && is_plain && self.kind != FieldKind::Any && !is_condition_keyword(&self.name)
    }
}

/// The text of a member, or an empty one.
pub(crate) fn member_text_or_empty(value: &Value, member: &str) -> String {
    value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn allow_null(schema: &mut Object) {
    if let Some(Value::String(one)) = schema.get("type") {
        let types = Value::from_iter([one.as_str(), "null"]);
        schema.insert("type", types);
    }
}

/// The kind of a JDBC type, as the service names it.
fn kind_of_jdbc_type(data_type: &str) -> FieldKind {
    match data_type {
        "BIGINT" | "INT" | "INTEGER" | "LONG" | "SMALLINT" | "TINYINT" => FieldKind::Integer,
        "DECIMAL" | "DOUBLE" | "FLOAT" | "NUMERIC" | "REAL" => FieldKind::Number,
        "BIT" | "BOOLEAN" => FieldKind::Boolean,
        "DATE" => FieldKind::Date,
        "ARRAY" | "BINARY" | "BLOB" | "DATALINK" | "DISTINCT" | "JAVA_OBJECT" | "LONGVARBINARY"
        | "NULL" | "OTHER" | "REF" | "REF_CURSOR" | "STRUCT" | "VARBINARY" => FieldKind::Any,
        // The texts, the times whose form the connector decides, and types that are newer than this list.
        _ => FieldKind::Text,
    }
}

/// True for a word of the grammar of conditions.
fn is_condition_keyword(name: &str) -> bool {
    ["and", "in", "is", "like", "not", "null", "or"].contains(&&*name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(data_type: &str) -> Field {
        Field::read(&json!({"name": "a", "dataType": data_type, "nullable": true})).unwrap()
    }

    #[test]
    fn a_data_type_decides_the_schema() {
        for (data_type, expected) in [
            ("BIGINT", json!({"type": ["integer", "null"]})),
            ("DECIMAL", json!({"type": ["number", "null"]})),
            ("BIT", json!({"type": ["boolean", "null"]})),
            ("DATE", json!({"type": ["string", "null"], "format": "date"})),
            ("TIMESTAMP", json!({"type": ["string", "null"]})),
            ("A_TYPE_OF_2030", json!({"type": ["string", "null"]})),
            ("STRUCT", json!({})),
        ] {
            assert_eq!(field(data_type).schema(), expected, "{data_type}");
        }
    }

    #[test]
    fn only_plain_names_stand_in_conditions() {
        for (name, expected) in [
            ("Id", true),
            ("a b", false),
            ("a'b", false),
            ("1a", false),
            ("Or", false),
            ("", false),
        ] {
            let field = Field { name: name.to_owned(), ..field("VARCHAR") };
            assert_eq!(field.allows_conditions(), expected, "{name}");
        }
        assert!(!field("BLOB").allows_conditions());
    }
}
