//! Decides whether a schema accepts less than another one (JSON Schema 2020-12). The answer is `unknown` beyond
//! a limit of steps and for keywords that are not compared. References are followed, circular ones once.

mod keyword;

use std::collections::BTreeSet;

use callgate_tool::{Definitions, Object, Schema, Value};

use self::keyword::Verdict;
use super::InputChange;

/// A schema with the definitions that its references lead to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    definitions: &'a Definitions,
    own: Option<&'a Object>,
}

#[derive(Debug)]
pub(super) struct Narrowing<'a> {
    old: Side<'a>,
    new: Side<'a>,
    n_steps: usize,
    /// The pairs compared so far at one input, by their addresses in memory.
    seen: BTreeSet<(usize, usize)>,
    pub(super) changes: Vec<(String, InputChange)>,
}

impl<'a> Side<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let own = schema.without_definitions().get("$defs").and_then(Value::as_object);
        Self { definitions: schema.definitions(), own }
    }

    fn reference_target(self, schema: &'a Value) -> Option<&'a Value> {
        let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
        let own = || self.own.and_then(|own| own.get(name));
        self.definitions.get(name).map(|definition| &*definition.schema).or_else(own)
    }
}

impl<'a> Narrowing<'a> {
    pub(super) fn empty_comparison(old: Side<'a>, new: Side<'a>) -> Self {
        Self { old, new, n_steps: 0, seen: BTreeSet::new(), changes: Vec::new() }
    }

    pub(super) fn compare_input(&mut self, name: &str, old: &'a Value, new: &'a Value) {
        self.seen.clear();
        self.compare_values(name, old, new);
    }

    fn compare_values(&mut self, at: &str, old: &'a Value, new: &'a Value) {
        self.n_steps += 1;
        if self.n_steps > MOST_STEPS {
            if self.n_steps == MOST_STEPS + 1 {
                self.add_unknown(at, "there is too much to compare");
            }
            return;
        }
        let (from, to) = (self.old.reference_target(old), self.new.reference_target(new));
        if from.is_none() && to.is_none() {
            return self.compare_schemas(at, old, new);
        }
        if let (Some(_), Some(_), Value::Object(old), Value::Object(new)) = (from, to, old, new) {
            // JSON Schema 2020-12 §8.2.3.1: keywords beside a reference apply too.
            self.compare_objects(at, old, new);
        } else if has_keyword_beside_ref(old) || has_keyword_beside_ref(new) {
            self.add_unknown(at, "$ref");
        }
        let (from, to) = (from.unwrap_or(old), to.unwrap_or(new));
        let address = |value: &Value| std::ptr::from_ref(value).addr();
        if self.seen.insert((address(from), address(to))) {
            self.compare_values(at, from, to);
        }
    }

    fn compare_schemas(&mut self, at: &str, old: &'a Value, new: &'a Value) {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => self.compare_objects(at, old, new),
            (Value::Bool(false), _) | (_, Value::Bool(true)) => {}
            (Value::Bool(true), Value::Object(new)) => {
                let empty = new.keys().all(|key| keyword::is_annotation(key));
                if !empty {
                    self.add_narrowed(at, "it took anything");
                }
            }
            (_, Value::Bool(false)) => self.add_narrowed(at, "it takes nothing"),
            _ => self.add_unknown(at, "it is no schema"),
        }
    }

    fn compare_objects(&mut self, at: &str, old: &'a Object, new: &'a Object) {
        let keys: BTreeSet<&'a str> = old.keys().chain(new.keys()).map(String::as_str).collect();
        for key in keys {
            let (before, after) = (old.get(key), new.get(key));
            if key == "$ref"
                || keyword::is_annotation(key)
                || self.try_compare_keyword(at, key, old, new)
            {
                continue;
            }
            match keyword::keyword_verdict(key, before, after) {
                Verdict::Fine => {}
                Verdict::Narrowed => self.add_narrowed(at, key),
                Verdict::Unknown => self.add_unknown(at, key),
            }
        }
    }

    fn try_compare_keyword(
        &mut self,
        at: &str,
        key: &'a str,
        old: &'a Object,
        new: &'a Object,
    ) -> bool {
        let (before, after) = (old.get(key), new.get(key));
        match key {
            "properties" => self.compare_properties(at, old, new),
            "required" => {
                keyword::newly_required(before, after)
                    .for_each(|name| self.add_change(member_path(at, name), InputChange::Required));
            }
            "items" | "additionalProperties" => {
                let at = if key == "items" { format!("{at}[]") } else { format!("{at}.*") };
                self.compare_values(&at, before.unwrap_or(&ANYTHING), after.unwrap_or(&ANYTHING));
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                return self.compare_equal_length_lists(at, before, after);
            }
            _ => return false,
        }
        true
    }

    fn compare_properties(&mut self, at: &str, old: &'a Object, new: &'a Object) {
        let of = |schema: &'a Object| schema.get("properties").and_then(Value::as_object);
        let additional =
            |schema: &'a Object| schema.get("additionalProperties").unwrap_or(&ANYTHING);
        for (name, old_schema) in of(old).into_iter().flat_map(Object::iter) {
            match of(new).and_then(|new| new.get(name)) {
                Some(given) => self.compare_values(&member_path(at, name), old_schema, given),
                None => self.add_change(member_path(at, name), InputChange::Removed),
            }
        }
        for (name, given) in of(new).into_iter().flat_map(Object::iter) {
            let is_new = of(old).is_none_or(|old| !old.contains_key(name));
            // An undeclared name accepted the values of the additional properties.
            if is_new && matches!(additional(old), Value::Object(_)) {
                self.compare_values(&member_path(at, name), additional(old), given);
            }
        }
    }

    /// Compares lists of equal length schema by schema; [`keyword::keyword_verdict`] compares others.
    fn compare_equal_length_lists(
        &mut self,
        at: &str,
        before: Option<&'a Value>,
        after: Option<&'a Value>,
    ) -> bool {
        let list = |value: Option<&'a Value>| value.and_then(Value::as_array);
        let (Some(old), Some(new)) = (list(before), list(after)) else { return false };
        if old.len() != new.len() {
            return false;
        }
        for (old, new) in old.iter().zip(new) {
            self.compare_values(at, old, new);
        }
        true
    }

    fn add_narrowed(&mut self, at: &str, why: &str) {
        self.add_change(at.to_owned(), InputChange::Narrowed(why.to_owned()));
    }

    fn add_unknown(&mut self, at: &str, why: &str) {
        self.add_change(at.to_owned(), InputChange::Unknown(why.to_owned()));
    }

    fn add_change(&mut self, at: String, change: InputChange) {
        let change = (at, change);
        if self.changes.len() < MOST_FOUND && !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }
}

/// Returns true if a keyword that refuses values stands beside a reference.
fn has_keyword_beside_ref(schema: &Value) -> bool {
    let object = schema.as_object().filter(|object| object.contains_key("$ref"));
    let refuses = |key: &String| key != "$ref" && !keyword::is_annotation(key);
    object.is_some_and(|object| object.keys().any(refuses))
}

fn member_path(at: &str, name: &str) -> String {
    format!("{at}.{name}")
}

/// A missing schema accepts anything.
static ANYTHING: Value = Value::Bool(true);

/// The most steps for one tool: the largest known tools have some thousand locations.
const MOST_STEPS: usize = 20_000;

/// The most findings for one tool: nobody reads more.
const MOST_FOUND: usize = 100;
