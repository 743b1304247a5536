//! Finds `x-mcp-header` (MCP 2026-07-28): the header in which clients repeat a value, so that intermediaries can route
//! by it. Clients find values only by member names: arguments, members of objects, and the targets of references. A
//! header named at any other place is reported.

use std::{collections::BTreeSet, mem, slice, sync::Arc};

use callgate_tree::{Node, Path};

use crate::{
    address::MCP_HEADER,
    blueprint::InputOrigin,
    code::Code,
    document::Document,
    findings::Findings,
    reference::{LocatedNode, reference_targets},
    schema::nullable::has_nullable_keyword,
    security::header::is_header_name,
};

/// The names that lead to a value, beginning with the argument, and the header name after `Mcp-Param-`.
pub(super) type McpHeader = (Vec<String>, String);

pub(super) struct Headers<'d> {
    document: &'d Document,
    pub(super) entries: Vec<McpHeader>,
    /// The visited places below the current argument, each with true if clients find it.
    seen: BTreeSet<(Arc<str>, bool)>,
    /// The levels that may still be visited below the current place.
    depth: usize,
}

#[derive(Clone, Copy)]
enum ValuePath<'p> {
    By(&'p [String]),
    /// Reached as an item, or in one of several alternative schemas.
    NotByNames,
}

impl<'d> Headers<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self { document, entries: Vec::new(), seen: BTreeSet::new(), depth: DEEPEST }
    }

    /// Searches an argument and everything below it. `None` means that the argument is declared by a schema other than
    /// its own.
    pub(super) fn search_argument(
        &mut self,
        argument: Option<&str>,
        origin: &InputOrigin,
        findings: &mut Findings,
    ) {
        if !self.document.has_mcp_headers() {
            return;
        }
        self.seen.clear();
        let name = argument.map(str::to_owned);
        let reached = match name.as_ref() {
            Some(name) => ValuePath::By(slice::from_ref(name)),
            None => ValuePath::NotByNames,
        };
        for schema in origin.schemas() {
            self.visit_schema(&schema.node, &Path::at(&schema.pointer), reached, findings);
        }
    }

    /// Searches the members of a body that are the arguments.
    pub(super) fn search_body_members(&mut self, origin: &InputOrigin, findings: &mut Findings) {
        if !self.document.has_mcp_headers() {
            return;
        }
        self.seen.clear();
        for schema in origin.schemas() {
            self.visit_schema(
                &schema.node,
                &Path::at(&schema.pointer),
                ValuePath::By(&[]),
                findings,
            );
        }
    }

    fn visit_schema(
        &mut self,
        node: &Node,
        path: &Path<'_>,
        reached: ValuePath<'_>,
        findings: &mut Findings,
    ) {
        let is_by_names = matches!(reached, ValuePath::By(_));
        let is_seen = !self.seen.insert((path.pointer(), is_by_names));
        if is_seen {
            return;
        }
        let document = self.document;
        let Some(below) = document.descend_to_remaining_depth(self.depth, PLACE) else { return };
        let mut parts = vec![LocatedNode { node, pointer: path.pointer() }];
        parts.extend(
            reference_targets(document, node, path)
                .into_iter()
                .map(|at| LocatedNode { node: at.node, pointer: at.pointer }),
        );
        if let Some((part, named)) =
            parts.iter().find_map(|part| Some((part, part.node.get(MCP_HEADER)?)))
        {
            let kind = parts.last().and_then(|last| header_value_kind(document, last.node));
            match self.header_fault(named, kind, reached) {
                Some(wrong) => note_wrong_header(findings, &part.pointer, wrong),
                None => self.entries.extend(
                    reached
                        .names()
                        .zip(named.as_str())
                        .map(|(names, header)| (names.to_vec(), header.to_owned())),
                ),
            }
        }
        let here = mem::replace(&mut self.depth, below);
        for part in &parts {
            self.visit_members(part, reached, findings);
            self.visit_other_keywords(part, findings);
        }
        self.depth = here;
    }

    fn visit_members(
        &mut self,
        part: &LocatedNode<'_>,
        reached: ValuePath<'_>,
        findings: &mut Findings,
    ) {
        let above = part.path();
        let path = above.name("properties");
        for (name, member) in part.node.members_of("properties") {
            let names: Vec<String> =
                reached.names().into_iter().flatten().cloned().chain([name.to_string()]).collect();
            let below = match reached {
                ValuePath::By(_) => ValuePath::By(&names),
                ValuePath::NotByNames => reached,
            };
            self.visit_schema(member, &path.name(name), below, findings);
        }
    }

    fn visit_other_keywords(&mut self, part: &LocatedNode<'_>, findings: &mut Findings) {
        let above = part.path();
        for keyword in ELSEWHERE {
            let Some(below) = part.node.get(keyword) else { continue };
            let path = above.name(keyword);
            let Some(schemas) = below.as_array() else {
                self.visit_schema(below, &path, ValuePath::NotByNames, findings);
                continue;
            };
            for (index, schema) in schemas.iter().enumerate() {
                self.visit_schema(schema, &path.index(index), ValuePath::NotByNames, findings);
            }
        }
    }

    fn header_fault(
        &self,
        named: &Node,
        kind: Option<&str>,
        reached: ValuePath<'_>,
    ) -> Option<&'static str> {
        let Some(name) = named.as_str().filter(|name| is_header_name(name)) else {
            return Some("expected the name of a header, got another value");
        };
        if reached.names().is_none() {
            return Some(
                "expected an argument or a member of one, got a value that clients of MCP do not look at",
            );
        }
        if !matches!(kind, Some("boolean" | "integer" | "string")) {
            return Some(
                "expected a value of one type (a text, an integer or a boolean), got another",
            );
        }
        let is_taken =
            self.entries.iter().any(|(_, header_name)| header_name.eq_ignore_ascii_case(name));
        is_taken.then_some("expected a header of its own, got one that another argument has")
    }
}

impl<'p> ValuePath<'p> {
    fn names(self) -> Option<&'p [String]> {
        match self {
            Self::By(names) => Some(names),
            Self::NotByNames => None,
        }
    }
}

fn header_value_kind<'n>(document: &Document, node: &'n Node) -> Option<&'n str> {
    let kind = match node.get("type")? {
        Node::Array(kinds) => match &**kinds {
            [kind] => kind.as_str(),
            _ => None,
        },
        kind => kind.as_str(),
    };
    kind.filter(|_| !has_nullable_keyword(document, node))
}

fn note_wrong_header(findings: &mut Findings, pointer: &str, wrong: &str) {
    let message = format!("`{MCP_HEADER}`: {wrong}");
    findings.note(Code::McpHeader, Path::at(pointer), message, "correct it, or leave the key out");
}

/// The levels that are searched: clients need a value that is short and near the root.
const DEEPEST: usize = 33;
/// The cost to visit a place, in steps.
const PLACE: usize = 4;
/// Keywords whose schemas clients do not search.
const ELSEWHERE: [&str; 6] = ["additionalProperties", "allOf", "anyOf", "items", "not", "oneOf"];
