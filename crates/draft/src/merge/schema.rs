//! Takes types and members of a draft into a schema that a person wrote.

use callgate_tool::Value;

use super::{SETTLE_ADDED, add_member, members_of, object_member_or_new};
use crate::guess::{Evidence, Guesses, below};

const SETTLE_CONFLICT: &str = "widen it by hand if the exchange is right";

pub(super) struct Widening<'d> {
    /// The draft, which its references point into.
    pub(super) drafted: &'d Value,
    /// True for OpenAPI 3.0, in which a schema has one type.
    pub(super) is_version_30: bool,
    pub(super) added: &'d mut Guesses,
}

impl Widening<'_> {
    /// Takes types, values and members of the draft into a schema. References stay as they are.
    pub(super) fn widen(&mut self, schema: &mut Value, drafted: &Value, pointer: &str) {
        if schema.get("$ref").is_some() || !schema.is_object() {
            return;
        }
        let drafted = self.resolve(drafted).clone();
        self.widen_types(schema, &drafted, pointer);
        self.record_missing_enum_values(schema, &drafted, pointer);
        if let Some(items) = drafted.get("items") {
            self.widen_or_add(schema, "items", items, &below(pointer, "items"));
        }
        let place = below(pointer, "properties");
        for (name, property) in members_of(drafted.get("properties")) {
            if let Some(properties) = object_member_or_new(schema, "properties") {
                self.widen_or_add(properties, name, property, &below(&place, name));
            }
        }
    }

    fn widen_or_add(&mut self, parent: &mut Value, name: &str, drafted: &Value, pointer: &str) {
        if let Some(there) = parent.get_mut(name) {
            self.widen(there, drafted, pointer);
        } else {
            add_member(parent, name, drafted.clone());
            self.note(pointer, "added".to_owned());
        }
    }

    fn note(&mut self, pointer: &str, text: String) {
        self.added.add(pointer, text, Evidence(1, 1), SETTLE_ADDED);
    }

    /// A schema of the draft in place of a reference to it.
    fn resolve<'v>(&'v self, schema: &'v Value) -> &'v Value {
        let target = schema.get("$ref").and_then(Value::as_str);
        let pointer = target.and_then(|target| target.strip_prefix('#'));
        pointer.and_then(|pointer| self.drafted.pointer(pointer)).unwrap_or(schema)
    }

    fn widen_types(&mut self, schema: &mut Value, drafted: &Value, pointer: &str) {
        let mut types = type_names(schema);
        if types.is_empty() {
            return;
        }
        for name in type_names(drafted) {
            if name == "number" && types.contains(&"integer".to_owned()) {
                types.retain(|other| other != "integer");
            }
            let is_there = types.contains(&name)
                || (name == "integer" && types.contains(&"number".to_owned()));
            if is_there {
                continue;
            }
            if self.is_version_30 && !types.is_empty() {
                let text = format!("`{name}` was there, which `type` lacks");
                self.added.add(pointer, text, Evidence(1, 1), SETTLE_CONFLICT);
                continue;
            }
            self.note(pointer, format!("widened by `{name}`"));
            types.push(name);
        }
        if drafted.get("nullable").and_then(Value::as_bool) == Some(true)
            && schema.get("nullable").is_none()
        {
            add_member(schema, "nullable", Value::Bool(true));
            self.note(pointer, "widened by `null`".to_owned());
        }
        let value = match types.as_slice() {
            [name] => Value::from(name.as_str()),
            names => names.iter().map(|name| Value::from(name.as_str())).collect(),
        };
        add_member(schema, "type", value);
    }

    /// An enumeration that a person wrote stays; values of the draft that it lacks are told.
    fn record_missing_enum_values(&mut self, schema: &Value, drafted: &Value, pointer: &str) {
        let values = |schema: &Value| schema.get("enum").and_then(Value::as_array).cloned();
        let (Some(own), Some(others)) = (values(schema), values(drafted)) else { return };
        let n_missing = others.iter().filter(|other| !own.contains(other)).count();
        if n_missing > 0 {
            let text = format!("{n_missing} values were there that `enum` lacks");
            self.added.add(pointer, text, Evidence(n_missing, n_missing), SETTLE_CONFLICT);
        }
    }
}

fn type_names(schema: &Value) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
