//! Reports text in place of JSON. For HTTP this is a success: the page of a login, or another server.

use callgate::{Content, Entry, Outcome, ToolResult};

use super::place::Place;
use crate::output;

/// Reports a text if the description declares only JSON; `place` says where the server is named.
pub(super) fn tell(entry: Option<Entry<'_>>, result: &ToolResult, place: &Place) {
    let Outcome::Answered(answer) = &result.outcome else { return };
    let Content::Text { .. } = &answer.content else { return };
    let Some(operation) = entry.and_then(Entry::operation) else { return };
    let expected = &*operation.accept;
    if expected.is_empty() || !expected.iter().all(|known| known.ends_with("json")) {
        return;
    }
    let expected = expected.iter().map(|known| format!("`{known}`"));
    let expected = expected.collect::<Vec<_>>().join(" or ");
    let server = place.setting("`--server URL`", "`server:`");
    output::talk(&format!(
        "warning: expected {expected}, got text: the page of a login, maybe, or of another server\n\
         help: see that the credential is right, and that the server is that of the API: {server}\n"
    ));
}
