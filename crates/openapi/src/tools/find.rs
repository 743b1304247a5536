//! Finds every operation of a description: the methods of its path items, and those OpenAPI 3.2 adds. What an
//! operation says is read in `one`.

use std::{collections::BTreeSet, ptr, sync::Arc};

use callgate_tree::{Node, Object, Path};

use crate::{
    code::Code,
    document::Document,
    findings::Findings,
    reference::{Located, beyond, follow, reference_of},
};

/// An operation where it was found.
pub(super) struct Found<'d> {
    pub(super) method: http::Method,
    pub(super) key: Arc<str>,
    /// Its path item and those that one refers to, the nearest first.
    pub(super) items: Arc<[Located<'d>]>,
    /// The operation itself; where it is a reference that leads nowhere, that reference.
    pub(super) operation: Located<'d>,
}

impl Found<'_> {
    /// Its name, where it has one.
    pub(super) fn operation_id(&self) -> Option<&str> {
        self.shared_operation_id().map(AsRef::as_ref)
    }

    pub(super) fn shared_operation_id(&self) -> Option<&Arc<str>> {
        self.operation.node.get("operationId").and_then(Node::as_shared_str)
    }
}

/// Every operation of the document, in its order; those beyond the limit too, which are refused.
pub(super) fn find<'d>(document: &'d Document, findings: &mut Findings) -> Vec<Found<'d>> {
    let root = Path::ROOT;
    let path = root.name("paths");
    let has_webhooks = note_webhooks(document, findings);
    let paths = document.root().get("paths");
    let Some(items) = paths.and_then(Node::as_object) else {
        // OpenAPI 3.1.0 §4.8.1: a description may consist of webhooks or components alone.
        let may_lack = has_webhooks || document.root().get("components").is_some();
        if paths.is_none() && may_lack && document.version().is_at_least(3, 1) {
            return Vec::new();
        }
        let kind = paths.map_or("nothing", Node::kind);
        let message = format!("expected `paths` to be an object, got: {kind}");
        findings.warning(Code::MalformedNode, path, message, "list the operations under `paths`");
        return Vec::new();
    };
    let most = document.limits().operations;
    let mut found = Vec::new();
    for (key, node) in items.iter().filter(|(key, _)| !key.starts_with("x-")) {
        let path = path.name(key);
        let items = path_items(document, Located::new(node, &path), findings);
        let mut here = Vec::new();
        for item in items.iter() {
            operations_of(document, (key, &items), item, &mut here, findings);
        }
        let mut known = BTreeSet::new();
        here.retain(|found| known.insert(found.method.to_string()));
        found.append(&mut here);
    }
    if found.len() > most {
        let message = format!("expected at most {most} operations, got: {}", found.len());
        let help =
            "split the description, or raise `limits: operations`; those beyond it are refused";
        findings.error(Code::TooManyOperations, path, message, help);
    }
    found
}

/// Says that webhooks are no tools; whether there are any.
fn note_webhooks(document: &Document, findings: &mut Findings) -> bool {
    let webhooks = document.root().get("webhooks").and_then(Node::as_object);
    let Some(webhooks) = webhooks.filter(|webhooks| !webhooks.is_empty()) else { return false };
    let message =
        format!("expected operations that can be called, got webhooks: {}", webhooks.len());
    let help = "nothing; the service calls webhooks, so they are no tools";
    findings.note(Code::IgnoredWebhooks, Path::ROOT.name("webhooks"), message, help);
    true
}

/// A path item and those its reference leads through. What stands beside the reference counts too, before what it
/// leads to (OpenAPI 3.1.0 §4.8.9.1 leaves open which of two that contradict each other).
fn path_items<'d>(
    document: &'d Document,
    item: Located<'d>,
    findings: &mut Findings,
) -> Arc<[Located<'d>]> {
    if reference_of(item.node).is_none() {
        return [item].into();
    }
    let end = follow(document, item.node, &item.path());
    let end = end.map_err(|bad| bad.report(findings)).ok();
    let mut items = beyond(document, item.node, &item.path());
    let is_last = |end: &Located<'d>| items.last().is_some_and(|last| ptr::eq(last.node, end.node));
    let end = end.filter(|end| !is_last(end));
    items.extend(end);
    items.insert(0, item);
    items.into()
}

fn operations_of<'d>(
    document: &'d Document,
    (key, items): (&Arc<str>, &Arc<[Located<'d>]>),
    item: &Located<'d>,
    found: &mut Vec<Found<'d>>,
    findings: &mut Findings,
) {
    let Some(members) = item.node.as_object() else {
        if !matches!(item.node, Node::Null) {
            let message = format!("expected a path item, got: {}", item.node.kind());
            let help = "write an object of operations";
            findings.warning(Code::MalformedNode, &item.pointer, message, help);
        }
        return;
    };
    let mut add = |method: http::Method, node: &'d Node, path: &Path<'_>| {
        // No version lets an operation be a reference, but descriptions in several files write it.
        let operation = follow(document, node, path);
        let operation = operation.unwrap_or_else(|_| Located::new(node, path));
        let (key, items) = (Arc::clone(key), Arc::clone(items));
        found.push(Found { method, key, items, operation });
    };
    let has_query = document.version().is_at_least(3, 2);
    let path = item.path();
    for (name, node) in members.iter() {
        let known =
            METHODS.iter().find(|method| method.as_str().eq_ignore_ascii_case(name)).cloned();
        let query = || has_query && name.eq_ignore_ascii_case("query");
        if let Some(method) = known.or_else(|| query().then(query_method).flatten()) {
            add(method, node, &path.name(name));
        }
    }
    let Some(more) = item.member("additionalOperations").filter(|_| has_query) else { return };
    let path = more.path();
    for (name, node) in more.node.as_object().into_iter().flat_map(Object::iter) {
        let path = path.name(name);
        let Some(method) = additional(name) else {
            let message = format!("expected a method that has no member of its own, got: `{name}`");
            let help = "write operations of the usual methods beside `additionalOperations`";
            findings.warning(Code::MalformedNode, path, message, help);
            continue;
        };
        add(method, node, &path);
    }
}

/// A method of `additionalOperations` (OpenAPI 3.2.0 §4.9.1), which is case-sensitive. `CONNECT` asks a proxy for a
/// tunnel, which no description may.
fn additional(name: &str) -> Option<http::Method> {
    let is_usual = METHODS.iter().any(|method| method.as_str() == name);
    let is_other = !is_usual && name != "QUERY" && !name.eq_ignore_ascii_case("connect");
    http::Method::from_bytes(name.as_bytes()).ok().filter(|_| is_other)
}

fn query_method() -> Option<http::Method> {
    http::Method::from_bytes(b"QUERY").ok()
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
