//! Writes a text without its markup. Between blocks stands a gap: as many line breaks as the markup and the space around it
//! ask for, two at most, and the mark of an item or a cell.

use crate::html_text::{
    character,
    code_span::CodeSpans,
    element::Element,
    markup::{Markup, MarkupKind},
    tag::Tag,
};

#[derive(Debug)]
pub(super) struct Writer<'t, 'c> {
    text: &'t str,
    code: &'c CodeSpans,
    written: String,
    gap: Option<Gap>,
    /// The address of the open link, and the length of what was written before it.
    link: Option<(String, usize)>,
    /// For each open element of code: true if it has a backtick.
    open_code: Vec<bool>,
    /// The number of open preformatted texts, and true if the outermost has a fence.
    preformatted: (usize, bool),
    n_lists: usize,
    has_cell: bool,
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

impl<'t, 'c> Writer<'t, 'c> {
    pub(super) fn new(text: &'t str, code: &'c CodeSpans) -> Self {
        Self {
            text,
            code,
            written: String::with_capacity(text.len()),
            gap: None,
            link: None,
            open_code: Vec::new(),
            preformatted: (0, false),
            n_lists: 0,
            has_cell: false,
        }
    }

    pub(super) fn into_text(mut self, markup: &[Markup<'_>]) -> String {
        let mut at = 0;
        for Markup { at: start, end, kind } in markup {
            self.push(self.text.get(at..*start).unwrap_or_default());
            match kind {
                MarkupKind::Character(character) => {
                    self.push(character.encode_utf8(&mut [0; 4]));
                }
                MarkupKind::Hidden { is_in_tag: true, .. } => self.push("<\u{2026}"),
                MarkupKind::Hidden { .. } => {}
                MarkupKind::Tag { tag, element } if tag.is_end => self.end(*element),
                MarkupKind::Tag { tag, element } => self.start(*element, tag, *end),
            }
            at = *end;
        }
        self.push(self.text.get(at..).unwrap_or_default());
        self.end_link();
        self.written
    }

    fn push(&mut self, text: &str) {
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
            self.close_gap();
            self.written.push_str(kept);
        }
    }

    /// Ends the line at least; a cell or an item that has no text yet stays on its line.
    fn part(&mut self, n_breaks: usize) {
        if self.preformatted.0 > 0 {
            return;
        }
        let n_written = self.open_gap();
        let gap = self.gap.get_or_insert_default();
        if gap.mark.is_empty() {
            gap.n_breaks = gap.n_breaks.max(n_breaks).max(n_written);
        }
    }

    /// Begins an item, a cell or a definition.
    fn mark(&mut self, mark: &'static str, n_breaks: usize) {
        if self.preformatted.0 > 0 {
            return;
        }
        let n_written = self.open_gap();
        let n_written = if mark == ITEM { n_written } else { 0 };
        let gap = self.gap.get_or_insert_default();
        *gap = Gap { n_breaks: gap.n_breaks.max(n_breaks).max(n_written), mark };
    }

    fn open_gap(&mut self) -> usize {
        if self.gap.is_some() {
            return 0;
        }
        let kept = self.written.trim_end().len();
        let n_breaks = self.written.get(kept..).unwrap_or_default().matches('\n').count();
        self.written.truncate(kept);
        n_breaks.min(2)
    }

    fn close_gap(&mut self) {
        let Some(Gap { n_breaks, mark }) = self.gap.take() else { return };
        if self.written.is_empty() {
            self.written.push_str(if mark == ITEM { mark } else { "" });
            return;
        }
        let breaks = if mark == CELL || mark == DEFINITION { 0 } else { n_breaks };
        self.written.push_str("\n\n".get(..breaks).unwrap_or_default());
        self.written.push_str(if breaks == 0 && mark.is_empty() { " " } else { mark });
    }

    fn start(&mut self, element: Element, tag: &Tag<'_>, end: usize) {
        match element {
            Element::Anchor => {
                self.end_link();
                self.link = tag
                    .attribute("href")
                    .map(|address| (decoded_attribute(address), self.written.len()));
            }
            Element::Block => self.part(2),
            Element::Break if self.preformatted.0 > 0 => self.written.push('\n'),
            Element::Break | Element::Line => self.part(1),
            Element::Cell => {
                let mark = if std::mem::replace(&mut self.has_cell, true) { CELL } else { "" };
                self.mark(mark, 0);
            }
            Element::Code => self.start_code(),
            Element::Definition => self.mark(DEFINITION, 0),
            Element::Hidden | Element::Plain => {}
            Element::Image => {
                let text = tag.attribute("alt").filter(|text| !text.trim().is_empty());
                let address =
                    || tag.attribute("src").filter(|address| !address.starts_with("data:"));
                self.push(&text.or_else(address).map(decoded_attribute).unwrap_or_default());
            }
            Element::Item => self.mark(ITEM, 1),
            Element::List => {
                self.part(if self.n_lists == 0 { 2 } else { 1 });
                self.n_lists += 1;
            }
            Element::Preformatted => self.start_preformatted(end),
            Element::Quote => self.push("\""),
            Element::Row => {
                self.part(1);
                self.has_cell = false;
            }
            Element::Struck => self.push("~~"),
            Element::Sub => self.push("_"),
            Element::Sup => self.push("^"),
        }
    }

    fn end(&mut self, element: Element) {
        match element {
            Element::Anchor => self.end_link(),
            Element::Block => self.part(2),
            Element::Break | Element::Item | Element::Line | Element::Row => self.part(1),
            Element::Cell | Element::Definition => self.part(0),
            Element::Code => {
                if self.open_code.pop() == Some(true) {
                    self.written.push('`');
                }
            }
            Element::Hidden | Element::Image | Element::Plain | Element::Sub | Element::Sup => {}
            Element::List => {
                self.n_lists = self.n_lists.saturating_sub(1);
                self.part(if self.n_lists == 0 { 2 } else { 1 });
            }
            Element::Preformatted => self.end_preformatted(),
            Element::Quote => self.push("\""),
            Element::Struck => self.push("~~"),
        }
    }

    /// The address of the open link, behind its text: not if it is the text.
    fn end_link(&mut self) {
        let Some((address, before)) = self.link.take() else { return };
        let text = self.written.get(before..).unwrap_or_default().trim();
        let is_said = address == text || address.strip_prefix("mailto:") == Some(text);
        let leads_on = !address.is_empty() && !address.starts_with('#');
        let is_safe = !address.to_ascii_lowercase().starts_with("javascript:");
        if !is_said && leads_on && is_safe {
            let shown = if text.is_empty() { address } else { format!(" ({address})") };
            self.close_gap();
            self.written.push_str(&shown);
        }
    }

    /// Code has backticks where they make a pair.
    fn start_code(&mut self) {
        let is_shown =
            !self.code.has_strays && self.preformatted.0 == 0 && self.open_code.is_empty();
        self.open_code.push(is_shown);
        if is_shown {
            self.close_gap();
            self.written.push('`');
        }
    }

    /// Preformatted text becomes a fenced block where no backtick and no mark could break it.
    fn start_preformatted(&mut self, end: usize) {
        if self.preformatted.0 == 0 {
            self.part(1);
            let is_alone = self.gap.is_none_or(|gap| gap.mark.is_empty());
            let has_fence = is_alone && self.can_be_fenced(end);
            if has_fence {
                self.close_gap();
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
        self.part(1);
    }
}

/// A value of an attribute, with its references to characters read.
fn decoded_attribute(value: &str) -> String {
    let mut decoded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, _)) = rest.split_once('&') {
        let (_, behind) = rest.split_at(before.len());
        decoded.push_str(before);
        let (character, length) = character::character_reference(behind).unwrap_or(('&', 1));
        decoded.push(character);
        rest = behind.get(length..).unwrap_or_default();
    }
    decoded + rest
}
