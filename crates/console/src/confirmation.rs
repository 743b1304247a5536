//! The word of a person who has seen the request of a write: it stands for that request, and for one call.

use callgate_gateway::PageRequest;
use callgate_tool::{FingerprintHasher, Value, hexadecimal};
use maud::{Markup, html};

use crate::{
    layout::{self, ANCHOR},
    paths,
    tool::Trial,
};

/// True if a form confirms this request of a tool.
pub(crate) fn is_confirmed_request(request: &PageRequest, tool: &str, planned: &Value) -> bool {
    !confirmed_call_key(request).is_empty()
        && request.field("shown") == planned_request_digest(tool, planned)
}

/// The idempotency key of the call that a form confirms; empty if it confirms none. A form that is sent again makes no other call.
pub(crate) fn confirmed_call_key(request: &PageRequest) -> &str {
    if request.field("do") == "confirmed" { request.field("key") } else { "" }
}

/// The key of a call that was not confirmed yet: of the form that it comes from, its arguments and its session. Who goes back and
/// sends the form again means the same call.
fn unconfirmed_call_key(request: &PageRequest, trial: &Trial<'_>) -> String {
    let origin = request.field("origin");
    let mut hasher = FingerprintHasher::default();
    if origin.is_empty() {
        hasher.add_text(&PageRequest::random_form_key())
    } else {
        hasher.add_text(origin)
    };
    hasher.add_text(&trial.json).add_text(&trial.session);
    hexadecimal(hasher.finish().as_bytes())
}

/// The form that sends what a person has seen as a request.
pub(crate) fn confirmation_form(
    request: &PageRequest,
    tool: &str,
    planned: &Value,
    trial: &Trial<'_>,
) -> Markup {
    let is_changed = request.field("do") == "confirmed";
    let page = paths::console_address(&["tools", tool]);
    html! {
        form.confirm method="post" action={ (page) (ANCHOR) } data-once="" {
            (hidden_fields(request, trial))
            input type="hidden" name="key" value=(if is_changed { confirmed_call_key(request).to_owned() } else { unconfirmed_call_key(request, trial) });
            input type="hidden" name="shown" value=(planned_request_digest(tool, planned));
            @if is_changed {
                p role="alert" { strong { "The request is not the one that you saw: the configuration or the session has changed." }
                    " Nothing was sent; this is what would be sent now." }
            } @else {
                p { strong { "This changes something." } " Nothing was sent yet: this is the request." }
            }
            button.primary type="submit" name="do" value="confirmed" { "Send it" }
            " " a href=(paths::filled_form_address(tool, &trial.json).unwrap_or(page)) { "Do not send it" }
        }
    }
}

/// The form that asks for the result of a call that still runs.
pub(crate) fn running_call_form(request: &PageRequest, tool: &str, trial: &Trial<'_>) -> Markup {
    html! {
        form.confirm method="post" action={ (paths::console_address(&["tools", tool])) (ANCHOR) } data-once="" {
            (hidden_fields(request, trial))
            input type="hidden" name="key" value=(confirmed_call_key(request));
            input type="hidden" name="shown" value=(request.field("shown"));
            p { "The call was sent before, and runs. It is not made again." }
            button.primary type="submit" name="do" value="confirmed" { "Show its result" }
        }
    }
}

fn hidden_fields(request: &PageRequest, trial: &Trial<'_>) -> Markup {
    html! {
        (layout::form_token(request))
        input type="hidden" name="source" value="json";
        textarea.hidden name="json" aria-hidden="true" tabindex="-1" readonly { "\n" (trial.json) }
        textarea.hidden name="session" aria-hidden="true" tabindex="-1" readonly { "\n" (trial.session) }
    }
}

/// The digest of a tool's request as a dry run shows it; its command line says nothing more.
fn planned_request_digest(tool: &str, planned: &Value) -> String {
    let mut shown = planned.get("request").cloned().unwrap_or_default();
    if let Some(members) = shown.as_object_mut() {
        members.remove("curl");
    }
    let mut hasher = FingerprintHasher::default();
    hasher.add_text(tool).add_value(&shown);
    hexadecimal(hasher.finish().as_bytes())
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn requests_have_digests_of_their_own_whatever_their_command_lines() {
        let planned = |url: &str, curl: &str| json!({"request": {"method": "POST", "url": url, "curl": curl, "body": "1"}});
        let first = planned_request_digest("a", &planned("https://a.example", "x"));
        assert_eq!(first, planned_request_digest("a", &planned("https://a.example", "y")));
        assert_ne!(first, planned_request_digest("a", &planned("https://b.example", "x")));
        assert_ne!(first, planned_request_digest("b", &planned("https://a.example", "x")));
    }
}
