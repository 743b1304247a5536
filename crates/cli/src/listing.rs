//! Lists of names with what they are, in groups. A name is never cut, because a reader types it; on a terminal, the text behind it is
//! cut or wrapped to the width. Data is shown as a `table`.

use crate::output::in_bold;

pub(crate) struct Listing {
    headings: Row,
    lines: Vec<Line>,
    /// The most lines that a text takes on a terminal.
    most_lines: usize,
}

enum Line {
    Heading(String),
    Row(Row),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) indent: usize,
    pub(crate) name: String,
    /// The words, one for each column; a column without words is not shown.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
}

/// The widths of the columns; those of words are 0 where no row has any.
struct Widths {
    name: usize,
    words: Vec<usize>,
    /// The width of texts; `None` if they have one line of any length.
    text: Option<usize>,
}

impl Listing {
    pub(crate) fn new(name: &str, words: &[&str], text: &str) -> Self {
        let headings = Row {
            indent: 0,
            name: name.to_uppercase(),
            words: words.iter().map(|word| word.to_uppercase()).collect(),
            text: text.to_uppercase(),
        };
        Self { headings, lines: Vec::new(), most_lines: 1 }
    }

    pub(crate) fn without_headings() -> Self {
        Self::new("", &[""], "")
    }

    pub(crate) fn with_line_limit(mut self, most_lines: usize) -> Self {
        self.most_lines = most_lines;
        self
    }

    pub(crate) fn add_heading(&mut self, text: &str) {
        self.lines.push(Line::Heading(text_in_one_line(text)));
    }

    pub(crate) fn add_row(&mut self, row: Row) {
        // A line break would end the row.
        let Row { indent, name, words, text } = row;
        let words = words.iter().map(|word| text_in_one_line(word)).collect();
        let (name, text) = (text_in_one_line(&name), text_in_one_line(&text));
        self.lines.push(Line::Row(Row { indent, name, words, text }));
    }

    /// The list with its headings in bold, as wide as the terminal if `width` is given; empty without rows.
    pub(crate) fn text(&self, width: Option<usize>) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let widths = self.column_widths(width);
        let bold = |line: &str| format!("{}\n", in_bold(line));
        let mut text: String =
            widths.lines(&self.headings, 1).iter().map(|line| bold(line)).collect();
        for line in &self.lines {
            match line {
                Line::Heading(heading) => text.push_str(&bold(heading)),
                Line::Row(row) => {
                    let lines = widths.lines(row, self.most_lines);
                    text.extend(lines.into_iter().flat_map(|line| [line, "\n".to_owned()]));
                }
            }
        }
        text
    }

    fn column_widths(&self, width: Option<usize>) -> Widths {
        let rows = || {
            self.lines.iter().filter_map(|line| match line {
                Line::Row(row) => Some(row),
                Line::Heading(_) => None,
            })
        };
        // Longer ones have a line of their own, or are cut.
        let most = |share: usize| width.map_or(usize::MAX, |width| width / share);
        let widest = |widths: &mut dyn Iterator<Item = usize>, share: usize| {
            widths.filter(|n| *n <= most(share)).max().unwrap_or_default()
        };
        let name = widest(&mut rows().map(Row::indented_name_width), 2)
            .max(column_count(&self.headings.name));
        let word = |(at, heading): (usize, &String)| {
            let of = |row: &Row| row.words.get(at).map_or(0, |word| column_count(word));
            match rows().map(of).max() {
                None | Some(0) => 0,
                Some(n) => n.min(most(4)).max(column_count(heading)),
            }
        };
        let words: Vec<usize> = self.headings.words.iter().enumerate().map(word).collect();
        let gaps = words.iter().filter(|width| **width > 0).count().saturating_add(1);
        let before = name.saturating_add(words.iter().sum()).saturating_add(gaps * GAP.len());
        let text = width.map(|width| width.saturating_sub(before).max(NARROWEST));
        Widths { name, words, text }
    }
}

impl Row {
    fn indented_name_width(&self) -> usize {
        self.indent.saturating_add(column_count(&self.name))
    }
}

impl Widths {
    fn lines(&self, row: &Row, most_lines: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = format!("{}{}", " ".repeat(row.indent), row.name);
        if column_count(&line) > self.name {
            lines.push(std::mem::take(&mut line));
        }
        pad_to_width(&mut line, self.name);
        for (word, width) in row.words.iter().zip(&self.words).filter(|(_, width)| **width > 0) {
            let end = column_count(&line).saturating_add(GAP.len()).saturating_add(*width);
            line.push_str(GAP);
            line.push_str(&cut_to_width(word, *width));
            pad_to_width(&mut line, end);
        }
        line.push_str(GAP);
        let begin = column_count(&line);
        for part in wrapped_lines(&row.text, self.text, most_lines) {
            line.push_str(&part);
            lines.push(std::mem::take(&mut line));
            pad_to_width(&mut line, begin);
        }
        let lines = lines.into_iter().map(|line| line.trim_end().to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    }
}

/// A text in lines of this width, at most so many; `…` replaces the rest.
fn wrapped_lines(text: &str, width: Option<usize>, most_lines: usize) -> Vec<String> {
    let Some(width) = width else { return vec![text.to_owned()] };
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let n_lines = lines.len();
        let Some(line) = lines.last_mut() else { break };
        let is_first = line.is_empty();
        let end = column_count(line)
            .saturating_add(column_count(word))
            .saturating_add(usize::from(!is_first));
        if !is_first && end > width && n_lines < most_lines {
            lines.push(word.to_owned());
        } else {
            let gap = if is_first { "" } else { " " };
            line.push_str(gap);
            line.push_str(word);
        }
    }
    lines.iter().map(|line| cut_to_width(line, width)).collect()
}

fn pad_to_width(line: &mut String, width: usize) {
    line.extend(std::iter::repeat_n(' ', width.saturating_sub(column_count(line))));
}

fn text_in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text cut to this many columns; `…` replaces the rest.
pub(crate) fn cut_to_width(text: &str, width: usize) -> String {
    if column_count(text) <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The columns that a text takes, estimated from its characters.
fn column_count(text: &str) -> usize {
    text.chars().count()
}

const GAP: &str = "  ";
const NARROWEST: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn row(indent: usize, name: &str, word: &str, text: &str) -> Row {
        Row {
            indent,
            name: name.into(),
            words: vec![word.into(), String::new()],
            text: text.into(),
        }
    }

    #[track_caller]
    fn check(width: Option<usize>, most_lines: usize, expected: &str) {
        let mut listing =
            Listing::new("tool", &["effect", "never"], "what").with_line_limit(most_lines);
        listing.add_heading("pets");
        listing.add_row(row(2, "getPet", "read", "Shows a pet\nof the shop"));
        listing.add_row(row(2, "a_name_that_is_very_long", "write", "Adds"));
        let text = crate::output::without_styles(&listing.text(width));
        assert_eq!(text, expected, "{width:?}");
    }

    #[test]
    fn names_are_whole_and_texts_are_cut_to_the_terminal() {
        check(
            None,
            1,
            "TOOL                        EFFECT  WHAT\npets\n  getPet                    read    Shows a pet of the shop\n  a_name_that_is_very_long  write   Adds\n",
        );
        check(
            Some(32),
            1,
            "TOOL      EFFECT  WHAT\npets\n  getPet  read    Shows a pet o…\n  a_name_that_is_very_long\n          write   Adds\n",
        );
        check(
            Some(32),
            2,
            "TOOL      EFFECT  WHAT\npets\n  getPet  read    Shows a pet of\n                  the shop\n  a_name_that_is_very_long\n          write   Adds\n",
        );
    }
}
