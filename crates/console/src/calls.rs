//! The last calls, as they end; and one with its journal.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::Value;
use maud::{Markup, html};

use crate::{
    json_view,
    layout::{self, Section, member_items, member_number_text, member_text, tool_link},
    outcome, paths,
};

pub(crate) async fn page(request: &PageRequest) -> PageResponse {
    let answer = request.get_own_path("/v1/admin/calls", &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Calls, answer).await;
    }
    let listed = answer.json_or_problem().await;
    let calls = member_items(&listed, "calls");
    let content = html! {
        h1 { "Calls" }
        p.quiet #live role="status" {
            @if calls.len() > MOST_SHOWN { "The newest " (MOST_SHOWN) " of " (layout::counted_noun(calls.len(), "call")) }
            @else { (layout::counted_noun(calls.len(), "call")) ", the newest first" }
        }
        div.scroll tabindex="0" role="group" aria-label="Calls" {
            table.calls data-live={ "/console/calls/events?after=" (member_number_text(&listed, "latest")) } {
                thead { tr { th.number { "Call" } th { "Ended (UTC)" } th { "Tool" } th { "Ending" } th.number { "HTTP" } th.number { "ms" } th.number { "Requests" } th { "Reached" } th { "Principal" } th { "Notes" } } }
                tbody { @for call in calls.iter().take(MOST_SHOWN) { (call_row(call)) } }
            }
        }
        @if calls.is_empty() { p.quiet #none { "No call has ended yet. Try a tool from " a href="/console" { "Tools" } ", or call one: each appears here as it ends." } }
    };
    layout::page_in_frame(request, Section::Calls, "Calls", &content)
}

fn call_row(call: &Value) -> Markup {
    let number_of_call = member_number_text(call, "number");
    html! {
        tr data-ending=(ending_kind(member_text(call, "ending"))) {
            td.number { a href=(paths::console_address(&["calls", &number_of_call])) { (number_of_call) } }
            td { time datetime=(member_text(call, "at")) { (member_text(call, "at").get(11..19).unwrap_or_default()) } }
            td { (tool_link(member_text(call, "tool"))) }
            td { span.mark { (member_text(call, "ending")) } }
            td.number { (member_number_text(call, "status")) }
            td.number { (member_number_text(call, "ms")) }
            td.number { (member_number_text(call, "attempts")) }
            td { (member_text(call, "reached")) }
            td { (member_text(call, "principal")) }
            td { @for note in member_items(call, "notes").iter().filter_map(Value::as_str) { span.help { (layout::sentence_with_literals(note)) } } }
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
pub(crate) async fn ended_calls_stream(request: &PageRequest) -> PageResponse {
    let path =
        format!("/v1/admin/calls{}", paths::query(&[("after", request.query_parameter("after"))]));
    let mut headers = vec![("accept", "text/event-stream")];
    let seen = request.header("last-event-id");
    if !seen.is_empty() {
        headers.push(("last-event-id", seen));
    }
    PageResponse::forward(request.get_own_path(&path, &headers).await)
}

pub(crate) async fn single_call_page(request: &PageRequest, number_of_call: &str) -> PageResponse {
    let path = format!("/v1/admin/calls/{}", paths::percent_encoded(number_of_call));
    let answer = request.get_own_path(&path, &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Calls, answer).await;
    }
    let call = answer.json_or_problem().await;
    let facts = [
        ("id", member_text(&call, "id").to_owned()),
        ("ended", member_text(&call, "at").to_owned()),
        ("ending", member_text(&call, "ending").to_owned()),
        ("HTTP", member_number_text(&call, "status")),
        ("reached the service", member_text(&call, "reached").to_owned()),
        ("milliseconds", member_number_text(&call, "ms")),
        ("requests", member_number_text(&call, "attempts")),
        ("principal", member_text(&call, "principal").to_owned()),
    ];
    let values = [("arguments", "Arguments"), ("result", "Result")];
    let content = html! {
        p.path { a href="/console/calls" { "Calls" } " / " (number_of_call) }
        h1 data-ending=(ending_kind(member_text(&call, "ending"))) { (tool_link(member_text(&call, "tool"))) " " span.mark { (member_text(&call, "ending")) } }
        (layout::facts_list(&facts))
        h2 { "Journal" }
        (outcome::journal_entries(&call))
        @if member_items(&call, "journal").is_empty() { p { "Nothing was decided: the journal is empty." } }
        @for (member, title) in values.iter().filter(|(member, _)| call.get(*member).is_some()) {
            h2 { (title) }
            (json_view::shortened_text_frame(&indented_if_json(member_text(&call, member)), title))
            @if Value::parse(member_text(&call, member)).is_err() { p.quiet { "Only this beginning is kept." } }
        }
        @if call.get("arguments").is_none() { p.quiet { "Arguments and results are kept with " code { "call_values: true" } "." } }
        @if let Some(again) = paths::filled_form_address(member_text(&call, "tool"), member_text(&call, "arguments")) { p { a.button href=(again) { "Try it again" } } }
    };
    layout::page_in_frame(request, Section::Calls, "Call", &content)
}

/// A whole JSON text with its members on lines; the beginning of one as it is.
fn indented_if_json(text: &str) -> String {
    Value::parse(text).map_or_else(|_| text.to_owned(), |value| json_view::indented_json(&value))
}

/// As many rows as a person reads.
const MOST_SHOWN: usize = 200;
