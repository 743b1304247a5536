//! Cuts HTML into tags and texts, forgiving as browsers are: what is no tag is text. Comments and declarations are nothing.

use crate::html_text::tag::{Tag, comment_bounds, raw_text_end};

/// A part of a page.
#[derive(Debug)]
pub(super) enum HtmlToken<'t> {
    Tag(Tag<'t>),
    Text(&'t str),
}

/// The tokens of a page, in their order.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = HtmlToken<'_>> {
    let mut tokens = Tokens { rest: text, raw: None, has_title_end: true };
    std::iter::from_fn(move || tokens.next_token())
}

struct Tokens<'t> {
    rest: &'t str,
    /// The open element whose content has no tags.
    raw: Option<&'static str>,
    /// False once the page has no further end of a title, which is then not looked for again.
    has_title_end: bool,
}

impl<'t> Tokens<'t> {
    fn next_token(&mut self) -> Option<HtmlToken<'t>> {
        loop {
            if let Some(title) = self.skip_raw_content() {
                return Some(HtmlToken::Text(title));
            }
            if self.rest.is_empty() {
                return None;
            }
            let Some((length, tag)) = leading_markup(self.rest) else {
                return Some(HtmlToken::Text(self.take_text_before_tag()));
            };
            self.take_text(length);
            let Some(tag) = tag else { continue };
            if !tag.is_end {
                self.raw = RAW.into_iter().find(|name| tag.name.eq_ignore_ascii_case(name));
            }
            return Some(HtmlToken::Tag(tag));
        }
    }

    /// Passes the content of an element without tags, and returns that of a title.
    fn skip_raw_content(&mut self) -> Option<&'t str> {
        let name = self.raw.take()?;
        let is_title = name == TITLE;
        let may_end = self.has_title_end || !is_title;
        let end = if may_end { raw_text_end(self.rest, name) } else { None };
        self.has_title_end &= end.is_some() || !is_title;
        // A title without an end is over at the next tag.
        let end = end.or_else(|| self.rest.find('<').filter(|_| is_title));
        let content = self.take_text(end.unwrap_or(self.rest.len()));
        is_title.then_some(content)
    }

    /// Passes the text up to the next `<`. Its first character begins no markup, whatever it is.
    fn take_text_before_tag(&mut self) -> &'t str {
        let end = self.rest.bytes().skip(1).position(|byte| byte == b'<');
        self.take_text(end.map_or(self.rest.len(), |at| at + 1))
    }

    fn take_text(&mut self, length: usize) -> &'t str {
        let (text, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }
}

/// The length of the markup that a text begins with, and its tag; a comment has none.
fn leading_markup(text: &str) -> Option<(usize, Option<Tag<'_>>)> {
    let inner = text.strip_prefix('<')?;
    if text.starts_with("<!--") {
        let [_, _, end] = comment_bounds(text);
        return Some((end, None));
    }
    if inner.starts_with(['!', '?']) {
        return Some((inner.find('>').map_or(text.len(), |at| at + 2), None));
    }
    let (is_end, named) = inner.strip_prefix('/').map_or((false, inner), |named| (true, named));
    // HTML, "end tag open state".
    if is_end && !named.is_empty() && !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Some((named.find('>').map_or(text.len(), |at| at + 3), None));
    }
    if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let n_name = named.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    let (name, attributes) = named.split_at_checked(n_name.unwrap_or(named.len()))?;
    let end = index_after_tag_end(attributes);
    let length = text.len() - attributes.len() + end;
    let attributes = attributes.get(..end)?.trim_end_matches('>');
    Some((length, Some(Tag { name, is_end, attributes })))
}

/// The byte behind the `>` that ends a tag; one in quotes does not.
fn index_after_tag_end(text: &str) -> usize {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return at + 1,
            (None, '"' | '\'') if before == '=' => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    text.len()
}

/// Elements whose content has no tags (HTML, "raw text elements"). That of a title is text, and that of the others is left out.
const RAW: [&str; 7] = ["iframe", "noembed", "noframes", "script", "style", "textarea", TITLE];
const TITLE: &str = "title";
