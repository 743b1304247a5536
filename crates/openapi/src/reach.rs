//! Follows the references of an operation's schemas, and finds broken ones. Each target is visited once for the whole
//! document.

use std::{collections::BTreeSet, sync::Arc};

use callgate_tree::{Node, Object, Path};
use hashbrown::{HashMap, HashSet};

use crate::{
    document::Document,
    reference::{BadReference, LocatedNode, reference_of, resolve_target},
    schema::keyword_content::{KeywordContent, content_of},
    worklist::Worklist,
};

#[derive(Debug)]
pub(crate) struct Reach<'d> {
    document: &'d Document,
    indexes: HashMap<Arc<str>, usize>,
    targets: Vec<ReferenceTarget<'d>>,
    closed: HashSet<usize>,
}

/// The target of a reference. It is visited when it is first reached: chains of references may be long, so the walk
/// keeps unvisited targets in a list and not on the stack.
#[derive(Debug)]
struct ReferenceTarget<'d> {
    schema: LocatedNode<'d>,
    facts: Option<Facts>,
    is_clean: bool,
}

#[derive(Debug, Default)]
struct Facts {
    bad: Vec<BadReference>,
    links: Vec<usize>,
}

impl<'d> Reach<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        Self { document, indexes: HashMap::new(), targets: Vec::new(), closed: HashSet::new() }
    }

    /// Follows the references of a schema; returns the broken ones.
    pub(crate) fn find_broken_references(&mut self, schema: &LocatedNode<'d>) -> Vec<BadReference> {
        let address = schema.node.as_object().map(Object::address);
        if address.is_some_and(|address| self.closed.contains(&address)) {
            return Vec::new();
        }
        let mut own_facts = Facts::default();
        self.scan_schema(schema.node, &schema.path(), &mut own_facts);
        if own_facts.bad.is_empty() && own_facts.links.is_empty() && !self.document.is_spent() {
            self.closed.extend(address);
            return Vec::new();
        }
        let mut bad = own_facts.bad;
        let mut seen = BTreeSet::new();
        let document = self.document;
        let mut open = Worklist::new(document, |_: &usize| 1);
        open.extend(own_facts.links);
        while let Some(at) = open.take_last() {
            if !seen.insert(at) {
                continue;
            }
            let Some(facts) = self.target_facts(at) else { continue };
            bad.extend(document.while_affordable(&facts.bad, 1).cloned());
            open.extend(facts.links.iter().copied());
        }
        if bad.is_empty() && !self.document.is_spent() {
            self.mark_clean(&seen);
        }
        bad
    }

    /// The facts of a target; `None` if the target and everything it reaches is known to be clean.
    fn target_facts(&mut self, at: usize) -> Option<&Facts> {
        let target = self.targets.get(at).filter(|target| !target.is_clean)?;
        if target.facts.is_none() {
            let schema = target.schema.clone();
            let mut facts = Facts::default();
            self.scan_schema(schema.node, &schema.path(), &mut facts);
            if self.document.is_spent() {
                return None;
            }
            self.targets.get_mut(at)?.facts = Some(facts);
        }
        self.targets.get(at)?.facts.as_ref()
    }

    fn mark_clean(&mut self, seen: &BTreeSet<usize>) {
        for at in seen {
            if let Some(target) = self.targets.get_mut(*at) {
                target.is_clean = true;
                target.facts = None;
            }
        }
    }

    /// Collects the facts of one schema, without following its references.
    fn scan_schema(&mut self, node: &'d Node, path: &Path<'_>, facts: &mut Facts) {
        let Some(object) = node.as_object() else { return };
        if let Some(reference) = reference_of(node) {
            match resolve_target(self.document, reference, path) {
                Ok(target) => facts.links.push(self.target_index(target)),
                Err(bad) => facts.bad.push(bad),
            }
        }
        let holds_any =
            |member: &(&Arc<str>, _)| !matches!(content_of(member.0), KeywordContent::Nothing);
        let keywords = self.document.while_affordable(object.iter().filter(holds_any), 1);
        for (keyword, value) in keywords {
            self.scan_keyword(keyword, value, &path.name(keyword), facts);
        }
    }

    fn scan_keyword(&mut self, keyword: &str, value: &'d Node, path: &Path<'_>, facts: &mut Facts) {
        let document = self.document;
        match (content_of(keyword), value) {
            (KeywordContent::Schema, Node::Object(_)) => self.scan_schema(value, path, facts),
            (KeywordContent::Schema, Node::Array(items)) => {
                for (index, item) in document.while_affordable(items.iter(), 1).enumerate() {
                    self.scan_schema(item, &path.index(index), facts);
                }
            }
            (KeywordContent::Schemas, Node::Object(members)) => {
                for (name, member) in document.while_affordable(members.iter(), 1) {
                    self.scan_schema(member, &path.name(name), facts);
                }
            }
            _ => {}
        }
    }

    fn target_index(&mut self, schema: LocatedNode<'d>) -> usize {
        if let Some(index) = self.indexes.get(&schema.pointer) {
            return *index;
        }
        let at = self.targets.len();
        self.indexes.insert(Arc::clone(&schema.pointer), at);
        self.targets.push(ReferenceTarget { schema, facts: None, is_clean: false });
        at
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(schema: Value, bad: &[&str]) {
        let mut parts = json!({
            "plain": {"type": "string"},
            "loop": {"properties": {"next": {"$ref": "#/loop"}}},
            "broken": {"allOf": [{"$ref": "#/loop"}, {"$ref": "#/nothing"}]},
            "bottom": {"items": {"$ref": "#/nothing"}},
        });
        for n in 0..2000 {
            let next = if n == 1999 { "#/bottom".to_owned() } else { format!("#/n{}", n + 1) };
            parts[format!("n{n}").as_str()] = json!({"items": {"$ref": next}});
        }
        parts["schema"] = schema.clone();
        let document = document(parts);
        let schema = document.root().get("schema").unwrap();
        let schema = LocatedNode { node: schema, pointer: "/schema".into() };
        let mut reach = Reach::new(&document);
        for _ in 0..2 {
            let survey = reach.find_broken_references(&schema);
            let found: Vec<_> = survey.iter().map(|bad| &*bad.pointer).collect();
            assert_eq!(found, bad);
        }
    }

    #[test]
    fn broken_references_are_found_at_any_depth() {
        check(json!({"$ref": "#/plain"}), &[]);
        check(json!({"items": {"$ref": "#/broken"}}), &["/broken/allOf/1"]);
        check(json!({"not": {"$ref": "./a.yaml"}}), &["/schema/not"]);
        check(json!({"$ref": "#/n0"}), &["/bottom/items"]);
        check(json!({"properties": {"default": {"type": "string"}}}), &[]);
    }

    #[test]
    fn the_search_for_broken_references_ends_in_circles() {
        check(json!({"$ref": "#/loop"}), &[]);
    }
}
