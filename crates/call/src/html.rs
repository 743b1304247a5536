//! Reduces an HTML page to the text that a reader sees: blocks on lines of their own, cells separated by a bar, no scripts,
//! styles or comments. It passes once over the page and is not a parser: it repairs nothing. Pages come from `response`.

use crate::sanitize::{cleaned_text, n_unseen};

/// The text of a page, and the number of invisible characters removed from it.
pub(crate) fn text(html: &str) -> (String, usize) {
    let mut page = Page::default();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        page.push_text(before);
        rest = page.after_tag(after);
    }
    page.push_text(rest);
    let text = page.out.trim();
    (cleaned_text(text), n_unseen(text))
}

#[derive(Default)]
struct Page {
    out: String,
    /// White space that is due before the next word.
    due: Option<char>,
}

impl Page {
    fn push_text(&mut self, text: &str) {
        let text = without_entities(text);
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            if at > 0 {
                self.due = self.due.or(Some(' '));
            }
            if word.is_empty() {
                continue;
            }
            if let Some(space) = self.due.take().filter(|_| !self.out.is_empty()) {
                self.out.push(space);
            }
            self.out.push_str(word);
        }
    }

    /// Reads a tag after its `<`; returns the text after the tag, or after an invisible element.
    fn after_tag<'a>(&mut self, after: &'a str) -> &'a str {
        if let Some(comment) = after.strip_prefix("!--") {
            return comment.split_once("-->").map_or("", |(_, rest)| rest);
        }
        let is_tag = after.starts_with(|first: char| {
            matches!(first, '/' | '!' | '?') || first.is_ascii_alphabetic()
        });
        if !is_tag {
            self.push_text("<");
            return after;
        }
        let name_end = after.find(|one: char| !(one.is_ascii_alphanumeric() || one == '/'));
        let (name, rest) =
            after.split_at_checked(name_end.unwrap_or(after.len())).unwrap_or((after, ""));
        let rest = rest.split_once('>').map_or("", |(_, rest)| rest);
        let name = name.to_ascii_lowercase();
        match name.trim_end_matches('/') {
            "script" | "style" | "template" | "noscript" | "svg" => {
                return after_element(rest, &name);
            }
            "li" => {
                self.due = Some('\n');
                self.push_text("-");
                self.due = Some(' ');
            }
            "td" | "th" if self.due != Some('\n') => {
                self.push_text(" |");
                self.due = Some(' ');
            }
            tag if BLOCKS.contains(&tag.trim_start_matches('/')) => self.due = Some('\n'),
            _ => {}
        }
        rest
    }
}

fn after_element<'a>(mut rest: &'a str, name: &str) -> &'a str {
    while let Some((_, after)) = rest.split_once("</") {
        rest = after;
        if after.get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name)) {
            return after.split_once('>').map_or("", |(_, rest)| rest);
        }
    }
    ""
}

/// The text with numeric character references and the most common named ones replaced.
fn without_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        rest = after;
        let end = after.bytes().take(MAX_REFERENCE).position(|byte| byte == b';');
        let reference = end.and_then(|end| after.get(..end));
        match reference.and_then(character) {
            Some(character) => {
                out.push(character);
                rest = after.split_once(';').map_or("", |(_, rest)| rest);
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

fn character(reference: &str) -> Option<char> {
    if let Some(number) = reference.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    NAMED.iter().find(|(name, _)| *name == reference).map(|(_, character)| *character)
}

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "thead",
    "title",
    "tr",
    "ul",
];

const MAX_REFERENCE: usize = 10;

const NAMED: [(&str, char); 12] = [
    ("amp", '&'),
    ("apos", '\''),
    ("copy", '\u{a9}'),
    ("euro", '\u{20ac}'),
    ("gt", '>'),
    ("hellip", '\u{2026}'),
    ("lt", '<'),
    ("mdash", '\u{2014}'),
    ("nbsp", ' '),
    ("ndash", '\u{2013}'),
    ("quot", '"'),
    ("reg", '\u{ae}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_html_page_is_reduced_to_its_text() {
        for (html, expected) in [
            ("<p>a</p><p>b</p>", "a\nb"),
            ("<script>x < y</script>ok", "ok"),
            ("<SCRIPT>a</b></Script >ok", "ok"),
            ("<!-- no --><b>y</b>es", "yes"),
            ("1 &lt; 2 &amp;lt; &#65;&#x42; &nope; a&b", "1 < 2 &lt; AB &nope; a&b"),
            ("<unclosed", ""),
            ("a < b", "a < b"),
            ("<h1>T</h1>\n<ul><li>one</li><li>two</li></ul>end", "T\n- one\n- two\nend"),
            ("<tr><td>a</td><td>b</td></tr><tr><td>c</td></tr>", "a | b\nc"),
            ("a<br/>b<br>c", "a\nb\nc"),
        ] {
            assert_eq!(text(html).0, expected, "{html:?}");
        }
    }

    #[test]
    fn a_hostile_html_page_is_read_in_linear_time() {
        for part in ["<script></script>", "<script>", "<!--", "<", "&", "<style></", "&#"] {
            text(&part.repeat(1024 * 1024 / part.len()));
        }
    }
}
