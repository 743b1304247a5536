//! The health of toolsets, and the findings about each at its line.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::Value;
use maud::{Markup, html};

use crate::{
    layout::{self, Section, counted_member, items, number, sentence_with_literals, text},
    paths,
};

/// The toolsets of the caller: the load report, or what they may see of the health with the reason why findings are missing.
pub(crate) async fn fetch_toolsets(request: &PageRequest) -> (Value, Option<String>) {
    let report = request.get("/v1/admin/report", &[]).await;
    if report.is_success() {
        return (report.value().await, None);
    }
    let status = report.status;
    let reason = missing_findings(status, &report.value().await);
    (request.get("/readyz", &[]).await.value().await, Some(reason))
}

/// The sentence in place of findings that the sidecar does not give.
fn missing_findings(status: u16, problem: &Value) -> String {
    if status == 403 {
        return "Findings are shown to principals with `admin: true`.".to_owned();
    }
    format!("The findings are not here now, load the page again: {}", text(problem, "detail"))
}

/// A toolset with all its findings.
pub(crate) async fn page(request: &PageRequest, name: &str) -> PageResponse {
    let path = format!("/v1/admin/report{}", paths::query(&[("toolset", name)]));
    let answer = request.get(&path, &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Tools, answer).await;
    }
    let report = answer.value().await;
    let content = html! {
        @for toolset in items(&report, "toolsets") {
            p.path { a href="/console" { "Tools" } }
            h1 { "Toolset " (shown_name(text(toolset, "name"))) }
            (state_list(toolset))
            (findings_list(toolset, usize::MAX))
        }
    };
    layout::show(request, Section::Tools, name, &content)
}

/// Every toolset with its health and its first findings.
pub(crate) fn overview(report: &Value) -> Markup {
    html! {
        @let own = items(report, "diagnostics");
        @if !own.is_empty() {
            details open[own.len() < 3] {
                summary { "The configuration" " " span.count { (layout::counted_noun(own.len(), "finding")) } }
                ul.findings { @for finding in own.iter().take(MOST_SHOWN) { (finding_item(finding)) } }
                @if own.len() > MOST_SHOWN {
                    p.quiet { (own.len() - MOST_SHOWN) " more; " code { "callgate check" } " shows them" }
                }
            }
        }
        div.toolsets {
            @for toolset in items(report, "toolsets") {
                @let n_findings = items(toolset, "diagnostics").len();
                details.toolset data-status=(text(toolset, "status")) {
                    summary {
                        span.dot aria-hidden="true" {}
                        strong { (shown_name(text(toolset, "name"))) }
                        span.quiet { (summary_line(toolset)) }
                        @if n_findings > 0 { span.count { (layout::counted_noun(n_findings, "finding")) } }
                    }
                    (state_list(toolset))
                    (findings_list(toolset, MOST_SHOWN))
                }
            }
        }
    }
}

fn summary_line(toolset: &Value) -> String {
    let status = text(toolset, "status");
    if number(toolset, "tools").is_empty() {
        return status.to_owned();
    }
    let tools = counted_member(toolset, "tools", "tool");
    format!("{status} · {tools} · about {}", counted_member(toolset, "tokens", "token"))
}

fn state_list(toolset: &Value) -> Markup {
    let pairs = [
        ("status", text(toolset, "status").to_owned()),
        ("why", text(toolset, "why").to_owned()),
        ("kind", text(toolset, "kind").to_owned()),
        ("file", text(toolset, "file").to_owned()),
        ("OpenAPI", text(toolset, "version").to_owned()),
        ("as described", number(toolset, "exposed")),
        ("degraded", number(toolset, "degraded")),
        ("not offered", number(toolset, "refused")),
    ];
    html! {
        (layout::facts_list(&pairs))
        p { a href={ "/console" (paths::query(&[("toolset", text(toolset, "name"))])) } { "Its tools" } }
    }
}

fn findings_list(toolset: &Value, most: usize) -> Markup {
    let all = items(toolset, "diagnostics");
    let more = number(toolset, "more");
    html! {
        @if !all.is_empty() {
            ul.findings { @for finding in all.iter().take(most) { (finding_item(finding)) } }
        }
        @if all.len() > most {
            p { a href=(paths::page(&["toolsets", text(toolset, "name")])) { "All " (all.len()) " findings" } }
        } @else if !more.is_empty() && more != "0" {
            p.quiet { (more) " more findings; " code { "callgate check" } " shows them" }
        }
    }
}

/// A finding with its place, its remedy and its code.
pub(crate) fn finding_item(finding: &Value) -> Markup {
    let (file, line) = (text(finding, "file"), number(finding, "line"));
    let column = number(finding, "column");
    html! {
        li data-severity=(text(finding, "severity")) {
            span.mark { (text(finding, "severity")) }
            " " span { (sentence_with_literals(text(finding, "message"))) }
            @if !file.is_empty() {
                " " code.place { (file) @if !line.is_empty() { ":" (line) ":" (column) } }
            }
            @if !text(finding, "operation").is_empty() { " " code { (text(finding, "operation")) } }
            @if !text(finding, "help").is_empty() { span.help { (sentence_with_literals(text(finding, "help"))) } }
            span.quiet { (text(finding, "code")) " " (text(finding, "pointer")) }
        }
    }
}

fn shown_name(name: &str) -> &str {
    if name.is_empty() { "(without a name)" } else { name }
}

/// The findings that are shown of each toolset beside the others.
const MOST_SHOWN: usize = 20;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::missing_findings;

    #[test]
    fn findings_that_are_missing_for_another_reason_than_rights_say_so() {
        let problem = json!({"detail": "it ended"});
        assert!(missing_findings(403, &problem).contains("`admin: true`"));
        let other = missing_findings(503, &problem);
        assert!(other.ends_with("it ended") && !other.contains("admin"), "{other}");
    }
}
