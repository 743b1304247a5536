//! The frame of every page: its head, the links to the other pages, and the parts that several pages share.

use callgate_gateway::{Answer, PageRequest, PageResponse};
use callgate_tool::Value;
use maud::{DOCTYPE, Markup, html};

use crate::paths;

/// The page that a link leads to.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Section {
    Approvals,
    Ask,
    Calls,
    Drafts,
    None,
    Tools,
}

/// A page in its frame.
pub(crate) fn page_in_frame(
    request: &PageRequest,
    section: Section,
    title: &str,
    content: &Markup,
) -> PageResponse {
    show_with_status(request, 200, section, title, content)
}

fn show_with_status(
    request: &PageRequest,
    status: u16,
    section: Section,
    title: &str,
    content: &Markup,
) -> PageResponse {
    let links = [
        (Section::Tools, "Tools", "/console"),
        (Section::Calls, "Calls", "/console/calls"),
        (Section::Approvals, "Approvals", "/console/approvals"),
        (Section::Ask, "Ask", "/console/agents"),
        (Section::Drafts, "Draft", "/console/drafts"),
    ];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · callgate" }
                link rel="icon" href="/console/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/console/console.css";
                script type="module" src="/console/console.js" {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    a.brand href="/console" { "callgate" }
                    @if !request.needs_sign_in() {
                        nav aria-label="Pages" {
                            @for (linked, name, address) in links {
                                a href=(address) aria-current=[(linked == section).then_some("page")] { (name) }
                            }
                        }
                        (signed_in_as(request))
                    }
                }
                main #main tabindex="-1" { (*content) }
            }
        }
    };
    PageResponse::html(status, page.into_string())
}

fn signed_in_as(request: &PageRequest) -> Markup {
    html! {
        div.who {
            @if let Some(principal) = request.principal() { span { (principal) } }
            @if request.is_signed_in() {
                form method="post" action="/console/sign-out" {
                    (form_token(request))
                    button.plain type="submit" { "Sign out" }
                }
            }
        }
    }
}

/// The field that every form holds.
pub(crate) fn form_token(request: &PageRequest) -> Markup {
    html! { input type="hidden" name="csrf" value=(request.form_token()); }
}

/// The page of a path that leads nowhere.
pub(crate) fn not_found_page(request: &PageRequest) -> PageResponse {
    let content = html! {
        h1 { "There is no such page" }
        p { "The links above lead to all that there are." }
    };
    show_with_status(request, 404, Section::None, "No such page", &content)
}

/// A page in place of an answer that broke off.
pub(crate) fn show_broken_answer(request: &PageRequest, section: Section) -> PageResponse {
    let content = html! {
        h1 { "There is no whole answer" }
        p { "It broke off. Load the page again." }
    };
    show_with_status(request, 502, section, "Refused", &content)
}

/// The page in place of one whose data the sidecar does not give to this caller.
pub(crate) async fn show_refusal(
    request: &PageRequest,
    section: Section,
    answer: Answer,
) -> PageResponse {
    let (status, wait) = (answer.status, answer.header("retry-after").to_owned());
    let problem = answer.json_or_problem().await;
    let title = member_text(&problem, "title");
    let content = html! {
        h1 { @if title.is_empty() { "The sidecar did not answer" } @else { (title) } }
        p { (sentence_with_literals(member_text(&problem, "detail"))) }
        @if !wait.is_empty() { p { "Load the page again in " (wait) " s." } }
        p.quiet { "HTTP status " (status) }
    };
    show_with_status(request, status, section, "Refused", &content)
}

/// A member of an object that is a text; empty if there is none.
pub(crate) fn member_text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a member that is an array.
pub(crate) fn member_items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A member that is a number, as its digits.
pub(crate) fn member_number_text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_number).map(ToString::to_string).unwrap_or_default()
}

/// A number of things, each of which is a `noun`.
pub(crate) fn counted_noun(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A member that is a number of things, each of which is a `noun`.
pub(crate) fn counted_member(value: &Value, name: &str, noun: &str) -> String {
    let number = member_number_text(value, name);
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Named facts, of which some may be empty.
pub(crate) fn facts_list(facts: &[(&str, String)]) -> Markup {
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    html! { dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } } }
}

/// The place of a page that a browser shows first once a form was sent. It stands once in a page.
pub(crate) fn focus_anchor() -> Markup {
    html! { span #now {} }
}

/// A sentence whose literals stand in backticks.
pub(crate) fn sentence_with_literals(text: &str) -> Markup {
    let parts: Vec<_> = text.split('`').collect();
    // Every second part is a literal; one that does not end is none.
    let n_literals = parts.len().saturating_sub(1) / 2;
    let is_literal = |at: usize| at % 2 == 1 && at / 2 < n_literals;
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if is_literal(at) { code { (part) } } @else { @if at > 2 * n_literals { "`" } (part) }
        }
    }
}

/// The effect of a tool as a small mark.
pub(crate) fn effect_mark(effect: &str) -> Markup {
    html! { span.mark data-effect=(effect) { (effect) } }
}

/// The link to a tool.
pub(crate) fn tool_link(name: &str) -> Markup {
    html! { a.tool href=(paths::console_address(&["tools", name])) { (name) } }
}

/// The part of a form's address that leads to the [`focus_anchor`].
pub(crate) const ANCHOR: &str = "#now";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(sentence_with_literals(text).into_string(), expected);
    }

    #[test]
    fn literals_of_a_sentence_are_code_and_never_markup() {
        check("got: `<b>`; write `a`", "got: <code>&lt;b&gt;</code>; write <code>a</code>");
        check("no literal", "no literal");
        check("`a` and a ` alone", "<code>a</code> and a ` alone");
        check("a `", "a `");
    }
}
