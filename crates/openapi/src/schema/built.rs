//! Keeps what is built of the schemas of a description for all its operations: each definition, and each set of
//! definitions that a schema needs. What it holds is bounded; what finds no room is built again when it is needed.

use std::{
    hash::Hash,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use callgate_tool::{Definitions, Value};
use callgate_tree::Node;
use hashbrown::HashMap;

use crate::{
    findings::Findings,
    schema::{View, bytes::Bytes, scope::Scope},
};

/// What was built so far of the schemas of one description.
#[derive(Debug)]
pub(crate) struct Built {
    parts: Mutex<HashMap<Place, Arc<Part>>>,
    sets: Mutex<HashMap<Box<[Place]>, Arc<DefinitionSet>>>,
    /// The steps that what is kept may still cost.
    room: AtomicUsize,
}

/// What is defined.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) struct At {
    pub(super) pointer: Arc<str>,
    pub(super) bytes: Bytes,
    /// What dynamic references mean in it.
    pub(super) scope: Scope,
}

/// What is defined, for whom, and where it stands.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) struct Place {
    pub(super) at: At,
    pub(super) view: View,
    /// Whether everything that refers to it stands where defaults are filled in.
    pub(super) is_filled: bool,
}

/// A definition by itself. Other definitions have names that are unique in it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) schema: Arc<Value>,
    /// The bytes of the schema as compact JSON.
    pub(super) n_bytes: usize,
    /// The definitions it refers to, in the order in which it first does.
    pub(super) links: Box<[Link]>,
    /// The names of those that apply to the same value, sorted.
    pub(super) in_place: Arc<[Arc<str>]>,
    pub(super) findings: Findings,
    /// What it took to build it, in steps.
    pub(super) n_steps: usize,
}

/// A reference from one definition to another.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) at: At,
    pub(super) node: Node,
    pub(super) is_filled: bool,
    /// What the definition calls it.
    pub(super) name: Arc<str>,
}

/// The definitions that a schema needs, and what was found while they were built.
#[derive(Debug, Default)]
pub(super) struct DefinitionSet {
    pub(super) definitions: Arc<Definitions>,
    pub(super) findings: Findings,
}

/// A definition under the name it has in a set.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) schema: Arc<Value>,
    pub(super) n_bytes: usize,
    /// The names of the definitions that apply to the same value, sorted.
    pub(super) in_place: Arc<[Arc<str>]>,
}

impl Built {
    /// Room for what costs so many steps.
    pub(crate) fn within(steps: usize) -> Self {
        Self { parts: Mutex::default(), sets: Mutex::default(), room: steps.into() }
    }

    pub(super) fn part(&self, place: &Place) -> Option<Arc<Part>> {
        held(&self.parts).get(place).cloned()
    }

    pub(super) fn set(&self, roots: &[Place]) -> Option<Arc<DefinitionSet>> {
        held(&self.sets).get(roots).cloned()
    }

    pub(super) fn keep_part(&self, place: Place, part: &Arc<Part>) {
        if self.takes(ENTRY + part.n_steps) {
            held(&self.parts).insert(place, Arc::clone(part));
        }
    }

    pub(super) fn keep_set(&self, roots: Box<[Place]>, set: &Arc<DefinitionSet>) {
        let n_steps = (roots.len() + 1) * ENTRY
            + set.definitions.iter().count() * DEFINITION
            + set.findings.n_kept() * FINDING;
        if self.takes(n_steps) {
            held(&self.sets).insert(roots, Arc::clone(set));
        }
    }

    /// Takes some of the room; `false` when there is not as much.
    fn takes(&self, steps: usize) -> bool {
        let rest = |room: usize| room.checked_sub(steps);
        self.room.fetch_update(Relaxed, Relaxed, rest).is_ok()
    }
}

/// The bytes of a value as compact JSON.
pub(super) fn n_bytes(value: &Value) -> usize {
    value.to_string().len()
}

/// Nothing is done while it is held but to look up and to insert.
fn held<K: Eq + Hash, V>(of: &Mutex<HashMap<K, V>>) -> MutexGuard<'_, HashMap<K, V>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What it takes to keep anything, in steps of 16 bytes.
const ENTRY: usize = 16;

/// What it takes to name a definition in a set.
const DEFINITION: usize = 3;

/// What it takes to keep a finding.
pub(super) const FINDING: usize = 32;
