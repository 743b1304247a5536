//! The part of a result that waits for a person, and the form that decides about it.

use callgate_gateway::PageRequest;
use callgate_tool::{Pending, Value};
use maud::{Markup, html};

use crate::{
    layout::{self, member_text},
    paths, planned_request,
};

/// The part of a result that waits: for a decision, or for the client.
pub(crate) fn pending_section(request: &PageRequest, pending: &Value) -> Markup {
    let is_approval = member_text(pending, "kind") == "approval";
    let is_sign_in = member_text(pending, "id").starts_with(Pending::SIGN_IN);
    html! {
        div.card {
            @if is_approval {
                @if is_sign_in { p { strong { "The user has to sign in." } " The call was not made." } }
                @else { p { strong { "A person has to approve this call." } " Nothing was sent yet." } }
                @if let Some(planned) = pending.get("request") { (planned_request::show(planned)) }
                @if member_text(pending, "approvers") == "others" {
                    p { "Somebody else has to decide; then it is made from " a href="/console/approvals" { "Approvals" } "." }
                } @else { (decision_form(request, member_text(pending, "id"), &["approve", "reject"])) }
            } @else {
                p { "The client runs this tool: a runtime answers it, not this page." }
            }
        }
    }
}

pub(crate) fn decision_form(request: &PageRequest, id: &str, words: &[&str]) -> Markup {
    html! {
        form.actions method="post" action=(paths::console_address(&["approvals", id])) data-once="" {
            (layout::form_token(request))
            @for word in words {
                button type="submit" name="decision" value=(word) class=[(*word != "reject").then_some("primary")] {
                    @match *word { "approve" => "Approve", "reject" => "Reject", _ => "Make the call" }
                }
                " "
            }
        }
    }
}
