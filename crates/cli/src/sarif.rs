//! Findings as SARIF 2.1.0, which code hosts show beside the lines they concern. One run, one rule for each code that occurs.

use std::{
    env,
    path::{Component, Path, PathBuf},
};

use callgate::{config::Finding, openapi::Position};
use callgate_config::Kinds;
use callgate_tool::{Value, json};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{cause::Cause, codes::code_explanation, remedy};

/// The characters that stand for themselves in a path of a URI (RFC 3986 §3.3).
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b'@')
    .remove(b'+');

/// One result whose rule has no number yet.
struct LogEntry<'a> {
    code: &'a str,
    level: &'static str,
    message: String,
    file: String,
    position: Option<Position>,
    pointer: &'a str,
}

/// The log of a check: the findings about descriptions, and those about the configuration and overlays.
pub(crate) fn sarif_log(causes: &[(PathBuf, Cause)], findings: &[Finding], kinds: &Kinds) -> Value {
    let mut entries: Vec<_> = findings.iter().map(LogEntry::of_finding).collect();
    entries.extend(causes.iter().map(|(file, cause)| LogEntry::of_cause(file, cause)));
    let mut codes: Vec<_> = entries.iter().map(|entry| entry.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<_> = codes.iter().map(|code| sarif_rule(code, kinds)).collect();
    let results: Vec<_> = entries.iter().map(|entry| sarif_result(entry, &codes)).collect();
    let driver = json!({"name": "callgate", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            // SARIF 2.1.0 §3.14.17: columns count characters, not UTF-16 units.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

impl<'a> LogEntry<'a> {
    fn of_cause(file: &Path, cause: &'a Cause) -> Self {
        let diagnostic = &cause.diagnostic;
        let concerned =
            cause.occurrence_summary().map(|text| format!("; {text}")).unwrap_or_default();
        Self {
            code: diagnostic.code.as_str(),
            level: diagnostic.severity.as_str(),
            message: message_with_help(
                &format!("{}{concerned}", cause.message()),
                &remedy::diagnostic_remedy(diagnostic),
            ),
            file: file_uri(file),
            position: diagnostic.position,
            pointer: &diagnostic.pointer,
        }
    }

    fn of_finding(finding: &'a Finding) -> Self {
        Self {
            code: finding.code,
            level: finding.severity.as_str(),
            message: message_with_help(&finding.message, &remedy::finding_remedy(finding)),
            file: file_uri(&remedy::finding_file_or_flag(finding)),
            position: finding.position,
            pointer: &finding.pointer,
        }
    }
}

fn message_with_help(message: &str, help: &str) -> String {
    let help = if help.is_empty() { String::new() } else { format!(" ({help})") };
    format!("{message}{help}")
}

fn sarif_rule(id: &str, kinds: &Kinds) -> Value {
    let explanation = code_explanation(id, kinds).unwrap_or("A finding about the configuration.");
    let short = explanation.split_inclusive(". ").next().unwrap_or_default().trim_end();
    json!({"id": id, "shortDescription": {"text": short}, "help": {"text": explanation}})
}

fn sarif_result(entry: &LogEntry<'_>, codes: &[&str]) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": entry.file}});
    if let (Some(Position { line, column }), Some(physical)) =
        (entry.position, physical.as_object_mut())
    {
        let region = json!({"startLine": line, "startColumn": column});
        physical.insert("region".to_owned(), region);
    }
    json!({
        "ruleId": entry.code,
        "ruleIndex": codes.binary_search(&entry.code).ok(),
        "level": entry.level,
        "message": {"text": entry.message},
        "locations": [{
            "physicalLocation": physical,
            "logicalLocations": [{"fullyQualifiedName": entry.pointer}],
        }],
    })
}

/// A file as a URI: relative if it is below the working directory, as code hosts expect.
pub(crate) fn file_uri(file: &Path) -> String {
    let text = file.to_string_lossy();
    if text.starts_with("https:") {
        return text.into_owned();
    }
    let here = env::current_dir().unwrap_or_default();
    let file = file.strip_prefix(&here).unwrap_or(file);
    let parts = file.components().filter(|part| *part != Component::CurDir);
    let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
    let path = parts.join("/").replace('\\', "/");
    let encoded = utf8_percent_encode(&path, PATH).to_string();
    if file.is_absolute() { format!("file://{}", encoded.replacen("//", "/", 1)) } else { encoded }
}
