//! The request that a call would send, as people read it.

use callgate_tool::Value;
use maud::{Markup, html};

use crate::{json_view, layout::text};

/// A request: its method and address, its headers and its body; or the words about a call that sends none.
pub(crate) fn show(planned: &Value) -> Markup {
    let headers = planned.get("headers").and_then(Value::as_object);
    html! {
        @if !text(planned, "text").is_empty() { (json_view::show_text(text(planned, "text"), "call")) }
        @else { p.request { strong { (text(planned, "method")) } " " code { (text(planned, "url")) } } }
        @if let Some(headers) = headers.filter(|headers| !headers.is_empty()) {
            dl.facts { @for (name, value) in headers.iter() { div { dt { (name) } dd { code { (value.plain_text()) } } } } }
        }
        @match planned.get("body") {
            None | Some(Value::Null) => {}
            Some(Value::String(body)) => (json_view::show_text(body, "body")),
            Some(body) => (json_view::json_frame(body, "body")),
        }
    }
}
