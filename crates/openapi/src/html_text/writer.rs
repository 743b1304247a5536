//! Writes a text without its markup. Between blocks stands a gap: as many line breaks as the markup and the space around it
//! ask for, two at most, and the mark of an item or a cell.

use crate::html_text::{
    character::decode_references,
    code_span::CodeSpans,
    element::Element,
    markup::{Markup, MarkupKind},
    tag::Tag,
};

#[derive(Debug)]
pub(super) struct Writer<'t> {
    text: &'t str,
    code: &'t CodeSpans,
    layout: Layout,
    written: String,
    gap: Option<Gap>,
    /// The address of the open link, and the length of what was written before it.
    link: Option<(String, usize)>,
    /// For each open element of code: true if it has a backtick.
    open_code: Vec<bool>,
    /// The number of open preformatted texts, and true if the outermost has a fence.
    preformatted: (usize, bool),
    n_lists: usize,
    /// The length of what was written before the row.
    row_start: usize,
}

/// The form that the text of a page takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Layout {
    /// Markdown, with headings and paragraphs.
    Document,
    /// Each block in a line of its own, without the marks of headings.
    Lines,
    /// Part of a text in Markdown.
    Part,
}

/// The space that is due before the next text.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    n_breaks: usize,
    mark: &'static str,
}

const ITEM: &str = "- ";
const CELL: &str = " | ";
const DEFINITION: &str = ": ";
const FENCE: &str = "```";
const HEADINGS: [&str; 6] = ["# ", "## ", "### ", "#### ", "##### ", "###### "];
/// A page has no code of Markdown.
static NO_CODE: CodeSpans = CodeSpans::NONE;

impl Writer<'static> {
    /// A writer of a whole page.
    pub(super) fn with_layout(layout: Layout) -> Self {
        Self { layout, ..Self::new("", &NO_CODE) }
    }
}

impl<'t> Writer<'t> {
    pub(super) fn new(text: &'t str, code: &'t CodeSpans) -> Self {
        Self {
            text,
            code,
            layout: Layout::Part,
            written: String::with_capacity(text.len()),
            gap: None,
            link: None,
            open_code: Vec::new(),
            preformatted: (0, false),
            n_lists: 0,
            row_start: 0,
        }
    }

    pub(super) fn text_with_rendered_markup(mut self, markup: &[Markup<'_>]) -> String {
        let mut at = 0;
        for Markup { at: start, end, kind } in markup {
            self.push_text(self.text.get(at..*start).unwrap_or_default());
            match kind {
                MarkupKind::Character(character) => {
                    self.push_text(character.encode_utf8(&mut [0; 4]));
                }
                MarkupKind::Hidden { is_in_tag: true, .. } => self.push_text("<\u{2026}"),
                MarkupKind::Hidden { .. } => {}
                MarkupKind::Tag { tag, element } => self.write_tag(*element, tag, *end),
            }
            at = *end;
        }
        self.push_text(self.text.get(at..).unwrap_or_default());
        self.write_link_address();
        self.written
    }

    /// The text of a page, which ends with one line break unless it is empty.
    pub(super) fn into_page(mut self) -> String {
        self.written.truncate(self.written.trim_end().len());
        if self.layout == Layout::Document && !self.written.is_empty() {
            self.written.push('\n');
        }
        self.written
    }

    /// Writes what a tag becomes; `end` is its end in the text.
    pub(super) fn write_tag(&mut self, element: Element, tag: &Tag<'_>, end: usize) {
        if tag.is_end { self.end_element(element) } else { self.start_element(element, tag, end) }
    }

    /// Writes the tag of a heading of a page.
    pub(super) fn write_heading(&mut self, level: usize, tag: &Tag<'_>) {
        let mark =
            HEADINGS.get(level.saturating_sub(1)).filter(|_| self.layout == Layout::Document);
        if tag.is_end {
            self.drop_pending_mark('#');
            self.break_lines(2);
        } else {
            self.begin_marked_part(mark.copied().unwrap_or_default(), 2);
        }
    }

    /// Writes the text of a page: its white space is one space each, except in preformatted text.
    pub(super) fn push_words(&mut self, text: &str) {
        if self.preformatted.0 > 0 {
            return self.push_text(text);
        }
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            let is_apart = at > 0 && !self.written.ends_with(char::is_whitespace);
            if is_apart && self.gap.is_none() && !self.written.is_empty() {
                self.written.push(' ');
            }
            if !word.is_empty() {
                self.push_text(word);
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        let is_preformatted = self.preformatted.0 > 0;
        let Some(gap) = &mut self.gap else { return self.written.push_str(text) };
        let rest = text.trim_start();
        let space = text.get(..text.len() - rest.len()).unwrap_or_default();
        let n_breaks = space.matches('\n').count().min(2);
        if gap.mark.is_empty() {
            gap.n_breaks = gap.n_breaks.max(if is_preformatted { 0 } else { n_breaks });
        }
        if !rest.is_empty() {
            // The indentation of the first line of preformatted text is part of it.
            let indented = space.rfind('\n').map_or(0, |at| at + 1);
            let kept = if is_preformatted { text.get(indented..).unwrap_or(rest) } else { rest };
            self.write_pending_gap();
            self.written.push_str(kept);
        }
    }

    /// Ends the line at least; a cell or an item that has no text yet stays on its line.
    fn break_lines(&mut self, n_breaks: usize) {
        if self.preformatted.0 > 0 {
            return self.break_preformatted(n_breaks);
        }
        let n_written = self.take_trailing_line_breaks();
        let gap = self.gap.get_or_insert_default();
        if gap.mark.is_empty() {
            gap.n_breaks = gap.n_breaks.max(n_breaks).max(n_written);
        }
    }

    /// Begins an item, a cell or a definition.
    fn begin_marked_part(&mut self, mark: &'static str, n_breaks: usize) {
        if self.preformatted.0 > 0 {
            return self.break_preformatted(n_breaks);
        }
        // A cell without a text keeps its place.
        if self.gap.is_some_and(|gap| gap.mark == CELL) && mark == CELL {
            self.write_pending_gap();
        }
        let n_written = self.take_trailing_line_breaks();
        let n_written = if mark == ITEM { n_written } else { 0 };
        let gap = self.gap.get_or_insert_default();
        *gap = Gap { n_breaks: gap.n_breaks.max(n_breaks).max(n_written), mark };
    }

    /// Lines of preformatted text may be elements.
    fn break_preformatted(&mut self, n_breaks: usize) {
        if n_breaks > 0 && self.gap.is_none() && !self.written.ends_with('\n') {
            self.written.push('\n');
        }
    }

    /// Forgets the mark of an item, a cell or a heading without a text, by its sign.
    fn drop_pending_mark(&mut self, sign: char) {
        if let Some(gap) = self.gap.as_mut().filter(|gap| gap.mark.contains(sign)) {
            gap.mark = "";
        }
    }

    fn take_trailing_line_breaks(&mut self) -> usize {
        if self.gap.is_some() {
            return 0;
        }
        let kept = self.written.trim_end().len();
        let n_breaks = self.written.get(kept..).unwrap_or_default().matches('\n').count();
        self.written.truncate(kept);
        n_breaks.min(2)
    }

    fn write_pending_gap(&mut self) {
        let Some(Gap { n_breaks, mark }) = self.gap.take() else { return };
        if self.written.is_empty() {
            let is_inner = mark == CELL || mark == DEFINITION;
            self.written.push_str(if is_inner { "" } else { mark });
            return;
        }
        let most = if self.layout == Layout::Lines { 1 } else { 2 };
        let breaks = if mark == CELL || mark == DEFINITION { 0 } else { n_breaks.min(most) };
        self.written.push_str("\n\n".get(..breaks).unwrap_or_default());
        self.written.push_str(if breaks == 0 && mark.is_empty() { " " } else { mark });
    }

    fn start_element(&mut self, element: Element, tag: &Tag<'_>, end: usize) {
        match element {
            Element::Anchor => {
                self.write_link_address();
                let address =
                    tag.attribute("href").map(|address| decode_references(address).into_owned());
                self.link = address.map(|address| (address, self.written.len()));
            }
            Element::Block => self.break_lines(2),
            Element::Break if self.preformatted.0 > 0 => self.written.push('\n'),
            Element::Break | Element::Line => self.break_lines(1),
            Element::Cell => {
                let is_first = self.written.len() == self.row_start;
                self.begin_marked_part(if is_first { "" } else { CELL }, 0);
            }
            Element::Code => self.start_code(),
            Element::Definition => self.begin_marked_part(DEFINITION, 0),
            Element::Hidden | Element::Plain => {}
            Element::Image => {
                let text = tag.attribute("alt").filter(|text| !text.trim().is_empty());
                let address =
                    || tag.attribute("src").filter(|address| !address.starts_with("data:"));
                self.push_text(&decode_references(text.or_else(address).unwrap_or_default()));
            }
            Element::Item => self.begin_marked_part(ITEM, 1),
            Element::List => {
                self.break_lines(if self.n_lists == 0 { 2 } else { 1 });
                self.n_lists += 1;
            }
            Element::Preformatted => self.start_preformatted(end),
            Element::Quote => self.push_text("\""),
            Element::Row => self.end_row(),
            Element::Struck => self.push_text("~~"),
            Element::Sub => self.push_text("_"),
            Element::Sup => self.push_text("^"),
        }
    }

    fn end_element(&mut self, element: Element) {
        match element {
            Element::Anchor => self.write_link_address(),
            Element::Block => self.break_lines(2),
            Element::Break | Element::Item | Element::Line => self.break_lines(1),
            Element::Row => self.end_row(),
            Element::Cell | Element::Definition => self.break_lines(0),
            Element::Code => {
                if self.open_code.pop() == Some(true) {
                    self.written.push('`');
                }
            }
            Element::Hidden | Element::Image | Element::Plain | Element::Sub | Element::Sup => {}
            Element::List => {
                self.drop_pending_mark('-');
                self.n_lists = self.n_lists.saturating_sub(1);
                self.break_lines(if self.n_lists == 0 { 2 } else { 1 });
            }
            Element::Preformatted => self.end_preformatted(),
            Element::Quote => self.push_text("\""),
            Element::Struck => self.push_text("~~"),
        }
    }

    fn end_row(&mut self) {
        self.drop_pending_mark('|');
        self.break_lines(1);
        self.row_start = self.written.len();
    }

    /// The address of the open link, behind its text: not if it is the text.
    fn write_link_address(&mut self) {
        let Some((address, before)) = self.link.take() else { return };
        let text = self.written.get(before..).unwrap_or_default().trim();
        let is_said = address == text || address.strip_prefix("mailto:") == Some(text);
        let leads_on = !address.is_empty() && !address.starts_with('#');
        let is_safe = !address.to_ascii_lowercase().starts_with("javascript:");
        if !is_said && leads_on && is_safe {
            let shown = if text.is_empty() { address } else { format!(" ({address})") };
            self.write_pending_gap();
            self.written.push_str(&shown);
        }
    }

    /// Code has backticks where they make a pair.
    fn start_code(&mut self) {
        let is_shown =
            !self.code.has_strays && self.preformatted.0 == 0 && self.open_code.is_empty();
        self.open_code.push(is_shown);
        if is_shown {
            self.write_pending_gap();
            self.written.push('`');
        }
    }

    /// Preformatted text becomes a fenced block where no backtick and no mark could break it.
    fn start_preformatted(&mut self, end: usize) {
        if self.preformatted.0 == 0 {
            self.break_lines(if self.layout == Layout::Part { 1 } else { 2 });
            let is_alone = self.gap.is_none_or(|gap| gap.mark.is_empty());
            let has_fence = is_alone && self.can_be_fenced(end);
            if has_fence {
                self.write_pending_gap();
                self.written.push_str(FENCE);
                self.gap = Some(Gap { n_breaks: 1, mark: "" });
            }
            self.preformatted.1 = has_fence;
        }
        self.preformatted.0 += 1;
    }

    fn can_be_fenced(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        let is_end = |end: usize| {
            rest.get(end..end + 5).is_some_and(|end| end.eq_ignore_ascii_case("</pre"))
        };
        let end = rest.match_indices("</").map(|(end, _)| end).find(|end| is_end(*end));
        end.and_then(|end| rest.get(..end)).is_some_and(|content| !content.contains('`'))
    }

    fn end_preformatted(&mut self) {
        self.preformatted.0 = self.preformatted.0.saturating_sub(1);
        if self.preformatted == (0, true) {
            self.gap = None;
            self.written.truncate(self.written.trim_end().len());
            self.written.push('\n');
            self.written.push_str(FENCE);
            self.preformatted.1 = false;
        }
        self.break_lines(if self.layout == Layout::Part { 1 } else { 2 });
    }
}
