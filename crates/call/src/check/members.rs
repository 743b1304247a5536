//! Searches a value that meets its schema for undeclared members, and for members that only responses have (`readOnly`).
//! Undeclared members are sent if the object is open, and reported; `readOnly` members are refused. It walks all schemas
//! that a value may meet: references, compositions, members and items.

use std::{collections::BTreeMap, fmt};

use callgate_tool::{Event, Journal, Object, Problem, Value};

use super::convert::resolved_schema;
use crate::{
    inputs::{Filling, Origin},
    wording,
};

#[derive(Debug)]
pub(super) struct MemberSearch<'a> {
    root: &'a Value,
    left: usize,
    problems: Vec<Problem>,
    journal: &'a mut Journal,
}

#[derive(Debug)]
struct DeclaredMembers<'a> {
    schemas: Vec<&'a Object>,
    /// The schemas of each member, if there are too many schemas to search for each name.
    by_name: Option<BTreeMap<&'a str, Vec<&'a Value>>>,
    has_names: bool,
    /// True if the schemas have rules for other members.
    is_told: bool,
}

/// The location of a value, written out only when it is reported.
#[derive(Clone, Copy, Debug)]
enum Location<'w> {
    Argument(&'w str),
    Item(&'w Self, usize),
    Member(&'w Self, &'w str),
}

impl<'a> MemberSearch<'a> {
    /// The problems of an argument that meets `schema`. Whole values of the session are the operator's choice.
    pub(super) fn undeclared_member_problems(
        argument: &str,
        filling: Option<&Filling<'_>>,
        schema: Option<&'a Value>,
        root: &'a Value,
        journal: &'a mut Journal,
    ) -> Vec<Problem> {
        let is_asked = |filling: &&Filling<'_>| {
            matches!(filling.origin, Origin::Mixed | Origin::Model) && is_structure(&filling.value)
        };
        let (Some(filling), Some(schema)) = (filling.filter(is_asked), schema) else {
            return Vec::new();
        };
        let mut walk = Self { root, left: MOST_VISITED, problems: Vec::new(), journal };
        walk.find_undeclared_in_value(Location::Argument(argument), &filling.value, &[schema]);
        walk.problems
    }

    /// Searches a value. Its depth was limited when it was read.
    fn find_undeclared_in_value(&mut self, at: Location<'_>, value: &Value, schemas: &[&'a Value]) {
        match value {
            Value::Array(items) if items.iter().any(is_structure) => {
                let mut below = Vec::new();
                self.visit_composed_schemas(schemas, &mut |schema| {
                    below.extend(schema.get("items"));
                });
                for (index, item) in items.iter().enumerate().filter(|(_, item)| is_structure(item))
                {
                    self.find_undeclared_in_value(Location::Item(&at, index), item, &below);
                }
            }
            Value::Object(members) => self.find_undeclared_members(at, members, schemas),
            _ => {}
        }
    }

    fn find_undeclared_members(
        &mut self,
        at: Location<'_>,
        members: &Object,
        schemas: &[&'a Value],
    ) {
        let mut all = Vec::new();
        self.visit_composed_schemas(schemas, &mut |schema| all.extend(schema.as_object()));
        let declared = DeclaredMembers::new(all);
        for (name, member) in members {
            let here = Location::Member(&at, name);
            let own = declared.property_schemas(name);
            let is_answered = !own.is_empty() && own.iter().all(|schema| is_read_only(schema));
            if is_answered && !declared.requires_member(name) {
                self.problems.push(wording::read_only_member(here.to_string(), member));
            } else if own.is_empty() && !declared.is_told && declared.has_names {
                self.journal.note(Event::UndeclaredSent { argument: here.to_string() });
            } else if is_structure(member) {
                self.find_undeclared_in_value(here, member, &declared.member_or_other_schemas(own));
            }
        }
    }

    fn visit_composed_schemas(&mut self, schemas: &[&'a Value], see: &mut dyn FnMut(&'a Value)) {
        let mut open = schemas.to_vec();
        while let Some(schema) = open.pop() {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            see(schema);
            if schema.get("$ref").is_some() {
                open.extend(resolved_schema(schema, self.root));
            }
            for keyword in BRANCHES {
                open.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
            open.extend(CONDITIONS.iter().filter_map(|keyword| schema.get(keyword)));
        }
    }
}

impl<'a> DeclaredMembers<'a> {
    fn new(schemas: Vec<&'a Object>) -> Self {
        let has_names = |schema: &&Object| {
            let named = schema.get("properties").and_then(Value::as_object);
            named.is_some_and(|named| !named.is_empty())
        };
        let is_told = |schema: &&Object| {
            ADDITIONAL.iter().chain(&OTHERS).any(|keyword| schema.contains_key(keyword))
        };
        let (has_names, is_told) = (schemas.iter().any(has_names), schemas.iter().any(is_told));
        let by_name = (schemas.len() > FEW).then(|| schemas_by_name(&schemas));
        Self { schemas, by_name, has_names, is_told }
    }

    fn property_schemas(&self, name: &str) -> Vec<&'a Value> {
        if let Some(schema_index) = &self.by_name {
            return schema_index.get(name).cloned().unwrap_or_default();
        }
        let own = |schema: &&'a Object| schema.get("properties")?.get(name);
        self.schemas.iter().filter_map(own).collect()
    }

    /// The schemas that a member must meet: its own, or if there are none, those for all other members.
    fn member_or_other_schemas(&self, own: Vec<&'a Value>) -> Vec<&'a Value> {
        if !own.is_empty() {
            return own;
        }
        let others = |schema: &&'a Object| ADDITIONAL.map(|keyword| schema.get(keyword));
        self.schemas.iter().flat_map(others).flatten().collect()
    }

    fn requires_member(&self, name: &str) -> bool {
        let required = self.schemas.iter().filter_map(|schema| schema.get("required")?.as_array());
        required.flatten().any(|required| required == name)
    }
}

fn schemas_by_name<'a>(schemas: &[&'a Object]) -> BTreeMap<&'a str, Vec<&'a Value>> {
    let mut by_name: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    let named = schemas.iter().filter_map(|schema| schema.get("properties")?.as_object());
    for (name, own) in named.flatten() {
        by_name.entry(name).or_default().push(own);
    }
    by_name
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(name) => f.write_str(name),
            Self::Item(list, index) => write!(f, "{list}[{index}]"),
            Self::Member(object, name) => write!(f, "{object}.{name}"),
        }
    }
}

fn is_structure(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

fn is_read_only(schema: &Value) -> bool {
    schema.get("readOnly").and_then(Value::as_bool) == Some(true)
}

/// The most schemas of one object that are searched for each of its members.
const FEW: usize = 8;

const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const CONDITIONS: [&str; 3] = ["if", "then", "else"];
/// Keywords with the schema of otherwise undeclared members.
const ADDITIONAL: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];
/// Keywords with rules for members beyond declared names.
const OTHERS: [&str; 3] = ["dependentSchemas", "not", "patternProperties"];

/// The most schemas that are visited. Real values meet some hundreds; members beyond this limit are sent unchecked.
const MOST_VISITED: usize = 20_000;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn members_declared_by_many_schemas_are_indexed_by_name() {
        for n in [1, FEW, FEW + 1, 100] {
            let named = |at: usize| json!({"properties": {"all": {"minLength": at}, (format!("a{at}")): {}}});
            let schemas: Vec<Value> = (0..n).map(named).collect();
            let declared =
                DeclaredMembers::new(schemas.iter().filter_map(Value::as_object).collect());
            assert_eq!(declared.by_name.is_some(), n > FEW, "{n}");
            let own = ["all", "a0", "b"].map(|name| declared.property_schemas(name).len());
            assert_eq!(own, [n, 1, 0], "{n}");
            let first = declared.property_schemas("all").first().map(|schema| (*schema).clone());
            assert_eq!(first, Some(json!({"minLength": 0})), "{n}");
        }
    }
}
