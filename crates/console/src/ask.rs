//! A turn with an agent: what it was asked, the calls that it made, those that wait, and its answer. Each form has a key, so that a
//! turn whose page is loaded again is shown again and not taken twice; by it a script that watched a turn gets the page of its end.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Value, json};
use maud::{Markup, html};

use crate::{
    commands, json_view,
    layout::{
        self, Section, counted_member, member_items, member_number_text, member_text, tool_link,
    },
    outcome, paths, planned_request,
};

pub(crate) async fn page(request: &PageRequest) -> PageResponse {
    page_with_turn(request, &html! {}).await
}

async fn page_with_turn(request: &PageRequest, turn: &Markup) -> PageResponse {
    let answer = request.get_own_path("/v1/agents", &[]).await;
    if answer.status == 404 {
        let content = html! { h1 { "Ask" } p { "This command was built without agents." } };
        return layout::page_in_frame(request, Section::Ask, "Ask", &content);
    }
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Ask, answer).await;
    }
    let listed = answer.json_or_problem().await;
    let agents = member_items(&listed, "agents");
    let content = html! {
        h1 { "Ask" }
        p.quiet { "Takes a turn with an agent. Its calls are real; those that wait for a person wait for you." }
        @if agents.is_empty() {
            p { "The configuration has no agents: they stand below " code { "agents" } ", and their models below " code { "models" } "." }
        } @else {
            (*turn)
            (question_form(request, agents))
        }
    };
    layout::page_in_frame(request, Section::Ask, "Ask", &content)
}

fn question_form(request: &PageRequest, agents: &[Value]) -> Markup {
    let (agent, session) = (request.field("agent"), request.field("session"));
    let session = if session.is_empty() { "console" } else { session };
    html! {
        form.ask method="post" action=(ADDRESS) data-turn="" {
            (turn_form_fields(request))
            div.bar {
                label { "Agent "
                    select name="agent" {
                        @for entry in agents {
                            option value=(member_text(entry, "name")) selected[member_text(entry, "name") == agent] {
                                (member_text(entry, "name")) " · " (member_text(entry, "model"))
                                @if !member_number_text(entry, "tools").is_empty() { " · " (counted_member(entry, "tools", "tool")) }
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

/// The fields that every form of a turn holds.
fn turn_form_fields(request: &PageRequest) -> Markup {
    html! {
        (layout::form_token(request))
        input type="hidden" name="key" value=(PageRequest::random_form_key());
    }
}

/// Takes a turn with new words, or with the decisions about calls that wait. A script gets the turn as it runs.
pub(crate) async fn take_turn(request: &PageRequest) -> PageResponse {
    let path = format!("/v1/agents/{}/turns", paths::percent_encoded(request.field("agent")));
    let body = turn_body(request);
    let key = turn_idempotency_key(request.field("key"), &path, &body);
    let mut headers = vec![("idempotency-key", &*key)];
    if request.header("accept") == EVENTS {
        headers.push(("accept", EVENTS));
        return PageResponse::forward(request.post_json_with_headers(&path, &headers, &body).await);
    }
    let answer = request.post_json_with_headers(&path, &headers, &body).await;
    let is_success = answer.is_success();
    let turn = answer.json_or_problem().await;
    let shown =
        if is_success { turn_section(request, &turn) } else { outcome::problem_section(&turn) };
    page_with_turn(request, &shown).await
}

fn turn_body(request: &PageRequest) -> Value {
    let (session, record) = (json!({"id": (request.field("session"))}), request.may_record());
    if request.field("decision").is_empty() {
        let words = request.field("input").replace("\r\n", "\n");
        return json!({"session": session, "input": (words.as_str()), "record": record});
    }
    let calls = request.fields().iter().filter(|(name, _)| name == "call");
    let decided =
        calls.map(|(_, id)| json!({"id": (id.as_str()), "decision": (request.field("decision"))}));
    json!({"session": session, "approvals": (Value::Array(decided.collect())), "record": record})
}

/// The idempotency key of what a form says: another text in the form of a page that was shown again is another turn.
fn turn_idempotency_key(key: &str, path: &str, body: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    (path, body.to_string()).hash(&mut hasher);
    format!("{}{:016x}", key.get(..MOST_KEY).unwrap_or(key), hasher.finish())
}

fn turn_section(request: &PageRequest, turn: &Value) -> Markup {
    let end = turn.get("end").unwrap_or(&Value::Null);
    let usage = turn.get("usage").unwrap_or(&Value::Null);
    html! {
        section.outcome aria-labelledby="turn" {
            h2 #turn { "Turn" }
            @if !member_text(turn, "text").is_empty() { p.answer { (member_text(turn, "text")) } }
            p.quiet role="status" {
                (member_text(end, "reason")) " · " (counted_member(turn, "rounds", "round")) " · " (counted_member(turn, "calls", "call")) " · "
                (counted_member(usage, "input", "token")) " in, " (member_number_text(usage, "output")) " out"
            }
            @if !member_text(end, "detail").is_empty() { p.problem { (member_text(end, "detail")) } }
            @if !member_text(turn, "repaired").is_empty() { p.quiet { (member_text(turn, "repaired")) } }
            (waiting_calls(request, member_items(turn, "pending")))
            (recording_section(request, turn.get("recording").unwrap_or(&Value::Null)))
            ol.messages {
                @for message in member_items(turn, "messages") {
                    li { details { summary { strong { (message_role(message)) } " " span.quiet { (message_line(message)) } } (json_view::json_frame(message, "message")) } }
                }
            }
        }
    }
}

/// The turn as a fixture. Where it was not recorded, the command that takes it again and records it.
fn recording_section(request: &PageRequest, recorded: &Value) -> Markup {
    let handle = member_text(recorded, "handle");
    let (folder, session) = (format!("{}-turn", request.field("agent")), request.field("session"));
    let name = format!("{folder}.zip");
    let query = [("download", "true"), ("name", &*name), ("session", session)];
    let words = request.field("input").replace("\r\n", "\n");
    html! {
        @if !handle.is_empty() {
            p.actions {
                a.button href={ (paths::console_address(&["results", handle])) (paths::query(&query)) } { "Save as a fixture" }
                span.quiet { "Unpack it beside the configuration: " code { "callgate test " (folder) } " replays the turn without the model and the services." }
            }
        } @else {
            @if !member_text(recorded, "problem").is_empty() {
                p.quiet { "The turn is no fixture: " (member_text(recorded, "problem")) "." }
            }
            @if !words.is_empty() {
                details {
                    summary { "Record it as a fixture" }
                    p.quiet { "This takes the turn once more, and writes down what the model and the services answered; "
                        code { "callgate test" } " replays it without them." }
                    div.copy { (json_view::shortened_text_frame(&commands::recording_command(request.field("agent"), &words), "command")) }
                }
            }
        }
    }
}

fn message_role(message: &Value) -> &str {
    let role =
        ["role", "type"].iter().map(|name| member_text(message, name)).find(|it| !it.is_empty());
    role.unwrap_or("message")
}

/// The beginning of the words and of the calls in a message, whatever the dialect of its model.
fn message_line(message: &Value) -> String {
    let mut words = Vec::new();
    collect_words(message, "", &mut words, MOST_DEPTH);
    json_view::shortened_text(&words.join(" "), MOST_SAID)
}

fn collect_words<'m>(value: &'m Value, name: &str, words: &mut Vec<&'m str>, depth: usize) {
    let Some(deeper) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => {
            for item in items {
                collect_words(item, name, words, deeper);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter() {
                collect_words(member, name, words, deeper);
            }
        }
        Value::String(text) if SPOKEN.contains(&name) => words.push(text),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}

/// The calls that wait for a decision of the person who asks.
fn waiting_calls(request: &PageRequest, pending: &[Value]) -> Markup {
    let is_approval = |call: &&Value| member_text(call, "kind") == "approval";
    let calls: Vec<_> = pending.iter().filter(is_approval).collect();
    let is_of_others = calls.iter().all(|call| member_text(call, "approvers") == "others");
    let (approve, reject) =
        if is_of_others { ("Go on", "Take it back") } else { ("Approve", "Reject") };
    html! {
        @for call in pending {
            div.card {
                p { strong { "A call waits: " } (tool_link(member_text(call, "tool"))) " " span.mark { (member_text(call, "kind")) } }
                @if let Some(planned) = call.get("request") { (planned_request::show(planned)) }
                @else if let Some(arguments) = call.get("args") { (json_view::json_frame(arguments, "arguments")) }
            }
        }
        @if !calls.is_empty() {
            form.actions method="post" action=(ADDRESS) data-turn="" {
                (turn_form_fields(request))
                input type="hidden" name="agent" value=(request.field("agent"));
                input type="hidden" name="session" value=(request.field("session"));
                @for call in calls { input type="hidden" name="call" value=(member_text(call, "id")); }
                @if is_of_others { p.quiet { "Somebody else has to decide, on the page Approvals. Then go on here." } }
                button.primary type="submit" name="decision" value="approve" { (approve) }
                " "
                button type="submit" name="decision" value="reject" { (reject) }
            }
        }
    }
}

const ADDRESS: &str = "/console/agents";
const EVENTS: &str = "text/event-stream";
/// A key is no longer than ours.
const MOST_KEY: usize = 96;
/// The members of messages that hold words, names of tools and arguments.
const SPOKEN: [&str; 6] = ["arguments", "content", "name", "output", "text", "thinking"];
/// A line of words.
const MOST_SAID: usize = 160;
const MOST_DEPTH: usize = 6;
