//! Reads listed values (`enum`, `const`) whose type differs from the declared one. A value with an equal text in the
//! declared type is converted; otherwise the type is widened. Defaults and examples of such a schema are read in this
//! way too.

use callgate_tool::{Number, Object, Value, json};
use callgate_tree::{Node, Object as NodeObject, Path};

use crate::{code::Code, document::Document, schema::Builder};

/// The listed values of a schema, some of which do not have the declared type.
#[derive(Debug)]
pub(super) struct ListedValues {
    keyword: &'static str,
    kinds: Vec<String>,
    written: Vec<Value>,
}

/// Makes `enum`, `const`, the default and the examples fit the type.
pub(super) fn fit_values_to_type(
    builder: &mut Builder<'_>,
    object: &NodeObject,
    path: &Path<'_>,
    built: &mut Object,
) {
    let Some(members) = ListedValues::from_built_schema(object, built) else { return };
    let is_list = members.keyword == "enum";
    let others = members.undeclared_values();
    let (n_other, first) = (others.clone().count(), others.clone().next());
    let is_lost = |member: &Value| !member.is_null() && members.converted_value(member).is_none();
    let lost: Vec<&Value> = others.filter(|member| is_lost(member)).collect();
    let first = first.map(ToString::to_string).unwrap_or_default();
    let kind = members.kinds.join("` or `");
    let message = format!(
        "expected members of the type `{kind}`, got {n_other} of another, the first is: `{first}`"
    );
    let read: Vec<Value> =
        members.written.iter().map(|member| members.value_as_declared(member)).collect();
    let help = if lost.is_empty() {
        "write them as the type is; they are read so"
    } else if lost.len() < members.written.len() {
        built.insert("type".to_owned(), members.widened_kinds(&lost));
        "correct them or the type; those that are not of it are allowed too"
    } else if members.are_for_items() {
        "write them under `items`; they are read so"
    } else {
        built.remove("type");
        "correct the type; it is left out, since no member is of it"
    };
    if !lost.is_empty() && members.are_for_items() && lost.len() == members.written.len() {
        move_to_items(&members, built);
    } else if is_list {
        built.insert("enum".to_owned(), Value::Array(distinct_values(read)));
    } else if let Some(only) = read.into_iter().next() {
        built.insert("const".to_owned(), only);
    }
    members.convert_default_and_examples(built);
    builder.findings.note(Code::RepairedKeyword, path.name(members.keyword), message, help);
}

/// A value of `default`, `const` or `enum` as it is sent: converted to the type if the members beside it are. `said`
/// are the schema and the targets of its references. `None` if too few steps remain to keep it.
pub(crate) fn sent_value(document: &Document, said: &[&Node], value: &Node) -> Option<Value> {
    let value = document.meter().copy_if_affordable(value)?;
    let members =
        said.iter().filter_map(|node| ListedValues::from_schema(document, node.as_object()?));
    Some(members.fold(value, |value, members| members.value_as_declared(&value)))
}

/// Returns true if the listed values of a schema allow a value after conversion; `None` if all have the declared type,
/// so that the type and the list decide.
pub(super) fn listed_values_allow_after_conversion(
    document: &Document,
    object: &NodeObject,
    value: &Node,
) -> Option<bool> {
    let members = ListedValues::from_schema(document, object)?;
    let is_listed = |value: &Value| {
        let text = value.text_or_json();
        members.written.iter().any(|member| member.text_or_json() == text)
    };
    Some(match value.to_value() {
        Value::Array(items) if members.are_for_items() => items.iter().all(is_listed),
        value => is_listed(&value),
    })
}

/// Returns true if some listed values of a schema do not have its type, so that they are converted, or the type gives way.
pub(super) fn has_listed_values_to_convert(document: &Document, object: &NodeObject) -> bool {
    ListedValues::from_schema(document, object).is_some()
}

impl ListedValues {
    /// The listed values of a schema as it is built so far; `object` is the original schema.
    fn from_built_schema(object: &NodeObject, built: &Object) -> Option<Self> {
        let members =
            Self::from_keywords(built.get("type")?, |keyword| built.get(keyword).cloned())?;
        members.if_some_undeclared(object)
    }

    fn from_schema(document: &Document, object: &NodeObject) -> Option<Self> {
        let kind = object.get("type")?.to_value();
        // Nearly all lists have the declared type: this check copies nothing.
        let listed = object.get("enum").and_then(Node::as_array);
        let only = object.get("const").map(std::slice::from_ref);
        let is_like = |member: &Node| fits_kind(member, &kind);
        if document.while_affordable(listed.or(only)?, 1).all(is_like) {
            return None;
        }
        let members =
            Self::from_keywords(&kind, |keyword| object.get(keyword).map(Node::to_value))?;
        members.if_some_undeclared(object)
    }

    fn from_keywords(kind: &Value, find: impl Fn(&str) -> Option<Value>) -> Option<Self> {
        let kinds = match kind {
            Value::String(kind) => vec![kind.clone()],
            Value::Array(kinds) => {
                kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => return None,
        };
        let (keyword, written) = match (find("enum"), find("const")) {
            (Some(Value::Array(members)), _) => ("enum", members),
            (_, Some(only)) => ("const", vec![only]),
            _ => return None,
        };
        Some(Self { keyword, kinds, written })
    }

    fn if_some_undeclared(mut self, object: &NodeObject) -> Option<Self> {
        if object.is_true("nullable") || object.is_true("x-nullable") {
            self.kinds.push("null".to_owned());
        }
        let has_other = self.undeclared_values().next().is_some();
        // The type itself loses `null`: keywords that allow `null` do so on their own.
        self.kinds.retain(|kind| {
            kind != "null" || !object.is_true("nullable") && !object.is_true("x-nullable")
        });
        has_other.then_some(self)
    }

    fn undeclared_values(&self) -> impl Iterator<Item = &Value> + Clone {
        self.written.iter().filter(|member| !self.is_declared(member))
    }

    fn is_declared(&self, value: &Value) -> bool {
        self.kinds.iter().any(|kind| is_of_kind(value, kind))
    }

    fn converted_value(&self, value: &Value) -> Option<Value> {
        self.kinds.iter().find_map(|kind| converted_to_kind(value, kind))
    }

    fn value_as_declared(&self, value: &Value) -> Value {
        let converted = if self.is_declared(value) { None } else { self.converted_value(value) };
        converted.unwrap_or_else(|| value.clone())
    }

    fn widened_kinds(&self, lost: &[&Value]) -> Value {
        let mut kinds = self.kinds.clone();
        for member in lost {
            if !kinds.iter().any(|kind| is_of_kind(member, kind)) {
                kinds.push(member.kind().to_owned());
            }
        }
        kinds.into_iter().map(Value::from).collect()
    }

    /// Returns true if the values are listed for a list and can only be meant for its items.
    fn are_for_items(&self) -> bool {
        self.kinds == ["array"] && !self.written.iter().any(|member| is_of_kind(member, "array"))
    }

    /// Converts the default and the examples like the members.
    fn convert_default_and_examples(&self, built: &mut Object) {
        if let Some(default) = built.get_mut("default") {
            *default = self.value_as_declared(default);
        }
        for example in built.get_mut("examples").and_then(Value::as_array_mut).into_iter().flatten()
        {
            *example = self.value_as_declared(example);
        }
    }
}

fn move_to_items(members: &ListedValues, built: &mut Object) {
    let Some(listed) = built.remove(members.keyword) else { return };
    let items = built.entry("items").or_insert_with(|| json!({}));
    if let Some(items) = items.as_object_mut().filter(|items| !items.contains_key("$ref")) {
        items.entry(members.keyword).or_insert(listed);
    }
}

pub(super) fn distinct_values(values: Vec<Value>) -> Vec<Value> {
    if values.len() > LONG_ENUM {
        return values;
    }
    let mut distinct = Vec::with_capacity(values.len());
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

fn fits_kind(node: &Node, kind: &Value) -> bool {
    let one = |kind: &Value| match (node, kind.as_str()) {
        (Node::Number(number), Some("integer")) => is_whole(number),
        (node, kind) => kind == Some(node.kind()),
    };
    kind.as_array().map_or_else(|| one(kind), |kinds| kinds.iter().any(one))
}

fn is_of_kind(value: &Value, kind: &str) -> bool {
    match (value, kind) {
        (Value::Number(number), "integer") => is_whole(number),
        (value, kind) => value.kind() == kind,
    }
}

fn is_whole(number: &Number) -> bool {
    let text = number.to_string();
    let fraction = text.split_once('.').map(|(_, fraction)| fraction);
    !text.contains(['e', 'E']) && fraction.is_none_or(|digits| digits.bytes().all(|b| b == b'0'))
}

/// A value converted to this type, if its text stays equal.
fn converted_to_kind(value: &Value, kind: &str) -> Option<Value> {
    match (value, kind) {
        (Value::Bool(_) | Value::Number(_), "string") => Some(Value::String(value.to_string())),
        (Value::String(text), "boolean" | "integer" | "number") => {
            let read: Value = Value::parse(text).ok()?;
            let written = read.to_string();
            (is_of_kind(&read, kind) && written == *text).then_some(read)
        }
        _ => None,
    }
}

/// Longer lists are not searched for repeated values: that would take quadratic time.
const LONG_ENUM: usize = 256;

#[cfg(test)]
mod tests {
    use callgate_testkit::check_rows;

    use super::*;
    use crate::schema::sample::{check, value};

    #[test]
    fn enum_members_of_another_type_are_converted_to_the_declared_one() {
        let repaired = &["repaired-keyword"];
        check_rows(
            r#"
            {"type": "string", "enum": [1, true, "a", 1.5]} => {"type": "string", "enum": ["1", "true", "a", "1.5"]}
            {"enum": ["1", "2", 2], "type": "integer"} => {"enum": [1, 2], "type": "integer"}
            {"type": "boolean", "enum": ["true", "false"]} => {"type": "boolean", "enum": [true, false]}
            {"type": "string", "const": 7} => {"type": "string", "const": "7"}
            "#,
            |[schema, expected]| check(value(schema), value(expected), repaired),
        );
        let fine = json!({"type": "integer", "enum": [1, 2]});
        check(fine.clone(), fine, &[]);
    }

    #[test]
    fn a_declared_type_that_no_enum_member_fits_is_dropped() {
        let repaired = &["repaired-keyword"];
        check_rows(
            r#"
            {"type": "integer", "enum": ["a", "b"]} => {"enum": ["a", "b"]}
            {"type": "integer", "enum": ["a", "2", 1.5]} => {"type": ["integer", "string", "number"], "enum": ["a", 2, 1.5]}
            {"type": "array", "enum": ["a"], "items": {"type": "string"}} => {"type": "array", "items": {"type": "string", "enum": ["a"]}}
            "#,
            |[schema, expected]| check(value(schema), value(expected), repaired),
        );
    }

    #[test]
    fn null_is_an_enum_member_if_the_schema_is_nullable() {
        let said = json!({"type": "string", "nullable": true, "enum": ["a", null]});
        check(said, json!({"type": ["string", "null"], "enum": ["a", null]}), &[]);
        let unsaid = json!({"type": "string", "enum": ["a", null]});
        check(unsaid.clone(), unsaid, &["repaired-keyword"]);
    }

    #[test]
    fn a_default_and_examples_are_converted_like_the_enum_members() {
        let repaired = &["repaired-keyword"];
        check_rows(
            r#"
            {"type": "integer", "enum": ["1", "2"], "default": "2", "examples": ["1", 2]} => {"type": "integer", "enum": [1, 2], "default": 2, "examples": [1, 2]}
            {"type": "string", "enum": [1, 2], "default": 1, "example": 2} => {"type": "string", "enum": ["1", "2"], "default": "1", "examples": ["2"]}
            {"type": "integer", "enum": ["a", "b"], "default": "a"} => {"enum": ["a", "b"], "default": "a"}
            {"type": "array", "enum": ["a", "b"], "default": ["a"]} => {"type": "array", "items": {"enum": ["a", "b"]}, "default": ["a"]}
            "#,
            |[schema, expected]| check(value(schema), value(expected), repaired),
        );
        // A value that is not listed, and one of another type while the members have the declared one.
        check(
            json!({"type": "integer", "enum": ["1", "2"], "default": "3"}),
            json!({"type": "integer", "enum": [1, 2]}),
            &["illegal-default", "repaired-keyword"],
        );
        check(
            json!({"type": "integer", "enum": [1, 2], "default": "1"}),
            json!({"type": "integer", "enum": [1, 2]}),
            &["illegal-default"],
        );
    }
}
