//! A description as a whole: its tree, its version, its title, and those documents it refers to that the caller
//! supplied. A part below `info` that cannot be read affects one operation, not the document; no file is opened here.

mod base;
mod documents;
mod foreign;
mod index;
mod look_up;
mod naming;
mod place;
mod version;

use std::sync::{Arc, OnceLock};

use callgate_tree::{Diagnostic, Limits as TextLimits, Node, Parsed};
use hashbrown::HashMap;

use crate::{
    limits::Limits,
    meter::{Lack, Meter, StepBudget},
};
use base::Base;
use documents::{Documents, FurtherDocument, Tree};
use foreign::Foreign;
use index::Index;
use look_up::Facts;
use version::supported_version;

pub use documents::{Unavailable, UnavailableReason};
pub(crate) use place::{ANCHOR, NoPlace};
pub use version::Version;

/// One OpenAPI description. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct Document {
    parts: Arc<DocumentParts>,
    /// Counts steps while tools are made, and at no other time.
    meter: Meter,
}

/// Reads the text of a description. If the text is a web page, an archive or of another known format, the finding names it.
///
/// # Errors
/// [`NotADescription`](crate::Code::NotADescription) for a text of another format; else those of [`callgate_tree::read`].
pub fn read(bytes: &[u8], limits: &TextLimits) -> Result<Parsed<Node>, Vec<Diagnostic>> {
    match Foreign::of_text(bytes) {
        Some(foreign) => Err(vec![foreign.into_diagnostic()]),
        None => callgate_tree::read(bytes, limits),
    }
}

/// True if the beginning of a text shows that it is of another known format.
pub fn is_foreign_text(bytes: &[u8]) -> bool {
    Foreign::of_text(bytes).is_some()
}

/// True if a tree is of another known format, such as a Postman collection.
pub fn is_foreign(root: &Node) -> bool {
    Foreign::of_tree(root).is_some()
}

#[derive(Clone, Debug)]
struct DocumentParts {
    root: Node,
    /// The file's own name, if it is known, by which neighbouring files refer to it; and its `$self`.
    base: Base,
    /// The further documents, by the addresses they declare for themselves.
    by_own: HashMap<Arc<str>, Arc<str>>,
    version: Version,
    limits: Limits,
    /// Built when a reference first needs it.
    index: OnceLock<Arc<Index>>,
    /// Computed when one of them is first needed.
    facts: OnceLock<Facts>,
    documents: Documents,
    /// The further documents in which a schema has an `$id`.
    with_ids: Vec<Arc<str>>,
    /// True if a schema of a further document has a `$dynamicAnchor`.
    has_dynamic: bool,
    n_nodes: usize,
}

impl Document {
    /// Accepts a tree that is an OpenAPI description of a version that this build reads.
    ///
    /// # Errors
    /// [`NotADescription`](crate::Code::NotADescription) if the tree is not a description,
    /// [`UnsupportedVersion`](crate::Code::UnsupportedVersion) if its version is not supported.
    pub fn new(root: Node) -> Result<Self, Vec<Diagnostic>> {
        Self::with_limits(root, Limits::default())
    }

    /// Reads a text and accepts it as a description.
    ///
    /// # Errors
    /// The errors of [`read`] and [`Document::new`].
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Parsed<Self>, Vec<Diagnostic>> {
        let Parsed { value, mut diagnostics } = read(bytes, &limits.text)?;
        match Self::with_limits(value, *limits) {
            Ok(value) => Ok(Parsed { value, diagnostics }),
            Err(refusals) => {
                diagnostics.extend(refusals);
                Err(diagnostics)
            }
        }
    }

    /// Accepts a tree that was read within these limits.
    ///
    /// # Errors
    /// The errors of [`Document::new`].
    pub fn with_limits(root: Node, limits: Limits) -> Result<Self, Vec<Diagnostic>> {
        let version = supported_version(&root)?;
        let parts = DocumentParts {
            base: Base::from_root(&root, ""),
            by_own: HashMap::new(),
            root,
            version,
            limits,
            index: OnceLock::new(),
            facts: OnceLock::new(),
            documents: Documents::new(),
            with_ids: Vec::new(),
            has_dynamic: false,
            n_nodes: 0,
        };
        Ok(Self { parts: Arc::new(parts), meter: Meter::default() })
    }

    /// Sets the name by which neighbouring files refer to the description: `openapi.yaml`.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Self {
        let parts = Arc::make_mut(&mut self.parts);
        parts.base = Base::from_root(&parts.root, name);
        parts.index = OnceLock::new();
        self
    }

    /// The documents that references lead to and that are still missing. Each has a name: a path relative to the
    /// directory of the description and never outside it, or an https address. Supply or refuse each of them with
    /// [`Document::supply`] and [`Document::refuse`], and call this again: they may need others. If the `$self` of a
    /// document is an address, a document beside that address is requested as the file beside the document; if that
    /// file is refused, it is requested by its address.
    ///
    /// ```
    /// use callgate_openapi::{Document, Limits, load};
    ///
    /// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
    /// let text = b"openapi: 3.1.0
    /// servers: [{url: https://api.example.com}]
    /// paths: {/pets: {get: {$ref: pets.yaml}}}";
    /// let mut document = Document::read(text, &Limits::default())?.value;
    /// assert_eq!(document.missing_documents(), ["pets.yaml".into()]);
    /// let pets = callgate_tree::read(b"operationId: pets", &Default::default())?.value;
    /// document.supply("pets.yaml", pets);
    /// assert!(document.missing_documents().is_empty());
    /// assert_eq!(load(&document, &Default::default()).operations.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn missing_documents(&self) -> Vec<Arc<str>> {
        let read = self.parts.documents.values().filter_map(|further| match further {
            FurtherDocument::Read(tree) => Some(&tree.index),
            FurtherDocument::Refused(_) => None,
        });
        let mut seen_names = hashbrown::HashSet::new();
        let needed = std::iter::once(self.index()).chain(read).flat_map(|index| &index.needed);
        let needed =
            needed.filter_map(|(address, file)| self.document_to_request(address, file.as_ref()));
        needed.filter(|name| seen_names.insert(*name)).cloned().collect()
    }

    /// Accepts the tree of a document under the name from [`Document::missing_documents`]. All documents together may have as many
    /// values as the limits allow for one; a document that exceeds that is refused.
    pub fn supply(&mut self, name: &str, root: Node) {
        let most = self.limits().text.nodes;
        let room = most.saturating_sub(self.parts.n_nodes);
        let base = Base::of_referenced_document(&root, name, &self.parts.base);
        let index = Index::from_tree(&root, &base, room);
        if index.n_nodes > room {
            let expected = format!("at most {most} values in all documents together");
            let reason = UnavailableReason::Unreadable;
            return self.refuse(name, Unavailable { reason, expected });
        }
        let parts = Arc::make_mut(&mut self.parts);
        parts.n_nodes += index.n_nodes;
        parts.facts = OnceLock::new();
        if !index.pointers.is_empty() {
            parts.with_ids.push(name.into());
        }
        if !index.dynamic.is_empty() {
            parts.has_dynamic = true;
        }
        if let Some(own) = &base.own {
            parts.by_own.entry(Arc::clone(own)).or_insert_with(|| name.into());
        }
        parts
            .documents
            .insert(name.into(), FurtherDocument::Read(Arc::new(Tree { root, base, index })));
    }

    /// Records why a document that [`Document::missing_documents`] named will not be supplied.
    pub fn refuse(&mut self, name: &str, why: Unavailable) {
        Arc::make_mut(&mut self.parts).documents.insert(name.into(), FurtherDocument::Refused(why));
    }

    /// The tree.
    pub fn root(&self) -> &Node {
        &self.parts.root
    }

    /// The version of OpenAPI that the description is written in.
    pub fn version(&self) -> &Version {
        &self.parts.version
    }

    /// The title (`info.title`).
    pub fn title(&self) -> Option<&str> {
        self.root().get("info")?.get("title")?.as_str()
    }

    /// The steps that making tools of the description may take: those of the limits, or more for a large description.
    pub(crate) fn most_steps(&self) -> usize {
        let limits = self.limits();
        limits.scaled_limit(limits.effort, self.approximate_bytes(), 1)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.parts.limits
    }

    pub(crate) fn with_step_limit(&self, most: usize) -> Self {
        Self { parts: Arc::clone(&self.parts), meter: Meter::with_limit(most) }
    }

    pub(crate) fn begin_operation_budget(&self) {
        self.meter.begin_operation_budget();
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(crate) fn step_budget(&self) -> Option<&StepBudget> {
        self.meter.step_budget()
    }

    /// Yields parts while steps remain; each part costs `steps`.
    pub(crate) fn while_affordable<T>(
        &self,
        parts: impl IntoIterator<Item = T>,
        steps: usize,
    ) -> impl Iterator<Item = T> {
        self.meter.while_affordable(parts, steps)
    }

    /// The remaining depth one level deeper; `None` if the depth or no steps remain.
    pub(crate) fn descend_to_remaining_depth(&self, depth: usize, steps: usize) -> Option<usize> {
        self.meter.descend_to_remaining_depth(depth, steps)
    }

    /// The number of used steps, if they are counted.
    pub(crate) fn used_steps(&self) -> usize {
        self.step_budget().map_or(0, StepBudget::used_steps)
    }

    pub(crate) fn record_lack(&self, lack: &Lack) {
        self.step_budget().into_iter().for_each(|budget| budget.record_lack(lack));
    }

    pub(crate) fn recorded_lack(&self) -> Option<&Lack> {
        self.step_budget().and_then(StepBudget::recorded_lack)
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.step_budget().is_some_and(StepBudget::is_spent_for_operation)
    }

    /// The documents in which a schema has a name of its own, with their indexes.
    fn indexes_with_schema_ids(&self) -> impl Iterator<Item = (Option<&str>, &Index)> {
        let further = self.parts.with_ids.iter();
        let further =
            further.filter_map(|name| Some((Some(&**name), &self.further_tree(name)?.index)));
        std::iter::once((None, self.index())).chain(further)
    }

    fn index(&self) -> &Index {
        let DocumentParts { root, base, limits, index, .. } = &*self.parts;
        index.get_or_init(|| Arc::new(Index::from_tree(root, base, limits.text.nodes)))
    }

    fn index_at(&self, document: Option<&str>) -> Option<&Index> {
        match document {
            None => Some(self.index()),
            Some(name) => self.further_tree(name).map(|tree| &tree.index),
        }
    }

    fn root_of(&self, document: Option<&str>) -> Option<&Node> {
        match document {
            None => Some(self.root()),
            Some(name) => self.further_tree(name).map(|tree| &tree.root),
        }
    }

    fn further_tree(&self, name: &str) -> Option<&Tree> {
        match self.parts.documents.get(name)? {
            FurtherDocument::Read(tree) => Some(tree),
            FurtherDocument::Refused(_) => None,
        }
    }

    fn base_of(&self, document: Option<&str>) -> &Base {
        let further = document.and_then(|name| self.further_tree(name));
        further.map_or(&self.parts.base, |tree| &tree.base)
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::sample::node;

    #[test]
    fn the_title_of_a_document_is_read() {
        let root = json!({"openapi": "3.0.0", "info": {"title": "Pets"}});
        assert_eq!(Document::new(node(&root)).unwrap().title(), Some("Pets"));
    }
}
