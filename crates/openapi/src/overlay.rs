//! OpenAPI Overlay 1.0 and 1.1: a list of corrections to a description that is not edited itself. They change the tree
//! before it is read as a document. The meaning of the corrected description is not known here.

mod change;
mod description;
mod edit;
mod merge;
mod path;
mod read;

use callgate_tool::Value;
use callgate_tree::{Diagnostic, Interner, Limits, Node, Object, Parsed, Severity};

use crate::{
    findings::Findings,
    overlay::{change::Action, merge::Budget},
};

pub use description::Overlaid;

/// One overlay with its actions, checked as far as possible without a description.
///
/// ```
/// use callgate_openapi::{Overlay, apply_overlays};
/// use callgate_tree::{Limits, read};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let limits = Limits::default();
/// let description = read(b"openapi: 3.0.3\npaths: { /pets: { get: {} } }", &limits)?.value;
/// let overlay = b"
/// overlay: 1.0.0
/// info: { title: Say what it is for, version: 1.0.0 }
/// actions:
///   - target: $.paths['/pets'].get
///     update: { summary: List pets }
/// ";
/// let overlay = Overlay::read(overlay, &limits)?.value;
/// let overlaid = apply_overlays(description, &[overlay], &limits).overlaid.unwrap();
/// assert_eq!(overlaid.root().at("/paths/~1pets/get/summary").unwrap().as_str(), Some("List pets"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Overlay {
    version: change::Version,
    actions: Vec<Action>,
}

/// The result of applying overlays.
#[derive(Debug)]
#[non_exhaustive]
pub struct Applied {
    /// The description before and after; `None` if an action could not be applied: a partly corrected description may
    /// offer operations that were to be removed.
    pub overlaid: Option<Overlaid>,
    /// The findings, one list for each overlay, with pointers into that overlay.
    pub diagnostics: Vec<Vec<Diagnostic>>,
}

impl Overlay {
    /// Reads a text, YAML or JSON, and accepts it as an overlay.
    ///
    /// # Errors
    /// The errors of [`read`](callgate_tree::read) and [`Overlay::new`].
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Parsed<Self>, Vec<Diagnostic>> {
        let Parsed { value, mut diagnostics } = callgate_tree::read(bytes, limits)?;
        let mut findings = Findings::default();
        let overlay = read::read_overlay(&value, &mut findings);
        diagnostics.extend(findings.into_diagnostics());
        overlay.map(|value| Parsed { value, diagnostics: diagnostics.clone() }).ok_or(diagnostics)
    }

    /// Accepts a tree that is an overlay.
    ///
    /// # Errors
    /// All faults of the tree: [`Code::OverlayInvalid`](crate::Code::OverlayInvalid) or
    /// [`Code::OverlayPath`](crate::Code::OverlayPath).
    pub fn new(root: &Node) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Findings::default();
        read::read_overlay(root, &mut findings).ok_or_else(|| findings.into_diagnostics())
    }
}

/// Applies overlays to a description, in order.
pub fn apply_overlays(root: Node, overlays: &[Overlay], limits: &Limits) -> Applied {
    let mut value = root.to_value();
    let mut budget = Budget::remaining_after(&value, limits);
    let mut diagnostics = Vec::new();
    for overlay in overlays {
        let mut findings = Findings::default();
        edit::apply_overlay(&mut value, overlay, &mut budget, &mut findings);
        diagnostics.push(findings.into_diagnostics());
    }
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let failed = diagnostics.iter().flatten().any(is_error);
    let overlaid = (!failed).then(|| Overlaid::new(root, value_node(value)));
    Applied { overlaid, diagnostics }
}

/// The tree of a JSON value; its depth was limited when it was made.
pub(crate) fn value_node(value: Value) -> Node {
    node_from_value(value, &mut Interner::default())
}

fn node_from_value(value: Value, texts: &mut Interner) -> Node {
    match value {
        Value::Array(items) => {
            Node::Array(items.into_iter().map(|item| node_from_value(item, texts)).collect())
        }
        Value::Bool(value) => Node::Bool(value),
        Value::Null => Node::Null,
        Value::Number(number) => Node::Number(number),
        Value::Object(members) => {
            let member = |(name, value): (String, Value)| {
                (texts.shared_name(&name), node_from_value(value, texts))
            };
            Node::Object(Object::new(members.into_iter().map(member).collect()))
        }
        Value::String(text) => Node::String(texts.shared_if_short(&text)),
    }
}
