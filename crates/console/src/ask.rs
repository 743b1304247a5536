//! A turn with an agent: what it was asked, the calls that it made, those that wait, and its answer.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Value, json};
use maud::{Markup, html};

use crate::{
    json_view,
    layout::{self, Section, items, number, text, tool_link},
    outcome, paths,
};

pub(crate) async fn page(request: &PageRequest) -> PageResponse {
    show(request, &html! {}).await
}

async fn show(request: &PageRequest, turn: &Markup) -> PageResponse {
    let answer = request.get("/v1/agents", &[]).await;
    if answer.status == 404 {
        let content = html! { h1 { "Ask" } p { "This command was built without agents." } };
        return layout::show(request, Section::Ask, "Ask", &content);
    }
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Ask, answer).await;
    }
    let listed = answer.value().await;
    let agents = items(&listed, "agents");
    let content = html! {
        h1 { "Ask" }
        @if agents.is_empty() {
            p { "The configuration has no agents: they stand below " code { "agents" } ", and their models below " code { "models" } "." }
        } @else {
            (*turn)
            (question(request, agents))
        }
    };
    layout::show(request, Section::Ask, "Ask", &content)
}

fn question(request: &PageRequest, agents: &[Value]) -> Markup {
    let (agent, session) = (request.field("agent"), request.field("session"));
    let session = if session.is_empty() { "console" } else { session };
    html! {
        form.ask method="post" action="/console/agents" {
            (layout::form_token(request))
            div.bar {
                label { "Agent "
                    select name="agent" {
                        @for entry in agents {
                            option value=(text(entry, "name")) selected[text(entry, "name") == agent] {
                                (text(entry, "name")) " · " (text(entry, "model"))
                                @if !number(entry, "tools").is_empty() { " · " (number(entry, "tools")) " tools" }
                            }
                        }
                    } }
                label { "Session " input name="session" value=(session) required; }
            }
            label for="words" { "Your words" }
            textarea #words name="input" rows="3" required { "\n" }
            button.primary type="submit" { "Ask" }
        }
    }
}

/// Takes a turn with new words, or with the decisions about calls that wait.
pub(crate) async fn take_turn(request: &PageRequest) -> PageResponse {
    let agent = request.field("agent");
    let session = json!({"id": (request.field("session"))});
    let body = if request.field("decision").is_empty() {
        let words = request.field("input").replace("\r\n", "\n");
        json!({"session": session, "input": (words.as_str())})
    } else {
        let calls = request.fields().iter().filter(|(name, _)| name == "call");
        let decided = calls
            .map(|(_, id)| json!({"id": (id.as_str()), "decision": (request.field("decision"))}));
        json!({"session": session, "approvals": (Value::Array(decided.collect()))})
    };
    let answer = request.post(&format!("/v1/agents/{}/turns", paths::encoded(agent)), &body).await;
    let is_success = answer.is_success();
    let turn = answer.value().await;
    let shown = if is_success { shown_turn(request, &turn) } else { outcome::problem(&turn) };
    show(request, &shown).await
}

fn shown_turn(request: &PageRequest, turn: &Value) -> Markup {
    let end = turn.get("end").unwrap_or(&Value::Null);
    let usage = turn.get("usage").unwrap_or(&Value::Null);
    html! {
        section.outcome aria-labelledby="turn" {
            h2 #turn { "Turn" }
            @if !text(turn, "text").is_empty() { p.answer { (text(turn, "text")) } }
            p.quiet role="status" {
                (text(end, "reason")) " · " (number(turn, "rounds")) " rounds · " (number(turn, "calls")) " calls · "
                (number(usage, "input")) " tokens in, " (number(usage, "output")) " out"
            }
            @if !text(end, "detail").is_empty() { p.problem { (text(end, "detail")) } }
            (waiting(request, items(turn, "pending")))
            ol.messages {
                @for message in items(turn, "messages") {
                    li { details { summary { (role(message)) } (json_view::show(message, "message")) } }
                }
            }
        }
    }
}

fn role(message: &Value) -> &str {
    let role = ["role", "type"].iter().map(|name| text(message, name)).find(|it| !it.is_empty());
    role.unwrap_or("message")
}

/// The calls that wait for a decision of the person who asks.
fn waiting(request: &PageRequest, pending: &[Value]) -> Markup {
    let is_approval = |call: &&Value| text(call, "kind") == "approval";
    let calls: Vec<_> = pending.iter().filter(is_approval).collect();
    html! {
        @for call in pending {
            div.card {
                p { strong { "A call waits: " } (tool_link(text(call, "tool"))) " " span.mark { (text(call, "kind")) } }
                @if let Some(planned) = call.get("request") { (json_view::show(planned, "request")) }
                @else if let Some(arguments) = call.get("args") { (json_view::show(arguments, "arguments")) }
            }
        }
        @if !calls.is_empty() {
            form.actions method="post" action="/console/agents" {
                (layout::form_token(request))
                input type="hidden" name="agent" value=(request.field("agent"));
                input type="hidden" name="session" value=(request.field("session"));
                @for call in calls { input type="hidden" name="call" value=(text(call, "id")); }
                button.primary type="submit" name="decision" value="approve" { "Approve" }
                " "
                button type="submit" name="decision" value="reject" { "Reject" }
            }
        }
    }
}
