//! The text of a whole page of HTML. What `left_out` names is left out; links, emphasis and the like are their text alone. One
//! pass without recursion reads any page in linear time, and repairs nothing.

mod left_out;
mod token;

use std::mem;

use crate::html_text::{
    character::{decode_page_references, decode_references},
    element::{Element, element_named},
    tag::Tag,
    writer::{Layout, Writer},
};
use left_out::{Containers, LeftOut, PageSurroundings, Step};
use token::{HtmlToken, tokens};

/// The text of a page of HTML.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct PageText {
    /// The title of the page, in one line.
    pub title: Option<String>,
    /// The text, without the title.
    pub text: String,
    /// The most elements in each other.
    pub depth: usize,
}

/// The text of a page as a document: headings as lines of Markdown, paragraphs apart, items with a dash, cells between bars.
/// Navigation and all else around the content are left out, unless the page has no other text.
pub fn main_content_text(html: &str) -> PageText {
    let page = Page::parse_html(html, PageSurroundings::LeftOut, Layout::Document).into_text();
    if !page.text.is_empty() {
        return page;
    }
    // The whole page is in a navigation that does not end, for example.
    Page::parse_html(html, PageSurroundings::Kept, Layout::Document).into_text()
}

/// The text of all parts of a page in few lines: its title, and each block in a line of its own.
pub fn page_lines(html: &str) -> String {
    let page = Page::parse_html(html, PageSurroundings::Kept, Layout::Lines).into_text();
    let lines = page.title.into_iter().chain(Some(page.text).filter(|text| !text.is_empty()));
    lines.collect::<Vec<_>>().join("\n")
}

#[derive(Debug)]
struct Page {
    surroundings: PageSurroundings,
    writer: Writer<'static>,
    title: String,
    is_in_title: bool,
    left_out: Option<LeftOut>,
    containers: Containers,
    depth: usize,
}

impl Page {
    fn parse_html(html: &str, surroundings: PageSurroundings, layout: Layout) -> Self {
        let mut page = Self {
            surroundings,
            writer: Writer::with_layout(layout),
            title: String::new(),
            is_in_title: false,
            left_out: None,
            containers: Containers::default(),
            depth: 0,
        };
        for token in tokens(html) {
            match token {
                HtmlToken::Tag(tag) => page.read_tag(&tag),
                HtmlToken::Text(text) => page.read_text(text),
            }
            let hidden = page.left_out.as_ref().map_or(0, LeftOut::open_element_count);
            page.depth = page.depth.max(page.containers.open_element_count() + hidden);
        }
        page
    }

    fn into_text(self) -> PageText {
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = Some(title).filter(|title| !title.is_empty());
        PageText { title, text: self.writer.into_page(), depth: self.depth }
    }

    fn read_tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name.to_ascii_lowercase();
        let name = name.as_str();
        if let Some(left_out) = &mut self.left_out {
            match left_out.step_over_tag(tag, name, &self.containers) {
                Step::Inside => return,
                Step::Last => {
                    self.left_out = None;
                    return;
                }
                Step::Behind => self.left_out = None,
            }
        }
        let is_left_out = || self.containers.leaves_out(tag, name, self.surroundings);
        if !tag.is_end && !tag.is_void_element() && is_left_out() {
            self.left_out = Some(LeftOut::new(name));
            return;
        }
        self.containers.count_tag(name, tag.is_end);
        self.write_tag(tag, name);
    }

    fn write_tag(&mut self, tag: &Tag<'_>, name: &str) {
        let writer = &mut self.writer;
        // A drawing has a title of its own.
        if name == "title" && !self.containers.is_open("svg") {
            self.is_in_title = !tag.is_end;
            return;
        }
        if let Some(level) = name.strip_prefix('h').and_then(|level| level.parse().ok()) {
            return writer.write_heading(level, tag);
        }
        match element_named(name) {
            Some(Element::Image) => {
                writer.push_words(&decode_references(tag.attribute("alt").unwrap_or_default()));
            }
            Some(Element::Definition) => writer.write_tag(Element::Item, tag, 0),
            Some(Element::Line) if name == "dt" => writer.write_tag(Element::Item, tag, 0),
            // Their text stands in a line with what is around it.
            Some(
                Element::Anchor
                | Element::Code
                | Element::Quote
                | Element::Struck
                | Element::Sub
                | Element::Sup,
            )
            | None => {}
            Some(element) => writer.write_tag(element, tag, 0),
        }
    }

    fn read_text(&mut self, text: &str) {
        if self.left_out.is_some() {
            return;
        }
        let text = decode_page_references(text);
        if mem::take(&mut self.is_in_title) {
            self.title.push_str(&text);
        } else {
            self.writer.push_words(&text);
        }
    }
}
