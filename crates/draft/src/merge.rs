//! Adds a draft to a description that a person wrote or edited: paths, operations, parameters, responses, members and types
//! are added; nothing that is there is taken away, renamed or made narrower.

mod fit;
mod schema;
pub(crate) mod server;

use callgate_tool::{Object, Value};

use self::{
    fit::{fit_draft, is_version_30},
    schema::Widening,
};
use crate::{
    error::{self, Error},
    guess::{Evidence, Guess, Guesses, below},
};

const SETTLE_ADDED: &str = "remove it if it is not wanted";
const SETTLE_REFERENCE: &str = "add by hand to it what the example has more";

/// Checks that a draft can be added to a description.
pub(crate) fn check_openapi_version(existing: &Value) -> Result<(), Error> {
    let version = existing.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if ["3.0", "3.1", "3.2"].iter().any(|prefix| version.starts_with(prefix)) {
        return Ok(());
    }
    let version =
        existing.get("swagger").and_then(Value::as_str).map(|version| format!("Swagger {version}"));
    Err(error::other_version(version.as_deref().unwrap_or("another text")))
}

/// The description with what only the draft has. Guesses are then those about what was added.
pub(crate) fn merge_descriptions(
    existing: &Value,
    drafted: &Value,
    guesses: &mut Vec<Guess>,
) -> Value {
    let mut merged = existing.clone();
    let fitted = fit_draft(drafted, existing);
    let mut merging = Merging { existing, drafted: &fitted, added: Guesses::default() };
    merging.merge_components(&mut merged);
    merging.merge_paths(&mut merged);
    let added = merging.added.all;
    guesses.retain(|guess| added.iter().any(|add| guess.pointer.starts_with(&add.pointer)));
    guesses.extend(added);
    merged
}

struct Merging<'d> {
    /// The description as it was, which its references point into.
    existing: &'d Value,
    drafted: &'d Value,
    added: Guesses,
}

impl Merging<'_> {
    fn record_addition(&mut self, pointer: &str, text: &str) {
        self.added.add(pointer, text.to_owned(), Evidence(1, 1), SETTLE_ADDED);
    }

    fn merge_components(&mut self, merged: &mut Value) {
        for kind in ["schemas", "securitySchemes"] {
            let drafted = self.drafted.pointer(&format!("/components/{kind}"));
            for (name, component) in members_of(drafted) {
                let components = object_member_or_new(merged, "components")
                    .and_then(|all| object_member_or_new(all, kind));
                let pointer = format!("/components/{kind}");
                components.map(|all| self.add_or_report_present(all, name, component, &pointer));
            }
        }
    }

    /// Adds a member where there is none of this name. Returns true if one was there.
    fn add_or_report_present(
        &mut self,
        object: &mut Value,
        name: &str,
        value: &Value,
        pointer: &str,
    ) -> bool {
        let Value::Object(members) = object else { return false };
        if members.contains_key(name) {
            return true;
        }
        members.insert(name, value.clone());
        self.record_addition(&below(pointer, name), "added");
        false
    }

    fn merge_paths(&mut self, merged: &mut Value) {
        let names = operation_ids(merged);
        for (path, drafted_item) in members_of(self.drafted.get("paths")) {
            let existing = existing_path(merged, path);
            let place = below("/paths", &existing);
            let Some(item) = object_member_or_new(merged, "paths")
                .and_then(|paths| object_member_or_new(paths, &existing))
            else {
                continue;
            };
            if self.is_reference(item, &place) {
                continue;
            }
            for (method, operation) in members_of(Some(drafted_item)) {
                let renamed = with_existing_variable_names(operation, path, &existing);
                self.add_or_merge_operation(
                    item,
                    method,
                    &with_unique_name(renamed, &names),
                    &place,
                );
            }
        }
    }

    fn add_or_merge_operation(
        &mut self,
        item: &mut Value,
        method: &str,
        drafted: &Value,
        pointer: &str,
    ) {
        if self.add_or_report_present(item, method, drafted, pointer) {
            self.merge_operation(item.get_mut(method), drafted, &below(pointer, method));
        }
    }

    fn merge_operation(&mut self, existing: Option<&mut Value>, drafted: &Value, pointer: &str) {
        let Some(existing) = existing else { return };
        for parameter in drafted.get("parameters").and_then(Value::as_array).into_iter().flatten() {
            if !self.is_parameter_elsewhere(existing, parameter, pointer) {
                self.merge_parameter(existing, parameter, pointer);
            }
        }
        if let Some(body) = drafted.get("requestBody") {
            let mut optional = body.clone();
            // Requests of before had none.
            add_member(&mut optional, "required", Value::Bool(false));
            if self.add_or_report_present(existing, "requestBody", &optional, pointer) {
                let place = below(pointer, "requestBody");
                self.merge_content(existing.get_mut("requestBody"), body, &place);
            }
        }
        let place = below(pointer, "responses");
        for (status, response) in
            members_of(drafted.get("responses")).filter(|response| response.0 != "default")
        {
            let Some(responses) = object_member_or_new(existing, "responses") else { continue };
            if self.add_or_report_present(responses, status, response, &place) {
                self.merge_content(responses.get_mut(status), response, &below(&place, status));
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
            let pointer = below(&below(&place, &at.to_string()), "schema");
            self.widen_common_member(there, drafted, "schema", &pointer);
            return;
        }
        // A part of the path has the name that the person gave it.
        let Value::Object(members) = existing else { return };
        if drafted["in"] == *"path" {
            return;
        }
        let mut parameter = drafted.clone();
        if let Value::Object(members) = &mut parameter {
            members.remove("required");
        }
        if let Value::Array(list) =
            members.entry("parameters").or_insert_with(|| Value::Array(Vec::new()))
        {
            self.record_addition(&below(&place, &list.len().to_string()), "added");
            list.push(parameter);
        }
    }

    /// True for a reference, which stays as it is: others use what it points to.
    fn is_reference(&mut self, value: &Value, pointer: &str) -> bool {
        let is_reference = value.get("$ref").is_some();
        if is_reference {
            let text = "a reference stays as it is".to_owned();
            self.added.add(pointer, text, Evidence(1, 1), SETTLE_REFERENCE);
        }
        is_reference
    }

    /// True for a parameter that the path has for all its operations, or that stands among the components.
    fn is_parameter_elsewhere(&self, operation: &Value, parameter: &Value, pointer: &str) -> bool {
        let item = pointer.rsplit_once('/').and_then(|(item, _)| self.existing.pointer(item));
        let of_path = list(item, "parameters");
        let references =
            list(Some(operation), "parameters").filter(|other| other.get("$ref").is_some());
        of_path
            .chain(references)
            .any(|other| is_same_parameter(self.resolve_reference(other), parameter))
    }

    /// The component that a reference of the description points to, or the value itself.
    fn resolve_reference<'v>(&'v self, value: &'v Value) -> &'v Value {
        let target = value.get("$ref").and_then(Value::as_str);
        let pointer = target.and_then(|target| target.strip_prefix('#'));
        pointer.and_then(|pointer| self.existing.pointer(pointer)).unwrap_or(value)
    }

    fn merge_content(&mut self, existing: Option<&mut Value>, drafted: &Value, pointer: &str) {
        let Some(existing) = existing else { return };
        if drafted.get("content").is_none() || self.is_reference(existing, pointer) {
            return;
        }
        let Some(content) = object_member_or_new(existing, "content") else { return };
        let place = below(pointer, "content");
        for (media_type, media) in members_of(drafted.get("content")) {
            let is_there = self.add_or_report_present(content, media_type, media, &place);
            if let Some(there) = content.get_mut(media_type).filter(|_| is_there) {
                self.widen_common_member(
                    there,
                    media,
                    "schema",
                    &below(&below(&place, media_type), "schema"),
                );
            }
        }
    }

    fn widen_common_member(
        &mut self,
        existing: &mut Value,
        drafted: &Value,
        name: &str,
        pointer: &str,
    ) {
        if let (Some(schema), Some(other)) = (existing.get_mut(name), drafted.get(name)) {
            let is_version_30 = is_version_30(self.existing);
            let mut widening =
                Widening { drafted: self.drafted, is_version_30, added: &mut self.added };
            widening.widen(schema, other, pointer);
        }
    }
}

/// The items of a member that is a list.
fn list<'v>(value: Option<&'v Value>, name: &str) -> impl Iterator<Item = &'v Value> {
    value.and_then(|value| value.get(name)?.as_array()).into_iter().flatten()
}

/// The members of a value, if it is an object.
fn members_of(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn is_same_parameter(one: &Value, other: &Value) -> bool {
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).map(str::to_ascii_lowercase)
    };
    ["in", "name"].iter().all(|name| text(one, name) == text(other, name))
}

/// The object that is a member, which is made where there is none; `None` where something else stands there.
fn object_member_or_new<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
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
    let form = path_without_names(path);
    let paths = description.get("paths").and_then(Value::as_object);
    let same = paths
        .and_then(|paths| paths.keys().find(|other| path_without_names(other) == form).cloned());
    same.unwrap_or_else(|| path.to_owned())
}

fn path_without_names(path: &str) -> String {
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
fn with_existing_variable_names(operation: &Value, path: &str, existing: &str) -> Value {
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

fn operation_ids(description: &Value) -> Vec<String> {
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
