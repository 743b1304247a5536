//! Says of each operation that a load refuses why it is no tool, in words that a model may read: the code of the finding
//! and what was expected. What came instead is text of the description, and stays in the report.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_executor::RefusedTool;
use callgate_openapi::{OperationReport, OperationStatus, Report};
use callgate_tree::{Diagnostic, Severity};

/// The tools that are not offered, each with the first reason.
pub(super) fn refused_tools(report: &Report) -> Vec<RefusedTool> {
    let is_refused =
        |operation_report: &&OperationReport| operation_report.status == OperationStatus::Refused;
    if !report.operations.iter().any(|operation_report| is_refused(&operation_report)) {
        return Vec::new();
    }
    let mut firsts: BTreeMap<&str, &Diagnostic> = BTreeMap::new();
    for diagnostic in
        report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    {
        if let Some(operation) = &diagnostic.operation {
            firsts.entry(operation).or_insert(diagnostic);
        }
    }
    let mut reasons: BTreeSet<Arc<str>> = BTreeSet::new();
    let refused = report.operations.iter().filter(is_refused).filter_map(|operation_report| {
        let name = operation_report.refused_tool.clone()?;
        let first = firsts.get(operation_report.label().as_str());
        let reason = first.map_or_else(|| UNKNOWN.to_owned(), |first| refusal_reason(first));
        let shared = reasons.get(reason.as_str()).cloned();
        let reason = shared.unwrap_or_else(|| reason.into());
        reasons.insert(Arc::clone(&reason));
        Some(RefusedTool { name, reason })
    });
    refused.collect()
}

/// The code of a finding, and its message up to the text of the description.
fn refusal_reason(diagnostic: &Diagnostic) -> String {
    let code = diagnostic.code.as_str();
    let (expected, _) = diagnostic.message.split_once(", got").unwrap_or((&diagnostic.message, ""));
    let is_own = expected.len() <= LONGEST
        && !expected.contains("://")
        && expected.is_ascii()
        && !expected.bytes().any(|byte| byte.is_ascii_control());
    if is_own { format!("`{code}`: {expected}; {CHECK}") } else { format!("`{code}`; {CHECK}") }
}

/// The reason if more operations are refused than findings are kept.
const UNKNOWN: &str = "as `callgate check` reports";

const CHECK: &str = "`callgate check` reports it";

/// The length of our own words; longer text quotes the description.
const LONGEST: usize = 160;

#[cfg(test)]
mod tests {
    use callgate_openapi::{Document, Limits, LoadOptions, load};

    use super::*;

    #[track_caller]
    fn check(operation: &str, name: &str, expected: &str) {
        let text = format!(
            "openapi: 3.1.0\nservers: [{{url: https://api.example.com}}]\npaths: {{{operation}}}"
        );
        let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let found = refused_tools(&load(&document, &LoadOptions::default()).report);
        let found: Vec<_> = found.iter().map(|one| (one.name.as_str(), &*one.reason)).collect();
        assert_eq!(found, [(name, expected)]);
    }

    #[test]
    fn the_reason_of_a_refused_tool_has_no_text_of_the_description() {
        for (operation, expected) in [
            (
                "/a: {get: {operationId: getA, servers: [{url: 'ftp://evil.example/secret'}]}}",
                "`invalid-server`: expected a server with `http` or `https`; `callgate check` reports it",
            ),
            (
                "/a/../b: {get: {operationId: getA}}",
                "`hostile-path`: expected a path without dot segments; `callgate check` reports it",
            ),
        ] {
            check(operation, "getA", expected);
        }
    }

    #[test]
    fn an_offered_operation_is_not_among_the_refused_tools() {
        let text = "openapi: 3.1.0\nservers: [{url: https://api.example.com}]\npaths: {/a: {get: {operationId: getA}}}";
        let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
        assert!(refused_tools(&load(&document, &LoadOptions::default()).report).is_empty());
    }

    #[test]
    fn equal_reasons_of_refused_tools_are_stored_once() {
        let item = |n: usize| format!("/p{n}/../x: {{get: {{operationId: get{n}}}}}");
        let items: Vec<_> = (0..3_000).map(item).collect();
        let text = format!(
            "openapi: 3.1.0\nservers: [{{url: https://api.example.com}}]\npaths: {{{}}}",
            items.join(", ")
        );
        let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let found = refused_tools(&load(&document, &LoadOptions::default()).report);
        let distinct: BTreeSet<_> = found.iter().map(|one| Arc::as_ptr(&one.reason)).collect();
        // Of the last ones the report has no finding: it keeps a bounded number.
        assert_eq!((found.len(), distinct.len()), (3_000, 2));
    }
}
