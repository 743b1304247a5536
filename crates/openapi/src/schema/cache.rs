//! Keeps the built schemas of a description for all its operations: each definition, the groups of definitions that
//! reach each other, and each set of definitions that a schema needs. The cost of definitions is limited and charged to
//! the description, not to the operation that needs one first; sets that exceed their limit are built again when they
//! are needed.

use std::{
    hash::Hash,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use callgate_tool::{Definition, Definitions};
use hashbrown::{HashMap, HashSet};

use crate::{
    budget::{Budget, SharedBudget},
    document::Document,
    findings::Findings,
    meter::Lack,
    options::SessionInputs,
    schema::{
        View,
        group::{Group, Groups},
        part::{DefinitionKey, Link, Part, PartResult},
        stem::Stems,
    },
};

#[derive(Debug)]
pub(crate) struct SchemaCache {
    parts: Mutex<HashMap<DefinitionKey, PartResult>>,
    groups: RwLock<Groups>,
    sets: Mutex<HashMap<Box<[DefinitionKey]>, Arc<DefinitionSet>>>,
    grouped: Mutex<HashMap<Box<[usize]>, Arc<DefinitionSet>>>,
    stems: OnceLock<Stems>,
    /// Names and pointers that many definitions refer to: each is kept once.
    texts: Mutex<HashSet<Arc<str>>>,
    budget: SharedBudget,
    /// The remaining steps for kept sets.
    room: AtomicUsize,
}

#[derive(Debug, Default)]
pub(super) struct DefinitionSet {
    pub(super) definitions: Arc<Definitions>,
    pub(super) findings: Findings,
    pub(super) lack: Option<Lack>,
}

impl SchemaCache {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            parts: Mutex::default(),
            groups: RwLock::default(),
            sets: Mutex::default(),
            grouped: Mutex::default(),
            stems: OnceLock::new(),
            texts: Mutex::default(),
            room: (budget.most_steps() / SETS).into(),
            budget: SharedBudget::new(budget),
        }
    }

    pub(super) fn cached_part(&self, key: &DefinitionKey) -> Option<PartResult> {
        locked_map(&self.parts).get(key).cloned()
    }

    pub(super) fn keep_part(&self, key: DefinitionKey, part: &PartResult) {
        locked_map(&self.parts).insert(key, part.clone());
    }

    /// A definition whose references share their names and pointers with those of others.
    pub(super) fn with_shared_texts(&self, mut part: Part) -> Part {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        for Link { at, name, .. } in &mut part.links {
            for text in [&mut at.pointer, name] {
                *text = Arc::clone(texts.get_or_insert_with(&**text, |_| Arc::clone(text)));
            }
        }
        part
    }

    /// A definition that shares its schema with the definition of another view, if both are equal.
    pub(super) fn with_shared_schema(&self, key: &DefinitionKey, mut part: Part) -> Part {
        let declared = [SessionInputs::Lenient, SessionInputs::Strict].map(View::Declared);
        let views = [View::Complete, View::Output].into_iter().chain(declared);
        let keys = views.flat_map(|view| {
            [true, false].map(|is_filled| DefinitionKey { at: key.at.clone(), view, is_filled })
        });
        let mut others = keys.filter_map(|key| self.cached_part(&key)?.ok());
        if let Some(other) = others.find(|other| other.schema == part.schema) {
            part.schema = Arc::clone(&other.schema);
        }
        part
    }

    pub(super) fn groups_read_guard(&self) -> RwLockReadGuard<'_, Groups> {
        self.groups.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a group of these definitions, unless another thread kept it meanwhile, and returns its index.
    pub(super) fn keep_group(&self, keys: &[&DefinitionKey], group: Group) -> usize {
        self.groups.write().unwrap_or_else(PoisonError::into_inner).keep_group(keys, group)
    }

    pub(super) fn cached_set(&self, roots: &[DefinitionKey]) -> Option<Arc<DefinitionSet>> {
        locked_map(&self.sets).get(roots).cloned()
    }

    pub(super) fn keep_set(&self, roots: Box<[DefinitionKey]>, set: &Arc<DefinitionSet>) {
        if self.take_steps((roots.len() + 1) * ENTRY) {
            locked_map(&self.sets).insert(roots, Arc::clone(set));
        }
    }

    pub(super) fn grouped_set(&self, groups: &[usize]) -> Option<Arc<DefinitionSet>> {
        locked_map(&self.grouped).get(groups).cloned()
    }

    /// Keeps the data that belongs to one set alone.
    pub(super) fn keep_grouped_set(&self, groups: &[usize], set: &Arc<DefinitionSet>) {
        if self.take_steps(ENTRY + groups.len() + set.findings.diagnostics.len() * FINDING) {
            locked_map(&self.grouped).insert(groups.into(), Arc::clone(set));
        }
    }

    pub(super) fn take_steps_of_set(&self, set: &DefinitionSet) -> bool {
        // A schema with references to other names belongs to this set alone.
        let is_own = |definition: &Definition| Arc::strong_count(&definition.schema) == 1;
        let own = |definition: &Definition| {
            if is_own(definition) { definition.n_bytes / OWN_BYTES } else { 0 }
        };
        let definitions = set.definitions.iter().map(|definition| DEFINITION + own(definition));
        self.take_steps(definitions.sum::<usize>() + set.findings.diagnostics.len() * FINDING)
    }

    pub(super) fn stems(&self, document: &Document) -> &Stems {
        self.stems.get_or_init(|| Stems::from_document(document))
    }

    /// Passes the document to the builder of a definition, up to the limit for one; the cost is charged to no
    /// operation. A definition that exceeds the limit is missing.
    pub(super) fn build_within_limit<T>(
        &self,
        document: &Document,
        key: &DefinitionKey,
        build: impl FnOnce(&Document) -> T,
    ) -> Result<T, Lack> {
        self.budget.spend_through_budget_copy(|budget| {
            let is_short = budget.has_reduced_limit();
            budget.read_within_budget(document, |document| match build(document) {
                built if !document.is_spent() => Ok(built),
                _ if is_short => Err(Lack::Rest),
                _ => Err(Lack::Definition(Arc::clone(&key.at.pointer))),
            })
        })
    }

    /// Uses some of the remaining steps; `false` if fewer remain.
    fn take_steps(&self, steps: usize) -> bool {
        let rest = |room: usize| room.checked_sub(steps);
        self.room.fetch_update(Relaxed, Relaxed, rest).is_ok()
    }
}

/// The lock is held only to look up and to insert.
fn locked_map<K: Eq + Hash, V>(of: &Mutex<HashMap<K, V>>) -> MutexGuard<'_, HashMap<K, V>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The fraction of the definitions' budget that the sets may use in addition.
const SETS: usize = 4;

/// The cost to keep any entry, in steps of 16 bytes.
const ENTRY: usize = 16;

/// The cost to name a definition in a set, in steps.
const DEFINITION: usize = 3;

/// The number of bytes of a schema's JSON that cost one step to keep.
const OWN_BYTES: usize = 4;

/// The cost to keep a finding, in steps.
const FINDING: usize = 32;
