//! The kinds of toolsets that a program registers, with the keys that they bring, and the one rule about keys of several kinds: a
//! toolset is of one kind, and a key that means nothing to it is an error.

use std::sync::Arc;

use callgate_kind::{Beside, Kept, KindKeys, ToolsetKind};
use callgate_settings::{
    Key, Mapping, Reader, Section as _, SettingCode, Table, member_pointer, pointer_segment,
};
use callgate_tree::{Node, Object};

use crate::{
    limits::ToolsetLimits,
    model::MakeTextModel,
    tool_source::{ToolSource, ToolSources},
};

/// The kinds that toolsets may be of, beside descriptions and functions: what a program registers.
///
/// ```
/// use callgate_config::{Kinds, Loader};
/// use callgate_settings::Key;
///
/// // A key of a kind that this build lacks is a finding that names the feature.
/// let kinds = Kinds::new().without(const { &[Key::absent("calendar", &["caldav"])] }, &[]);
/// let text = "toolsets: {team: {calendar: {url: 'https://calendar.example'}}}";
/// let error = Loader::new().with_kinds(kinds).text(text, "").unwrap_err();
/// assert!(error.to_string().contains("the feature `caldav`"));
/// ```
#[derive(Clone, Debug)]
pub struct Kinds {
    all: Vec<Arc<dyn ToolsetKind>>,
    /// The further kinds of sources of tools.
    pub(crate) sources: ToolSources,
    /// The keys that name sources of kinds that are not in this build.
    absent: Vec<&'static str>,
    toolset: Vec<&'static [Key]>,
    /// The keys of `limits` of a toolset: the common ones, then those of kinds.
    limits: Vec<&'static [Key]>,
    root: Vec<&'static [Key]>,
    pub(crate) text_models: Option<MakeTextModel>,
}

impl Default for Kinds {
    fn default() -> Self {
        let (all, sources, absent) = (Vec::new(), ToolSources::new(), Vec::new());
        let (toolset, limits) = (Vec::new(), ToolsetLimits::TABLE.shared.to_vec());
        let (root, text_models) = (Vec::new(), None);
        Self { all, sources, absent, toolset, limits, root, text_models }
    }
}

/// What kinds read of the whole configuration, by their keys.
pub(crate) type RootSections = Vec<(&'static str, Kept)>;

impl Kinds {
    /// No kinds: toolsets have descriptions and functions alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind.
    #[must_use]
    pub fn with(mut self, kind: impl ToolsetKind + 'static) -> Self {
        let KindKeys { toolset, limits, root } = kind.keys();
        self.toolset.push(toolset);
        self.limits.push(limits);
        self.root.push(root);
        self.all.push(Arc::new(kind));
        self
    }

    /// Adds a kind of source of tools.
    #[doc(hidden)]
    #[must_use]
    pub fn with_source(mut self, source: impl ToolSource + 'static) -> Self {
        let keys = source.keys();
        self.absent.retain(|absent| !keys.iter().any(|key| key.name == *absent));
        // Of keys with one name, a table has the first: what is here stands before what was absent.
        self.toolset.insert(0, keys);
        self.sources.push(Arc::new(source));
        self
    }

    /// Registers who reaches the models of a configuration for kinds that need one: `callgate_agent::text_model`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_text_models(mut self, make: MakeTextModel) -> Self {
        self.text_models = Some(make);
        self
    }

    /// Records a kind that is not in this build by its keys: of a toolset, that of its source first, and of the configuration.
    #[doc(hidden)]
    #[must_use]
    pub fn without(mut self, toolset: &'static [Key], root: &'static [Key]) -> Self {
        self.toolset.push(toolset);
        self.root.push(root);
        self.absent.extend(toolset.first().map(|source| source.name));
        self
    }

    /// True if a key names a source of a kind that is not in this build.
    pub(crate) fn is_absent_kind(&self, key: &str) -> bool {
        self.absent.contains(&key)
    }

    /// True if a key names a source of tools: a description, or that of a kind, also of one that is not in this build.
    fn is_source_key(&self, key: &str) -> bool {
        key == "openapi"
            || self.is_absent_kind(key)
            || self.all.iter().any(|kind| kind.key() == key)
    }

    /// The kind whose source a toolset names.
    pub(crate) fn toolset_kind(&self, toolset: Mapping<'_>) -> Option<&dyn ToolsetKind> {
        let mut named = self.all.iter().filter(|kind| toolset.object.contains(kind.key()));
        named.next().map(|kind| &**kind)
    }

    /// True if a toolset whose source has this key has a use for another key of toolsets.
    pub(crate) fn allows_key(&self, source: &str, key: &str) -> bool {
        let Some(Settled { beside, own, .. }) = self.key_rules_of_source(source) else {
            return true;
        };
        beside.keys.contains(&key) || own.toolset.iter().any(|own| own.name == key)
    }

    /// True if a toolset whose source has this key has a use for a key of `limits`.
    pub(crate) fn allows_limit(&self, source: &str, key: &str) -> bool {
        let Some(Settled { beside, own, .. }) = self.key_rules_of_source(source) else {
            return true;
        };
        beside.limits.is_none_or(|limits| limits.contains(&key))
            || own.limits.iter().any(|own| own.name == key)
    }

    fn key_rules_of_source(&self, source: &str) -> Option<Settled> {
        if source == FUNCTIONS_KEY {
            return Some(FUNCTIONS);
        }
        let kind = self.all.iter().find(|kind| kind.key() == source)?;
        Some(Settled { key: kind.key(), beside: kind.common_keys(), own: kind.keys() })
    }

    /// Reads what kinds have to say in the whole configuration.
    pub(crate) fn read_root_sections(
        &self,
        reader: &mut Reader,
        root: Mapping<'_>,
    ) -> RootSections {
        let sections = self.all.iter().filter_map(|kind| {
            let section = kind.read_root_keys(reader, root)?;
            Some((kind.key(), section))
        });
        sections.collect()
    }

    /// The keys of a toolset that kinds bring.
    pub(crate) fn toolset_keys(&self) -> &[&'static [Key]] {
        &self.toolset
    }

    /// The keys of `limits` of a toolset that tables share: the common ones, and those that kinds bring.
    pub(crate) fn limit_keys(&self) -> &[&'static [Key]] {
        &self.limits
    }

    /// The keys of a configuration that kinds bring.
    pub(crate) fn root_keys(&self) -> &[&'static [Key]] {
        &self.root
    }

    /// The codes of the findings of all kinds and sources, each with its explanation.
    pub(crate) fn codes(&self) -> Vec<(&'static str, &'static str)> {
        let of_kinds = self.all.iter().flat_map(|kind| kind.codes_and_explanations());
        of_kinds.chain(self.sources.iter().flat_map(|source| source.codes())).collect()
    }
}

/// Reports the keys of a toolset that mean nothing to its kind, and those of a kind that the toolset is not of.
/// With a source of its own (`is_sourced`), a toolset may have a description that no key of it names.
pub(crate) fn report_foreign_keys(
    reader: &mut Reader,
    kinds: &Kinds,
    table: &Table<'_>,
    toolset: Mapping<'_>,
    is_sourced: bool,
) {
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        kinds.all.iter().partition(|kind| toolset.object.contains(kind.key()));
    let mut names: Vec<_> = here.iter().flat_map(|kind| own_key_names(&***kind)).collect();
    // A misspelt key of a kind is reported already.
    if !elsewhere.iter().any(|kind| reader.is_reported_as_misspelt(toolset, kind.key())) {
        for kind in elsewhere {
            report_keys_of_other_kind(reader, &**kind, toolset, &names);
            names.extend(own_key_names(&**kind));
        }
    }
    for kind in &here {
        let settled = Settled { key: kind.key(), beside: kind.common_keys(), own: kind.keys() };
        report_keys_unused_by_kind(reader, kinds, table, &settled, toolset);
    }
    let mut names = toolset.object.iter().map(|(name, _)| &**name);
    let has_source = is_sourced || names.any(|name| kinds.is_source_key(name));
    if here.is_empty() && !has_source && toolset.object.contains(FUNCTIONS.key) {
        report_keys_unused_by_kind(reader, kinds, table, &FUNCTIONS, toolset);
    }
}

/// The keys that mean something in a toolset of a kind.
struct Settled {
    /// The key that names its source.
    key: &'static str,
    /// The common keys.
    beside: Beside,
    own: KindKeys,
}

/// Functions without a description: the client runs them, so nothing is sent, no call runs for a time, and no operation is selected.
const FUNCTIONS: Settled = Settled {
    key: FUNCTIONS_KEY,
    beside: Beside {
        keys: &["confirm", "functions", "limits", "prefix", "tools"],
        limits: Some(&["rate"]),
        tools: Some(&["edit"]),
    },
    own: KindKeys { toolset: &[], limits: &[], root: &[] },
};

/// The key of tools that the client runs.
pub(crate) const FUNCTIONS_KEY: &str = "functions";

/// The names of the keys that a kind declares for toolsets and their limits.
fn own_key_names(kind: &dyn ToolsetKind) -> impl Iterator<Item = &'static str> {
    let KindKeys { toolset, limits, .. } = kind.keys();
    toolset.iter().chain(limits).map(|key| key.name)
}

/// Reports the keys of a kind that the toolset is not of, but for those with these names, which other kinds have too.
fn report_keys_of_other_kind(
    reader: &mut Reader,
    kind: &dyn ToolsetKind,
    toolset: Mapping<'_>,
    names: &[&str],
) {
    let KindKeys { toolset: keys, limits: limit_keys, .. } = kind.keys();
    let pointer = member_pointer(toolset, "limits");
    let limits =
        object_member(toolset, "limits").map(|object| Mapping { object, pointer: &pointer });
    for (mapping, keys) in [(Some(toolset), keys), (limits, limit_keys)] {
        let Some(mapping) = mapping else { continue };
        let keys = keys.iter().map(|key| key.name);
        for key in keys.filter(|key| mapping.object.contains(key) && !names.contains(key)) {
            let message = format!("expected `{}` with `{key}`, got none", kind.key());
            let help =
                format!("write `{}` into the toolset, or remove the key", kind.example_setting());
            reader.report_fault(
                SettingCode::UnusedKey,
                member_pointer(mapping, key),
                message,
                help,
            );
        }
    }
}

/// Reports the keys that mean nothing beside those of a kind.
fn report_keys_unused_by_kind(
    reader: &mut Reader,
    kinds: &Kinds,
    table: &Table<'_>,
    settled: &Settled,
    toolset: Mapping<'_>,
) {
    let Settled { key: source, beside: Beside { keys, limits, tools }, own } = settled;
    let is_own = |key: &str| own.toolset.iter().any(|own| own.name == key);
    for (key, _) in toolset.object.iter() {
        let pointer = member_pointer(toolset, key);
        let is_reported = reader.complaints.iter().any(|complaint| {
            complaint.code == SettingCode::UnusedKey.as_str() && complaint.pointer == pointer
        });
        if table.has(key) && !keys.contains(&&**key) && !is_own(key) && !is_reported {
            let help = if kinds.is_source_key(key) {
                "put it into a toolset of its own"
            } else {
                "remove it"
            };
            let message = format!("expected no `{key}` beside `{source}`, got one");
            reader.report_fault(SettingCode::UnusedKey, pointer, message, help);
        }
    }
    for (key, own, common) in [("limits", own.limits, limits), ("tools", &[][..], tools)] {
        let Some(common) = common else { continue };
        let own = own.iter().map(|key| key.name);
        let mut allowed: Vec<_> = own.chain(common.iter().copied()).collect();
        allowed.sort_unstable();
        for (name, _) in object_member(toolset, key).into_iter().flat_map(Object::iter) {
            let pointer = format!("{}/{}", member_pointer(toolset, key), pointer_segment(name));
            let is_reported =
                reader.complaints.iter().any(|complaint| complaint.pointer == pointer);
            if allowed.contains(&&**name) || is_reported {
                continue;
            }
            let message = format!("expected no `{name}` beside `{source}`, got one");
            let allowed = allowed.join("`, `");
            let help = format!("remove it; with `{source}`, `{key}` takes `{allowed}`");
            reader.report_fault(SettingCode::UnusedKey, pointer, message, help);
        }
    }
}

fn object_member<'a>(toolset: Mapping<'a>, key: &str) -> Option<&'a Object> {
    toolset.object.get(key).and_then(Node::as_object)
}
