//! Reads the answer of the interpreter: a line of JSON, and the bytes of the files behind it. A program can write there whatever it
//! likes, so that all of it is foreign: each length is checked, and each name.

use serde::Deserialize;

use super::media::media_type;
use crate::python::{
    LeftOut, OutputFile, PythonLimits,
    request::{MOST_FILES, is_plain_file_name},
};

/// An answer within its limits.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) result: String,
    pub(super) error: String,
    pub(super) files: Vec<OutputFile>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) is_cut: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    result: String,
    error: String,
    is_cut: bool,
    files: Vec<FileLine>,
    left_out: Vec<LeftOutLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLine {
    name: String,
    size: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOutLine {
    name: String,
    reason: String,
}

/// The most bytes of an answer: two texts whose every byte may be escaped, names, and files.
pub(super) fn most_bytes(limits: &PythonLimits) -> usize {
    let files = usize::try_from(limits.files_out).unwrap_or(usize::MAX);
    limits.output.saturating_mul(12).saturating_add(files).saturating_add(256 << 10)
}

/// `None` where the bytes are not those of an answer, or break a limit.
pub(super) fn parse_answer(bytes: &[u8], limits: &PythonLimits) -> Option<Answer> {
    let (line, mut rest) = bytes.split_at_checked(bytes.iter().position(|byte| *byte == b'\n')?)?;
    rest = rest.get(1..)?;
    let line: Line = serde_json::from_slice(line).ok()?;
    if rest.len() as u64 > limits.files_out
        || line.files.len() > MOST_FILES
        || line.left_out.len() > MOST_FILES
        || line.result.len() > limits.output
        || line.error.len() > limits.output
    {
        return None;
    }
    let mut files: Vec<OutputFile> = Vec::with_capacity(line.files.len());
    for FileLine { name, size } in line.files {
        let content;
        (content, rest) = rest.split_at_checked(size)?;
        if !is_plain_file_name(&name) || files.iter().any(|file| file.name == name) {
            return None;
        }
        let media_type = media_type(&name, content);
        files.push(OutputFile { name, bytes: content.to_vec(), media_type });
    }
    if !rest.is_empty() {
        return None;
    }
    let left_out = line.left_out.into_iter();
    let left_out = left_out.map(|LeftOutLine { name, reason }| LeftOut {
        name: printable_beginning(&name),
        reason: printable_beginning(&reason),
    });
    Some(Answer {
        result: line.result,
        error: line.error,
        files,
        left_out: left_out.collect(),
        is_cut: line.is_cut,
    })
}

/// A foreign text in a line of a log or a terminal.
fn printable_beginning(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().take(300).map(shown).collect()
}

/// The line by which the interpreter says that its limits stand and its files are written.
pub(super) const HELLO: &[u8; 6] = b"ready\n";

#[cfg(test)]
mod tests {
    use super::{PythonLimits, parse_answer};

    const EMPTY: &str =
        r#"{"result": "8", "error": "", "is_cut": false, "files": [], "left_out": []}"#;

    fn limits() -> PythonLimits {
        PythonLimits { files_out: 10, output: 20, ..PythonLimits::default() }
    }

    /// The names of the files, or nothing where the answer is refused.
    #[track_caller]
    fn check(files: &str, content: &str, expected: Option<&[&str]>) {
        let line = EMPTY.replace(r#""files": []"#, &format!(r#""files": {files}"#));
        let answer = parse_answer(format!("{line}\n{content}").as_bytes(), &limits());
        let names = answer.as_ref().map(|answer| answer.files.iter().map(|file| &*file.name));
        assert_eq!(names.map(Iterator::collect::<Vec<_>>).as_deref(), expected, "{files}");
    }

    #[test]
    fn files_with_plain_names_are_read_whole() {
        check("[]", "", Some(&[]));
        check(r#"[{"name": "a", "size": 2}, {"name": "b", "size": 0}]"#, "xy", Some(&["a", "b"]));
    }

    #[test]
    fn a_forged_answer_is_refused() {
        check("[]", "x", None);
        check(r#"[{"name": "a", "size": 3}]"#, "xy", None);
        check(r#"[{"name": "a", "size": 18446744073709551615}]"#, "xy", None);
        check(r#"[{"name": "a", "size": -1}]"#, "xy", None);
        check(r#"[{"name": "a", "size": 11}]"#, "01234567890", None);
        check(r#"[{"name": "../../etc/cron.d/x", "size": 0}]"#, "", None);
        check(r#"[{"name": "/etc/passwd", "size": 0}]"#, "", None);
        check(r#"[{"name": "a\u0000", "size": 0}]"#, "", None);
        check(r#"[{"name": "a", "size": 1}, {"name": "a", "size": 1}]"#, "xy", None);
        check(r#"[{"name": "a", "size": 0, "path": "/etc/shadow"}]"#, "", None);
        check(&format!("[{}]", [r#"{"name": "a", "size": 0}"#; 65].join(",")), "", None);
    }

    #[test]
    fn bytes_of_another_shape_are_refused() {
        let long = EMPTY.replace('8', &"8".repeat(21));
        let deep = "[".repeat(100_000);
        for bytes in ["", "\n", "null\n", "{}\n", EMPTY, &format!("{long}\n"), &format!("{deep}\n")]
        {
            assert_eq!(parse_answer(bytes.as_bytes(), &limits()), None);
        }
        assert_eq!(parse_answer(b"\xff\xfe\n", &limits()), None);
    }

    #[test]
    fn names_that_are_only_shown_have_no_controls() {
        let line = EMPTY.replace(
            r#""left_out": []"#,
            r#""left_out": [{"name": "\u001b[2Jx", "reason": "a\nb"}]"#,
        );
        let answer = parse_answer(format!("{line}\n").as_bytes(), &limits()).unwrap();
        assert_eq!(answer.left_out[0].name, "\u{fffd}[2Jx");
        assert_eq!(answer.left_out[0].reason, "a\u{fffd}b");
    }
}
