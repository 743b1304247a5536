//! Finds the definitions a schema needs: those it refers to and those they refer to, each built once for the whole
//! description and named so that no two of a schema are called alike.

use std::sync::Arc;

use callgate_tool::{Definition, Definitions, Object, Schema, Value};
use callgate_tree::{Node, Path};
use hashbrown::HashMap;
use indexmap::IndexMap;

use crate::{
    findings::Findings,
    schema::{
        Builder, Pending,
        bare::{cut_circles, in_place},
        built::{DefinitionSet, Link, Named, Part, Place, n_bytes},
        rename::renamed,
    },
};

impl Builder<'_> {
    /// Adds the `$defs` to a schema that this builder made.
    pub(crate) fn close(mut self, own: Object) -> (Schema, Findings) {
        if self.pending.is_empty() {
            return (Schema::new(Value::Object(own)), self.findings);
        }
        let roots: Box<[Place]> = self.pending.iter().map(|pending| self.place(pending)).collect();
        let set = self.built.set(&roots).unwrap_or_else(|| {
            let set = Arc::new(self.set());
            if !self.document.is_spent() {
                self.built.keep_set(roots, &set);
            }
            set
        });
        self.document.spend(1 + set.findings.n_kept());
        self.findings.absorb(&set.findings);
        let definitions = Arc::clone(&set.definitions);
        (Schema::with_definitions(Value::Object(own), definitions), self.findings)
    }

    fn place(&self, pending: &Pending) -> Place {
        let is_filled = self.names.get(&pending.at).is_some_and(|known| known.is_filled);
        Place { at: pending.at.clone(), view: self.view, is_filled }
    }

    /// All definitions that are needed for those that wait.
    fn set(&mut self) -> DefinitionSet {
        let mut found = Findings::default();
        let mut named: IndexMap<Arc<str>, Named> = IndexMap::new();
        while let Some(pending) = self.pending.pop_front() {
            let Some(known) = self.names.get(&pending.at) else { continue };
            let name = Arc::clone(&known.name);
            let place = self.place(&pending);
            let part = self.part(place, &pending.node);
            found.absorb(&part.findings);
            named.insert(name, self.named(&part));
        }
        cut_circles(&mut named, &mut found);
        let list = named.into_iter().map(|(name, Named { schema, n_bytes, .. })| Definition {
            name,
            schema,
            n_bytes,
        });
        DefinitionSet { definitions: Arc::new(Definitions::new(list.collect())), findings: found }
    }

    /// A definition by itself, built when it is the first time that anybody needs it.
    fn part(&self, place: Place, node: &Node) -> Arc<Part> {
        // Where nothing may be done any more, everything is the schema that allows everything.
        let known = self.built.part(&place).filter(|_| !self.document.is_spent());
        if let Some(known) = known {
            self.document.spend(KNOWN);
            return known;
        }
        let before = self.document.spent();
        let mut builder = Builder::new((self.document, self.built), self.view, Findings::default());
        builder.bytes = place.at.bytes;
        builder.is_filled = place.is_filled;
        builder.scope = place.at.scope.clone();
        let schema = builder.schema(node, &Path::at(&place.at.pointer));
        let links = builder.pending.into_iter().filter_map(|pending| {
            let Pending { at, node, is_filled } = pending;
            let name = Arc::clone(&builder.names.get(&at)?.name);
            Some(Link { at, node, is_filled, name })
        });
        let part = Arc::new(Part {
            n_bytes: n_bytes(&schema),
            in_place: in_place(&schema),
            schema: Arc::new(schema),
            links: links.collect(),
            findings: builder.findings,
            n_steps: self.document.spent().saturating_sub(before),
        });
        if !self.document.is_spent() {
            self.built.keep_part(place, &part);
        }
        part
    }

    /// A definition as it is called in this set. What it refers to is needed, too.
    fn named(&mut self, part: &Part) -> Named {
        let mut others: Vec<(&str, Arc<str>)> = Vec::new();
        for link in &part.links {
            self.document.spend(LINK);
            let name = self.need(&link.at, &link.node, link.is_filled);
            if name != link.name {
                others.push((&link.name, name));
            }
        }
        if others.is_empty() {
            let Part { schema, n_bytes, in_place, .. } = part;
            return Named {
                schema: Arc::clone(schema),
                n_bytes: *n_bytes,
                in_place: Arc::clone(in_place),
            };
        }
        self.document.spend(part.n_steps);
        let names: HashMap<&str, &str> = others.iter().map(|(old, new)| (*old, &**new)).collect();
        let schema = renamed(&part.schema, &names);
        Named { n_bytes: n_bytes(&schema), in_place: in_place(&schema), schema: Arc::new(schema) }
    }
}

/// What it takes to find a definition that was built before, in steps.
const KNOWN: usize = 4;

/// What it takes to follow a reference from one definition to another, in steps.
const LINK: usize = 2;
