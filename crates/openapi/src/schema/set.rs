//! Finds the definitions that a schema needs: its direct and indirect references, each built once for the whole
//! description. If each can be named after its own pointer, they come in groups (`grouped`); otherwise they are named
//! here, so that all names in a schema differ.

use std::sync::Arc;

use callgate_tool::{Definition, Definitions, Object, Schema, Value};
use callgate_tree::{Node, Path};
use hashbrown::HashMap;
use indexmap::IndexMap;

use crate::{
    findings::Findings,
    schema::{
        Builder, PendingDefinition, View,
        bytes::Bytes,
        cache::DefinitionSet,
        circles::{cut_circles, references_in_place},
        part::{DefinitionKey, Link, NamedPart, Part, json_length},
        rename::with_renamed_references,
    },
};

impl Builder<'_> {
    /// Adds the `$defs` to a schema that this builder made.
    pub(crate) fn finish_with_definitions(mut self, own: Object) -> (Schema, Findings) {
        if self.pending.is_empty() {
            return (Schema::new(Value::Object(own)), self.findings);
        }
        let roots: Box<[DefinitionKey]> =
            self.pending.iter().map(|pending| self.definition_key(pending)).collect();
        let set = self.built.cached_set(&roots).unwrap_or_else(|| {
            let grouped = self.grouped_definitions(&roots);
            let is_named = grouped.is_none();
            let set = grouped.unwrap_or_else(|| Arc::new(self.build_set()));
            if !self.document.is_spent() && (!is_named || self.built.take_steps_of_set(&set)) {
                self.built.keep_set(roots, &set);
            }
            set
        });
        let set_diagnostics =
            self.document.meter().charge_all_parts(&set.findings.diagnostics, |_| FINDING);
        self.findings.add_shared(set_diagnostics);
        self.findings.count_unkept(&set.findings);
        if let Some(lack) = &set.lack {
            self.document.record_lack(lack);
        }
        let definitions = Arc::clone(&set.definitions);
        (Schema::with_definitions(Value::Object(own), definitions), self.findings)
    }

    pub(super) fn definition_key(&self, pending: &PendingDefinition) -> DefinitionKey {
        let is_filled = self.names.get(&pending.at).is_some_and(|facts| facts.is_filled);
        DefinitionKey { at: pending.at.clone(), view: self.view, is_filled }
    }

    /// All definitions that the pending ones need, under names that are unique in this set.
    pub(super) fn build_set(&mut self) -> DefinitionSet {
        let mut set_findings = Findings::default();
        let mut named: IndexMap<Arc<str>, NamedPart> = IndexMap::new();
        while let Some(pending) = self.pending.pop_front() {
            let Some(facts) = self.names.get(&pending.at) else { continue };
            let name = Arc::clone(&facts.name);
            let key = self.definition_key(&pending);
            let part = self.cached_or_own_part(&key, &pending.node);
            set_findings.absorb_shared(&part.findings);
            named.insert(name, self.named_part(&part));
        }
        cut_circles(&mut named, &mut set_findings);
        let list = named.into_iter().map(|(name, NamedPart { schema, n_bytes, .. })| Definition {
            name,
            schema,
            n_bytes,
        });
        let definitions = Arc::new(Definitions::new(list.collect()));
        DefinitionSet { definitions, findings: set_findings, lack: None }
    }

    /// One definition, built again only if it could not be built for all users.
    fn cached_or_own_part(&self, key: &DefinitionKey, node: &Node) -> Arc<Part> {
        // Once the steps are used up, every schema allows everything.
        if let Some(Ok(cached_part)) =
            self.built.cached_part(key).filter(|_| !self.document.is_spent())
        {
            return cached_part;
        }
        let builder = Builder::new(self.document, self.built, self.view);
        Arc::new(builder.build_part(key, node))
    }

    /// A definition under its name in this set. The definitions it refers to become pending, too.
    fn named_part(&mut self, part: &Part) -> NamedPart {
        let mut others: Vec<(&str, Arc<str>)> = Vec::new();
        for link in self.document.meter().charge_all_parts(&part.links, |_| LINK) {
            let name = self.require_definition(&link.at, &link.node, link.is_filled);
            if name != link.name {
                others.push((&link.name, name));
            }
        }
        if others.is_empty() {
            return NamedPart::from(part);
        }
        let names: HashMap<&str, &str> = others.iter().map(|(old, new)| (*old, &**new)).collect();
        let schema = with_renamed_references(self.document, &part.schema, &names);
        NamedPart {
            n_bytes: json_length(&schema),
            in_place: references_in_place(&schema),
            schema: Arc::new(schema),
        }
    }

    /// The anchor of a declared definition, if it is unique: no reference uses it, but a reader of the description may
    /// know it.
    fn unique_anchor<'n>(&self, key: &DefinitionKey, node: &'n Node) -> Option<&'n str> {
        let is_the_one = matches!(self.view, View::Declared(_)) && key.at.bytes == Bytes::Text;
        let anchor = node.text("$anchor").filter(|_| is_the_one)?;
        self.document.is_unique_anchor(anchor, &key.at.pointer).then_some(anchor)
    }
}

impl<'d> Builder<'d> {
    pub(super) fn build_part(mut self, key: &DefinitionKey, node: &'d Node) -> Part {
        self.bytes = key.at.bytes;
        self.is_filled = key.is_filled;
        self.scope = key.at.scope.clone();
        let mut schema = self.build_schema(node, &Path::at(&key.at.pointer));
        if let (Some(members), Some(anchor)) =
            (schema.as_object_mut(), self.unique_anchor(key, node))
        {
            members.insert("$anchor", anchor.into());
        }
        let links = self.pending.into_iter().filter_map(|pending| {
            let PendingDefinition { at, node, is_filled } = pending;
            let name = Arc::clone(&self.names.get(&at)?.name);
            Some(Link { at, node, is_filled, name })
        });
        Part {
            n_bytes: json_length(&schema),
            in_place: references_in_place(&schema),
            schema: Arc::new(schema),
            links: links.collect(),
            findings: self.findings,
        }
    }
}

/// The cost to repeat a finding, in steps.
const FINDING: usize = 1;

/// The cost to follow a reference from one definition to another, in steps.
const LINK: usize = 2;
