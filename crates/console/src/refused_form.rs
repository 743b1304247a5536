//! The page in place of what a refused form asked for: one that is not of this process and sign-in, or too large. Nothing was done; the
//! way back keeps what was typed.

use callgate_gateway::{PageRequest, PageResponse};
use maud::html;

use crate::{
    layout::{self, Section},
    paths,
};

pub(crate) fn page(request: &PageRequest, reason: &str) -> PageResponse {
    let segments = paths::segments(request.path());
    let address = match segments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tools", name, ..] => paths::filled_form(name, request.field("json"))
            .unwrap_or_else(|| paths::page(&["tools", name])),
        [first @ ("agents" | "approvals" | "drafts"), ..] => paths::page(&[first]),
        _ => paths::page(&[]),
    };
    let content = html! {
        h1 { "Nothing was done" }
        p { (layout::sentence_with_literals(reason)) }
        p { a.button href=(address) { "Open the page again" } }
    };
    layout::show(request, Section::None, "Nothing was done", &content)
}
