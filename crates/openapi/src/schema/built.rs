//! Keeps what is built of the schemas of a description for all its operations: each definition, the groups of those that
//! reach each other, and each set of definitions that a schema needs. What definitions may cost is bounded and charged to
//! the description, not to the operation that needs one first; sets that find no room are put together again when they
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
    allowance::{Allowance, SharedAllowance},
    document::Document,
    effort::Lack,
    findings::Findings,
    options::SessionInputs,
    schema::{
        View,
        group::{Group, Groups},
        part::{DefinitionKey, Known, Link, Part},
        stem::Stems,
    },
};

/// The part built so far of the schemas of one description.
#[derive(Debug)]
pub(crate) struct Built {
    parts: Mutex<HashMap<DefinitionKey, Known>>,
    groups: RwLock<Groups>,
    sets: Mutex<HashMap<Box<[DefinitionKey]>, Arc<DefinitionSet>>>,
    /// The sets again, by the groups they consist of.
    grouped: Mutex<HashMap<Box<[usize]>, Arc<DefinitionSet>>>,
    stems: OnceLock<Stems>,
    /// Names and pointers, which many definitions refer to: each is kept once.
    texts: Mutex<HashSet<Arc<str>>>,
    /// The cost that definitions may still have.
    allowance: SharedAllowance,
    /// The steps that the sets that are kept may still cost.
    room: AtomicUsize,
}

/// The definitions that a schema needs, and what was found while they were built.
#[derive(Debug, Default)]
pub(super) struct DefinitionSet {
    pub(super) definitions: Arc<Definitions>,
    pub(super) findings: Findings,
    /// The reason why one of them is not there.
    pub(super) lack: Option<Lack>,
}

impl Built {
    /// Nothing yet; definitions may cost what is allowed here.
    pub(crate) fn new(allowance: Allowance) -> Self {
        Self {
            parts: Mutex::default(),
            groups: RwLock::default(),
            sets: Mutex::default(),
            grouped: Mutex::default(),
            stems: OnceLock::new(),
            texts: Mutex::default(),
            room: (allowance.most() / SETS).into(),
            allowance: SharedAllowance::new(allowance),
        }
    }

    pub(super) fn part(&self, key: &DefinitionKey) -> Option<Known> {
        held(&self.parts).get(key).cloned()
    }

    pub(super) fn keep_part(&self, key: DefinitionKey, part: &Known) {
        held(&self.parts).insert(key, part.clone());
    }

    /// A definition whose references share their names and pointers with those of others.
    pub(super) fn interned(&self, mut part: Part) -> Part {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        for Link { at, name, .. } in &mut part.links {
            for text in [&mut at.pointer, name] {
                *text = Arc::clone(texts.get_or_insert_with(&**text, |_| Arc::clone(text)));
            }
        }
        part
    }

    /// A definition that shares its schema with its likeness in another view, where those are equal.
    pub(super) fn alike(&self, key: &DefinitionKey, mut part: Part) -> Part {
        let declared = [SessionInputs::Lenient, SessionInputs::Strict].map(View::Declared);
        let views = [View::Complete, View::Output].into_iter().chain(declared);
        let keys = views.flat_map(|view| {
            [true, false].map(|is_filled| DefinitionKey { at: key.at.clone(), view, is_filled })
        });
        let mut others = keys.filter_map(|key| self.part(&key)?.ok());
        if let Some(other) = others.find(|other| other.schema == part.schema) {
            part.schema = Arc::clone(&other.schema);
        }
        part
    }

    /// The groups so far.
    pub(super) fn groups(&self) -> RwLockReadGuard<'_, Groups> {
        self.groups.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a group of these definitions, unless somebody else did meanwhile, and answers its number.
    pub(super) fn keep_group(&self, keys: &[&DefinitionKey], group: Group) -> usize {
        self.groups.write().unwrap_or_else(PoisonError::into_inner).keep(keys, group)
    }

    pub(super) fn set(&self, roots: &[DefinitionKey]) -> Option<Arc<DefinitionSet>> {
        held(&self.sets).get(roots).cloned()
    }

    pub(super) fn keep_set(&self, roots: Box<[DefinitionKey]>, set: &Arc<DefinitionSet>) {
        if self.takes((roots.len() + 1) * ENTRY) {
            held(&self.sets).insert(roots, Arc::clone(set));
        }
    }

    pub(super) fn grouped(&self, groups: &[usize]) -> Option<Arc<DefinitionSet>> {
        held(&self.grouped).get(groups).cloned()
    }

    /// Keeps what one set has and no other.
    pub(super) fn keep_grouped(&self, groups: &[usize], set: &Arc<DefinitionSet>) {
        if self.takes(ENTRY + groups.len() + set.findings.kept().len() * FINDING) {
            held(&self.grouped).insert(groups.into(), Arc::clone(set));
        }
    }

    /// Takes the room for a set whose definitions have names of their own.
    pub(super) fn takes_named(&self, set: &DefinitionSet) -> bool {
        // What has references to other names is nobody else's.
        let is_own = |known: &Definition| Arc::strong_count(&known.schema) == 1;
        let own = |known: &Definition| if is_own(known) { known.n_bytes / OWN_BYTES } else { 0 };
        let definitions = set.definitions.iter().map(|known| DEFINITION + own(known));
        self.takes(definitions.sum::<usize>() + set.findings.kept().len() * FINDING)
    }

    /// The schemas that the description names itself.
    pub(super) fn stems(&self, document: &Document) -> &Stems {
        self.stems.get_or_init(|| Stems::of(document))
    }

    /// Hands out the document for a definition, up to what one may take; what it took is charged to no operation. One that
    /// takes more is not there.
    pub(super) fn lend<T>(
        &self,
        document: &Document,
        key: &DefinitionKey,
        build: impl FnOnce(&Document) -> T,
    ) -> Result<T, Lack> {
        self.allowance.with(|allowance| {
            let is_short = allowance.is_short();
            allowance.lend(document, |document| match build(document) {
                built if !document.is_spent() => Ok(built),
                _ if is_short => Err(Lack::Rest),
                _ => Err(Lack::Definition(Arc::clone(&key.at.pointer))),
            })
        })
    }

    /// Takes some of the room; `false` when there is not as much.
    fn takes(&self, steps: usize) -> bool {
        let rest = |room: usize| room.checked_sub(steps);
        self.room.fetch_update(Relaxed, Relaxed, rest).is_ok()
    }
}

/// Nothing is done while it is held but to look up and to insert.
fn held<K: Eq + Hash, V>(of: &Mutex<HashMap<K, V>>) -> MutexGuard<'_, HashMap<K, V>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The part of what definitions may cost that the sets may take beside them.
const SETS: usize = 4;

/// The cost to keep anything, in steps of 16 bytes.
const ENTRY: usize = 16;

/// The cost to name a definition in a set.
const DEFINITION: usize = 3;

/// So many bytes of the JSON of a schema take a step to keep.
const OWN_BYTES: usize = 4;

/// The cost to keep a finding.
const FINDING: usize = 32;
