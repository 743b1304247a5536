//! The request that a call would send, as people read it.

use callgate_tool::Value;
use maud::{Markup, html};

use crate::{json_view, layout::member_text};

/// A request: its method and address, its headers and its body; or the words about a call that sends none.
pub(crate) fn show(planned: &Value) -> Markup {
    let headers = planned.get("headers").and_then(Value::as_object);
    html! {
        @if !member_text(planned, "text").is_empty() { (json_view::shortened_text_frame(member_text(planned, "text"), "call")) }
        @else { p.request { strong { (member_text(planned, "method")) } " " code { (member_text(planned, "url")) } } }
        @if let Some(headers) = headers.filter(|headers| !headers.is_empty()) {
            dl.facts { @for (name, value) in headers.iter() { div { dt { (name) } dd { code { (value.text_or_json()) } } } } }
        }
        @match planned.get("body") {
            None | Some(Value::Null) => {}
            Some(Value::String(body)) => (json_view::shortened_text_frame(body, "body")),
            Some(body) => (json_view::json_frame(body, "body")),
        }
    }
}
