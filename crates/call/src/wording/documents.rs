//! Sentences about searching and reading documents.

use callgate_tool::{Fault, FaultCode, Next};

use super::{fault, fault_with_problems, invalid_argument, problem, shortened_text};

/// The document is not there for this caller: no file, or one that the caller may not see. Both read alike.
pub fn unknown_document(asked: &str, search: &str) -> Box<Fault> {
    let expected = format!("the `document` of a snippet that `{search}` returned");
    invalid_argument("document", expected, format!("`{}`", shortened_text(asked)), None)
}

/// The first line is behind the last line of the document.
pub fn line_past_end(asked: u64, n_lines: usize) -> Box<Fault> {
    invalid_argument(
        "from",
        format!("a line of the document, which has {n_lines}"),
        asked.to_string(),
        None,
    )
}

/// There are more conditions than one search may have.
pub fn too_many_conditions(n_conditions: usize, most: usize) -> Box<Fault> {
    let got = format!("{n_conditions}, with those that the operator sets");
    invalid_argument("where", format!("at most {most} conditions"), got, None)
}

/// A condition of the operator reads a value that the session lacks.
pub fn missing_value(field: &str, reference: &str) -> Box<Fault> {
    let expected = format!("`{reference}` in the session: a text, a number, a boolean, or a list");
    let remedy = format!("set `{reference}` before the call");
    let missing = problem(shortened_text(field), expected, "nothing", Some(&remedy));
    let advice = "; the value comes from the session, not from arguments";
    fault_with_problems(FaultCode::MissingSessionValue, vec![missing], advice, Next::GiveUp)
}

/// The documents cannot be read now.
pub fn unavailable() -> Box<Fault> {
    let message = "the documents cannot be read now; try again later";
    fault(FaultCode::Unreachable, message, Next::TryLater)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_document_and_one_of_others_read_alike() {
        let fault = unknown_document("plan.md", "handbook-search");
        let expected = "`document`: expected the `document` of a snippet that `handbook-search` returned, got `plan.md`; correct and call again";
        assert_eq!(fault.message, expected);
    }
}
