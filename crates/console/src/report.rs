//! The health of toolsets, and the findings about each at its line.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::Value;
use maud::{Markup, html};

use crate::{
    layout::{
        self, Section, counted_member, member_items, member_number_text, member_text,
        sentence_with_literals,
    },
    paths,
};

/// The toolsets of the caller: the load report, or what they may see of the health with the reason why findings are missing.
pub(crate) async fn fetch_toolsets(request: &PageRequest) -> (Value, Option<String>) {
    let report = request.get_own_path("/v1/admin/report", &[]).await;
    if report.is_success() {
        return (report.json_or_problem().await, None);
    }
    let status = report.status;
    let reason = missing_findings(status, &report.json_or_problem().await);
    (request.get_own_path("/readyz", &[]).await.json_or_problem().await, Some(reason))
}

/// The sentence in place of findings that the sidecar does not give.
fn missing_findings(status: u16, problem: &Value) -> String {
    if status == 403 {
        return "Findings are shown to principals with `admin: true`.".to_owned();
    }
    format!(
        "The findings are not here now, load the page again: {}",
        member_text(problem, "detail")
    )
}

/// A toolset with all its findings.
pub(crate) async fn toolset_page(request: &PageRequest, name: &str) -> PageResponse {
    let path = format!("/v1/admin/report{}", paths::query(&[("toolset", name)]));
    let answer = request.get_own_path(&path, &[]).await;
    if !answer.is_success() {
        return layout::show_refusal(request, Section::Tools, answer).await;
    }
    let report = answer.json_or_problem().await;
    let content = html! {
        @for toolset in member_items(&report, "toolsets") {
            p.path { a href="/console" { "Tools" } }
            h1 { "Toolset " (name_or_placeholder(member_text(toolset, "name"))) }
            (toolset_facts(toolset))
            (findings_list(toolset, usize::MAX))
        }
    };
    layout::page_in_frame(request, Section::Tools, name, &content)
}

/// Every toolset with its health and its first findings.
pub(crate) fn overview(report: &Value) -> Markup {
    html! {
        @let own = member_items(report, "diagnostics");
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
            @for toolset in member_items(report, "toolsets") {
                @let n_findings = member_items(toolset, "diagnostics").len();
                details.toolset data-status=(member_text(toolset, "status")) {
                    summary {
                        span.dot aria-hidden="true" {}
                        strong { (name_or_placeholder(member_text(toolset, "name"))) }
                        span.quiet { (summary_line(toolset)) }
                        @if n_findings > 0 { span.count { (layout::counted_noun(n_findings, "finding")) } }
                    }
                    (toolset_facts(toolset))
                    (findings_list(toolset, MOST_SHOWN))
                }
            }
        }
    }
}

fn summary_line(toolset: &Value) -> String {
    let status = member_text(toolset, "status");
    if member_number_text(toolset, "tools").is_empty() {
        return status.to_owned();
    }
    let tools = counted_member(toolset, "tools", "tool");
    format!("{status} · {tools} · about {}", counted_member(toolset, "tokens", "token"))
}

fn toolset_facts(toolset: &Value) -> Markup {
    let pairs = [
        ("status", member_text(toolset, "status").to_owned()),
        ("why", member_text(toolset, "why").to_owned()),
        ("kind", member_text(toolset, "kind").to_owned()),
        ("file", member_text(toolset, "file").to_owned()),
        ("OpenAPI", member_text(toolset, "version").to_owned()),
        ("as described", member_number_text(toolset, "exposed")),
        ("degraded", member_number_text(toolset, "degraded")),
        ("not offered", member_number_text(toolset, "refused")),
    ];
    html! {
        (layout::facts_list(&pairs))
        p { a href={ "/console" (paths::query(&[("toolset", member_text(toolset, "name"))])) } { "Its tools" } }
    }
}

fn findings_list(toolset: &Value, most: usize) -> Markup {
    let all = member_items(toolset, "diagnostics");
    let more = member_number_text(toolset, "more");
    html! {
        @if !all.is_empty() {
            ul.findings { @for finding in all.iter().take(most) { (finding_item(finding)) } }
        }
        @if all.len() > most {
            p { a href=(paths::console_address(&["toolsets", member_text(toolset, "name")])) { "All " (all.len()) " findings" } }
        } @else if !more.is_empty() && more != "0" {
            p.quiet { (more) " more findings; " code { "callgate check" } " shows them" }
        }
    }
}

/// A finding with its place, its remedy and its code.
pub(crate) fn finding_item(finding: &Value) -> Markup {
    let (file, line) = (member_text(finding, "file"), member_number_text(finding, "line"));
    let column = member_number_text(finding, "column");
    html! {
        li data-severity=(member_text(finding, "severity")) {
            span.mark { (member_text(finding, "severity")) }
            " " span { (sentence_with_literals(member_text(finding, "message"))) }
            @if !file.is_empty() {
                " " code.place { (file) @if !line.is_empty() { ":" (line) ":" (column) } }
            }
            @if !member_text(finding, "operation").is_empty() { " " code { (member_text(finding, "operation")) } }
            @if !member_text(finding, "help").is_empty() { span.help { (sentence_with_literals(member_text(finding, "help"))) } }
            span.quiet { (member_text(finding, "code")) " " (member_text(finding, "pointer")) }
        }
    }
}

fn name_or_placeholder(name: &str) -> &str {
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
