//! The blueprint of an operation's schemas, from which they are built on first use: shared nodes of the document and
//! their pointers. Nothing is built here, so that loading a description renders no schemas.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use callgate_tool::{Effect, ToolName};
use callgate_tree::Node;

use crate::{
    body::BodyKind,
    budget::{Budget, SharedBudget},
    document::Document,
    options::{Defaults, LoadOptions, SessionInputs},
    reference::LocatedNode,
    schema::cache::SchemaCache,
};

#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) document: Document,
    pub(crate) session_inputs: SessionInputs,
    pub(crate) defaults: Defaults,
    built: Mutex<Arc<SchemaCache>>,
    pub(crate) budget: SharedBudget,
    /// The budget for requested schemas of responses: they use nothing of the declarations' budget.
    pub(crate) outputs: SharedBudget,
}

#[derive(Clone, Debug)]
pub(crate) struct Blueprint {
    pub(crate) common: Arc<Common>,
    pub(crate) label: String,
    pub(crate) operation: Origin,
    /// The path item whose texts are used for an operation without texts.
    pub(crate) item: Option<Node>,
    /// The origin of each input, in the order of the inputs.
    pub(crate) inputs: Box<[InputOrigin]>,
    pub(crate) output: Option<Origin>,
    pub(crate) tool_name: ToolName,
    pub(crate) effect: Effect,
}

#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) node: Node,
    pub(crate) pointer: Arc<str>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct InputOrigin {
    pub(crate) schema: Option<Origin>,
    /// True if the schema is that of each item of a list (OpenAPI 3.2 `itemSchema`).
    pub(crate) is_item: bool,
    pub(crate) described_by: Option<Node>,
    pub(crate) description: Option<Arc<str>>,
    /// The other origins of the value, by media types; empty if the value has only one.
    pub(crate) alternatives: Box<[AlternativeOrigin]>,
}

#[derive(Clone, Debug)]
pub(crate) struct AlternativeOrigin {
    pub(crate) schema: Option<Origin>,
    pub(crate) is_item: bool,
    pub(crate) kind: BodyKind,
    pub(crate) media_types: Box<[Arc<str>]>,
}

impl Common {
    pub(crate) fn new(document: &Document, options: &LoadOptions) -> Self {
        Self {
            document: document.clone(),
            session_inputs: options.session_inputs,
            defaults: options.defaults,
            built: Mutex::new(new_cache(document)),
            budget: SharedBudget::new(Budget::for_declarations(document)),
            outputs: SharedBudget::new(Budget::for_declarations(document)),
        }
    }

    pub(crate) fn schema_cache(&self) -> Arc<SchemaCache> {
        Arc::clone(&self.cache_guard())
    }

    /// Drops the built schemas; a builder that uses them may continue.
    pub(crate) fn drop_built_schemas(&self) {
        *self.cache_guard() = new_cache(&self.document);
    }

    /// The lock is held only to clone or replace the value.
    fn cache_guard(&self) -> MutexGuard<'_, Arc<SchemaCache>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn new_cache(document: &Document) -> Arc<SchemaCache> {
    Arc::new(SchemaCache::new(Budget::for_definitions(document)))
}

impl InputOrigin {
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &Origin> {
        let others = self.alternatives.iter().filter_map(|alternative| alternative.schema.as_ref());
        let own = self.schema.iter().filter(|_| self.alternatives.is_empty());
        own.chain(others)
    }

    /// The schema for an alternative of the body, and true if it is that of each item of a list.
    pub(crate) fn schema_and_is_item(&self, alternative: usize) -> (Option<&Origin>, bool) {
        match self.alternatives.get(alternative) {
            Some(origin) => (origin.schema.as_ref(), origin.is_item),
            None => (self.schema.as_ref(), self.is_item),
        }
    }
}

impl Origin {
    pub(crate) fn from_located(located: &LocatedNode<'_>) -> Self {
        Self { node: located.node.clone(), pointer: Arc::clone(&located.pointer) }
    }

    pub(crate) fn located_node(&self) -> LocatedNode<'_> {
        LocatedNode { node: &self.node, pointer: Arc::clone(&self.pointer) }
    }
}
