//! The outcome of a call: the request, the result as the model is shown it, what was cut from it, notes and the journal; and the same
//! call in other ways.

use std::collections::BTreeSet;

use callgate_gateway::{Answer, PageRequest};
use callgate_tool::{Object, Value};
use maud::{Markup, html};

use crate::{
    commands, confirmation, decision, json_view,
    layout::{
        counted_member, counted_noun, member_items, member_number_text, member_text,
        sentence_with_literals,
    },
    paths, planned_request,
    tool::Trial,
    tried_call::TriedCall,
};

/// A dry run: the request that would be sent.
pub(crate) fn dry_run_section(sent: &TriedCall<'_>, planned: &Value, further: &Markup) -> Markup {
    html! {
        section.outcome aria-labelledby="outcome" {
            h2 #outcome { @if sent.request.field("do") == "dry" { "Dry run" } @else { "Not sent yet" } }
            (fault_section(planned))
            (*further)
            @if let Some(request) = planned.get("request") { (planned_request::show(request)) }
            (notes_section(planned))
            (journal_section(planned))
            (commands::copyable_commands(sent, planned.get("request")))
        }
    }
}

/// A call with the request that a dry run shows of it.
pub(crate) async fn called_section(
    sent: &TriedCall<'_>,
    planned: &Value,
    answer: Answer,
    trial: &Trial<'_>,
) -> Markup {
    let elapsed = answer.elapsed;
    let result = match first_result(answer).await {
        Ok(result) => result,
        Err(problem) => return problem,
    };
    let session = member_text(sent.session, "id");
    let whole = keep_long_response_link(sent.request, &result, session).await;
    let is_running =
        result.get("error").is_some_and(|error| member_text(error, "code") == "still_running");
    html! {
        section.outcome aria-labelledby="outcome" {
            h2 #outcome { "Result" " " span.count { (elapsed.as_millis()) " ms" } }
            @if is_replayed(&result) {
                p.note role="status" { strong { "This call was sent before: this is its first result." }
                    " Nothing was sent now. To make it once more, press Call below." }
            }
            @if is_running { (confirmation::running_call_form(sent.request, member_text(sent.tool, "name"), trial)) }
            (show_result(sent.request, &result, session))
            @if let Some(whole) = whole { p { (whole) } }
            details { summary { "Request" }
                @if let Some(request) = planned.get("request") { (planned_request::show(request)) } @else { p { "A dry run shows none." } } }
            (commands::copyable_commands(sent, planned.get("request")))
        }
    }
}

/// True for the result of an earlier call under the same key.
fn is_replayed(result: &Value) -> bool {
    member_items(result, "journal").iter().any(|entry| member_text(entry, "event") == "replayed")
}

/// A result as its caller gets it.
pub(crate) fn show_result(request: &PageRequest, result: &Value, session: &str) -> Markup {
    html! {
        p.quiet role="status" {
            @if result.get("error").is_some() { "failed" } @else if result.get("pending").is_some() { "waits" } @else { "answered" }
            @if !member_number_text(result, "status").is_empty() { " · HTTP " (member_number_text(result, "status")) }
            @if !member_number_text(result, "attempts").is_empty() { " · " (counted_member(result, "attempts", "attempt")) }
            @match result.get("error").map_or("", |error| member_text(error, "reached")) {
                "" => {}
                "no" => { " · nothing reached the service" }
                reached => { " · reached the service: " (reached) }
            }
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

/// Keeps a response that no page shows whole and that the sidecar did not keep. Returns the link to it, or why there is none.
async fn keep_long_response_link(
    request: &PageRequest,
    result: &Value,
    session: &str,
) -> Option<Markup> {
    let response = result.get("response").filter(|_| member_text(result, "handle").is_empty())?;
    let shown = json_view::indented_json(response);
    if shown.len() <= json_view::MOST_SHOWN {
        return None;
    }
    let address = format!("/v1/results{}", paths::query(&[("session", session)]));
    let answer = request.post_file(&address, "application/json", shown.into()).await;
    let is_kept = answer.is_success();
    let kept = answer.json_or_problem().await;
    if is_kept {
        return Some(whole_link(member_text(&kept, "handle"), session));
    }
    let detail = sentence_with_literals(member_text(&kept, "detail"));
    Some(html! { "No page can show the whole result, because it cannot be kept: " (detail) })
}

fn whole_link(handle: &str, session: &str) -> Markup {
    let address = paths::console_address(&["results", handle]);
    html! { a href={ (address) (paths::query(&[("session", session)])) } { "The whole result" } }
}

/// The result of a request with one call, or its refusal.
pub(crate) async fn first_result(answer: Answer) -> Result<Value, Markup> {
    let is_success = answer.is_success();
    let body = answer.json_or_problem().await;
    if let (true, Some(result)) = (is_success, member_items(&body, "results").first()) {
        return Ok(result.clone());
    }
    Err(problem_section(&body))
}

/// A refusal of the sidecar.
pub(crate) fn problem_section(body: &Value) -> Markup {
    html! {
        section.outcome {
            h2 { "Refused" }
            div.problem role="alert" { p { strong { (member_text(body, "title")) } } p { (sentence_with_literals(member_text(body, "detail"))) } }
        }
    }
}

fn fault_section(result: &Value) -> Markup {
    let Some(error) = result.get("error") else { return html! {} };
    let problems = member_items(error, "problems");
    // The message has the words of a single one.
    let is_told = |problem: &Value| member_text(problem, "suggestion").is_empty();
    let problems = if matches!(problems, [only] if is_told(only)) { &[] } else { problems };
    html! {
        div.problem role="alert" {
            p { strong { (member_text(error, "code")) } " " (sentence_with_literals(member_text(error, "message"))) }
            @for problem in problems {
                p { code { (member_text(problem, "at")) } " expected " (member_text(problem, "expected")) ", got " (member_text(problem, "got"))
                    @if !member_text(problem, "suggestion").is_empty() { "; did you mean " code { (member_text(problem, "suggestion")) } "?" } }
            }
        }
    }
}

fn notes_section(result: &Value) -> Markup {
    let notes: Vec<_> = member_items(result, "notes").iter().filter_map(Value::as_str).collect();
    let defaults: Vec<_> =
        member_items(result, "defaults").iter().filter_map(Value::as_str).collect();
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
    let handle = member_text(result, "handle");
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
    html! { @if !member_items(result, "journal").is_empty() { h3 { "Journal" } (journal_entries(result)) } }
}

/// The entries of a journal, without a heading.
pub(crate) fn journal_entries(opened: &Value) -> Markup {
    let entries = member_items(opened, "journal");
    html! {
        @if !entries.is_empty() {
            ol.journal {
                @for entry in entries {
                    li { span.event { (member_text(entry, "event")) } " " (sentence_with_literals(member_text(entry, "text"))) }
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
        let text = row.get(name).map(Value::text_or_json).unwrap_or_default();
        json_view::shortened_text(&text, MOST_CELL)
    };
    Some(html! {
        div.scroll tabindex="0" role="group" aria-label="Rows" {
            table {
                caption { (counted_noun(list.len(), "row")) @if shown.len() < list.len() { ", the first " (shown.len()) " of them" }
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
    let body = answer.json_or_problem().await;
    if !is_success {
        return problem_section(&body);
    }
    html! {
        section.outcome {
            h2 { "Decided" }
            @if body.get("state").is_some() {
                p { "It is " strong { (member_text(&body, "state")) } ". " (decided_sentence(member_text(&body, "state"))) }
            } @else { (show_result(request, &body, "")) }
        }
    }
}

/// The sentence about the call of somebody else that was decided.
fn decided_sentence(state: &str) -> &'static str {
    match state {
        "approved" => "The call is made when its own caller comes back.",
        "rejected" => "Nothing is sent, and its own caller is told so.",
        _ => "Its own caller is told so.",
    }
}

const MOST_ROWS: usize = 100;
const MOST_COLUMNS: usize = 20;
const MOST_CELL: usize = 200;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_rejected_call_is_never_made_later() {
        assert!(decided_sentence("approved").starts_with("The call is made"));
        assert!(decided_sentence("rejected").starts_with("Nothing is sent"));
    }

    #[test]
    fn a_single_row_is_counted_as_such() {
        let rows = rows_table(&json!([{"a": 1}])).unwrap().into_string();
        assert!(rows.contains("<caption>1 row</caption>"), "{rows}");
    }
}
