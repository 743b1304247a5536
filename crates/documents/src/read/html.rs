//! The text of HTML: headings as lines of Markdown, paragraphs apart, items with a dash, cells between bars. Scripts, styles, comments
//! and hidden elements are left out. One pass without recursion reads any nesting; a page that nests like an attack is refused.

mod entities;
mod tag;
mod writer;

use super::{Document, Problem};
use tag::{Tag, Token, tokens};
use writer::Writer;

pub(super) fn read(text: &str) -> Result<Document<'_>, Problem> {
    let mut page = Page::default();
    for token in tokens(text) {
        match token {
            Token::Tag(tag) => page.tag(&tag),
            Token::Text(text) => page.text(text),
        }
        if page.depth > MOST_DEPTH {
            let message = format!("expected at most {MOST_DEPTH} elements in each other, got more");
            return Err(Problem::new(None, message, "leave the file out by `exclude`"));
        }
    }
    let title = page.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = Some(title).filter(|title| !title.is_empty());
    Ok(Document { title, text: page.writer.finish().into(), ..Document::default() })
}

#[derive(Debug, Default)]
struct Page {
    writer: Writer,
    title: String,
    is_in_title: bool,
    /// The name of the element that is left out, and the number of such elements in each other.
    left_out: Option<(String, usize)>,
    depth: usize,
}

impl Page {
    fn tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        if let Some((left_out, n_open)) = &mut self.left_out {
            let is_own = *left_out == name;
            *n_open += usize::from(is_own && !tag.is_end);
            *n_open = n_open.saturating_sub(usize::from(is_own && tag.is_end));
            if *n_open == 0 {
                self.left_out = None;
            }
            return;
        }
        let name = name.as_str();
        if DEEP.contains(&name) {
            self.depth = if tag.is_end { self.depth.saturating_sub(1) } else { self.depth + 1 };
        }
        if !tag.is_end && !tag.is_empty() && (LEFT_OUT.contains(&name) || tag.is_hidden()) {
            self.left_out = Some((name.to_owned(), 1));
            return;
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
            ("pre", is_end) => writer.preformatted(!is_end),
            ("br" | "tr", _) => writer.line(),
            ("li" | "dt" | "dd", false) => writer.item(),
            ("td" | "th", false) => writer.cell(),
            ("img", false) => {
                tag.attribute("alt")
                    .into_iter()
                    .for_each(|alt| writer.text(&entities::decoded(&alt)));
            }
            _ if BLOCKS.contains(&name) => writer.paragraph(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.left_out.is_some() {
            return;
        }
        let text = entities::decoded(text);
        if self.is_in_title {
            self.title.push_str(&text);
        } else {
            self.writer.text(&text);
        }
    }
}

/// Elements that are no text.
const LEFT_OUT: [&str; 10] = [
    "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select",
    "canvas",
];
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
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(read(html).expect("it is read").text, expected);
    }

    #[test]
    fn elements_become_lines_of_text() {
        check(
            "<html><head><title>T</title><style>x</style></head><body><h1>A &amp; B</h1><p>One\n two<br>three</p><p>Four",
            "# A & B\n\nOne two\nthree\n\nFour\n",
        );
        check("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc\n");
        check("<table><tr><th>k<th>v</tr><tr><td>1<td>2</table>", "k | v\n1 | 2\n");
        check("<pre>  a\n    b</pre>", "  a\n    b\n");
        check("a <b>b</b>c<!-- d > --> <img alt='e &lt;'>", "a bc e <\n");
        check("1 < 2 <3 &nosuch; &#65;&#x42;&nbsp;", "1 < 2 <3 &nosuch; AB\n");
    }

    #[test]
    fn scripts_and_hidden_elements_are_left_out() {
        check("a<script>if (1 < 2) { b() }</script>c", "ac\n");
        check("a<div hidden>b<div>c</div>d</div>e", "ae\n");
        check("a<p style=\"color: red; display : none\">b</p>c", "ac\n");
        check("a<span aria-hidden=\"false\">b</span>", "ab\n");
        check("<script>never ends", "");
    }

    #[test]
    fn a_page_that_nests_without_end_is_refused() {
        assert!(read(&"<div>".repeat(100_000)).is_err());
        check(&format!("{}a{}", "<p>".repeat(100_000), "</p>".repeat(10)), "a\n");
        check(&"<".repeat(1000), &format!("{}\n", "<".repeat(1000)));
    }

    #[test]
    fn the_title_of_a_page_is_no_part_of_its_text() {
        let page = read("<title> My\n page &amp; more</title>Text").expect("it is read");
        assert_eq!((page.title.as_deref(), &*page.text), (Some("My page & more"), "Text\n"));
    }
}
