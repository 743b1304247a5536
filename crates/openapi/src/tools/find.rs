//! Finds every operation of a description: the methods of its path items, and those that OpenAPI 3.2 adds. `one` reads
//! the operations.

use std::{collections::BTreeSet, ptr, sync::Arc};

use callgate_tree::{Node, Object};

use crate::{
    code::Code,
    cursor::Cursor,
    reference::{LocatedNode, reference_of, reference_targets},
};

pub(super) struct FoundOperation<'d> {
    pub(super) method: http::Method,
    pub(super) key: Arc<str>,
    /// The operation's path item and the path items that this one refers to, the nearest first.
    pub(super) items: Arc<[LocatedNode<'d>]>,
    /// The operation itself; if it is a broken reference, that reference.
    pub(super) operation: LocatedNode<'d>,
}

impl FoundOperation<'_> {
    pub(super) fn operation_id(&self) -> Option<&str> {
        self.shared_operation_id().map(AsRef::as_ref)
    }

    pub(super) fn shared_operation_id(&self) -> Option<&Arc<str>> {
        self.operation.node.get("operationId").and_then(Node::as_shared_str)
    }
}

/// Every operation, in order, with those beyond the limit, which are refused. `root` is that of the description.
pub(super) fn find_operations<'d>(root: Cursor<'d, '_>) -> Vec<FoundOperation<'d>> {
    let has_webhooks = report_webhooks(root);
    let document = root.document;
    let declared = root.node.get("paths");
    let paths = root.at_child("paths", declared.unwrap_or(&Node::Null));
    let Some(items) = paths.node.as_object() else {
        // OpenAPI 3.1.0 §4.8.1: a description may consist only of webhooks or components.
        let may_lack = has_webhooks || root.node.get("components").is_some();
        if declared.is_none() && may_lack && document.version().is_at_least(3, 1) {
            return Vec::new();
        }
        let kind = declared.map_or("nothing", Node::kind);
        let message = format!("expected `paths` to be an object, got: {kind}");
        paths.warning(Code::MalformedNode, message, "list the operations under `paths`");
        return Vec::new();
    };
    let most = document.limits().operations;
    let mut found_operations = Vec::new();
    for (key, node) in items.iter().filter(|(key, _)| !key.starts_with("x-")) {
        let items = path_items(paths.at_child(key, node));
        let mut here = PathItem { key, items: &items, operations: Vec::new() };
        for item in items.iter() {
            here.add_operations(paths.at_node(item));
        }
        let mut seen_methods = BTreeSet::new();
        here.operations
            .retain(|found_operation| seen_methods.insert(found_operation.method.to_string()));
        found_operations.append(&mut here.operations);
    }
    if found_operations.len() > most {
        let message =
            format!("expected at most {most} operations, got: {}", found_operations.len());
        let help =
            "split the description, or raise `limits: operations`; those beyond it are refused";
        paths.error(Code::TooManyOperations, message, help);
    }
    found_operations
}

/// Reports that webhooks are not tools; returns true if there are any.
fn report_webhooks(root: Cursor<'_, '_>) -> bool {
    let Some(at) = root.unresolved_member("webhooks") else { return false };
    let n_webhooks = at.node.as_object().map_or(0, Object::len);
    if n_webhooks == 0 {
        return false;
    }
    let message = format!("expected operations that can be called, got webhooks: {n_webhooks}");
    let help = "no change is needed: the service calls webhooks, so they are no tools";
    at.note(Code::IgnoredWebhooks, message, help);
    true
}

/// A path item and the targets of its references. Members beside a reference count too, before those of its target
/// (OpenAPI 3.1.0 §4.8.9.1 leaves open which of two contradictory members counts).
fn path_items<'d>(item: Cursor<'d, '_>) -> Arc<[LocatedNode<'d>]> {
    if reference_of(item.node).is_none() {
        return [item.located_node()].into();
    }
    let end = item.target_or_report();
    let mut items = reference_targets(item.document, item.node, item.path());
    let is_last =
        |end: &LocatedNode<'d>| items.last().is_some_and(|last| ptr::eq(last.node, end.node));
    let end = end.filter(|end| !is_last(end));
    items.extend(end);
    items.insert(0, item.located_node());
    items.into()
}

struct PathItem<'a, 'd> {
    key: &'a Arc<str>,
    items: &'a Arc<[LocatedNode<'d>]>,
    operations: Vec<FoundOperation<'d>>,
}

impl<'d> PathItem<'_, 'd> {
    fn add_operations(&mut self, item: Cursor<'d, '_>) {
        let Some(members) = item.node.as_object() else {
            if !matches!(item.node, Node::Null) {
                let message = format!("expected a path item, got: {}", item.node.kind());
                item.warning(Code::MalformedNode, message, "write an object of operations");
            }
            return;
        };
        let has_query = item.document.version().is_at_least(3, 2);
        for (name, node) in members.iter() {
            let standard_method =
                METHODS.iter().find(|method| method.as_str().eq_ignore_ascii_case(name)).cloned();
            let query = || has_query && name.eq_ignore_ascii_case("query");
            if let Some(method) = standard_method
                .or_else(|| query().then(|| http::Method::from_bytes(b"QUERY").ok()).flatten())
            {
                self.add_operation(method, item.at_child(name, node));
            }
        }
        let Some(more) = item.unresolved_member("additionalOperations").filter(|_| has_query)
        else {
            return;
        };
        for (name, node) in more.node.members() {
            let at = more.at_child(name, node);
            let Some(method) = additional_method(name) else {
                let message =
                    format!("expected a method that has no member of its own, got: `{name}`");
                let help = "write operations of the usual methods beside `additionalOperations`";
                at.warning(Code::MalformedNode, message, help);
                continue;
            };
            self.add_operation(method, at);
        }
    }

    fn add_operation(&mut self, method: http::Method, at: Cursor<'d, '_>) {
        // No version allows an operation to be a reference, but descriptions in several files contain such references.
        let operation = at.target_without_report().unwrap_or_else(|_| at.located_node());
        let (key, items) = (Arc::clone(self.key), Arc::clone(self.items));
        self.operations.push(FoundOperation { method, key, items, operation });
    }
}

/// A method of `additionalOperations` (OpenAPI 3.2.0 §4.9.1), which is case-sensitive. `CONNECT` requests a tunnel from
/// a proxy, which no description may.
fn additional_method(name: &str) -> Option<http::Method> {
    let is_usual = METHODS.iter().any(|method| method.as_str() == name);
    let is_other = !is_usual && name != "QUERY" && !name.eq_ignore_ascii_case("connect");
    http::Method::from_bytes(name.as_bytes()).ok().filter(|_| is_other)
}

/// The methods of a path item (OpenAPI 3.0.3 §4.7.9.1).
const METHODS: [http::Method; 8] = [
    http::Method::GET,
    http::Method::PUT,
    http::Method::POST,
    http::Method::DELETE,
    http::Method::OPTIONS,
    http::Method::HEAD,
    http::Method::PATCH,
    http::Method::TRACE,
];
