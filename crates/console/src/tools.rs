//! The first page: toolsets with their health and findings, and the tools, which are searched and filtered.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Value, json};
use maud::{Markup, html};

use crate::{
    layout::{
        self, Section, counted_member, effect_mark, member_items, member_number_text, member_text,
        tool_link,
    },
    paths, report,
};

/// The words and filters of a list.
struct Asked<'r> {
    words: &'r str,
    toolset: &'r str,
    effect: &'r str,
    tag: &'r str,
    cursor: &'r str,
}

pub(crate) async fn page(request: &PageRequest) -> PageResponse {
    let asked = Asked {
        words: request.query_parameter("q").trim(),
        toolset: request.query_parameter("toolset"),
        effect: request.query_parameter("effect"),
        tag: request.query_parameter("tag"),
        cursor: request.query_parameter("cursor"),
    };
    let answer = if asked.words.is_empty() {
        request.get_own_path(&asked.tools_api_path(), &[]).await
    } else {
        request.post("/v1/tools:search", &asked.search_body()).await
    };
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Tools, answer).await;
    }
    let (listed, (report, lack)) =
        (answer.json_or_problem().await, report::fetch_toolsets(request).await);
    let is_first = asked.cursor.is_empty() && asked.words.is_empty();
    let content = html! {
        h1 { "Tools" }
        @if is_first {
            (report::overview(&report))
            @if let Some(lack) = lack { p.quiet { (layout::sentence_with_literals(&lack)) } }
        }
        (search_form(&asked, &report))
        (chosen_tag(&asked))
        @if asked.words.is_empty() { (tool_table(&asked, &listed)) } @else { (ranked_table(&asked, &listed)) }
    };
    layout::page_in_frame(request, Section::Tools, "Tools", &content)
}

impl Asked<'_> {
    fn tools_api_path(&self) -> String {
        let query = paths::query(&[
            ("summary", "true"),
            ("limit", "100"),
            ("toolset", self.toolset),
            ("effect", self.effect),
            ("tag", self.tag),
            ("cursor", self.cursor),
        ]);
        format!("/v1/tools{query}")
    }

    fn search_body(&self) -> Value {
        let one = |word: &str| {
            Value::Array((!word.is_empty()).then(|| word.into()).into_iter().collect())
        };
        json!({
            "query": self.words,
            "limit": MOST_RANKED,
            "toolsets": (one(self.toolset)),
            "effects": (one(self.effect)),
            "tags": (one(self.tag)),
        })
    }

    /// The address of this list with another tag or page.
    fn console_list_address(&self, tag: &str, cursor: &str) -> String {
        let query = paths::query(&[
            ("q", self.words),
            ("toolset", self.toolset),
            ("effect", self.effect),
            ("tag", tag),
            ("cursor", cursor),
        ]);
        format!("/console{query}")
    }
}

fn search_form(asked: &Asked<'_>, report: &Value) -> Markup {
    let toolsets =
        member_items(report, "toolsets").iter().map(|toolset| member_text(toolset, "name"));
    html! {
        form.bar role="search" action="/console" {
            @if !asked.tag.is_empty() { input type="hidden" name="tag" value=(asked.tag); }
            label.grow { span.hidden { "Search tools" }
                input type="search" name="q" value=(asked.words) placeholder="What should be done? “refund a payment”"; }
            label { span.hidden { "Toolset" }
                select name="toolset" {
                    option value="" { "every toolset" }
                    @for toolset in toolsets.filter(|name| !name.is_empty()) {
                        option value=(toolset) selected[toolset == asked.toolset] { (toolset) }
                    }
                } }
            label { span.hidden { "Effect" }
                select name="effect" {
                    option value="" { "every effect" }
                    @for effect in EFFECTS { option value=(effect) selected[effect == asked.effect] { (effect) } }
                } }
            button type="submit" { "Find" }
        }
    }
}

fn chosen_tag(asked: &Asked<'_>) -> Markup {
    html! {
        @if !asked.tag.is_empty() {
            p { "Tagged " span.tag { (asked.tag) } " " a href=(asked.console_list_address("", "")) { "every tag" } }
        }
    }
}

fn tool_table(asked: &Asked<'_>, listed: &Value) -> Markup {
    let tools = member_items(listed, "tools");
    let next = member_text(listed, "nextCursor");
    html! {
        p.quiet role="status" { (counted_member(listed, "total", "tool")) @if !asked.cursor.is_empty() { ", from after " code { (asked.cursor) } } }
        div.scroll tabindex="0" role="group" aria-label="Tools" {
            table.list {
                thead { tr { th { "Tool" } th { "Effect" } th { "Purpose" } th { "Operation" } th.number { "Tokens" } } }
                tbody {
                    @for tool in tools {
                        tr {
                            td { (tool_link(member_text(tool, "name"))) }
                            td { (effect_mark(member_text(tool, "effect"))) }
                            td { (member_text(tool, "description")) @if tool.get("deprecated").and_then(Value::as_bool) == Some(true) { " " span.tag { "deprecated" } }
                                @for tag in member_items(tool, "tags").iter().filter_map(Value::as_str) {
                                    " " a.tag href=(asked.console_list_address(tag, "")) { (tag) }
                                } }
                            td { code { (member_text(tool, "method")) " " (member_text(tool, "path")) } }
                            td.number { (member_number_text(tool, "tokens")) }
                        }
                    }
                }
            }
        }
        @if tools.is_empty() { p { "No tool is like this. " a href="/console" { "Show all tools" } } }
        @if !next.is_empty() { p { a.button href=(asked.console_list_address(asked.tag, next)) rel="next" { "Next 100" } } }
    }
}

fn ranked_table(asked: &Asked<'_>, listed: &Value) -> Markup {
    let tools = member_items(listed, "tools");
    html! {
        p.quiet role="status" {
            @if tools.len() < MOST_RANKED { (layout::counted_noun(tools.len(), "tool")) " for “" (asked.words) "”, the best first" }
            @else { "The best " (tools.len()) " tools for “" (asked.words) "”" }
        }
        div.scroll tabindex="0" role="group" aria-label="Tools, the best first" {
            table.ranks {
                thead { tr { th.number { "Rank" } th.number { "Score" } th { "Tool" } th { "Effect" } th { "Purpose" } th { "Why" } } }
                tbody {
                    @for (at, tool) in tools.iter().enumerate() {
                        tr {
                            td.number { (at + 1) }
                            td.number { (score_text(tool)) }
                            td { (tool_link(member_text(tool, "name"))) }
                            td { (effect_mark(member_text(tool, "effect"))) }
                            td { (member_text(tool, "description")) }
                            td { (match_reason(asked.words, tool)) }
                        }
                    }
                }
            }
        }
        @if tools.is_empty() { p { "No tool has these words, or words like them. Write what should be done, or " a href="/console" { "show all tools" } "." } }
    }
}

/// The score of a tool, whose digits stand below each other.
fn score_text(tool: &Value) -> String {
    let text = member_number_text(tool, "score");
    text.parse::<f64>().map_or(text, |score| format!("{score:.2}"))
}

/// The words that a tool shares with a search, and the tools that it needs and serves.
fn match_reason(words: &str, tool: &Value) -> Markup {
    let texts =
        [member_text(tool, "name"), member_text(tool, "description"), member_text(tool, "toolset")];
    let texts = texts.join(" ").to_lowercase();
    let stem = |word: &str| word.get(..word.floor_char_boundary(5)).unwrap_or(word).to_lowercase();
    let is_telling = |word: &&str| word.chars().count() >= LEAST_TELLING;
    let shared = words.split_whitespace().filter(is_telling);
    let shared: Vec<_> = shared.filter(|word| texts.contains(&stem(word))).collect();
    html! {
        @for word in &shared { mark { (word) } " " }
        @if shared.is_empty() { span.quiet { "arguments or results" } }
        @for need in member_items(tool, "needs") {
            @let from: Vec<_> = member_items(need, "from").iter().filter_map(Value::as_str).collect();
            span.help { "needs " code { (member_text(need, "argument")) } @if let Some(first) = from.first() { " from " (tool_link(first)) } }
        }
        @for product in member_items(tool, "produces") { span.help { "answers " (member_text(product, "thing")) " at " code { (member_text(product, "at")) } } }
    }
}

/// Shorter words are in most texts.
const LEAST_TELLING: usize = 3;
const MOST_RANKED: usize = 100;
const EFFECTS: [&str; 3] = ["read", "idempotent", "write"];
