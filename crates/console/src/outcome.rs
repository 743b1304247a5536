//! The outcome of a call: the request, the result as the model is shown it, what was cut from it, notes and the journal; and the same
//! call in other ways.

use std::collections::BTreeSet;

use callgate_gateway::{Answer, PageRequest};
use callgate_tool::{Object, Value};
use maud::{Markup, html};

use crate::{
    commands, decision, json_view,
    layout::{counted_member, items, number, sentence_with_literals, text},
    paths,
    tried_call::TriedCall,
};

/// A dry run: the request that would be sent.
pub(crate) async fn show_planned(
    sent: &TriedCall<'_>,
    planned: Answer,
    further: &Markup,
) -> Markup {
    let result = match first_result(planned).await {
        Ok(result) => result,
        Err(problem) => return problem,
    };
    html! {
        section.outcome aria-labelledby="outcome" {
            h2 #outcome { "Dry run" }
            (fault_section(&result))
            (*further)
            @if let Some(request) = result.get("request") { (planned_request(request)) }
            (notes_section(&result))
            (journal_section(&result))
            (commands::command_list(sent, result.get("request")))
        }
    }
}

/// A call with the request that a dry run shows of it.
pub(crate) async fn show_called(sent: &TriedCall<'_>, planned: Answer, answer: Answer) -> Markup {
    let elapsed = answer.elapsed;
    let result = match first_result(answer).await {
        Ok(result) => result,
        Err(problem) => return problem,
    };
    let planned = first_result(planned).await.unwrap_or_default();
    let session = text(sent.session, "id");
    let whole = keep_whole(sent.request, &result, session).await;
    html! {
        section.outcome aria-labelledby="outcome" {
            h2 #outcome { "Result" " " span.count { (elapsed.as_millis()) " ms" } }
            (show_result(sent.request, &result, session))
            @if let Some(handle) = whole { p { (whole_link(&handle, session)) } }
            details { summary { "Request" }
                @if let Some(request) = planned.get("request") { (planned_request(request)) } @else { p { "A dry run shows none." } } }
            (commands::command_list(sent, planned.get("request")))
        }
    }
}

/// A result as its caller gets it.
pub(crate) fn show_result(request: &PageRequest, result: &Value, session: &str) -> Markup {
    html! {
        p.quiet role="status" {
            @if result.get("error").is_some() { "failed" } @else if result.get("pending").is_some() { "waits" } @else { "answered" }
            @if !number(result, "status").is_empty() { " · HTTP " (number(result, "status")) }
            @if !number(result, "attempts").is_empty() { " · " (counted_member(result, "attempts", "attempt")) }
            @if !text(result, "reached").is_empty() { " · reached the service: " (text(result, "reached")) }
        }
        (fault_section(result))
        @if let Some(pending) = result.get("pending") { (decision::pending_section(request, pending)) }
        (notes_section(result))
        @if let Some(response) = result.get("response") {
            @if let Some(rows) = rows_table(response) { (rows) }
            h3 { "Shown to the model" }
            (json_view::json_frame(response, "response"))
        }
        (cut_section(result, session))
        (journal_section(result))
        details { summary { "Whole result" } (json_view::json_frame(result, "result")) }
    }
}

/// Keeps a response that no page shows whole and that the sidecar did not keep. Returns its handle.
async fn keep_whole(request: &PageRequest, result: &Value, session: &str) -> Option<String> {
    let response = result.get("response").filter(|_| text(result, "handle").is_empty())?;
    let shown = json_view::pretty(response);
    if shown.len() <= json_view::MOST_SHOWN {
        return None;
    }
    let address = format!("/v1/results{}", paths::query(&[("session", session)]));
    let answer = request.post_file(&address, "application/json", shown.into()).await;
    let is_kept = answer.is_success();
    let kept = answer.value().await;
    is_kept.then(|| text(&kept, "handle").to_owned())
}

fn whole_link(handle: &str, session: &str) -> Markup {
    let address = paths::page(&["results", handle]);
    html! { a href={ (address) (paths::query(&[("session", session)])) } { "The whole result" } }
}

async fn first_result(answer: Answer) -> Result<Value, Markup> {
    let is_success = answer.is_success();
    let body = answer.value().await;
    if let (true, Some(result)) = (is_success, items(&body, "results").first()) {
        return Ok(result.clone());
    }
    Err(problem_section(&body))
}

/// A refusal of the sidecar.
pub(crate) fn problem_section(body: &Value) -> Markup {
    html! {
        section.outcome {
            h2 { "Refused" }
            div.problem role="alert" { p { strong { (text(body, "title")) } } p { (text(body, "detail")) } }
        }
    }
}

fn fault_section(result: &Value) -> Markup {
    let Some(error) = result.get("error") else { return html! {} };
    html! {
        div.problem role="alert" {
            p { strong { (text(error, "code")) } " " (sentence_with_literals(text(error, "message"))) }
            @for problem in items(error, "problems") {
                p { code { (text(problem, "at")) } " expected " (text(problem, "expected")) ", got " (text(problem, "got"))
                    @if !text(problem, "suggestion").is_empty() { "; did you mean " code { (text(problem, "suggestion")) } "?" } }
            }
        }
    }
}

fn planned_request(planned: &Value) -> Markup {
    let headers = planned.get("headers").and_then(Value::as_object);
    html! {
        p.request { strong { (text(planned, "method")) } " " code { (text(planned, "url")) } }
        @if let Some(headers) = headers.filter(|headers| !headers.is_empty()) {
            dl.facts { @for (name, value) in headers.iter() { div { dt { (name) } dd { code { (plain_text(value)) } } } } }
        }
        @match planned.get("body") {
            None | Some(Value::Null) => {}
            Some(Value::String(body)) => (json_view::show_text(body, "body")),
            Some(body) => (json_view::json_frame(body, "body")),
        }
    }
}

fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn notes_section(result: &Value) -> Markup {
    let notes: Vec<_> = items(result, "notes").iter().filter_map(Value::as_str).collect();
    let defaults: Vec<_> = items(result, "defaults").iter().filter_map(Value::as_str).collect();
    html! {
        @if !notes.is_empty() || !defaults.is_empty() {
            h3 { "Notes" }
            ul {
                @for note in notes { li { (sentence_with_literals(note)) } }
                @if !defaults.is_empty() { li { "defaults were sent for " (defaults.join(", ")) } }
            }
        }
    }
}

/// The parts that the model is not shown, and the way to the whole.
fn cut_section(result: &Value, session: &str) -> Markup {
    let handle = text(result, "handle");
    let truncated = result.get("truncated");
    html! {
        @if let Some(truncated) = truncated {
            h3 { "Cut" }
            (json_view::json_frame(truncated, "what was cut"))
        }
        @if !handle.is_empty() { p { (whole_link(handle, session)) } }
    }
}

fn journal_section(result: &Value) -> Markup {
    html! { @if !items(result, "journal").is_empty() { h3 { "Journal" } (journal_entries(result)) } }
}

/// The entries of a journal, without a heading.
pub(crate) fn journal_entries(opened: &Value) -> Markup {
    let entries = items(opened, "journal");
    html! {
        @if !entries.is_empty() {
            ol.journal {
                @for entry in entries {
                    li { span.event { (text(entry, "event")) } " " (sentence_with_literals(text(entry, "text"))) }
                }
            }
        }
    }
}

/// A table of a list of objects with plain values: rows of a database, snippets of documents.
fn rows_table(response: &Value) -> Option<Markup> {
    let list =
        response.as_array().or_else(|| response.as_object()?.values().find_map(Value::as_array))?;
    let shown: Option<Vec<&Object>> = list.iter().take(MOST_ROWS).map(Value::as_object).collect();
    let shown = shown.filter(|shown| !shown.is_empty())?;
    let mut columns: Vec<&String> = Vec::new();
    let mut seen = BTreeSet::new();
    for name in shown.iter().flat_map(|row| row.keys()).filter(|name| seen.insert(*name)) {
        columns.push(name);
    }
    let n_columns = columns.len();
    columns.truncate(MOST_COLUMNS);
    let cell = |row: &Object, name: &str| {
        let text = row.get(name).map(plain_text).unwrap_or_default();
        let end = text.floor_char_boundary(MOST_CELL);
        match text.get(..end) {
            Some(shown) if shown.len() < text.len() => format!("{shown}…"),
            _ => text,
        }
    };
    Some(html! {
        div.scroll tabindex="0" role="group" aria-label="table" {
            table {
                caption { (list.len()) " rows" @if shown.len() < list.len() { ", the first " (shown.len()) " of them" }
                    @if columns.len() < n_columns { ", the first " (columns.len()) " of " (n_columns) " columns" } }
                thead { tr { @for column in &columns { th { (column) } } } }
                tbody { @for row in &shown { tr { @for column in &columns { td { (cell(row, column)) } } } } }
            }
        }
    })
}

/// The answer of a path that takes a decision: a result, or the approval of somebody else's call.
pub(crate) async fn show_decided(request: &PageRequest, answer: Answer) -> Markup {
    let is_success = answer.is_success();
    let body = answer.value().await;
    if !is_success {
        return problem_section(&body);
    }
    html! {
        section.outcome {
            h2 { "Decided" }
            @if body.get("state").is_some() {
                p { "It is " strong { (text(&body, "state")) } ". The call is made when its own caller comes back." }
            } @else { (show_result(request, &body, "")) }
        }
    }
}

const MOST_ROWS: usize = 100;
const MOST_COLUMNS: usize = 20;
const MOST_CELL: usize = 200;
