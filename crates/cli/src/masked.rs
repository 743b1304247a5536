//! The text of a configuration as snippets may show it: without the literals that stand in it, and without what stands
//! where a reference to a secret should, since that may be the secret itself.

use callgate::{config::Finding, secret::MASK};

/// The text with the rest of each line masked from where a secret may begin. What comes before keeps its place.
pub(crate) fn without_secrets(text: &str, findings: &[Finding]) -> String {
    let mut masked = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let (content, end) = line.split_at(line.trim_end_matches(['\r', '\n']).len());
        match beginning(content, index.saturating_add(1), findings) {
            Some(start) => {
                masked.extend(content.chars().take(start));
                masked.push_str(MASK);
            }
            None => masked.push_str(content),
        }
        masked.push_str(end);
    }
    masked
}

/// How many characters of a line come before the first thing that may be secret.
fn beginning(line: &str, number: usize, findings: &[Finding]) -> Option<usize> {
    let literal = line.split_once(LITERAL);
    let literal = literal.map(|(before, _)| before.chars().count().saturating_add(LITERAL.len()));
    let pasted = findings.iter().filter(|finding| finding.code == NO_REFERENCE);
    let pasted = pasted.filter_map(|finding| finding.position);
    let pasted = pasted.filter(|position| position.line == number);
    pasted.map(|position| position.column.saturating_sub(1)).chain(literal).min()
}

const LITERAL: &str = "literal:";

/// What is said of a value in the place of a reference to a secret.
const NO_REFERENCE: &str = "secret-reference";
