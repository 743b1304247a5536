//! A tag with its attributes, and the ends of comments and of elements whose content has no tags. Says nothing about what a tag
//! means.

/// A tag, or something that has the form of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) is_end: bool,
    /// The text between the name and the `>`.
    pub(super) attributes: &'t str,
}

impl<'t> Tag<'t> {
    /// True for an element that has no content.
    pub(super) fn is_void_element(&self) -> bool {
        EMPTY.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }

    /// The value of an attribute as it is written; empty if it has none.
    pub(super) fn attribute(&self, name: &str) -> Option<&'t str> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '/'));
            let (own, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            let (value, after) = match after.trim_start().strip_prefix('=') {
                Some(value) => value_and_rest(value.trim_start()),
                None => ("", after),
            };
            if own.eq_ignore_ascii_case(name) {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// The value that a text begins with, and the text behind it.
fn value_and_rest(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The start and the end of the content of a comment that a text begins with, and its own end. One that nobody ends has
/// the whole text.
pub(super) fn comment_bounds(text: &str) -> [usize; 3] {
    let start = 4;
    // `<!-->` and `<!--->` are comments of their own (HTML, "comment start state").
    match text.get(2..).and_then(|rest| rest.find("-->")) {
        Some(end) => [start.min(end + 2), end + 2, end + 5],
        None => [start, text.len(), text.len()],
    }
}

/// The byte at which the end tag of an element without tags in it begins.
pub(super) fn raw_text_end(text: &str, name: &str) -> Option<usize> {
    let is_script = name.eq_ignore_ascii_case("script");
    let mut data = ScriptData::Plain;
    for (at, _) in text.match_indices(['<', '-']) {
        let rest = text.get(at..)?;
        if !begins_tag(rest, "</", name) {
            data = if is_script { data.state_after(rest) } else { data };
        } else if data == ScriptData::DoubleEscaped {
            data = ScriptData::Escaped;
        } else {
            return Some(at);
        }
    }
    None
}

/// The states of a script (HTML, "script data state" and those behind it).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ScriptData {
    /// In a comment, and there in a script, whose end tag does not end the outer one.
    DoubleEscaped,
    /// In a comment.
    Escaped,
    Plain,
}

impl ScriptData {
    /// The state after what a text begins with, which is no end tag.
    fn state_after(self, text: &str) -> Self {
        match self {
            Self::Plain if text.starts_with("<!--") => Self::Escaped,
            Self::Escaped if begins_tag(text, "<", "script") => Self::DoubleEscaped,
            // `<!-->` begins a comment and ends it.
            Self::DoubleEscaped | Self::Escaped if text.starts_with("-->") => Self::Plain,
            state => state,
        }
    }
}

/// True if a text begins with a mark and the whole name of an element.
fn begins_tag(text: &str, mark: &str, name: &str) -> bool {
    let named = text.strip_prefix(mark).and_then(|named| named.split_at_checked(name.len()));
    named.is_some_and(|(own, behind)| {
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '>');
        own.eq_ignore_ascii_case(name) && (behind.is_empty() || behind.starts_with(ends))
    })
}

/// Elements without content (HTML, "void elements").
const EMPTY: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
