//! Renames the definitions that a schema refers to. Values that only look like references are unchanged.

use callgate_tool::Value;
use hashbrown::HashMap;

use crate::{
    document::Document,
    schema::keyword_content::{KeywordContent, content_of},
};

pub(super) fn with_renamed_references(
    document: &Document,
    schema: &Value,
    names: &HashMap<&str, &str>,
) -> Value {
    let mut schema = document.meter().copy_and_charge(schema);
    rename_references(&mut schema, names);
    schema
}

fn rename_references(schema: &mut Value, names: &HashMap<&str, &str>) {
    let Value::Object(members) = schema else { return };
    if let Some(Value::String(reference)) = members.get_mut("$ref") {
        let name = reference.strip_prefix(PREFIX).and_then(|name| names.get(name));
        if let Some(name) = name {
            *reference = format!("{PREFIX}{name}");
        }
    }
    for (keyword, value) in members {
        match (content_of(keyword), value) {
            (KeywordContent::Schema, value @ Value::Object(_)) => rename_references(value, names),
            (KeywordContent::Schema, Value::Array(schemas)) => {
                for schema in schemas {
                    rename_references(schema, names);
                }
            }
            (KeywordContent::Schemas, Value::Object(schemas)) => {
                schemas.values_mut().for_each(|schema| rename_references(schema, names));
            }
            _ => {}
        }
    }
}

pub(super) const PREFIX: &str = "#/$defs/";
