//! Code in Markdown, whose text is no markup: spans between equal runs of backticks in one paragraph, and fenced blocks
//! (`CommonMark` 0.31 §6.1, §4.5).

use std::{collections::BTreeMap, ops::Range};

#[derive(Debug)]
pub(super) struct CodeSpans {
    spans: Vec<Range<usize>>,
    /// True if a run of backticks has no partner: more backticks would make pairs that nobody meant.
    pub(super) has_strays: bool,
}

/// A run of backticks outside of fenced blocks, with the number of its paragraph.
#[derive(Clone, Copy, Debug)]
struct Run {
    at: usize,
    length: usize,
    paragraph: usize,
}

impl CodeSpans {
    pub(super) const NONE: Self = Self { spans: Vec::new(), has_strays: false };

    pub(super) fn from_text(text: &str) -> Self {
        if !text.contains(['`', '~']) {
            return Self::NONE;
        }
        let (mut spans, runs) = fences_and_runs(text);
        let mut has_strays = false;
        let partners = next_runs_of_length(&runs);
        let mut end = 0;
        for (run, partner) in runs.iter().zip(partners) {
            if run.at < end {
                continue;
            }
            match partner {
                Some(partner) => {
                    end = partner.at + partner.length;
                    spans.push(run.at..end);
                }
                None => has_strays = true,
            }
        }
        spans.sort_by_key(|span| span.start);
        Self { spans, has_strays }
    }

    /// The end of the code that a position is in.
    pub(super) fn code_end_at(&self, at: usize) -> Option<usize> {
        let next = self.spans.partition_point(|span| span.end <= at);
        self.spans.get(next).filter(|span| span.contains(&at)).map(|span| span.end)
    }

    /// The start of the first code at or behind a position.
    pub(super) fn next_code_start(&self, at: usize) -> Option<usize> {
        let next = self.spans.partition_point(|span| span.start < at);
        self.spans.get(next).map(|span| span.start)
    }
}

/// The fenced blocks of a text, and the runs of backticks elsewhere.
fn fences_and_runs(text: &str) -> (Vec<Range<usize>>, Vec<Run>) {
    let (mut blocks, mut runs) = (Vec::new(), Vec::new());
    let mut open: Option<(usize, &str)> = None;
    let (mut at, mut paragraph) = (0, 0);
    for line in text.split_inclusive('\n') {
        let fence = opening_fence(line);
        match (open, fence) {
            (Some((start, mark)), Some(fence))
                if fence.starts_with(mark) && line.trim() == fence =>
            {
                blocks.push(start..at + line.trim_end().len());
                open = None;
                paragraph += 1;
            }
            (Some(_), _) => {}
            (None, Some(fence)) => open = Some((at, fence)),
            (None, None) => {
                paragraph += usize::from(line.trim().is_empty());
                runs.extend(backtick_runs(line).map(|(start, length)| Run {
                    at: at + start,
                    length,
                    paragraph,
                }));
            }
        }
        at += line.len();
    }
    blocks.extend(open.map(|(start, _)| start..text.len()));
    (blocks, runs)
}

fn opening_fence(line: &str) -> Option<&str> {
    let start = line.trim_start_matches(' ');
    let is_near = line.len() - start.len() < 4;
    let rest = start.trim_start_matches('`');
    let rest = if rest.len() < start.len() { rest } else { start.trim_start_matches('~') };
    let mark = start.get(..start.len() - rest.len()).filter(|mark| mark.len() >= 3 && is_near)?;
    (!mark.starts_with('`') || !rest.contains('`')).then_some(mark)
}

/// The runs of backticks of a line, each with its length; a backslash before one makes its first backtick text.
fn backtick_runs(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find('`')?;
        let (before, run) = rest.split_at_checked(start)?;
        let escaped =
            usize::from(before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1);
        let run = run.get(escaped..)?;
        let behind = run.trim_start_matches('`');
        let run_position = (line.len() - run.len(), run.len() - behind.len());
        rest = behind;
        Some(run_position)
    })
    .filter(|(_, length)| *length > 0)
}

/// The next run of the length of each in its paragraph.
fn next_runs_of_length(runs: &[Run]) -> Vec<Option<Run>> {
    let mut next: BTreeMap<usize, Run> = BTreeMap::new();
    let mut partners = Vec::with_capacity(runs.len());
    for run in runs.iter().rev() {
        let next_run = next.insert(run.length, *run);
        partners.push(next_run.filter(|next_run| next_run.paragraph == run.paragraph));
    }
    partners.reverse();
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_by_its_marks() {
        let rows: [(&str, &[&str], bool); 9] = [
            ("a `b` c ``d ` e``", &["`b`", "``d ` e``"], false),
            ("a ` b", &[], true),
            ("a `b\nc` d", &["`b\nc`"], false),
            ("a `b\n\nc` d", &[], true),
            ("x\n```json\n{`}\n```\ny `z`", &["```json\n{`}\n```", "`z`"], false),
            ("```\nopen", &["```\nopen"], false),
            ("~~~\na ` b\n~~~", &["~~~\na ` b\n~~~"], false),
            ("\\`a `b`", &["`b`"], false),
            ("```a``` b", &["```a```"], false),
        ];
        for (text, expected, has_strays) in rows {
            let code = CodeSpans::from_text(text);
            let got: Vec<_> =
                code.spans.iter().map(|span| text.get(span.clone()).unwrap()).collect();
            assert_eq!((&*got, code.has_strays), (expected, has_strays), "{text:?}");
        }
    }
}
