//! The kinds of inputs that a form has fields for, from the schema of a tool's arguments. A schema that says more than a form can
//! show is filled in as JSON.

use std::borrow::Cow;

use callgate_tool::{Object, Value, json};

/// The schema of a tool's arguments, whose definitions its parts refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schemas<'s> {
    root: &'s Value,
}

/// A schema without references and `null`, and what was said of them.
#[derive(Clone, Debug)]
pub(crate) struct Resolved<'s> {
    pub(crate) schema: Cow<'s, Value>,
    /// The definition that it stands in.
    pub(crate) definition: Option<&'s str>,
    pub(crate) is_nullable: bool,
}

/// A kind of input.
#[derive(Debug)]
pub(crate) enum Kind<'s> {
    Alternatives(Vec<&'s Value>),
    /// Filled in as JSON.
    Any,
    /// One of these values.
    Choice(Vec<Value>),
    List(&'s Value),
    /// Named members, and the schema of further ones.
    Members {
        members: &'s Object,
        required: Vec<&'s str>,
        further: Option<&'s Value>,
    },
    Number,
    Text,
}

impl<'s> Schemas<'s> {
    pub(crate) fn new(root: &'s Value) -> Self {
        Self { root }
    }

    /// The definition that a reference leads to.
    fn reference_target(self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    /// The schema that references lead to, and the last of them.
    fn follow_references(self, schema: &'s Value) -> (&'s Value, Option<&'s str>) {
        let mut last = (schema, None);
        for _ in 0..MOST_STEPS {
            let name = last.0.get("$ref").and_then(Value::as_str);
            let Some((name, target)) =
                name.and_then(|name| Some((name, self.reference_target(name)?)))
            else {
                break;
            };
            last = (target, Some(name));
        }
        last
    }

    /// A schema after its references, with the parts of `allOf` as one.
    pub(crate) fn resolve(self, schema: &'s Value) -> Resolved<'s> {
        self.resolve_within(schema, MOST_MERGED)
    }

    fn resolve_within(self, schema: &'s Value, depth: usize) -> Resolved<'s> {
        let (mut schema, mut definition, mut is_nullable) = (schema, None, false);
        for _ in 0..MOST_STEPS {
            let (target, name) = self.follow_references(schema);
            (schema, definition) = (target, name.or(definition));
            let alternatives = alternatives(schema);
            let (nulls, others): (Vec<_>, Vec<_>) =
                alternatives.iter().partition(|alternative| is_null_schema(alternative));
            is_nullable |= !nulls.is_empty();
            match &*others {
                [only] if schema.get("properties").is_none() => schema = only,
                _ => break,
            }
        }
        let whole = schema.get("allOf").and_then(Value::as_array);
        let schema = match (whole, depth.checked_sub(1)) {
            (None, _) => Cow::Borrowed(schema),
            (Some(parts), Some(deeper)) => self.merge_parts(schema, parts, deeper),
            (Some(_), None) => Cow::Owned(json!({})),
        };
        let lists_null = |listed: &Vec<Value>| listed.iter().any(Value::is_null);
        is_nullable |= has_type(&schema, "null")
            || schema.get("enum").and_then(Value::as_array).is_some_and(lists_null);
        Resolved { schema, definition, is_nullable }
    }

    /// The members that the parts of `allOf` declare, as one schema; any value if a part says something else.
    fn merge_parts(self, schema: &'s Value, parts: &'s [Value], depth: usize) -> Cow<'s, Value> {
        let (mut members, mut required) = (Object::new(), Vec::new());
        let parts = parts.iter().map(|part| self.resolve_within(part, depth).schema);
        for part in parts.chain([Cow::Borrowed(schema)]) {
            if !all_are_conditions(alternatives(&part)) || part.get("enum").is_some() {
                return Cow::Owned(json!({}));
            }
            for (name, member) in
                part.get("properties").and_then(Value::as_object).into_iter().flat_map(Object::iter)
            {
                members.insert(name.as_str(), member.clone());
            }
            required.extend(texts_in_list(&part, "required").into_iter().map(Value::from));
        }
        if members.is_empty() {
            return Cow::Owned(json!({}));
        }
        Cow::Owned(
            json!({"type": "object", "properties": (Value::Object(members)), "required": (Value::Array(required))}),
        )
    }

    /// True if a form makes a value of itself: it holds only required groups that are empty, and required constants.
    pub(crate) fn is_value_of_empty_form(
        self,
        schema: &Value,
        value: &Value,
        depth: usize,
    ) -> bool {
        let Some(deeper) = depth.checked_sub(1) else { return false };
        let resolved = self.resolve(schema);
        match (resolved.kind(), value) {
            (Kind::Choice(choices), value) => *choices == [value.clone()],
            (Kind::List(_), Value::Array(items)) => items.is_empty(),
            (Kind::Members { members, required, .. }, Value::Object(object)) => {
                object.iter().all(|(name, member)| {
                    let schema = members.get(name).filter(|_| required.contains(&name.as_str()));
                    schema.is_some_and(|schema| self.is_value_of_empty_form(schema, member, deeper))
                })
            }
            _ => false,
        }
    }

    /// True if a value may be meant by a schema: its type, its required members and its constants fit.
    pub(crate) fn can_fit_schema(self, schema: &Value, value: &Value, depth: usize) -> bool {
        let Some(deeper) = depth.checked_sub(1) else { return true };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            return self
                .reference_target(target)
                .is_some_and(|target| self.can_fit_schema(target, value, deeper));
        }
        if schema.get("const").is_some_and(|constant| constant != value) {
            return false;
        }
        let listed = schema.get("enum").and_then(Value::as_array);
        if listed.is_some_and(|listed| !listed.contains(value)) {
            return false;
        }
        if schema.get("type").is_some() && !has_type(schema, type_of(value)) {
            let is_whole = has_type(schema, "integer") && value.is_number();
            if !is_whole {
                return false;
            }
        }
        let alternatives = alternatives(schema);
        if !alternatives.is_empty()
            && !alternatives.iter().any(|it| self.can_fit_schema(it, value, deeper))
        {
            return false;
        }
        let Some(object) = value.as_object() else { return true };
        let members = schema.get("properties").and_then(Value::as_object);
        let is_closed = schema.get("additionalProperties").and_then(Value::as_bool) == Some(false);
        texts_in_list(schema, "required").into_iter().all(|name| object.contains_key(name))
            && object.iter().all(|(name, member)| {
                match members.and_then(|members| members.get(name)) {
                    Some(schema) => self.can_fit_schema(schema, member, deeper),
                    None => !is_closed,
                }
            })
    }
}

impl Resolved<'_> {
    pub(crate) fn kind(&self) -> Kind<'_> {
        let schema = &*self.schema;
        if let Some(constant) = schema.get("const") {
            return Kind::Choice(vec![constant.clone()]);
        }
        if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
            return Kind::Choice(listed.iter().filter(|value| !value.is_null()).cloned().collect());
        }
        let alternatives = alternatives(schema);
        if alternatives.len() > 1 && schema.get("properties").is_none() {
            return Kind::Alternatives(
                alternatives.iter().filter(|it| !is_null_schema(it)).collect(),
            );
        }
        if !all_are_conditions(alternatives) {
            return Kind::Any;
        }
        let types: Vec<_> = types(schema).into_iter().filter(|name| *name != "null").collect();
        match &*types {
            ["array"] => Kind::List(schema.get("items").unwrap_or(&Value::Bool(true))),
            ["boolean"] => Kind::Choice(vec![true.into(), false.into()]),
            ["integer" | "number"] => Kind::Number,
            ["object"] => members_kind(schema),
            [] if schema.get("properties").is_some() => members_kind(schema),
            ["string"] => Kind::Text,
            _ => Kind::Any,
        }
    }
}

fn members_kind(schema: &Value) -> Kind<'_> {
    let Some(members) = schema.get("properties").and_then(Value::as_object) else {
        let further = schema.get("additionalProperties").unwrap_or(&Value::Bool(true));
        return Kind::Members {
            members: &NO_MEMBERS,
            required: Vec::new(),
            further: Some(further).filter(|it| it.as_bool() != Some(false)),
        };
    };
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let further = schema
        .get("additionalProperties")
        .filter(|it| it.is_object() || it.as_bool() == Some(true))
        // Further names under a pattern: with several patterns, each may ask for another value.
        .or_else(|| match patterns?.values().collect::<Vec<_>>().as_slice() {
            [only] => Some(*only),
            [] => None,
            _ => Some(&Value::Bool(true)),
        });
    Kind::Members { members, required: texts_in_list(schema, "required"), further }
}

static NO_MEMBERS: std::sync::LazyLock<Object> = std::sync::LazyLock::new(Object::new);

fn alternatives(schema: &Value) -> &[Value] {
    let listed = ["oneOf", "anyOf"].iter().find_map(|name| schema.get(*name)?.as_array());
    listed.map(Vec::as_slice).unwrap_or_default()
}

/// True if alternatives only say which members belong together: the fields are those of the schema that they stand in.
fn all_are_conditions(alternatives: &[Value]) -> bool {
    let is_condition = |schema: &Value| {
        let members = schema.as_object();
        members.is_some_and(|it| it.keys().all(|name| CONDITIONS.contains(&name.as_str())))
    };
    alternatives.iter().all(is_condition)
}

fn texts_in_list<'v>(schema: &'v Value, list: &str) -> Vec<&'v str> {
    let listed = schema.get(list).and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(Value::as_str).collect()
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(_)) => texts_in_list(schema, "type"),
        _ => Vec::new(),
    }
}

pub(crate) fn has_type(schema: &Value, name: &str) -> bool {
    types(schema).contains(&name)
}

fn is_null_schema(schema: &Value) -> bool {
    types(schema) == ["null"] || schema.get("const").is_some_and(Value::is_null)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
        Value::Number(_) => "number",
        Value::Object(_) => "object",
        Value::String(_) => "string",
    }
}

/// The keywords of schemas that declare no values.
const CONDITIONS: [&str; 4] = ["description", "not", "required", "title"];
/// References that lead to references end somewhere.
const MOST_STEPS: usize = 32;
/// So do parts of `allOf` that have parts.
const MOST_MERGED: usize = 6;
