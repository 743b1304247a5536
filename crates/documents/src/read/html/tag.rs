//! Cuts HTML into tags and texts, forgiving as browsers are: what is no tag is text. Comments and declarations are nothing.

use std::borrow::Cow;

/// A part of a page.
#[derive(Debug)]
pub(super) enum Token<'t> {
    Tag(Tag<'t>),
    Text(&'t str),
}

/// A tag: its name, and the text of its attributes.
#[derive(Debug)]
pub(super) struct Tag<'t> {
    name: &'t str,
    attributes: &'t str,
    pub(super) is_end: bool,
}

/// The tokens of a page, in their order.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    let mut raw: Option<&str> = None;
    // An end that the page has no more of is not looked for again.
    let mut has_title_end = true;
    std::iter::from_fn(move || {
        loop {
            if let Some(name) = raw.take() {
                let is_title = name == TITLE;
                let end = (has_title_end || !is_title).then(|| end_of_raw(rest, name)).flatten();
                has_title_end &= end.is_some() || !is_title;
                // A title without an end is over at the next tag.
                let end = end.or_else(|| rest.find('<').filter(|_| is_title));
                let end = end.unwrap_or(rest.len());
                let (content, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                rest = after;
                if is_title {
                    return Some(Token::Text(content));
                }
            }
            if rest.is_empty() {
                return None;
            }
            let Some((skipped, tag)) = markup(rest) else {
                // The first character begins no markup, whatever it is; the next `<` may.
                let end = rest.bytes().skip(1).position(|byte| byte == b'<');
                let end = end.map_or(rest.len(), |at| at + 1);
                let (text, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                rest = after;
                return Some(Token::Text(text));
            };
            rest = rest.get(skipped..).unwrap_or_default();
            let Some(tag) = tag else { continue };
            if !tag.is_end {
                raw = RAW.into_iter().find(|name| tag.name.eq_ignore_ascii_case(name));
            }
            return Some(Token::Tag(tag));
        }
    })
}

/// The length of the markup that a text begins with, and its tag; a comment has none.
fn markup(text: &str) -> Option<(usize, Option<Tag<'_>>)> {
    let inner = text.strip_prefix('<')?;
    if let Some(comment) = inner.strip_prefix("!--") {
        // `<!-->` and `<!--->` are comments of their own (HTML, "comment start state").
        let empty = ["<!-->", "<!--->"].into_iter().find(|empty| text.starts_with(empty));
        let end = comment.find("-->").map_or(text.len(), |at| at + "<!---->".len());
        let end = empty.map_or(end, str::len);
        return Some((end, None));
    }
    if inner.starts_with(['!', '?']) {
        return Some((inner.find('>').map_or(text.len(), |at| at + 2), None));
    }
    let (is_end, named) = inner.strip_prefix('/').map_or((false, inner), |named| (true, named));
    if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let n_name = named.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    let (name, attributes) = named.split_at_checked(n_name.unwrap_or(named.len()))?;
    let end = end_of_attributes(attributes);
    let length = text.len() - attributes.len() + end;
    let attributes = attributes.get(..end)?.trim_end_matches('>');
    Some((length, Some(Tag { name, attributes, is_end })))
}

/// The byte behind the `>` that ends a tag; one in quotes does not.
fn end_of_attributes(text: &str) -> usize {
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

/// The byte at which an element without tags in it ends.
fn end_of_raw(text: &str, name: &str) -> Option<usize> {
    let is_end = |at: &usize| {
        let after = text.get(at + 2..).and_then(|after| after.split_at_checked(name.len()));
        after.is_some_and(|(own, behind)| {
            let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '>');
            own.eq_ignore_ascii_case(name) && (behind.is_empty() || behind.starts_with(ends))
        })
    };
    text.match_indices("</").map(|(at, _)| at).find(is_end)
}

impl Tag<'_> {
    /// The name in small letters.
    pub(super) fn name(&self) -> String {
        self.name.to_ascii_lowercase()
    }

    /// True for an element that has no content.
    pub(super) fn is_empty(&self) -> bool {
        EMPTY.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }

    /// True if an attribute has one of some words, in whatever case.
    pub(super) fn says(&self, attribute: &str, words: &[&str]) -> bool {
        let said = self.attribute(attribute).unwrap_or_default();
        said.split_whitespace().any(|said| words.iter().any(|word| said.eq_ignore_ascii_case(word)))
    }

    /// True for an element that a browser does not show.
    pub(super) fn is_hidden(&self) -> bool {
        let style = self.attribute("style").unwrap_or_default().to_ascii_lowercase();
        let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
        let aria = self.attribute("aria-hidden");
        self.attribute("hidden").is_some()
            || aria.is_some_and(|aria| aria.eq_ignore_ascii_case("true"))
            || style.contains("display:none")
            || style.contains("visibility:hidden")
    }

    /// The value of an attribute as it is written; empty if it has none.
    pub(super) fn attribute(&self, wanted: &str) -> Option<Cow<'_, str>> {
        let mut rest = self.attributes;
        if rest.is_empty() {
            return None;
        }
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '/'));
            let (name, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            let (value, after) = match after.trim_start().strip_prefix('=') {
                Some(value) => value_of(value.trim_start()),
                None => ("", after),
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(value.into());
            }
            // A stray `=` is skipped, so that each round gets further.
            rest = if name.is_empty() && after.len() == rest.len() {
                rest.get(1..).unwrap_or_default()
            } else {
                after
            };
        }
    }
}

/// The value that a text begins with, and the text behind it.
fn value_of(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Elements whose content has no tags (HTML, "raw text elements"). That of a title is text, and that of the others is left out.
const RAW: [&str; 7] = ["iframe", "noembed", "noframes", "script", "style", "textarea", TITLE];
const TITLE: &str = "title";
/// Elements without content (HTML, "void elements").
const EMPTY: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
