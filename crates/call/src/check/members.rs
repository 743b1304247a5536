//! Looks through a value that meets its schema for members that no schema beside them declares, and for those that are only
//! answered (`readOnly`). The first are sent where the object is open, and reported; the others are refused. It walks the
//! schemas a value may meet: references, compositions, members and items.

use std::collections::BTreeMap;

use callgate_tool::{Event, Journal, Object, Problem, Value};

use super::convert::resolved;
use crate::{
    inputs::{Filling, Origin},
    wording,
};

/// A walk over one argument.
#[derive(Debug)]
pub(super) struct Members<'a> {
    /// What references point into.
    root: &'a Value,
    left: usize,
    problems: Vec<Problem>,
    journal: &'a mut Journal,
}

/// What the schemas of one object say of its members.
#[derive(Debug, Default)]
struct Declared<'a> {
    /// The schemas of each.
    members: BTreeMap<&'a str, Vec<&'a Value>>,
    /// The names that are required.
    required: Vec<&'a str>,
    /// The schemas of members of any other name.
    others: Vec<&'a Value>,
    /// Whether other members are spoken of.
    is_told: bool,
}

impl<'a> Members<'a> {
    /// The problems of an argument that meets `schema`. What the session gave whole is the operator's.
    pub(super) fn problems(
        (argument, filling): (&str, Option<&Filling<'_>>),
        (schema, root): (Option<&'a Value>, &'a Value),
        journal: &'a mut Journal,
    ) -> Vec<Problem> {
        let is_asked = |filling: &&Filling<'_>| {
            matches!(filling.origin, Origin::Mixed | Origin::Model) && is_composed(&filling.value)
        };
        let (Some(filling), Some(schema)) = (filling.filter(is_asked), schema) else {
            return Vec::new();
        };
        let mut walk = Self { root, left: MOST_VISITED, problems: Vec::new(), journal };
        walk.value(argument, &filling.value, &[schema]);
        walk.problems
    }

    /// The depth of a value is bounded when it is read.
    fn value(&mut self, at: &str, value: &Value, schemas: &[&'a Value]) {
        match value {
            Value::Array(items) if items.iter().any(is_composed) => {
                let mut below = Vec::new();
                self.gather(schemas, &mut |schema| below.extend(schema.get("items")));
                for (index, item) in items.iter().enumerate().filter(|(_, item)| is_composed(item))
                {
                    self.value(&format!("{at}[{index}]"), item, &below);
                }
            }
            Value::Object(members) => self.members(at, members, schemas),
            _ => {}
        }
    }

    fn members(&mut self, at: &str, members: &Object, schemas: &[&'a Value]) {
        let mut declared = Declared::default();
        self.gather(schemas, &mut |schema| declared.read(schema));
        for (name, member) in members {
            let here = || format!("{at}.{name}");
            let own = declared.members.get(name.as_str());
            let is_answered = own.is_some_and(|own| own.iter().all(|schema| is_read_only(schema)));
            if is_answered && !declared.required.contains(&name.as_str()) {
                self.problems.push(wording::only_answered(here(), member));
            } else if own.is_none() && !declared.is_told && !declared.members.is_empty() {
                self.journal.note(Event::UndeclaredSent { argument: here() });
            } else if is_composed(member) {
                self.value(&here(), member, own.unwrap_or(&declared.others));
            }
        }
    }

    /// Shows each schema that the same value may meet.
    fn gather(&mut self, schemas: &[&'a Value], see: &mut dyn FnMut(&'a Value)) {
        let mut open = schemas.to_vec();
        while let Some(schema) = open.pop() {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            see(schema);
            if schema.get("$ref").is_some() {
                open.extend(resolved(schema, self.root));
            }
            for keyword in BRANCHES {
                open.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
            open.extend(CONDITIONS.iter().filter_map(|keyword| schema.get(keyword)));
        }
    }
}

impl<'a> Declared<'a> {
    fn read(&mut self, schema: &'a Value) {
        let Some(schema) = schema.as_object() else { return };
        for (name, own) in schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            self.members.entry(name).or_default().push(own);
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        self.required.extend(required.filter_map(Value::as_str));
        let others = ["additionalProperties", "unevaluatedProperties"];
        for others in others.iter().filter_map(|keyword| schema.get(keyword)) {
            self.is_told = true;
            self.others.push(others);
        }
        self.is_told |= OTHERS.iter().any(|keyword| schema.contains_key(keyword));
    }
}

fn is_composed(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

fn is_read_only(schema: &Value) -> bool {
    schema.get("readOnly").and_then(Value::as_bool) == Some(true)
}

const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const CONDITIONS: [&str; 3] = ["if", "then", "else"];
/// Keywords that speak of members by other means than their names.
const OTHERS: [&str; 3] = ["dependentSchemas", "not", "patternProperties"];

/// Real values meet some hundreds of schemas; what lies beyond this many is sent unseen.
const MOST_VISITED: usize = 20_000;
