//! The schemas that apply to one value together: behind references, in `allOf`, and the first branch of a union.

use crate::prelude::*;

/// The schemas of one value.
#[derive(Clone, Debug)]
pub(super) struct Parts<'a> {
    all: Vec<&'a Value>,
    root: &'a Value,
}

impl<'a> Parts<'a> {
    pub(super) fn of(schema: Option<&'a Value>, root: &'a Value) -> Self {
        let mut parts = Self { all: Vec::new(), root };
        if let Some(schema) = schema {
            parts.add(schema);
        }
        parts
    }

    fn add(&mut self, schema: &'a Value) {
        if self.all.len() > MOST || self.all.iter().any(|known| std::ptr::eq(*known, schema)) {
            return;
        }
        self.all.push(schema);
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|at| self.root.pointer(at.strip_prefix('#')?));
        if let Some(target) = target {
            self.add(target);
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(part);
        }
        for keyword in ["oneOf", "anyOf"] {
            let branches = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
            let mut branches = branches.filter(|branch| branch["type"] != "null");
            if let Some(branch) = branches.next() {
                self.add(branch);
            }
        }
    }

    pub(super) fn word(&self, keyword: &str) -> Option<&'a Value> {
        self.all.iter().find_map(|part| part.get(keyword))
    }

    /// A keyword of the `xml` object.
    pub(super) fn xml(&self, keyword: &str) -> Option<&'a Value> {
        self.all.iter().find_map(|part| part.get("xml")?.get(keyword))
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.all.iter().any(|part| match part.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(|own| own == kind),
            Some(own) => own == kind,
            None => false,
        })
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.word("readOnly") == Some(&Value::Bool(true))
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        let names = self.all.iter().filter_map(|part| part.get("required")?.as_array()).flatten();
        names.into_iter().any(|known| known == name)
    }

    /// The names of the members.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let each = self.all.iter().filter_map(|part| part.get("properties")?.as_object());
        let mut names: Vec<_> = each.flat_map(Object::keys).map(String::as_str).collect();
        let mut known = BTreeSet::new();
        names.retain(|name| known.insert(*name));
        names
    }

    pub(super) fn member(&self, name: &str) -> Self {
        let mut member = Self { all: Vec::new(), root: self.root };
        for part in &self.all {
            let own = part.get("properties").and_then(|members| members.get(name));
            if let Some(own) = own {
                member.add(own);
            }
        }
        if member.all.is_empty() {
            let other = self.word("additionalProperties").filter(|other| other.is_object());
            if let Some(other) = other {
                member.add(other);
            }
        }
        member
    }

    pub(super) fn items(&self) -> Self {
        Self::of(self.word("items"), self.root)
    }
}

const MOST: usize = 60;
