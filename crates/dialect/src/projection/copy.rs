//! Schemas for providers that support all of JSON Schema: they stay unchanged, except that lists get items, objects get
//! `properties`, and parts that are too deep become plain objects.

use callgate_tool::{Object, Value};

use super::{
    cut::Level,
    definitions::PREFIX,
    kinds::Kinds,
    loss::Lost,
    parts::{SchemaParts, schema_kinds},
    projector::Projector,
    words::shortened_text,
};

impl<'s> Projector<'s> {
    pub(super) fn copied_schema(&mut self, members: &'s Object, level: Level) -> Value {
        let mut built = Object::with_capacity(members.len());
        let required = required_names(members);
        for (keyword, value) in members {
            if !self.cut.keeps_all_optional_members() && FRAGILE.contains(&keyword.as_str()) {
                self.note_loss("not", Lost::Wider);
                continue;
            }
            let copied = self.at_place(&[keyword], |walk| match (keyword.as_str(), value) {
                ("$anchor" | "$defs" | "$schema" | "externalDocs" | "xml", _) => None,
                ("$ref", Value::String(reference)) => Some(walk.copied_reference(reference, level)),
                ("description", Value::String(text)) => {
                    let text = shortened_text(text, walk.cut.text);
                    walk.spend_bytes(text.len());
                    (!text.is_empty()).then_some(Value::String(text))
                }
                ("properties", Value::Object(properties)) => {
                    let copied = walk.copied_members(properties, &required, level);
                    let members = copied.into_iter();
                    Some(Value::Object(
                        members.map(|(name, one)| (walk.member_name(&name, level), one)).collect(),
                    ))
                }
                ("required", Value::Array(names)) => {
                    let names = names.iter().filter_map(Value::as_str);
                    Some(names.map(|name| Value::String(walk.member_name(name, level))).collect())
                }
                ("dependentSchemas" | "patternProperties", Value::Object(schemas)) => {
                    Some(Value::Object(walk.copied_members(schemas, &[], level)))
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                    Some(walk.copied_list(schemas, level))
                }
                (keyword, _) if SINGLES.contains(&keyword) => {
                    Some(walk.copied_subschema(value, level.item_level()))
                }
                _ => {
                    walk.spend_bytes(keyword.len() + approximate_bytes(value));
                    Some(value.clone())
                }
            });
            // A branch may have lost parts, so more than one may match.
            let is_open = keyword == "oneOf" && !self.cut.keeps_all_optional_members();
            let keyword = if is_open { "anyOf" } else { keyword.as_str() };
            let copied = copied.filter(|_| !is_open || !members.contains_key("anyOf"));
            built.insert_if_some(keyword, copied);
        }
        add_items_or_properties(&mut built);
        Value::Object(built)
    }

    fn copied_reference(&mut self, reference: &'s str, level: Level) -> Value {
        if let Some(name) = reference.strip_prefix(PREFIX) {
            self.mark_definition_referenced(name, level);
        }
        Value::from(reference)
    }

    fn copied_members(&mut self, schemas: &'s Object, required: &[&str], level: Level) -> Object {
        let mut built = Object::with_capacity(schemas.len());
        for (name, schema) in schemas {
            if self.is_byte_budget_spent() {
                break;
            }
            let below = level.member_level(required.contains(&name.as_str()));
            let copied = self.at_place(&[name], |walk| walk.copied_subschema(schema, below));
            self.spend_bytes(name.len());
            built.insert(name.as_str(), copied);
        }
        built
    }

    fn copied_list(&mut self, schemas: &'s [Value], level: Level) -> Value {
        let mut each = Vec::with_capacity(schemas.len());
        for (index, schema) in schemas.iter().enumerate() {
            each.push(self.at_place(&[&index.to_string()], |walk| {
                walk.copied_subschema(schema, level.branch_level())
            }));
        }
        Value::Array(each)
    }

    pub(super) fn copied_subschema(&mut self, schema: &'s Value, level: Level) -> Value {
        if schema.is_boolean() {
            return schema.clone();
        }
        if self.cut.hides_members(level)
            && schema_kinds(schema, self.definitions, 1).overlaps(Kinds::OBJECT)
        {
            let parts = SchemaParts::from_schemas(&[schema], self.definitions);
            return self.merged_schema(&parts, level);
        }
        self.projected_schema(&[schema], level)
    }
}

/// Adds missing items to lists and missing `properties` to objects.
pub(super) fn add_items_or_properties(built: &mut Object) {
    let is = |built: &Object, name: &str| {
        built.get("type").is_some_and(|kind| {
            Kinds::from_type_keyword(kind) != Kinds::ALL && {
                let named = [kind].into_iter().chain(kind.as_array().into_iter().flatten());
                named.into_iter().any(|kind| kind == name)
            }
        })
    };
    if is(built, "array") && !built.contains_key("items") {
        built.insert("items", Value::Object(Object::new()));
    }
    if is(built, "object") && !built.contains_key("properties") {
        built.insert("properties", Value::Object(Object::new()));
    }
}

fn required_names(members: &Object) -> Vec<&str> {
    let required = members.get("required").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str).collect()
}

const SINGLES: [&str; 10] = [
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that could refuse legal values if a cut made a schema below them wider.
const FRAGILE: [&str; 9] = [
    "contains",
    "else",
    "if",
    "maxContains",
    "minContains",
    "not",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The approximate size in bytes.
fn approximate_bytes(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(approximate_bytes).sum::<usize>() + 2,
        Value::Object(members) => {
            members
                .iter()
                .map(|(name, value)| name.len() + 4 + approximate_bytes(value))
                .sum::<usize>()
                + 2
        }
        Value::String(text) => text.len() + 2,
        _ => 6,
    }
}
