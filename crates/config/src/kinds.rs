//! The kinds of toolsets of this build, with the keys that they bring, and the one rule about keys of several kinds: a toolset is of
//! one kind, and a key that means nothing to it is an error.

use std::sync::Arc;

use callgate_kind::{Beside, Kept, ToolsetKind};
use callgate_settings::{Key, Mapping, Reader, SettingCode, Table, at, pointer_segment};
use callgate_tree::{Node, Object};

/// The kinds that toolsets may be of.
#[derive(Clone, Debug)]
pub(crate) struct Kinds {
    all: Vec<Arc<dyn ToolsetKind>>,
    /// The keys of kinds that are not in this build.
    absent: Vec<&'static [Key]>,
    toolset: Vec<&'static [Key]>,
    limits: Vec<&'static [Key]>,
    root: Vec<&'static [Key]>,
}

impl Default for Kinds {
    /// The kinds of this build: the only code that knows them.
    fn default() -> Self {
        let (all, absent) = (Vec::new(), Vec::new());
        let (toolset, limits, root) = (Vec::new(), Vec::new(), Vec::new());
        let mut kinds = Self { all, absent, toolset, limits, root };
        #[cfg(feature = "documents")]
        kinds.add(Arc::new(callgate_documents::DocumentsKind));
        #[cfg(not(feature = "documents"))]
        kinds.lack(const { &[Key::absent("documents", &["documents"])] });
        #[cfg(any(feature = "documents", feature = "vertex"))]
        kinds.add(Arc::new(callgate_vertex::VertexKind { asks_google: cfg!(feature = "vertex") }));
        #[cfg(not(any(feature = "documents", feature = "vertex")))]
        kinds.lack(const { &[Key::absent("vertex", &["documents", "vertex"])] });
        kinds
    }
}

/// What kinds read of the whole configuration, by their keys.
pub(crate) type RootSections = Vec<(&'static str, Kept)>;

impl Kinds {
    /// Adds a kind.
    pub(crate) fn add(&mut self, kind: Arc<dyn ToolsetKind>) {
        let keys = kind.keys();
        self.toolset.push(keys.toolset);
        self.limits.push(keys.limits);
        self.root.push(keys.root);
        self.all.push(kind);
    }

    /// Records a key of a kind that is not in this build.
    #[cfg(not(feature = "documents"))]
    fn lack(&mut self, keys: &'static [Key]) {
        self.toolset.push(keys);
        self.absent.push(keys);
    }

    /// True if a key names a source of a kind that is not in this build.
    pub(crate) fn lacks(&self, key: &str) -> bool {
        self.absent.iter().copied().flatten().any(|absent| absent.name == key)
    }

    /// The kind whose source a toolset names.
    pub(crate) fn of_toolset(&self, toolset: Mapping<'_>) -> Option<&dyn ToolsetKind> {
        let mut named = self.all.iter().filter(|kind| toolset.object.contains(kind.key()));
        named.next().map(|kind| &**kind)
    }

    /// Reads what kinds have to say in the whole configuration.
    pub(crate) fn read_root(&self, reader: &mut Reader, root: Mapping<'_>) -> RootSections {
        let sections = self.all.iter().filter_map(|kind| {
            let section = kind.read_root(reader, root)?;
            Some((kind.key(), section))
        });
        sections.collect()
    }

    /// The keys of a toolset that kinds bring.
    pub(crate) fn toolset_keys(&self) -> &[&'static [Key]] {
        &self.toolset
    }

    /// The keys of `limits` that kinds bring.
    pub(crate) fn limit_keys(&self) -> &[&'static [Key]] {
        &self.limits
    }

    /// The keys of a configuration that kinds bring.
    pub(crate) fn root_keys(&self) -> &[&'static [Key]] {
        &self.root
    }

    /// The tables that the keys of all kinds refer to.
    pub(crate) fn tables(&self) -> Vec<Table<'static>> {
        self.all.iter().flat_map(|kind| kind.keys().tables).collect()
    }

    /// The codes of the findings of all kinds, each with its explanation.
    pub(crate) fn codes(&self) -> Vec<(&'static str, &'static str)> {
        self.all.iter().flat_map(|kind| kind.codes()).collect()
    }
}

/// Reports the keys of a toolset that mean nothing to its kind, and those of a kind that the toolset is not of.
pub(crate) fn check(reader: &mut Reader, kinds: &Kinds, table: &Table<'_>, toolset: Mapping<'_>) {
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        kinds.all.iter().partition(|kind| toolset.object.contains(kind.key()));
    for kind in &here {
        check_beside(reader, kinds, table, &***kind, toolset);
    }
    let Some(limits) = members(toolset, "limits") else { return };
    let mut reported = Vec::new();
    for kind in elsewhere {
        // A misspelt key of a kind is reported already.
        if reader.is_misspelt(toolset, kind.key()) {
            return;
        }
        let others = here.iter().flat_map(|kind| kind.keys().limits);
        let others: Vec<_> = others.map(|key| key.name).chain(reported.clone()).collect();
        let own = kind.keys().limits.iter().map(|key| key.name);
        for key in own.filter(|key| limits.contains(key) && !others.contains(key)) {
            let message = format!("expected `{}` with `{key}`, got none", kind.key());
            let help = format!("write `{}` into the toolset, or remove the key", kind.example());
            let pointer = format!("{}/{key}", at(toolset, "limits"));
            reader.complain(SettingCode::UnusedKey, pointer, message, help);
            reported.push(key);
        }
    }
}

/// Reports the keys that mean nothing beside those of a kind.
fn check_beside(
    reader: &mut Reader,
    kinds: &Kinds,
    table: &Table<'_>,
    kind: &dyn ToolsetKind,
    toolset: Mapping<'_>,
) {
    let (Beside { keys, limits, tools }, own) = (kind.beside(), kind.keys());
    let is_own = |key: &str| own.toolset.iter().any(|own| own.name == key);
    for (key, _) in toolset.object.iter() {
        if table.has(key) && !keys.contains(&&**key) && !is_own(key) {
            let is_source =
                SOURCES.contains(&&**key) || kinds.all.iter().any(|kind| kind.key() == &**key);
            let help = if is_source { "put it into a toolset of its own" } else { "remove it" };
            let message = format!("expected no `{key}` beside `{}`, got one", kind.key());
            reader.complain(SettingCode::UnusedKey, at(toolset, key), message, help);
        }
    }
    for (key, own, common) in [("limits", own.limits, limits), ("tools", &[][..], tools)] {
        let Some(common) = common else { continue };
        let own = own.iter().map(|key| key.name);
        let mut allowed: Vec<_> = own.chain(common.iter().copied()).collect();
        allowed.sort_unstable();
        for (name, _) in members(toolset, key).into_iter().flat_map(Object::iter) {
            let pointer = format!("{}/{}", at(toolset, key), pointer_segment(name));
            let is_reported =
                reader.complaints.iter().any(|complaint| complaint.pointer == pointer);
            if allowed.contains(&&**name) || is_reported {
                continue;
            }
            let message = format!("expected no `{name}` beside `{}`, got one", kind.key());
            let allowed = allowed.join("`, `");
            let help = format!("remove it; with `{}`, `{key}` takes `{allowed}`", kind.key());
            reader.complain(SettingCode::UnusedKey, pointer, message, help);
        }
    }
}

fn members<'a>(toolset: Mapping<'a>, key: &str) -> Option<&'a Object> {
    toolset.object.get(key).and_then(Node::as_object)
}

/// The keys that name sources of tools, beside those of kinds.
const SOURCES: [&str; 5] = ["ces_toolset", "connection", "database", "dialogflow_tool", "openapi"];
