//! Prints diagnostics for people: the message, the place, the line with a caret, and the remedy. Readable
//! without colour; the only module that knows snippets.

use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use callgate::{
    config::Finding,
    openapi::{Diagnostic, Position, Severity},
};
use callgate_tool::{escape_invisible_in_line, is_invisible_or_control};

use crate::{
    cause::{self, Cause},
    masking::{is_description_or_config, is_part_of_document, mask_from_login_or_query},
    output, remedy,
};

/// The longest line of a snippet; longer ones are cut around the caret.
const WIDTH: usize = 120;

struct Remark<'a> {
    level: Level<'static>,
    code: &'a str,
    message: &'a str,
    help: &'a str,
    position: Option<Position>,
    /// The texts after the help, each with its name: `("also", "spec.yaml:7:3: …")`.
    more: Vec<(&'static str, String)>,
}

pub(crate) fn rendered_diagnostic(
    file: &Path,
    lines: &Lines<'_>,
    diagnostic: &Diagnostic,
) -> String {
    let causes = cause::group_into_causes(std::slice::from_ref(diagnostic));
    rendered_causes(&causes, lines, |_| file.to_owned())
}

/// The causes of one code and severity: the first with its line, the others by their places. `lines` are those of the first
/// cause's file.
pub(crate) fn rendered_causes(
    causes: &[Cause],
    lines: &Lines<'_>,
    file: impl Fn(&Diagnostic) -> PathBuf,
) -> String {
    let Some((first, others)) = causes.split_first() else { return String::new() };
    let Diagnostic { severity, code, position, .. } = &first.diagnostic;
    let help = remedy::diagnostic_remedy(&first.diagnostic);
    let mut more: Vec<_> =
        first.occurrence_summary().map(|text| ("so", text)).into_iter().collect();
    more.extend(
        others.iter().map(|other| ("also", cause_line(other, &file(&other.diagnostic), &help))),
    );
    let message = first.message();
    let remark = Remark {
        level: annotation_level(*severity),
        code: code.as_str(),
        message: &message,
        help: &help,
        position: *position,
        more,
    };
    rendered_remark(&file(&first.diagnostic), lines, &remark)
}

/// A cause in one line: place, message, and the remedy if it differs from `help`.
fn cause_line(cause: &Cause, file: &Path, help: &str) -> String {
    let place = match cause.diagnostic.position {
        Some(Position { line, column }) => format!("{}:{line}:{column}", file.display()),
        None => file.display().to_string(),
    };
    let mut text = format!("{place}: {}", cause.message());
    if let Some(concerned) = cause.occurrence_summary() {
        text.push_str(&format!(" ({concerned})"));
    }
    let own = remedy::diagnostic_remedy(&cause.diagnostic);
    if own != help {
        text.push_str(&format!("; help: {own}"));
    }
    text
}

fn annotation_level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        _ => Level::NOTE,
    }
}

/// A finding, and the others that have its remedy.
pub(crate) fn rendered_finding(lines: &Lines<'_>, finding: &Finding, same: &[&Finding]) -> String {
    let help = remedy::finding_remedy(finding);
    let remark = Remark {
        level: annotation_level(finding.severity),
        code: finding.code,
        message: &finding.message,
        help: &help,
        position: finding.position,
        more: same.iter().map(|other| ("also", other.message.clone())).collect(),
    };
    rendered_remark(&remedy::finding_file_or_flag(finding), lines, &remark)
}

#[derive(Default)]
pub(crate) struct Lines<'a>(Vec<&'a str>);

impl<'a> Lines<'a> {
    /// The lines of `text`; none if it is not a file of ours, since it may hold private text.
    pub(crate) fn new(text: &'a str) -> Self {
        if is_description_or_config(text) { Self(text.lines().collect()) } else { Self::default() }
    }

    pub(crate) fn of_document_part(text: &'a str) -> Self {
        if is_part_of_document(text) { Self(text.lines().collect()) } else { Self::default() }
    }

    fn masked_line(&self, line: usize) -> Option<String> {
        self.0.get(line.checked_sub(1)?).map(|line| mask_from_login_or_query(line))
    }
}

fn rendered_remark(file: &Path, lines: &Lines<'_>, remark: &Remark<'_>) -> String {
    let path = file.display().to_string();
    let path = escape_invisible_in_line(&path);
    let (message, help) =
        (escape_invisible_in_line(remark.message), escape_invisible_in_line(remark.help));
    let title = remark.level.clone().primary_title(&*message).id(remark.code);
    let line =
        remark.position.and_then(|position| Some((lines.masked_line(position.line)?, position)));
    let excerpt = line.map(|(line, position)| Excerpt::new(&line, position));
    let place = remark.position.map(|at| format!(":{}:{}", at.line, at.column));
    let place = format!("in {path}{}", place.unwrap_or_default());
    let mut group = match &excerpt {
        Some(excerpt) => title.element(
            Snippet::source(excerpt.line.as_str())
                .line_start(excerpt.number)
                .path(&*path)
                .annotation(AnnotationKind::Primary.span(excerpt.start..excerpt.end)),
        ),
        None => title.element(Level::NOTE.message(place)),
    };
    if !help.is_empty() {
        group = group.element(Level::HELP.message(&*help));
    }
    for (name, text) in &remark.more {
        group = group.element(Level::NOTE.with_name(*name).message(escape_invisible_in_line(text)));
    }
    let text = Renderer::styled().term_width(WIDTH).render(&[group]);
    let mut text = output::with_trusted_escapes(&text);
    if let (Some(excerpt), Some(Position { line, column })) = (&excerpt, remark.position) {
        // A line that was cut has other columns than the line in the file.
        let shown = format!("{path}:{line}:{}", excerpt.start_column());
        text = text.replacen(&shown, &format!("{path}:{line}:{column}"), 1);
    }
    text.push_str("\n\n");
    text
}

struct Excerpt {
    number: usize,
    line: String,
    start: usize,
    end: usize,
}

impl Excerpt {
    /// The word at `position`: a quoted text with its quotes, or everything up to a separator. A very long line is
    /// cut to the surroundings of the word, for minified JSON.
    fn new(line: &str, position: Position) -> Self {
        let skipped = position.column.saturating_sub(1);
        let before: String = line
            .chars()
            .map(visible_character)
            .skip(skipped.saturating_sub(WIDTH / 2))
            .take(skipped.min(WIDTH / 2))
            .collect();
        let after: String = line.chars().map(visible_character).skip(skipped).take(WIDTH).collect();
        let word = leading_word_length(&after);
        let start = before.len();
        let line = before + &after;
        let end = (start + word).min(line.len());
        Self { number: position.line, line, start, end }
    }

    fn start_column(&self) -> usize {
        let before = self.line.get(..self.start).unwrap_or_default();
        before.chars().count().saturating_add(1)
    }
}

/// The character, or a sign in its place, so that a caret stays below its word.
fn visible_character(character: char) -> char {
    if is_invisible_or_control(character) && character != '\t' {
        char::REPLACEMENT_CHARACTER
    } else {
        character
    }
}

fn leading_word_length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    if first == '"' || first == '\'' {
        let closing = chars.find(|(_, c)| *c == first);
        return closing.map_or(text.len(), |(at, _)| at + 1);
    }
    let separator = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '{' | '}' | '[' | ']');
    match text.find(separator) {
        Some(0) => first.len_utf8(),
        Some(at) => at,
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_underline_of_a_finding_covers_one_word() {
        let rows = [
            ("petId: 7", 5),
            ("\"pet id\": 7", 8),
            ("'x'", 3),
            ("{a", 1),
            ("", 0),
            ("\"open", 5),
            ("é: 1", 2),
        ];
        for (text, length) in rows {
            assert_eq!(leading_word_length(text), length, "{text}");
        }
    }

    #[test]
    fn a_minified_line_is_cut_around_the_word() {
        let line = format!("{}\"here\"{}", "x".repeat(5000), "y".repeat(5000));
        let excerpt = Excerpt::new(&line, Position { line: 1, column: 5001 });
        assert_eq!(excerpt.line.get(excerpt.start..excerpt.end), Some("\"here\""));
        assert!(excerpt.line.len() <= 2 * WIDTH);
    }
}
