//! The last calls, as they end; and one with its journal.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::Value;
use maud::{Markup, html};

use crate::{
    json_view,
    layout::{self, Section, items, number, text, tool_link},
    outcome, paths,
};

pub(crate) async fn page(request: &PageRequest) -> PageResponse {
    let answer = request.get("/v1/admin/calls", &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Calls, answer).await;
    }
    let listed = answer.value().await;
    let calls = items(&listed, "calls");
    let content = html! {
        h1 { "Calls" }
        p.quiet #live role="status" {
            @if calls.len() > MOST_SHOWN { "The newest " (MOST_SHOWN) " of " (layout::counted_noun(calls.len(), "call")) }
            @else { (layout::counted_noun(calls.len(), "call")) ", the newest first" }
        }
        div.scroll tabindex="0" role="group" aria-label="Calls" {
            table.calls data-live={ "/console/calls/events?after=" (number(&listed, "latest")) } {
                thead { tr { th.number { "Call" } th { "Ended (UTC)" } th { "Tool" } th { "Ending" } th.number { "HTTP" } th.number { "ms" } th.number { "Requests" } th { "Reached" } th { "Principal" } th { "Notes" } } }
                tbody { @for call in calls.iter().take(MOST_SHOWN) { (call_row(call)) } }
            }
        }
        @if calls.is_empty() { p.quiet #none { "No call has ended yet. Try a tool from " a href="/console" { "Tools" } ", or call one: each appears here as it ends." } }
    };
    layout::show(request, Section::Calls, "Calls", &content)
}

fn call_row(call: &Value) -> Markup {
    let number_of_call = number(call, "number");
    html! {
        tr data-ending=(ending_kind(text(call, "ending"))) {
            td.number { a href=(paths::page(&["calls", &number_of_call])) { (number_of_call) } }
            td { time datetime=(text(call, "at")) { (text(call, "at").get(11..19).unwrap_or_default()) } }
            td { (tool_link(text(call, "tool"))) }
            td { span.mark { (text(call, "ending")) } }
            td.number { (number(call, "status")) }
            td.number { (number(call, "ms")) }
            td.number { (number(call, "attempts")) }
            td { (text(call, "reached")) }
            td { (text(call, "principal")) }
            td { @for note in items(call, "notes").iter().filter_map(Value::as_str) { span.help { (layout::sentence_with_literals(note)) } } }
        }
    }
}

fn ending_kind(ending: &str) -> &'static str {
    match ending {
        "answered" | "planned" => "fine",
        "pending" => "waits",
        _ => "failed",
    }
}

/// The calls as they end, for the script.
pub(crate) async fn event_stream(request: &PageRequest) -> PageResponse {
    let path = format!("/v1/admin/calls{}", paths::query(&[("after", request.query("after"))]));
    let mut headers = vec![("accept", "text/event-stream")];
    let seen = request.header("last-event-id");
    if !seen.is_empty() {
        headers.push(("last-event-id", seen));
    }
    PageResponse::forward(request.get(&path, &headers).await)
}

pub(crate) async fn page_of_one(request: &PageRequest, number_of_call: &str) -> PageResponse {
    let path = format!("/v1/admin/calls/{}", paths::encoded(number_of_call));
    let answer = request.get(&path, &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Calls, answer).await;
    }
    let call = answer.value().await;
    let facts = [
        ("id", text(&call, "id").to_owned()),
        ("ended", text(&call, "at").to_owned()),
        ("ending", text(&call, "ending").to_owned()),
        ("HTTP", number(&call, "status")),
        ("reached the service", text(&call, "reached").to_owned()),
        ("milliseconds", number(&call, "ms")),
        ("requests", number(&call, "attempts")),
        ("principal", text(&call, "principal").to_owned()),
    ];
    let values = [("arguments", "Arguments"), ("result", "Result")];
    let content = html! {
        p.path { a href="/console/calls" { "Calls" } " / " (number_of_call) }
        h1 data-ending=(ending_kind(text(&call, "ending"))) { (tool_link(text(&call, "tool"))) " " span.mark { (text(&call, "ending")) } }
        (layout::facts_list(&facts))
        h2 { "Journal" }
        (outcome::journal_entries(&call))
        @if items(&call, "journal").is_empty() { p { "Nothing was decided: the journal is empty." } }
        @for (member, title) in values.iter().filter(|(member, _)| call.get(*member).is_some()) {
            h2 { (title) }
            (json_view::show_text(&indented_json(text(&call, member)), title))
            @if Value::parse(text(&call, member)).is_err() { p.quiet { "Only this beginning is kept." } }
        }
        @if call.get("arguments").is_none() { p.quiet { "Arguments and results are kept with " code { "call_values: true" } "." } }
        @if let Some(again) = paths::filled_form(text(&call, "tool"), text(&call, "arguments")) { p { a.button href=(again) { "Try it again" } } }
    };
    layout::show(request, Section::Calls, "Call", &content)
}

/// A whole JSON text with its members on lines; the beginning of one as it is.
fn indented_json(text: &str) -> String {
    Value::parse(text).map_or_else(|_| text.to_owned(), |value| json_view::pretty(&value))
}

/// As many rows as a person reads.
const MOST_SHOWN: usize = 200;
