//! Finds the markup of a text: tags with their proof, references to characters, and parts that no person sees. Code of
//! Markdown and what a backslash precedes are no markup.

use std::ops::Range;

use crate::html_text::{
    character::leading_reference,
    code_span::CodeSpans,
    element::{ELEMENTS, Element, KnownElement, Proof, element_index, known_element},
    start::Start,
    tag::{Tag, comment_bounds, raw_text_end},
};

#[derive(Clone, Debug)]
pub(super) struct Markup<'t> {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) kind: MarkupKind<'t>,
}

#[derive(Clone, Debug)]
pub(super) enum MarkupKind<'t> {
    Character(char),
    /// A comment, or an element that no person sees, with the place of its content.
    Hidden {
        content: Range<usize>,
        is_in_tag: bool,
    },
    Tag {
        tag: Tag<'t>,
        element: Element,
    },
}

impl Markup<'_> {
    pub(super) fn hides_text(&self, text: &str) -> bool {
        let MarkupKind::Hidden { content, .. } = &self.kind else { return false };
        text.get(content.clone()).is_some_and(|content| !content.trim().is_empty())
    }
}

pub(super) fn text_markup<'t>(text: &'t str, code: &CodeSpans) -> Vec<Markup<'t>> {
    let mut search = Search::new(text, code);
    while let Some(at) = search.next_mark() {
        search.read_markup_at(at);
    }
    search.proven_markup()
}

#[derive(Debug)]
struct Search<'t, 'c> {
    text: &'t str,
    code: &'c CodeSpans,
    at: usize,
    candidates: Vec<Candidate<'t>>,
    /// The first start and the last end of each element.
    pairs: Vec<[Option<usize>; 2]>,
    /// The elements of which no end follows.
    is_endless: Vec<bool>,
    /// The places of a `<` that shows that a tag before it is none.
    in_tag: Vec<usize>,
    /// True if an element of another language ends in the text.
    has_others: bool,
}

#[derive(Debug)]
struct Candidate<'t> {
    markup: Markup<'t>,
    /// The index of the element whose tag it is.
    index: Option<usize>,
}

impl<'t, 'c> Search<'t, 'c> {
    fn new(text: &'t str, code: &'c CodeSpans) -> Self {
        let (pairs, is_endless) = (vec![[None; 2]; ELEMENTS.len()], vec![false; ELEMENTS.len()]);
        let candidates = Vec::new();
        Self {
            text,
            code,
            at: 0,
            candidates,
            pairs,
            is_endless,
            in_tag: Vec::new(),
            has_others: false,
        }
    }

    /// The next place where markup may begin.
    fn next_mark(&mut self) -> Option<usize> {
        loop {
            let next = self.at + self.text.get(self.at..)?.find(['<', '&', '\\'])?;
            if let Some(end) = self.code.code_end_at(next) {
                self.at = end;
                continue;
            }
            if !self.text.get(next..)?.starts_with('\\') {
                return Some(next);
            }
            let behind = self.text.get(next + 1..)?.chars().next()?;
            self.at = next + 1 + usize::from(behind.is_ascii());
        }
    }

    /// Reads what begins at a place, and goes on behind it.
    fn read_markup_at(&mut self, at: usize) {
        self.at = at + 1;
        let text = self.text;
        let limit = self.code.next_code_start(at).unwrap_or(text.len());
        let Some((rest, near)) = text.get(at..).zip(text.get(at..limit)) else { return };
        if let Some((character, length)) = leading_reference(near) {
            return self.add_candidate(at..at + length, MarkupKind::Character(character), None);
        }
        if rest.starts_with("<!--") {
            return self.add_hidden_markup(at, comment_bounds(rest));
        }
        match Start::from_text(near) {
            Start::Tag(tag, length) => self.add_tag_candidate(at, tag, length),
            Start::Unfinished(length) => {
                self.in_tag.retain(|place| *place > at);
                self.in_tag.push(at + length);
            }
            Start::Other => {}
        }
    }

    fn add_tag_candidate(&mut self, at: usize, tag: Tag<'t>, length: usize) {
        let Some(index) = element_index(tag.name) else {
            self.has_others |= tag.is_end;
            return;
        };
        let KnownElement { element, .. } = known_element(index);
        if !(tag.has_only_name() || tag.has_attributes()) {
            return;
        }
        if *element == Element::Hidden && !tag.is_end {
            let content = at + length;
            if let Some([start, end]) = self.end_tag_of_hidden(content, tag.name, index) {
                return self.add_hidden_markup(at, [content - at, start - at, end - at]);
            }
        }
        match self.pairs.get_mut(index) {
            Some([_, last]) if tag.is_end => *last = Some(at),
            Some([first, _]) => *first = first.or(Some(at)),
            None => {}
        }
        let kind = MarkupKind::Tag { tag, element: *element };
        self.add_candidate(at..at + length, kind, Some(index));
    }

    /// Where the end tag of an element that no person sees begins and ends.
    fn end_tag_of_hidden(&mut self, from: usize, name: &str, index: usize) -> Option<[usize; 2]> {
        let is_endless = self.is_endless.get_mut(index).filter(|flag| !**flag)?;
        let rest = self.text.get(from..)?;
        let start = raw_text_end(rest, name);
        let end_tag = start.and_then(|start| {
            let end = start + rest.get(start..)?.find('>')? + 1;
            Some([from + start, from + end])
        });
        *is_endless = end_tag.is_none();
        end_tag
    }

    /// Adds a part that no person sees, by the starts and the end of its content and its own end.
    fn add_hidden_markup(&mut self, at: usize, [content, content_end, end]: [usize; 3]) {
        let is_in_tag = self.in_tag.contains(&at);
        let content = at + content..at + content_end;
        self.add_candidate(at..at + end, MarkupKind::Hidden { content, is_in_tag }, None);
    }

    fn add_candidate(&mut self, place: Range<usize>, kind: MarkupKind<'t>, index: Option<usize>) {
        self.at = place.end;
        // A tag that would complete another one if it were left out stays.
        let is_tag = matches!(kind, MarkupKind::Tag { .. });
        if !(is_tag && self.in_tag.contains(&place.start)) {
            let markup = Markup { at: place.start, end: place.end, kind };
            self.candidates.push(Candidate { markup, index });
        }
    }

    fn proven_markup(self) -> Vec<Markup<'t>> {
        let Self { candidates, pairs, has_others, .. } = self;
        let is_proven = |candidate: &Candidate<'_>| {
            let MarkupKind::Tag { tag, .. } = &candidate.markup.kind else { return true };
            let Some(index) = candidate.index else { return true };
            let [first, last] = pairs.get(index).copied().unwrap_or_default();
            let at = candidate.markup.at;
            let is_paired = if tag.is_end {
                first.is_some_and(|first| first < at)
            } else {
                last.is_some_and(|last| last > at)
            };
            match known_element(index).proof {
                Proof::Name => true,
                Proof::Pair => is_paired || (tag.has_attributes() && !tag.is_end),
                Proof::PairOfPage => {
                    !has_others && (is_paired || (tag.has_attributes() && !tag.is_end))
                }
            }
        };
        let proven = candidates.into_iter().filter(is_proven);
        proven.map(|candidate| candidate.markup).collect()
    }
}
