//! The text of HTML: headings as lines of Markdown, paragraphs apart, items with a dash, cells between bars. What `left_out` names is
//! left out. One pass without recursion reads any nesting; a page that nests like an attack is refused.

mod entities;
mod left_out;
mod tag;
mod writer;

use super::{Document, Problem};
use left_out::{Containers, LeftOut, PageSurroundings, Step};
use tag::{HtmlToken, Tag, tokens};
use writer::Writer;

pub(super) fn read(text: &str) -> Result<Document<'_>, Problem> {
    let page = read_page(text, PageSurroundings::LeftOut)?;
    if !page.writer.is_empty() {
        return Ok(page.into_document());
    }
    // The whole page is in a form, as some servers write it, or in a navigation that does not end.
    Ok(read_page(text, PageSurroundings::Kept)?.into_document())
}

fn read_page(text: &str, surroundings: PageSurroundings) -> Result<Page, Problem> {
    let mut page = Page { surroundings, ..Page::default() };
    for token in tokens(text) {
        match token {
            HtmlToken::Tag(tag) => page.tag(&tag),
            HtmlToken::Text(text) => page.text(text),
        }
        if page.depth + page.left_out.as_ref().map_or(0, LeftOut::depth) > MOST_DEPTH {
            let message = format!("expected at most {MOST_DEPTH} elements in each other, got more");
            return Err(Problem::new(None, message, "leave the file out by `exclude`"));
        }
    }
    Ok(page)
}

#[derive(Debug, Default)]
struct Page {
    surroundings: PageSurroundings,
    writer: Writer,
    title: String,
    is_in_title: bool,
    left_out: Option<LeftOut>,
    containers: Containers,
    depth: usize,
}

impl Page {
    fn into_document<'a>(self) -> Document<'a> {
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = Some(title).filter(|title| !title.is_empty());
        Document { title, text: self.writer.finish().into(), ..Document::default() }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        let name = name.as_str();
        if let Some(left_out) = &mut self.left_out {
            match left_out.step(tag, name, &self.containers) {
                Step::Inside => return,
                Step::Last => {
                    self.left_out = None;
                    return;
                }
                Step::Behind => self.left_out = None,
            }
        }
        if !tag.is_end
            && !tag.is_empty()
            && self.containers.leaves_out(tag, name, self.surroundings)
        {
            self.left_out = Some(LeftOut::new(name));
            return;
        }
        self.containers.pass(name, tag.is_end);
        if DEEP.contains(&name) {
            self.depth = if tag.is_end { self.depth.saturating_sub(1) } else { self.depth + 1 };
        }
        self.write(tag, name);
    }

    fn write(&mut self, tag: &Tag<'_>, name: &str) {
        let writer = &mut self.writer;
        match (name, tag.is_end) {
            ("title", is_end) => self.is_in_title = !is_end,
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                let level = name.bytes().next_back().map_or(1, |digit| usize::from(digit - b'0'));
                writer.heading(level);
            }
            ("pre", is_end) => writer.set_preformatted(!is_end),
            ("br" | "tr", _) => writer.line(),
            ("li" | "dt" | "dd", false) => writer.item(),
            ("td" | "th", false) => writer.cell(),
            ("img", false) => {
                tag.attribute("alt")
                    .into_iter()
                    .for_each(|alt| writer.text(&entities::decoded_text(&alt)));
            }
            _ if BLOCKS.contains(&name) => writer.paragraph(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.left_out.is_some() {
            return;
        }
        let text = entities::decoded_text(text);
        if std::mem::take(&mut self.is_in_title) {
            self.title.push_str(&text);
        } else {
            self.writer.text(&text);
        }
    }
}

/// Elements that begin and end a paragraph.
const BLOCKS: [&str; 27] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "aside",
    "header",
    "footer",
    "nav",
    "ul",
    "ol",
    "dl",
    "table",
    "thead",
    "tbody",
    "caption",
    "figure",
    "figcaption",
    "blockquote",
    "form",
    "fieldset",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
];
/// Elements whose end must be written, so that their nesting can be counted.
const DEEP: [&str; 12] =
    ["div", "span", "section", "article", "ul", "ol", "table", "blockquote", "b", "i", "font", "a"];
/// The most elements in each other. Pages of people stay below 100.
const MOST_DEPTH: usize = 2000;

#[cfg(test)]
mod tests;
