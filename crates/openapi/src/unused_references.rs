//! Checks references in parts that no call reads: responses other than success, headers, links, examples, callbacks. A
//! broken one loses nothing for a call, so it is a note, and only `check` looks for them.

use crate::{
    code::Code,
    cursor::Cursor,
    reference::{BadReference, LocatedNode},
};

pub(crate) fn report_broken_references(operation: Cursor<'_, '_>) {
    visit_each_part(operation, "parameters", |parameter| {
        visit_each_part(parameter, "examples", |_| {});
        visit_media_examples(parameter);
    });
    if let Some(body) = operation.unresolved_member("requestBody")
        && let Some(resolved_body) = target_or_note(body)
    {
        visit_media_examples(body.at_node(&resolved_body));
    }
    visit_each_part(operation, "responses", |response| {
        visit_each_part(response, "headers", |header| visit_each_part(header, "examples", |_| {}));
        visit_each_part(response, "links", |_| {});
        visit_media_examples(response);
    });
    visit_each_part(operation, "callbacks", |_| {});
}

fn visit_media_examples(at: Cursor<'_, '_>) {
    visit_each_part(at, "content", |media| visit_each_part(media, "examples", |_| {}));
}

fn visit_each_part<'d>(at: Cursor<'d, '_>, name: &str, mut look: impl FnMut(Cursor<'d, '_>)) {
    let Some(several) = at.unresolved_member(name) else { return };
    let mut look_at = |part: Cursor<'d, '_>| {
        if let Some(resolved_part) = target_or_note(part) {
            look(part.at_node(&resolved_part));
        }
    };
    several.affordable_items(PART).for_each(&mut look_at);
    let is_read = |name: &str| !name.starts_with("x-");
    several.affordable_named_members(is_read, PART).for_each(|(_, part)| look_at(part));
}

fn target_or_note<'d>(at: Cursor<'d, '_>) -> Option<LocatedNode<'d>> {
    let note = |bad: BadReference| {
        let message = format!("expected {}, got: `{}`", bad.expected, bad.reference);
        let help = "correct the reference or add the part it names; no call needs it";
        at.with_report_pointer(&bad.pointer).note(Code::MissingReference, message, help);
    };
    at.target_without_report().map_err(note).ok()
}

/// The cost to visit a part, in steps.
const PART: usize = 4;
