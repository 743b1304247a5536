//! The calls that wait for an approval: each in words and as it would be sent, and the decision about it.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Pending, Value, json};
use maud::{Markup, html};

use crate::{
    decision::decision_form,
    json_view,
    layout::{self, Section, effect_mark, member_items, member_text, tool_link},
    outcome, paths,
};

pub(crate) async fn page(request: &PageRequest) -> PageResponse {
    let query = paths::query(&[("cursor", request.query_parameter("cursor"))]);
    let answer = request.get_own_path(&format!("/v1/approvals{query}"), &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Approvals, answer).await;
    }
    let listed = answer.json_or_problem().await;
    let approvals = member_items(&listed, "approvals");
    let next = member_text(&listed, "nextCursor");
    let content = html! {
        h1 { "Approvals" }
        @if !approvals.is_empty() { p.quiet role="status" { (layout::counted_noun(approvals.len(), "call")) " waiting, or decided and not made yet" } }
        @for approval in approvals { (approval_card(request, approval)) }
        @if approvals.is_empty() { p.quiet { "No call waits for a person. Calls of a toolset with " code { "confirm: writes" } " wait here before they are sent." } }
        @if !next.is_empty() { p { a.button href={ "/console/approvals" (paths::query(&[("cursor", next)])) } rel="next" { "More" } } }
    };
    layout::page_in_frame(request, Section::Approvals, "Approvals", &content)
}

/// One approval with its whole request.
pub(crate) async fn single_approval_page(request: &PageRequest, id: &str) -> PageResponse {
    let answer =
        request.get_own_path(&format!("/v1/approvals/{}", paths::percent_encoded(id)), &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Approvals, answer).await;
    }
    let approval = answer.json_or_problem().await;
    let content = html! { h1 { "Approval" } (approval_card(request, &approval)) };
    layout::page_in_frame(request, Section::Approvals, "Approval", &content)
}

pub(crate) async fn decide(request: &PageRequest, id: &str) -> PageResponse {
    let path = format!("/v1/approvals/{}", paths::percent_encoded(id));
    // One that was decided and used is not there any more; its call may have a result that is kept. A sign-in never is there.
    let is_sign_in = id.starts_with(Pending::SIGN_IN);
    let is_open = is_sign_in || request.get_own_path(&path, &[]).await.is_success();
    let body = json!({"decision": (request.field("decision"))});
    let answer = request.post(&path, &body).await;
    let is_repeated = !is_open && answer.is_success();
    let content = html! {
        p.path { a href="/console/approvals" { "Approvals" } }
        h1 { "Approval" }
        @if is_repeated {
            p.note role="status" { strong { "It was decided before: this is what became of the call." } " Nothing was done now." }
        }
        (outcome::show_decided(request, answer).await)
    };
    layout::page_in_frame(request, Section::Approvals, "Decided", &content)
}

fn approval_card(request: &PageRequest, approval: &Value) -> Markup {
    let (id, state) = (member_text(approval, "id"), member_text(approval, "state"));
    let is_own = approval.get("own").and_then(Value::as_bool) == Some(true);
    let may_decide = approval.get("mayDecide").and_then(Value::as_bool) == Some(true);
    html! {
        article.card {
            h2 { (tool_link(member_text(approval, "tool"))) " " (effect_mark(member_text(approval, "effect"))) " " span.mark { (state) } }
            p { (member_text(approval, "description")) }
            dl.facts {
                @if !member_text(approval, "caller").is_empty() { div { dt { "asked by" } dd { (member_text(approval, "caller")) @if is_own { " (you)" } } } }
                div { dt { "asked" } dd { (member_text(approval, "asked")) } }
                div { dt { "ends" } dd { (member_text(approval, "expires")) } }
            }
            @match approval.get("request") {
                Some(planned) => {
                    pre.words tabindex="0" role="region" aria-label="request in words" { (member_text(approval, "text")) }
                    details { summary { "As it would be sent" } (json_view::json_frame(planned, "request")) }
                }
                None => p { a href=(paths::console_address(&["approvals", id])) { "The request is long: open it" } },
            }
            @if may_decide { (decision_form(request, id, &["approve", "reject"])) }
            @if is_own && state == "approved" { (decision_form(request, id, &["run"])) }
            @if !may_decide && state == "waiting" { p.quiet { "Somebody else has to decide." } }
        }
    }
}
