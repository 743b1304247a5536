//! The place in a description that is being read: its node and pointer, the document with the effort that reading is
//! charged to, and the findings, which are reported at the cursor. The cursor moves to members and items, and through
//! references; its callers interpret the nodes.

use std::{cell::Cell, sync::Arc};

use callgate_tree::{Node, Path, Severity};

use crate::{
    code::Code,
    document::Document,
    findings::{Finding, Findings},
    reference::{self, BadReference, LocatedNode},
};

/// A place that is being read. Copying it is cheap.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'d, 'a> {
    pub(crate) document: &'d Document,
    pub(crate) node: &'d Node,
    path: Path<'a>,
    findings: &'a Cell<Findings>,
}

impl<'d, 'a> Cursor<'d, 'a> {
    pub(crate) fn new(document: &'d Document, findings: &'a mut Findings) -> Self {
        let findings = Cell::from_mut(findings);
        Self { document, node: document.root(), path: Path::ROOT, findings }
    }

    pub(crate) fn root(self) -> Self {
        Self { node: self.document.root(), path: Path::ROOT, ..self }
    }

    pub(crate) fn at_node<'b>(self, place: &'b LocatedNode<'d>) -> Cursor<'d, 'b>
    where
        'a: 'b,
    {
        Cursor { node: place.node, path: place.path(), ..self }
    }

    /// The place of this pointer, to report something there; the node stays that of this cursor.
    pub(crate) fn with_report_pointer<'b>(&self, pointer: &'b str) -> Cursor<'d, 'b>
    where
        'a: 'b,
    {
        Cursor { path: Path::at(pointer), ..*self }
    }

    /// The place of the member `name`, to report something there, even if the member does not exist.
    pub(crate) fn with_report_member<'b>(&'b self, name: &'b str) -> Cursor<'d, 'b> {
        self.at_child(name, self.node)
    }

    pub(crate) fn at_child<'b>(&'b self, name: &'b str, node: &'d Node) -> Cursor<'d, 'b> {
        Cursor { node, path: self.path.name(name), ..*self }
    }

    pub(crate) fn unresolved_member<'b>(&'b self, name: &'b str) -> Option<Cursor<'d, 'b>> {
        Some(self.at_child(name, self.node.get(name)?))
    }

    /// The members, while steps remain; each costs `steps` and the weight of its pointer.
    pub(crate) fn affordable_members<'b>(
        &'b self,
        steps: usize,
    ) -> impl Iterator<Item = (&'d Arc<str>, Cursor<'d, 'b>)> {
        self.affordable_named_members(|_| true, steps)
    }

    /// The members with certain names, while steps remain; each costs `steps` and the weight of its pointer.
    pub(crate) fn affordable_named_members<'b>(
        &'b self,
        is_read: impl Fn(&str) -> bool + 'b,
        steps: usize,
    ) -> impl Iterator<Item = (&'d Arc<str>, Cursor<'d, 'b>)> {
        let members = self.node.members();
        let members = members.filter(move |(name, _)| is_read(name)).map(|(name, node)| {
            let path = self.path.name(name);
            (name, Cursor { node, path, ..*self })
        });
        let steps = move |(_, member): &(_, Cursor<'d, 'b>)| steps + member.path.step_cost();
        self.document.meter().affordable_by(members, steps)
    }

    /// The members, while steps remain; each costs `steps`.
    pub(crate) fn members_at_flat_cost<'b>(
        &'b self,
        steps: usize,
    ) -> impl Iterator<Item = (&'d Arc<str>, Cursor<'d, 'b>)> {
        let members = self.node.members();
        let members = self.document.while_affordable(members, steps);
        members.map(|(name, node)| {
            let path = self.path.name(name);
            (name, Cursor { node, path, ..*self })
        })
    }

    /// The items, while steps remain; each costs `steps` and the weight of its pointer.
    pub(crate) fn affordable_items<'b>(
        &'b self,
        steps: usize,
    ) -> impl Iterator<Item = Cursor<'d, 'b>> {
        let items = self.node.as_array().unwrap_or_default().iter().enumerate();
        let steps = self.steps_of_item(steps);
        self.document.while_affordable(items, steps).map(|(index, node)| Cursor {
            node,
            path: self.path.index(index),
            ..*self
        })
    }

    /// The cost of an item with its pointer, in steps; `steps` is the cost without it.
    pub(crate) fn steps_of_item(&self, steps: usize) -> usize {
        steps + self.path.index(0).step_cost()
    }

    pub(crate) fn path(&self) -> &Path<'a> {
        &self.path
    }

    pub(crate) fn located_node(&self) -> LocatedNode<'d> {
        LocatedNode::new(self.node, &self.path)
    }

    pub(crate) fn unresolved_member_node(&self, name: &str) -> Option<LocatedNode<'d>> {
        self.unresolved_member(name).map(|member| member.located_node())
    }

    pub(crate) fn text_without_report(&self, name: &str) -> Option<&'d str> {
        self.node.get(name)?.as_str()
    }

    pub(crate) fn shared_text(&self, name: &str) -> Option<&'d Arc<str>> {
        self.node.get(name)?.as_shared_str()
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.node.get(name)?.as_bool()
    }

    /// The node here, or the target of its references; a broken reference is not reported.
    pub(crate) fn target_without_report(&self) -> Result<LocatedNode<'d>, BadReference> {
        reference::follow_references(self.document, self.node, &self.path)
    }

    /// The node here, or the target of its references; a broken reference is reported.
    pub(crate) fn target_or_report(&self) -> Option<LocatedNode<'d>> {
        self.target_without_report().map_err(|bad| self.report(&bad)).ok()
    }

    /// The node here, or the target of its references; a broken reference is reported, and only the part it represents
    /// is lost.
    pub(crate) fn target_or_report_loss(&self) -> Option<LocatedNode<'d>> {
        self.target_without_report().map_err(|bad| self.report(&bad.as_missing_part())).ok()
    }

    /// The text of `name` beside the references here, which replaces that of their targets.
    pub(crate) fn text_beside_reference(&self, name: &str) -> Option<Arc<str>> {
        reference::text_beside_reference(self.document, self.node, &self.path, name).cloned()
    }

    /// Reads with a separate list of findings, and returns both.
    pub(crate) fn with_own_findings<T>(
        self,
        read: impl FnOnce(Cursor<'d, '_>) -> T,
    ) -> (T, Findings) {
        let mut own = Findings::default();
        let result = read(Cursor { findings: Cell::from_mut(&mut own), ..self });
        (result, own)
    }

    pub(crate) fn absorb_findings(&self, own: &Findings) {
        self.with_findings(|findings| findings.absorb_shared(own));
    }

    pub(crate) fn error(&self, code: Code, message: String, help: &str) {
        self.add_finding(code, Severity::Error, message, help);
    }

    pub(crate) fn warning(&self, code: Code, message: String, help: &str) {
        self.add_finding(code, Severity::Warning, message, help);
    }

    pub(crate) fn note(&self, code: Code, message: String, help: &str) {
        self.add_finding(code, Severity::Note, message, help);
    }

    pub(crate) fn add_finding(&self, code: Code, severity: Severity, message: String, help: &str) {
        let finding = Finding::new(code, severity, message, help);
        self.with_findings(|findings| findings.add(finding, self.path));
    }

    pub(crate) fn report(&self, bad: &BadReference) {
        self.with_findings(|findings| bad.report(findings));
    }

    pub(crate) fn with_findings<T>(&self, add: impl FnOnce(&mut Findings) -> T) -> T {
        let mut findings = self.findings.take();
        let added = add(&mut findings);
        self.findings.set(findings);
        added
    }
}
