//! The blueprint of an operation's schemas, from which they are built when they are first asked for: shared nodes of
//! the document and their pointers. Nothing here is built, so that loading a description costs no rendering.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use callgate_tool::ToolName;
use callgate_tree::Node;

use crate::{
    allowance::{Allowance, SharedAllowance},
    body::BodyKind,
    document::Document,
    options::{Defaults, LoadOptions, SessionInputs},
    reference::Located,
    schema::built::Built,
};

/// The parts that operations of a description have in common.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) document: Document,
    pub(crate) session_inputs: SessionInputs,
    pub(crate) defaults: Defaults,
    built: Mutex<Arc<Built>>,
    /// For the declarations that are kept.
    pub(crate) allowance: SharedAllowance,
    /// For the schemas of answers that are asked for: whoever asks for them takes nothing from declarations.
    pub(crate) outputs: SharedAllowance,
}

/// The parts of one operation.
#[derive(Clone, Debug)]
pub(crate) struct Blueprint {
    pub(crate) common: Arc<Common>,
    pub(crate) label: String,
    pub(crate) operation: Origin,
    /// The path item whose texts stand for those of an operation that has none.
    pub(crate) item: Option<Node>,
    /// The origin of each input, in the order of the inputs.
    pub(crate) inputs: Box<[InputOrigin]>,
    pub(crate) output: Option<Origin>,
    pub(crate) tool_name: ToolName,
}

/// A node that is kept, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) node: Node,
    pub(crate) pointer: Arc<str>,
}

/// The schema and the names that an input is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputOrigin {
    pub(crate) schema: Option<Origin>,
    /// True if the schema is that of each item of a list (OpenAPI 3.2 `itemSchema`).
    pub(crate) is_item: bool,
    /// The parameter or the body whose description stands for the input.
    pub(crate) described_by: Option<Node>,
    /// A description that is used instead of the schema's own.
    pub(crate) description: Option<Arc<str>>,
    /// The other origins that the value may have, by media types; empty where there is one.
    pub(crate) alternatives: Box<[AlternativeOrigin]>,
}

/// The origin of a body's value in some of its media types.
#[derive(Clone, Debug)]
pub(crate) struct AlternativeOrigin {
    pub(crate) schema: Option<Origin>,
    /// True if the schema is that of each item of a list.
    pub(crate) is_item: bool,
    /// The encoding that makes its bytes.
    pub(crate) kind: BodyKind,
    /// The media types it is sent in.
    pub(crate) media_types: Box<[Arc<str>]>,
}

impl Common {
    pub(crate) fn new(document: &Document, options: &LoadOptions) -> Self {
        Self {
            document: document.clone(),
            session_inputs: options.session_inputs,
            defaults: options.defaults,
            built: Mutex::new(fresh(document)),
            allowance: SharedAllowance::new(Allowance::of(document)),
            outputs: SharedAllowance::new(Allowance::of(document)),
        }
    }
}

impl Common {
    /// The schemas that are built so far.
    pub(crate) fn built(&self) -> Arc<Built> {
        Arc::clone(&self.held())
    }

    /// Lets go of what was built so far; who builds with it goes on.
    pub(crate) fn release(&self) {
        *self.held() = fresh(&self.document);
    }

    /// Nothing is done while it is held but to clone and to replace it.
    fn held(&self) -> MutexGuard<'_, Arc<Built>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fresh(document: &Document) -> Arc<Built> {
    Arc::new(Built::new(Allowance::of_definitions(document)))
}

impl InputOrigin {
    /// Every schema that the input may have.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &Origin> {
        let others = self.alternatives.iter().filter_map(|known| known.schema.as_ref());
        let own = self.schema.iter().filter(|_| self.alternatives.is_empty());
        own.chain(others)
    }

    /// The schema with an alternative of the body, and whether it is that of each item of a list.
    pub(crate) fn at(&self, alternative: usize) -> (Option<&Origin>, bool) {
        match self.alternatives.get(alternative) {
            Some(known) => (known.schema.as_ref(), known.is_item),
            None => (self.schema.as_ref(), self.is_item),
        }
    }
}

impl Origin {
    /// Keeps a node.
    pub(crate) fn of(located: &Located<'_>) -> Self {
        Self { node: located.node.clone(), pointer: Arc::clone(&located.pointer) }
    }

    /// The schema with its place.
    pub(crate) fn located(&self) -> Located<'_> {
        Located { node: &self.node, pointer: Arc::clone(&self.pointer) }
    }
}
