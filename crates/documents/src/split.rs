//! Splits a text into pieces: at headings, then at empty lines, so that paragraphs stay whole and small ones are joined. A piece is
//! a range of the text, with whole lines wherever a line is not too long. Equal texts have equal pieces.

mod headline;

use std::ops::Range;

use headline::{Fence, Heading};

use crate::read::PAGE_END;

/// A range of a text that is found and shown as one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Piece {
    pub(crate) range: Range<usize>,
    /// The first and the last line of the piece, which count from 1.
    pub(crate) lines: (usize, usize),
    /// The headings above the piece, the widest first.
    pub(crate) section: String,
}

/// The pieces of a text from `body` on. `has_headings` texts are divided at headings of Markdown.
pub(crate) fn split(text: &str, body: usize, style: Style) -> Vec<Piece> {
    let mut splitter = Splitter::new(text, body, style);
    let mut lines = Lines::new(text, body).peekable();
    let mut before_is_empty = true;
    while let Some(line) = lines.next() {
        let next = lines.peek().map_or("", |next| next.text);
        let heading = match style {
            Style::Markdown if splitter.fence.is_none() => {
                headline::read_heading(line.text, next, before_is_empty)
            }
            _ => None,
        };
        before_is_empty = line.text.trim().is_empty();
        splitter.add_line(&line, heading);
    }
    splitter.end_piece();
    splitter.pieces
}

/// The title of a text: its first heading.
pub(crate) fn first_heading_title(text: &str, body: usize) -> Option<String> {
    let mut lines = Lines::new(text, body).take(MOST_LINES_TO_TITLE).peekable();
    let mut before_is_empty = true;
    while let Some(line) = lines.next() {
        let next = lines.peek().map_or("", |next| next.text);
        if let Some(heading) = headline::read_heading(line.text, next, before_is_empty) {
            return Some(heading.title.to_owned());
        }
        before_is_empty = line.text.trim().is_empty();
    }
    None
}

/// The form of a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Style {
    Markdown,
    Plain,
}

#[derive(Clone, Copy, Debug)]
struct Line<'t> {
    text: &'t str,
    from: usize,
    to: usize,
    number: usize,
}

/// The lines of a text behind `body`, with their numbers in the whole text.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    number: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str, body: usize) -> Self {
        let before = text.as_bytes().get(..body).unwrap_or_default();
        Self { text, at: body, number: memchr::memchr_iter(b'\n', before).count() + 1 }
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let (from, to, number) = (self.at, self.at + length, self.number);
        (self.at, self.number) = (to, number + 1);
        Some(Line { text: rest.get(..length)?, from, to, number })
    }
}

struct Splitter<'t> {
    text: &'t str,
    style: Style,
    pieces: Vec<Piece>,
    headings: Vec<(usize, &'t str)>,
    fence: Option<Fence>,
    /// The piece that grows, with the end of its last block and the line of it.
    from: usize,
    first_line: usize,
    to: usize,
    last_line: usize,
    /// The end of the last block that an empty line follows.
    whole: Option<(usize, usize)>,
    has_body: bool,
    is_blank: bool,
}

impl<'t> Splitter<'t> {
    fn new(text: &'t str, body: usize, style: Style) -> Self {
        Self {
            text,
            style,
            pieces: Vec::new(),
            headings: Vec::new(),
            fence: None,
            from: body,
            first_line: 0,
            to: body,
            last_line: 0,
            whole: None,
            has_body: false,
            is_blank: true,
        }
    }

    fn add_line(&mut self, line: &Line<'t>, heading: Option<Heading<'t>>) {
        if line.text.starts_with(PAGE_END) {
            self.end_piece();
        }
        if self.style == Style::Markdown {
            self.fence = headline::fence_after_line(line.text, self.fence);
        }
        if let Some(heading) = heading {
            if self.has_body {
                self.end_piece();
            }
            self.headings.retain(|(level, _)| *level < heading.level);
            self.headings.push((heading.level, heading.title));
            self.add_to_piece(line);
            return;
        }
        if line.text.trim().is_empty() {
            if self.fence.is_none() && !self.is_blank {
                self.whole = Some((self.to, self.last_line));
            }
            return;
        }
        if self.to > self.from && line.to - self.from > TARGET {
            self.end_piece_at_block(line);
        }
        if line.text.len() > LONGEST {
            self.end_piece();
            self.split_long_line(line);
            return;
        }
        self.add_to_piece(line);
        self.has_body = true;
    }

    /// Adds a line to the piece.
    fn add_to_piece(&mut self, line: &Line<'_>) {
        if self.is_blank {
            let from = line.from + usize::from(line.text.starts_with(PAGE_END));
            (self.from, self.first_line, self.is_blank) = (from, line.number, false);
        }
        (self.to, self.last_line) = (line.to, line.number);
    }

    /// Ends the piece where its last whole block ends, or before this line if it has become too long.
    fn end_piece_at_block(&mut self, line: &Line<'_>) {
        match self.whole.take() {
            Some((to, _)) if to == self.to => self.end_piece(),
            Some((to, last_line)) => {
                let rest = (self.to, self.last_line);
                (self.to, self.last_line) = (to, last_line);
                self.end_piece();
                let begun = self.text.get(to..rest.0).unwrap_or_default();
                let blank = begun.len() - begun.trim_start_matches(['\n', '\r']).len();
                let n_lines =
                    memchr::memchr_iter(b'\n', begun.get(..blank).unwrap_or_default().as_bytes())
                        .count();
                (self.from, self.first_line) = (to + blank, last_line + 1 + n_lines);
                (self.to, self.last_line, self.is_blank, self.has_body) =
                    (rest.0, rest.1, false, true);
            }
            None if line.to - self.from > LONGEST => self.end_piece(),
            None => {}
        }
    }

    /// Cuts a line that is longer than a piece between words.
    fn split_long_line(&mut self, line: &Line<'_>) {
        let mut from = line.from;
        while from < line.to {
            let rest = self.text.get(from..line.to).unwrap_or_default();
            let length = length_to_word_end(rest, TARGET);
            (self.from, self.first_line, self.is_blank) = (from, line.number, false);
            (self.to, self.last_line) = (from + length, line.number);
            self.end_piece();
            from += length;
        }
    }

    fn end_piece(&mut self) {
        let text = self.text.get(self.from..self.to).unwrap_or_default();
        let end = self.from + text.trim_end().len();
        if !self.is_blank && end > self.from {
            let lines = (self.first_line, self.last_line);
            let section = self.heading_path();
            self.pieces.push(Piece { range: self.from..end, lines, section });
        }
        (self.from, self.whole, self.has_body, self.is_blank) = (self.to, None, false, true);
    }

    fn heading_path(&self) -> String {
        let mut section = String::new();
        for (_, title) in &self.headings {
            if section.len() + title.len() > LONGEST_SECTION {
                break;
            }
            if !section.is_empty() {
                section.push_str(" > ");
            }
            section.push_str(title);
        }
        section
    }
}

/// The length of the largest part of a text that ends between words and has at most `most` bytes.
fn length_to_word_end(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let end = text.floor_char_boundary(most);
    let part = text.get(..end).unwrap_or_default();
    match part.rfind(char::is_whitespace) {
        Some(at) if at > 0 => at,
        _ => end.max(1),
    }
}

/// The size that pieces grow to, and the largest one that keeps a paragraph whole, in bytes.
const TARGET: usize = 1200;
const LONGEST: usize = 2400;
const LONGEST_SECTION: usize = 200;
const MOST_LINES_TO_TITLE: usize = 200;

#[cfg(test)]
mod tests;
