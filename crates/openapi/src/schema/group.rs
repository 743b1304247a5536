//! Groups of definitions that reach each other: a schema needs either all definitions of a group or none. A group is
//! made once for a description, under the names that its definitions have if no two have equal names.

use std::sync::Arc;

use callgate_tool::{Definition, DefinitionGroup};
use hashbrown::HashMap;
use indexmap::IndexMap;

use crate::{
    findings::Findings,
    meter::Lack,
    schema::{
        View,
        bytes::Bytes,
        circles::cut_circles,
        part::{DefinitionKey, NamedPart, PartResult},
        scope::Scope,
        stem::{Stems, name_stem},
    },
};

/// The groups of a description. They refer to each other by index: a chain of owners would be dropped recursively.
#[derive(Debug, Default)]
pub(super) struct Groups {
    of: HashMap<DefinitionKey, usize>,
    list: Vec<Arc<Group>>,
}

#[derive(Debug, Default)]
pub(super) struct Group {
    /// The definitions in the order of their names; empty if they cannot keep their names.
    pub(super) definitions: Arc<DefinitionGroup>,
    pub(super) findings: Findings,
    pub(super) leads_to: Box<[usize]>,
    /// For a group in which values are filled in: one of its definitions in the form without filled-in values.
    pub(super) unfilled: Option<DefinitionKey>,
    pub(super) is_plain: bool,
    /// The names that a definition of another group may have, too.
    pub(super) shared_names: Box<[Arc<str>]>,
    /// The reason why one of its definitions is missing.
    pub(super) lack: Option<Lack>,
}

impl Groups {
    pub(super) fn group_number(&self, key: &DefinitionKey) -> Option<usize> {
        self.of.get(key).copied()
    }

    pub(super) fn get(&self, number: usize) -> Option<&Arc<Group>> {
        self.list.get(number)
    }

    /// Keeps the group of these definitions, unless it exists, and returns its index.
    pub(super) fn keep_group(&mut self, keys: &[&DefinitionKey], group: Group) -> usize {
        if let Some(existing_number) = keys.first().and_then(|key| self.group_number(key)) {
            return existing_number;
        }
        let number = self.list.len();
        self.list.push(Arc::new(group));
        self.of.extend(keys.iter().map(|key| ((*key).clone(), number)));
        number
    }
}

impl Group {
    /// The group of these definitions, in any order; `leads_to` contains the groups it refers to.
    pub(super) fn new(
        stems: &Stems,
        members: &[(&DefinitionKey, &PartResult)],
        leads_to: Box<[usize]>,
    ) -> Self {
        let mut group = Self { leads_to, is_plain: true, ..Self::default() };
        let mut shared_names = Vec::new();
        let mut named: IndexMap<Arc<str>, NamedPart> = IndexMap::new();
        for (key, part_result) in members {
            let part = match part_result {
                Ok(part) => part,
                Err(lack) => {
                    group.lack = Some(lack.clone());
                    continue;
                }
            };
            let name: Arc<str> = name_stem(&key.at.pointer).into();
            group.findings.absorb_shared(&part.findings);
            if !has_unique_name(stems, key, &name) {
                shared_names.push(Arc::clone(&name));
            }
            let is_renamed =
                part.links.iter().any(|link| *link.name != *name_stem(&link.at.pointer));
            group.is_plain &= !is_renamed && !named.contains_key(&name);
            named.insert(name, NamedPart::from(&**part));
        }
        if let Some((key, _)) = members.first().filter(|(key, _)| key.is_filled)
            && matches!(key.view, View::Declared(_))
        {
            group.unfilled = Some(DefinitionKey { is_filled: false, ..(*key).clone() });
        }
        group.shared_names = shared_names.into();
        if group.is_plain {
            cut_circles(&mut named, &mut group.findings);
            let list = named.into_iter().map(|(name, NamedPart { schema, n_bytes, .. })| {
                Definition { name, schema, n_bytes }
            });
            group.definitions = Arc::new(DefinitionGroup::new(list.collect()));
        }
        group
    }
}

/// The sort key of a group's definitions, which does not depend on the one that was needed first.
pub(super) fn sort_key(key: &DefinitionKey) -> (String, Arc<str>) {
    (name_stem(&key.at.pointer), Arc::clone(&key.at.pointer))
}

/// Returns true if no other definition can have an equal name: it is a schema that the description itself names, and
/// the only one with its name.
fn has_unique_name(stems: &Stems, key: &DefinitionKey, name: &str) -> bool {
    key.at.bytes == Bytes::Text
        && key.at.scope == Scope::default()
        && stems.unique_pointer(name) == Some(&key.at.pointer)
}
