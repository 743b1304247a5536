//! Makes values of the alternatives of unions, for the walk over the corpus: the required members, by the simplest rules of
//! their schemas. Whether a value is valid the check decides.

use crate::prelude::*;
use std::cell::Cell;

/// The schemas that apply to one value together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts<'a>(Vec<&'a Value>);

impl<'a> Parts<'a> {
    /// The alternatives of a union, without those that are no objects; unions directly in it are taken apart.
    pub(crate) fn of_alternatives(union: &'a Value, root: &'a Value) -> Vec<Self> {
        let mut all = Vec::new();
        let base = Self::default().with(union, root, 0, None);
        let mut open: Vec<&Value> = branches(union).collect();
        open.reverse();
        while let Some(one) = open.pop().filter(|_| all.len() < MOST) {
            let target = behind(one, root);
            let is_bare = target.as_object().is_some_and(|members| members.len() == 1);
            if is_bare && branches(target).next().is_some() {
                open.extend(branches(target));
                continue;
            }
            let parts = base.clone().with(target, root, 0, None);
            if !parts.members().is_empty() {
                all.push(parts);
            }
        }
        all
    }

    /// Adds a schema, the schemas behind it and, with a choice, one branch of each of its unions.
    fn with(
        mut self,
        schema: &'a Value,
        root: &'a Value,
        depth: usize,
        pick: Option<usize>,
    ) -> Self {
        let schema = behind(schema, root);
        if depth > DEEPEST || self.0.iter().any(|known| std::ptr::eq(*known, schema)) {
            return self;
        }
        self.0.push(schema);
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self = self.with(part, root, depth + 1, pick);
        }
        let Some(pick) = pick else { return self };
        for keyword in ["oneOf", "anyOf"] {
            let all = schema.get(keyword).and_then(Value::as_array);
            let all: Vec<_> =
                all.into_iter().flatten().filter(|one| one["type"] != "null").collect();
            if let Some(one) = all.get(pick % all.len().max(1)) {
                self = self.with(one, root, depth + 1, Some(pick));
            }
        }
        self
    }

    fn word(&self, keyword: &str) -> Option<&'a Value> {
        self.0.iter().find_map(|part| part.get(keyword))
    }

    fn members(&self) -> Vec<(&'a str, &'a Value)> {
        let each = self.0.iter().filter_map(|part| part.get("properties")?.as_object());
        each.flat_map(Object::iter).map(|(name, schema)| (name.as_str(), schema)).collect()
    }

    fn required(&self) -> Vec<&'a str> {
        let each = self.0.iter().filter_map(|part| part.get("required")?.as_array());
        each.flatten().filter_map(Value::as_str).collect()
    }

    fn member(&self, name: &str, root: &'a Value, pick: usize) -> Self {
        let each = self.members().into_iter().filter(|(known, _)| *known == name);
        each.fold(Self::default(), |parts, (_, schema)| parts.with(schema, root, 0, Some(pick)))
    }

    /// The listed values of a member.
    pub(crate) fn listed(&self, name: &str, root: &'a Value) -> Option<Vec<&'a Value>> {
        let below = self.members().into_iter().filter(|(known, _)| *known == name);
        let parts =
            below.fold(Self::default(), |parts, (_, schema)| parts.with(schema, root, 0, None));
        let constant = parts.word("const").map(|value| vec![value]);
        constant.or_else(|| Some(parts.word("enum")?.as_array()?.iter().collect()))
    }
}

/// The member whose values tell the alternatives of a union apart.
pub(crate) fn tag_of<'a>(union: &'a Value, root: &'a Value) -> Option<&'a str> {
    let all = Parts::of_alternatives(union, root);
    let first = all.first().filter(|_| all.len() > 1)?;
    let is_tag = |name: &&str| {
        let mut seen: Vec<&Value> = Vec::new();
        all.iter().all(|one| {
            let values = one.listed(name, root).unwrap_or_default();
            let is_new = !values.is_empty() && values.iter().all(|value| !seen.contains(value));
            seen.extend(values);
            is_new
        })
    };
    first.members().into_iter().map(|(name, _)| name).find(is_tag)
}

/// Makes values; `pick` chooses among alternatives and texts.
pub(crate) struct Maker<'a> {
    root: &'a Value,
    pick: usize,
    left: Cell<usize>,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(root: &'a Value, pick: usize) -> Self {
        Self { root, pick, left: Cell::new(MOST) }
    }

    /// A value with all required members, and the first of the others if they are few.
    pub(crate) fn value(&self, parts: &Parts<'a>) -> Value {
        let Some(left) = self.left.get().checked_sub(1) else { return Value::Null };
        self.left.set(left);
        let whole = parts
            .0
            .iter()
            .fold(Parts::default(), |whole, part| whole.with(part, self.root, 0, Some(self.pick)));
        let listed = |keyword: &str| whole.word(keyword).and_then(Value::as_array)?.first();
        let known = whole.word("const").or_else(|| listed("enum"));
        let example = whole.word("example").or_else(|| listed("examples"));
        if let Some(known) = known.or_else(|| {
            example.filter(|_| self.pick.is_multiple_of(2) && whole.word("properties").is_none())
        }) {
            return known.clone();
        }
        self.plain(&whole)
    }

    fn plain(&self, parts: &Parts<'a>) -> Value {
        let kind = parts.word("type");
        let kind = kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
        let bound = |keyword: &str| {
            parts.word(keyword).and_then(|bound| bound.to_string().parse::<usize>().ok())
        };
        match kind {
            _ if parts.word("properties").is_some() => self.object(parts),
            Some("array") => {
                let items = parts
                    .word("items")
                    .map(|items| Parts::default().with(items, self.root, 0, None));
                let item = items.map_or_else(|| json!("text"), |items| self.value(&items));
                Value::Array(vec![item; bound("minItems").unwrap_or(1).clamp(1, 5)])
            }
            Some("boolean") => json!(true),
            Some("integer" | "number") => {
                json!(bound("minimum").or_else(|| bound("maximum")).unwrap_or(1) as u64)
            }
            Some("object") => self.object(parts),
            Some("null") => Value::Null,
            _ => self.text(parts, bound("minLength"), bound("maxLength")),
        }
    }

    fn text(&self, parts: &Parts<'a>, least: Option<usize>, most: Option<usize>) -> Value {
        let format = parts.word("format").and_then(Value::as_str);
        let of_format =
            FORMATS.iter().find(|(name, _)| Some(*name) == format).map(|(_, text)| *text);
        let text = of_format.unwrap_or(TEXTS[self.pick % TEXTS.len()]);
        let mut text = text.to_owned();
        while text.len() < least.unwrap_or_default().min(200) {
            text.push('a');
        }
        Value::from(text.chars().take(most.unwrap_or(usize::MAX)).collect::<String>())
    }

    fn object(&self, parts: &Parts<'a>) -> Value {
        let mut members = Object::new();
        for name in parts.required() {
            let member = parts.member(name, self.root, self.pick);
            let value = if member.0.is_empty() { json!("text") } else { self.value(&member) };
            members.insert(name.to_owned(), value);
        }
        Value::Object(members)
    }
}

fn branches(schema: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    let each = ["oneOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    each.flatten()
}

/// The target of a reference.
fn behind<'a>(mut schema: &'a Value, root: &'a Value) -> &'a Value {
    for _ in 0..DEEPEST {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let Some(target) = reference.and_then(|at| root.pointer(at.strip_prefix('#')?)) else {
            break;
        };
        schema = target;
    }
    schema
}

const DEEPEST: usize = 12;
/// The most alternatives of a union, and the most values inside one.
const MOST: usize = 500;
const FORMATS: [(&str, &str); 6] = [
    ("date", "2026-01-31"),
    ("date-time", "2026-01-31T12:00:00Z"),
    ("email", "kim@example.com"),
    ("uri", "https://example.com/"),
    ("uuid", "123e4567-e89b-42d3-a456-426614174000"),
    ("byte", "aGVsbG8="),
];
const TEXTS: [&str; 6] = ["text", "1", "a", "2026-01-31T12:00:00Z", "https://example.com/", "AA"];
