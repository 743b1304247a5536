//! Adds a draft to a description that a person wrote or edited: paths, operations, parameters, responses, members and types
//! are added; nothing that is there is taken away, renamed or made narrower.

use callgate_tool::{Object, Value};

use crate::guess::{Guess, Guesses, below};

const SETTLE_ADDED: &str = "remove it if it is not wanted";
const SETTLE_CONFLICT: &str = "widen it by hand if the exchange is right";

/// The description with what only the draft has. Guesses are then those about what was added.
pub(crate) fn merge_descriptions(
    existing: &Value,
    drafted: &Value,
    guesses: &mut Vec<Guess>,
) -> Value {
    let mut merged = existing.clone();
    let mut merging = Merging { drafted, added: Guesses::default() };
    merging.merge_components(&mut merged);
    merging.merge_paths(&mut merged);
    let added = merging.added.all;
    guesses.retain(|guess| added.iter().any(|add| guess.pointer.starts_with(&add.pointer)));
    guesses.extend(added);
    merged
}

struct Merging<'d> {
    drafted: &'d Value,
    added: Guesses,
}

impl Merging<'_> {
    fn note(&mut self, pointer: &str, text: &str) {
        self.added.add(pointer, text.to_owned(), (1, 1), SETTLE_ADDED);
    }

    fn merge_components(&mut self, merged: &mut Value) {
        for kind in ["schemas", "securitySchemes"] {
            let Some(drafted) =
                self.drafted.pointer(&format!("/components/{kind}")).and_then(Value::as_object)
            else {
                continue;
            };
            let Some(components) =
                member(merged, "components").and_then(|components| member(components, kind))
            else {
                continue;
            };
            for (name, component) in drafted {
                if components.get(name).is_none() {
                    add_member(components, name, component.clone());
                    self.note(&format!("/components/{kind}/{name}"), "added");
                }
            }
        }
    }

    fn merge_paths(&mut self, merged: &mut Value) {
        let Some(drafted) = self.drafted.get("paths").and_then(Value::as_object) else { return };
        let names = operation_names(merged);
        for (path, drafted_item) in drafted {
            let existing = existing_path(merged, path);
            let place = below("/paths", &existing);
            let Some(item) = member(merged, "paths").and_then(|paths| member(paths, &existing))
            else {
                continue;
            };
            for (method, operation) in drafted_item.as_object().into_iter().flatten() {
                let at = below(&place, method);
                match item.get_mut(method) {
                    Some(existing) => self.merge_operation(existing, operation, &at),
                    None => {
                        let renamed = with_path_names(operation, path, &existing);
                        add_member(item, method, with_unique_name(renamed, &names));
                        self.note(&at, "added");
                    }
                }
            }
        }
    }

    fn merge_operation(&mut self, existing: &mut Value, drafted: &Value, pointer: &str) {
        for parameter in drafted.get("parameters").and_then(Value::as_array).into_iter().flatten() {
            self.merge_parameter(existing, parameter, pointer);
        }
        if let Some(body) = drafted.get("requestBody") {
            match existing.get_mut("requestBody") {
                Some(there) => self.merge_content(there, body, &below(pointer, "requestBody")),
                None => {
                    let mut body = body.clone();
                    // Requests of before had none.
                    add_member(&mut body, "required", Value::Bool(false));
                    add_member(existing, "requestBody", body);
                    self.note(&below(pointer, "requestBody"), "added");
                }
            }
        }
        let place = below(pointer, "responses");
        for (status, response) in
            drafted.get("responses").and_then(Value::as_object).into_iter().flatten()
        {
            let at = below(&place, status);
            match existing.pointer_mut(&format!("/responses/{status}")) {
                Some(there) => self.merge_content(there, response, &at),
                None if status == "default" => {}
                None => {
                    if let Some(responses) = member(existing, "responses") {
                        add_member(responses, status, response.clone());
                        self.note(&at, "added");
                    }
                }
            }
        }
    }

    /// Adds a parameter, which is optional: requests of before had none.
    fn merge_parameter(&mut self, existing: &mut Value, drafted: &Value, pointer: &str) {
        let place = below(pointer, "parameters");
        let parameters = existing.get_mut("parameters").and_then(Value::as_array_mut);
        let there = parameters.and_then(|list| {
            list.iter_mut().enumerate().find(|other| is_same_parameter(other.1, drafted))
        });
        if let Some((at, there)) = there {
            if let (Some(schema), Some(other)) = (there.get_mut("schema"), drafted.get("schema")) {
                self.widen(schema, other, &below(&below(&place, &at.to_string()), "schema"));
            }
            return;
        }
        // A part of the path has the name that the person gave it.
        if drafted["in"] == *"path" {
            return;
        }
        let mut parameter = drafted.clone();
        if let Value::Object(members) = &mut parameter {
            members.remove("required");
        }
        let Value::Object(members) = existing else { return };
        if let Value::Array(list) =
            members.entry("parameters").or_insert_with(|| Value::Array(Vec::new()))
        {
            let at = list.len();
            list.push(parameter);
            self.note(&below(&place, &at.to_string()), "added");
        }
    }

    fn merge_content(&mut self, existing: &mut Value, drafted: &Value, pointer: &str) {
        let place = below(pointer, "content");
        for (media_type, media) in
            drafted.get("content").and_then(Value::as_object).into_iter().flatten()
        {
            let at = below(&place, media_type);
            let Some(content) = member(existing, "content") else { continue };
            match content.get_mut(media_type) {
                Some(there) => {
                    if let (Some(schema), Some(other)) =
                        (there.get_mut("schema"), media.get("schema"))
                    {
                        self.widen(schema, other, &below(&at, "schema"));
                    }
                }
                None => {
                    add_member(content, media_type, media.clone());
                    self.note(&at, "added");
                }
            }
        }
    }

    /// Takes types, values and members of the draft into a schema. References stay as they are.
    fn widen(&mut self, schema: &mut Value, drafted: &Value, pointer: &str) {
        let drafted = self.resolve(drafted).clone();
        if schema.get("$ref").is_some() || !schema.is_object() {
            return;
        }
        self.widen_types(schema, &drafted, pointer);
        self.widen_values(schema, &drafted, pointer);
        if let Some(items) = drafted.get("items") {
            match schema.get_mut("items") {
                Some(there) => self.widen(there, items, &below(pointer, "items")),
                None => add_member(schema, "items", items.clone()),
            }
        }
        let place = below(pointer, "properties");
        for (name, property) in
            drafted.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let at = below(&place, name);
            let Some(properties) = member(schema, "properties") else { continue };
            match properties.get_mut(name) {
                Some(there) => self.widen(there, property, &at),
                None => {
                    add_member(properties, name, property.clone());
                    self.note(&at, "added");
                }
            }
        }
    }

    /// A schema of the draft in place of a reference to it.
    fn resolve<'v>(&'v self, schema: &'v Value) -> &'v Value {
        let target =
            schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        target.and_then(|pointer| self.drafted.pointer(pointer)).unwrap_or(schema)
    }

    fn widen_types(&mut self, schema: &mut Value, drafted: &Value, pointer: &str) {
        let mut types = type_names(schema);
        let n_before = types.len();
        if n_before == 0 {
            return;
        }
        for name in type_names(drafted) {
            let is_there = types.contains(&name)
                || (name == "integer" && types.iter().any(|other| other == "number"));
            if name == "number" && types.iter().any(|other| other == "integer") {
                types.retain(|other| other != "integer");
                types.push(name);
                self.note(pointer, "widened to `number`");
            } else if !is_there {
                self.note(pointer, &format!("widened by `{name}`"));
                types.push(name);
            }
        }
        let value = match types.as_slice() {
            [name] => Value::from(name.as_str()),
            names => names.iter().map(|name| Value::from(name.as_str())).collect(),
        };
        add_member(schema, "type", value);
    }

    /// An enumeration that a person wrote stays; a value of the draft that it lacks is told.
    fn widen_values(&mut self, schema: &Value, drafted: &Value, pointer: &str) {
        let Some(values) = schema.get("enum").and_then(Value::as_array) else { return };
        let others = drafted.get("enum").and_then(Value::as_array);
        let n_missing = others
            .map_or(0, |others| others.iter().filter(|other| !values.contains(other)).count());
        if n_missing > 0 {
            self.added.add(
                pointer,
                format!("{n_missing} values were there that `enum` lacks"),
                (n_missing, n_missing),
                SETTLE_CONFLICT,
            );
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

fn is_same_parameter(one: &Value, other: &Value) -> bool {
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).map(str::to_ascii_lowercase)
    };
    ["in", "name"].iter().all(|name| text(one, name) == text(other, name))
}

/// The object that is a member, which is made where there is none; `None` where something else stands there.
fn member<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    let members = value.as_object_mut()?;
    Some(members.entry(name).or_insert_with(|| Value::Object(Object::new())))
        .filter(|value| value.is_object())
}

fn add_member(value: &mut Value, name: &str, member: Value) {
    if let Value::Object(members) = value {
        members.insert(name, member);
    }
}

/// The path of a description that has the same form, whatever its variables are called.
pub(crate) fn existing_path(description: &Value, path: &str) -> String {
    let form = path_form(path);
    let paths = description.get("paths").and_then(Value::as_object);
    let same = paths.and_then(|paths| paths.keys().find(|other| path_form(other) == form).cloned());
    same.unwrap_or_else(|| path.to_owned())
}

fn path_form(path: &str) -> String {
    let mut form = String::new();
    let mut is_name = false;
    for c in path.chars() {
        is_name = (is_name || c == '{') && c != '}';
        if !is_name {
            form.push(c);
        }
    }
    form
}

pub(crate) fn variable_names(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
}

/// An operation whose parts of the path are called as another operation of the path calls them.
fn with_path_names(operation: &Value, path: &str, existing: &str) -> Value {
    let mut operation = operation.clone();
    let names: Vec<_> = variable_names(path).into_iter().zip(variable_names(existing)).collect();
    for parameter in
        operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten()
    {
        let other =
            names.iter().find(|name| parameter["in"] == *"path" && parameter["name"] == *name.0);
        if let Some((_, other)) = other {
            add_member(parameter, "name", Value::from(*other));
        }
    }
    operation
}

fn operation_names(description: &Value) -> Vec<String> {
    let paths = description.get("paths").and_then(Value::as_object).into_iter().flatten();
    let operations = paths.filter_map(|(_, item)| item.as_object()).flatten();
    operations
        .filter_map(|(_, operation)| operation.get("operationId")?.as_str().map(str::to_owned))
        .collect()
}

fn with_unique_name(mut operation: Value, names: &[String]) -> Value {
    let mut used = names.iter().cloned().collect();
    if let Some(name) = operation.get("operationId").and_then(Value::as_str).map(str::to_owned) {
        add_member(
            &mut operation,
            "operationId",
            Value::from(crate::name::unique_name(name, &mut used)),
        );
    }
    operation
}
