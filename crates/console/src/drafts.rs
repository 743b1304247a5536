//! A description drafted from an example: the request and its response as a person has them, and the draft with its guesses.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Object, Value};
use maud::{Markup, html};

use crate::{
    json_view,
    layout::{self, Section, member_items, member_number_text, member_text},
    outcome,
};

pub(crate) fn page(request: &PageRequest) -> PageResponse {
    page_with_draft(request, &html! {})
}

/// Drafts from the form, and shows it again below the draft.
pub(crate) async fn draft_from_form(request: &PageRequest) -> PageResponse {
    let mut exchange = Object::from([("url", request.field("url").into())]);
    exchange.insert("method", request.field("method").into());
    let mut texts = Vec::new();
    for name in ["input", "output"] {
        // A browser writes every line break in its own way.
        let written = request.field(name).trim().replace("\r\n", "\n");
        if !written.is_empty() {
            // A text that is no JSON is a body as it stands.
            let value = Value::parse(&written).unwrap_or_else(|error| {
                texts.push(format!("The {name} is taken as text, because it is no JSON: {error}"));
                written.as_str().into()
            });
            exchange.insert(name, value);
        }
    }
    let body = Object::from([
        ("exchanges", Value::Array(vec![Value::Object(exchange)])),
        ("prompt", request.field("prompt").replace("\r\n", "\n").into()),
    ]);
    let answer = request.post("/v1/drafts", &Value::Object(body)).await;
    let is_success = answer.is_success();
    let drafted = answer.json_or_problem().await;
    if !is_success {
        return page_with_draft(request, &outcome::problem_section(&drafted));
    }
    let (description, guesses) = (drafted.get("description"), member_items(&drafted, "guesses"));
    let shown = html! {
        section aria-labelledby="draft" {
            h2 #draft { "The draft" }
            @for text in &texts { p.note role="status" { (text) } }
            @if let Some(description) = description {
                p.quiet { "Save it in a file, settle what is guessed, and name the file below " code { "toolsets" } ": " code { "my-service: { openapi: draft.json }" } }
                @let draft = json_view::indented_json(description);
                @let is_whole = draft.len() <= json_view::MOST_SHOWN;
                @if !is_whole { p.note { "It is too long for a page. " code { "callgate draft" } " and " code { "POST /v1/drafts" } " give the whole." } }
                div.copy[is_whole] { (json_view::shortened_text_frame(&draft, "The description")) }
            }
            h2 { "What is guessed" }
            div.scroll tabindex="0" role="region" aria-label="Guesses" {
                table {
                    thead { tr { th { "Place" } th { "Guess" } th { "Seen" } th { "To settle it" } } }
                    tbody {
                        @for guess in guesses {
                            tr {
                                td { code { (member_text(guess, "at")) } }
                                td { (layout::sentence_with_literals(member_text(guess, "guess"))) }
                                td { (member_number_text(guess, "seen")) " of " (member_number_text(guess, "of")) }
                                td { (layout::sentence_with_literals(member_text(guess, "settle"))) }
                            }
                        }
                    }
                }
            }
        }
    };
    page_with_draft(request, &shown)
}

fn page_with_draft(request: &PageRequest, drafted: &Markup) -> PageResponse {
    let content = html! {
        h1 { "Draft a description" }
        p { "From one request and its response, for a service that has none. Nothing is sent to the service, and secrets are taken out." }
        (*drafted)
        (form(request))
    };
    layout::page_in_frame(request, Section::Drafts, "Draft", &content)
}

fn form(request: &PageRequest) -> Markup {
    let method = request.field("method");
    html! {
        form.ask method="post" action="/console/drafts" {
            (layout::form_token(request))
            div.bar {
                label { "Method "
                    select name="method" {
                        @for name in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                            option value=(name) selected[name == method] { (name) }
                        }
                    } }
                label { "Address " input name="url" type="url" value=(request.field("url")) required
                    placeholder="https://api.example/pets/7"; }
            }
            @for (name, label) in [("input", "Example of the input"), ("output", "Example of the output"), ("prompt", "The purpose of the tool, in words")] {
                label for=(name) { (label) }
                textarea id=(name) name=(name) rows="3" { "\n" (request.field(name)) }
            }
            button.primary type="submit" { "Draft" }
        }
    }
}
