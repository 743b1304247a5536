//! One definition: its schema, and the definitions it refers to, under names that are unique in it.

use std::sync::Arc;

use callgate_tool::Value;
use callgate_tree::Node;

use crate::{
    findings::Findings,
    meter::Lack,
    schema::{View, bytes::Bytes, scope::Scope},
};

pub(super) type PartResult = Result<Arc<Part>, Lack>;

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) struct DefinedNode {
    pub(super) pointer: Arc<str>,
    pub(super) bytes: Bytes,
    pub(super) scope: Scope,
}

/// The key that distinguishes definitions: the node, the view, and true if values are filled in.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) struct DefinitionKey {
    pub(super) at: DefinedNode,
    pub(super) view: View,
    /// True if every reference to the definition is at a place where defaults are filled in.
    pub(super) is_filled: bool,
}

/// One definition. The definitions it refers to have names that are unique in it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) schema: Arc<Value>,
    /// The bytes of the schema as compact JSON.
    pub(super) n_bytes: usize,
    pub(super) links: Box<[Link]>,
    /// The names of the definitions that apply to the value itself, sorted.
    pub(super) in_place: Arc<[Arc<str>]>,
    pub(super) findings: Findings,
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) at: DefinedNode,
    pub(super) node: Node,
    pub(super) is_filled: bool,
    pub(super) name: Arc<str>,
}

#[derive(Debug)]
pub(super) struct NamedPart {
    pub(super) schema: Arc<Value>,
    pub(super) n_bytes: usize,
    /// The names of the definitions that apply to the value itself, sorted.
    pub(super) in_place: Arc<[Arc<str>]>,
}

impl From<&Part> for NamedPart {
    fn from(Part { schema, n_bytes, in_place, .. }: &Part) -> Self {
        let (schema, in_place) = (Arc::clone(schema), Arc::clone(in_place));
        Self { schema, n_bytes: *n_bytes, in_place }
    }
}

impl Link {
    pub(super) fn key(&self, view: View) -> DefinitionKey {
        DefinitionKey { at: self.at.clone(), view, is_filled: self.is_filled }
    }
}

pub(super) fn json_length(value: &Value) -> usize {
    value.to_string().len()
}
