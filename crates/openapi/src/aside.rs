//! References in what no call reads: the answers that tell of no success, headers, links, examples, callbacks. Nothing
//! is lost for a call where one of them leads nowhere, so it is a note, and only `check` looks for them.

use callgate_tree::{Node, Object};

use crate::{
    code::Code,
    document::Document,
    findings::Findings,
    reference::{Located, follow},
};

/// Reports the references beside an operation that lead nowhere.
pub(crate) fn examine(document: &Document, operation: &Located<'_>, findings: &mut Findings) {
    let mut aside = Aside { document, findings };
    aside.each(operation, "parameters", |aside, parameter| {
        aside.each(parameter, "examples", |_, _| {});
        aside.media(parameter);
    });
    if let Some(body) = operation.member("requestBody").and_then(|body| aside.target(&body)) {
        aside.media(&body);
    }
    aside.each(operation, "responses", |aside, response| {
        aside.each(response, "headers", |aside, header| {
            aside.each(header, "examples", |_, _| {});
        });
        aside.each(response, "links", |_, _| {});
        aside.media(response);
    });
    aside.each(operation, "callbacks", |_, _| {});
}

struct Aside<'a, 'd> {
    document: &'d Document,
    findings: &'a mut Findings,
}

impl<'d> Aside<'_, 'd> {
    fn media(&mut self, at: &Located<'d>) {
        self.each(at, "content", |aside, media| aside.each(media, "examples", |_, _| {}));
    }

    /// Looks at the members or items of the member `name`, behind their references.
    fn each(
        &mut self,
        at: &Located<'d>,
        name: &str,
        mut look: impl FnMut(&mut Self, &Located<'d>),
    ) {
        let Some(several) = at.member(name) else { return };
        let n_parts = several.node.as_array().map_or(0, <[Node]>::len)
            + several.node.as_object().map_or(0, Object::len);
        let path = several.path();
        if !self.document.spend(n_parts * (PART + path.weight())) {
            return;
        }
        let parts: Vec<_> = match several.node {
            Node::Array(items) => items
                .iter()
                .enumerate()
                .map(|(at, item)| (item, path.index(at).pointer()))
                .collect(),
            Node::Object(members) => {
                let members = members.iter().filter(|(name, _)| !name.starts_with("x-"));
                members.map(|(name, member)| (member, path.name(name).pointer())).collect()
            }
            _ => return,
        };
        for (node, pointer) in parts {
            if let Some(found) = self.target(&Located { node, pointer }) {
                look(self, &found);
            }
        }
    }

    fn target(&mut self, at: &Located<'d>) -> Option<Located<'d>> {
        match follow(self.document, at.node, &at.path()) {
            Ok(found) => Some(found),
            Err(bad) => {
                let message = format!("expected {}, got: `{}`", bad.expected, bad.reference);
                let help = "correct the reference or add the part it names; no call needs it";
                self.findings.note(Code::MissingReference, &bad.pointer, message, help);
                None
            }
        }
    }
}

/// What it takes to look at a part, in steps.
const PART: usize = 4;
