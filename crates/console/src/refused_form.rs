//! The page in place of what a form asked for that is not of this process and sign-in. Nothing was done; the way back keeps what was typed.

use callgate_gateway::{PageRequest, PageResponse};
use maud::html;

use crate::{
    layout::{self, Section},
    paths,
};

pub(crate) fn page(request: &PageRequest) -> PageResponse {
    let segments = paths::segments(request.path());
    let address = match segments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tools", name, ..] => paths::filled_form(name, request.field("json"))
            .unwrap_or_else(|| paths::page(&["tools", name])),
        [first @ ("agents" | "approvals" | "drafts"), ..] => paths::page(&[first]),
        _ => paths::page(&[]),
    };
    let content = html! {
        h1 { "Nothing was done" }
        p { "The form is of a page that this sidecar does not know: the sign-in has ended, the sidecar was started again, or the form came from elsewhere." }
        p { a.button href=(address) { "Open the page again" } }
    };
    layout::show(request, Section::None, "Nothing was done", &content)
}
