//! Finds the definitions that a schema needs by their groups, so that a declaration pays for the groups it reaches and
//! not for their content.
//!
//! Sharing is correct if every definition can be named after its own pointer (`Pet`) and all names differ. Schemas that
//! the description itself names are known to have unique names; others are compared. If two names are equal, there is
//! no such set: then `set` names the definitions of one schema separately (`Pet`, `Pet_2`).
//!
//! Below an alternative nothing is filled in. A definition that a schema needs both there and elsewhere is defined
//! once, in the form without filled-in values, and so is everything it refers to. A group is therefore replaced as a
//! whole by its counterpart without filled-in values.

use std::sync::Arc;

use callgate_tool::Definitions;
use callgate_tree::Node;
use hashbrown::{HashMap, HashSet};
use indexmap::{IndexMap, IndexSet};

use crate::{
    findings::Findings,
    schema::{
        Builder, View,
        bytes::Bytes,
        cache::DefinitionSet,
        condense::strong_components,
        group::{Group, Groups, sort_key},
        part::{DefinedNode, DefinitionKey, Link, PartResult},
        scope::Scope,
        stem::name_stem,
    },
};

#[derive(Clone, Copy)]
enum LinkTarget {
    Existing(usize),
    /// A definition that is found together with this one, by index.
    New(usize),
}

impl Builder<'_> {
    /// The definitions that the pending ones need; `None` if two names would be equal, or if no steps remain.
    pub(super) fn grouped_definitions(
        &self,
        roots: &[DefinitionKey],
    ) -> Option<Arc<DefinitionSet>> {
        self.build_missing_groups(roots);
        let groups = self.built.groups_read_guard();
        let reached = self.reachable_groups(&groups, roots)?;
        let of = |number: &usize| groups.get(*number);
        if let Some(lack) = reached.iter().filter_map(of).find_map(|group| group.lack.as_ref()) {
            // The schema of all arguments is built as far as possible.
            let set = DefinitionSet { lack: Some(lack.clone()), ..DefinitionSet::default() };
            return (self.view != View::Complete).then(|| Arc::new(set));
        }
        let kept = self.groups_without_filled_twins(&groups, reached);
        if !self.can_use_plain_names(&groups, &kept) {
            return None;
        }
        if let Some(cached_set) = self.built.grouped_set(&kept) {
            return Some(cached_set);
        }
        let mut group_findings = Findings::default();
        for group in kept.iter().filter_map(of) {
            group_findings.absorb_shared(&group.findings);
        }
        let definitions = kept.iter().filter_map(of).map(|group| Arc::clone(&group.definitions));
        let definitions = Arc::new(Definitions::from_groups(definitions.collect()));
        let set = Arc::new(DefinitionSet { definitions, findings: group_findings, lack: None });
        self.built.keep_grouped_set(&kept, &set);
        Some(set)
    }

    fn build_missing_groups(&self, roots: &[DefinitionKey]) {
        let mut needed: IndexMap<DefinitionKey, Node> = IndexMap::new();
        for (key, pending) in roots.iter().zip(&self.pending) {
            if self.built.groups_read_guard().group_number(key).is_none() {
                needed.insert(key.clone(), pending.node.clone());
            }
        }
        let mut parts: Vec<(PartResult, Vec<LinkTarget>)> = Vec::new();
        while let Some((key, node)) = needed.get_index(parts.len()) {
            let (key, node) = (key.clone(), node.clone());
            let part = self.cached_or_shared_part(&key, &node);
            let links = part.iter().flat_map(|part| &part.links);
            let targets = links.map(|link| self.link_target(link, &mut needed)).collect();
            parts.push((part, targets));
        }
        self.keep_groups(&needed, &parts);
    }

    /// The target of a reference; a target without a group is added to `needed`.
    fn link_target(&self, link: &Link, needed: &mut IndexMap<DefinitionKey, Node>) -> LinkTarget {
        let key = link.key(self.view);
        if let Some(number) = self.built.groups_read_guard().group_number(&key) {
            return LinkTarget::Existing(number);
        }
        let at = needed.get_index_of(&key);
        LinkTarget::New(at.unwrap_or_else(|| needed.insert_full(key, link.node.clone()).0))
    }

    fn keep_groups(
        &self,
        needed: &IndexMap<DefinitionKey, Node>,
        parts: &[(PartResult, Vec<LinkTarget>)],
    ) {
        let new = |target: &LinkTarget| match target {
            LinkTarget::Existing(_) => None,
            LinkTarget::New(at) => Some(*at),
        };
        let leads_to: Vec<Vec<usize>> =
            parts.iter().map(|(_, targets)| targets.iter().filter_map(new).collect()).collect();
        let stems = self.built.stems(self.document);
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        for group in strong_components(&leads_to) {
            let mut members: Vec<_> = group
                .iter()
                .filter_map(|at| Some((needed.get_index(*at)?.0, parts.get(*at)?)))
                .collect();
            members.sort_by_cached_key(|(key, _)| sort_key(key));
            let mut leads_to: IndexSet<usize> = IndexSet::new();
            let targets = members.iter().flat_map(|(_, (_, targets))| targets);
            leads_to.extend(targets.filter_map(|target| match target {
                LinkTarget::Existing(number) => Some(*number),
                // Definitions of the group itself have no index yet.
                LinkTarget::New(at) => numbers.get(at).copied(),
            }));
            let keyed_parts: Vec<_> =
                members.iter().map(|(key, (part_result, _))| (*key, part_result)).collect();
            let keys: Vec<_> = members.iter().map(|(key, _)| *key).collect();
            let made = Group::new(stems, &keyed_parts, leads_to.into_iter().collect());
            let number = self.built.keep_group(&keys, made);
            numbers.extend(group.into_iter().map(|at| (at, number)));
        }
    }

    /// One definition, built for all users, and charged to none of them.
    fn cached_or_shared_part(&self, key: &DefinitionKey, node: &Node) -> PartResult {
        if let Some(cached_part) = self.built.cached_part(key) {
            return cached_part;
        }
        let part = self.built.build_within_limit(self.document, key, |document| {
            Builder::new(document, self.built, self.view).build_part(key, node)
        });
        let interned_part = part.map(|part| {
            Arc::new(self.built.with_shared_texts(self.built.with_shared_schema(key, part)))
        });
        self.built.keep_part(key.clone(), &interned_part);
        interned_part
    }

    /// The indexes of all groups that are reached, in that order; `None` if too few steps remain.
    fn reachable_groups(&self, groups: &Groups, roots: &[DefinitionKey]) -> Option<Vec<usize>> {
        let roots = self.document.while_affordable(roots, LINK);
        let mut reached: IndexSet<usize> =
            roots.filter_map(|root| groups.group_number(root)).collect();
        let mut at = 0;
        while let Some(group) = reached.get_index(at).and_then(|number| groups.get(*number)) {
            reached.extend(self.document.while_affordable(&group.leads_to, LINK));
            at += 1;
        }
        (!self.document.is_spent()).then(|| reached.into_iter().collect())
    }

    /// The groups without those whose counterpart without filled-in values is among them.
    fn groups_without_filled_twins(&self, groups: &Groups, mut reached: Vec<usize>) -> Vec<usize> {
        let is_filled =
            |number: &usize| groups.get(*number).is_some_and(|group| group.unfilled.is_some());
        if !matches!(self.view, View::Declared(_)) || reached.iter().all(is_filled) {
            return reached;
        }
        let all: HashSet<usize> = reached.iter().copied().collect();
        reached.retain(|number| {
            let unfilled = groups.get(*number).and_then(|group| group.unfilled.as_ref());
            let likeness = unfilled.and_then(|key| groups.group_number(key));
            likeness.is_none_or(|likeness| !all.contains(&likeness))
        });
        reached
    }

    /// True if every definition can be named after its own pointer.
    fn can_use_plain_names(&self, groups: &Groups, kept: &[usize]) -> bool {
        let is_plain = |number: &usize| groups.get(*number).is_some_and(|group| group.is_plain);
        if !kept.iter().all(is_plain) {
            return false;
        }
        if self.names.iter().any(|(at, facts)| *facts.name != *name_stem(&at.pointer)) {
            return false;
        }
        let mut names: HashSet<&str> = HashSet::new();
        let shared = kept.iter().filter_map(|number| groups.get(*number));
        let mut shared = shared.flat_map(|group| &group.shared_names).peekable();
        if shared.peek().is_none() {
            return true;
        }
        let all: HashSet<usize> = kept.iter().copied().collect();
        let stems = self.built.stems(self.document);
        self.document.meter().charge_all_parts(shared, |_| COMPARED).all(|name| {
            let is_needed = |pointer: &Arc<str>| {
                let at = DefinedNode {
                    pointer: Arc::clone(pointer),
                    bytes: Bytes::Text,
                    scope: Scope::default(),
                };
                let key = |is_filled| DefinitionKey { at: at.clone(), view: self.view, is_filled };
                let mut numbers =
                    [true, false].into_iter().filter_map(|is| groups.group_number(&key(is)));
                numbers.any(|number| all.contains(&number))
            };
            names.insert(name) && !stems.unique_pointer(name).is_some_and(is_needed)
        })
    }
}

/// The cost to follow a reference to a group, in steps.
const LINK: usize = 3;

/// The cost to compare a name with others, in steps.
const COMPARED: usize = 4;

#[cfg(test)]
mod tests;
