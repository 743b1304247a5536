//! The page in place of what a refused form asked for: one that is not of this process and sign-in, or too large. Nothing was done; the
//! way back keeps what was typed.

use callgate_gateway::{PageRequest, PageResponse};
use maud::html;

use crate::{
    layout::{self, Section},
    paths,
};

pub(crate) fn page(request: &PageRequest, reason: &str) -> PageResponse {
    let segments = paths::decoded_segments(request.path_below_console());
    let address = match segments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tools", name, ..] => paths::filled_form_address(name, request.field("json"))
            .unwrap_or_else(|| paths::console_address(&["tools", name])),
        [first @ ("agents" | "approvals" | "drafts"), ..] => paths::console_address(&[first]),
        _ => paths::console_address(&[]),
    };
    let content = html! {
        h1 { "Nothing was done" }
        p { (layout::sentence_with_literals(reason)) }
        p { a.button href=(address) { "Open the page again" } }
    };
    layout::page_in_frame(request, Section::None, "Nothing was done", &content)
}
