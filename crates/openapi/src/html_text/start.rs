//! Reads the tag that a place in a text begins with, and what proves that it is one: names in angle brackets may be words.

use crate::html_text::tag::Tag;

#[derive(Clone, Copy, Debug)]
pub(super) enum Start<'t> {
    /// A tag, and its length.
    Tag(Tag<'t>, usize),
    /// The beginning of a tag up to the `<` at this place.
    Unfinished(usize),
    Other,
}

impl<'t> Start<'t> {
    /// Reads the tag that a text begins with. A `<` in it, outside of a quoted value, shows that it is none. Of many starts in
    /// one text each character is read for three at most: quotation marks permute the states of the readers, and a reader
    /// that is outside of quotes ends at the next start.
    pub(super) fn from_text(text: &'t str) -> Self {
        Self::tag_at_start(text).unwrap_or(Self::Other)
    }

    fn tag_at_start(text: &'t str) -> Option<Self> {
        let rest = text.strip_prefix('<')?;
        let (is_end, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
        let unfinished = |rest: &str| Some(Self::Unfinished(text.len() - rest.len()));
        if rest.starts_with('<') {
            return unfinished(rest);
        }
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        let name = rest.get(..rest.len() - behind.len())?;
        if behind.starts_with('<') {
            return unfinished(behind);
        }
        if !behind.starts_with(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>') {
            return None;
        }
        let end = next_unquoted_angle_bracket(behind)?;
        let rest = behind.get(end..)?;
        if rest.starts_with('<') {
            return unfinished(rest);
        }
        let attributes = behind.get(..end)?.trim_end();
        let attributes = attributes.strip_suffix('/').unwrap_or(attributes);
        Some(Self::Tag(Tag { name, is_end, attributes }, text.len() - rest.len() + 1))
    }
}

impl Tag<'_> {
    /// True if nothing follows the name.
    pub(super) fn has_only_name(&self) -> bool {
        self.attributes.trim().is_empty()
    }

    /// True if the name is followed by attributes: a member with a value, or a word that is one.
    pub(super) fn has_attributes(&self) -> bool {
        let is_apart = self.attributes.starts_with(|c: char| c.is_ascii_whitespace());
        let is_word = |word: &str| WORDS.iter().any(|own| own.eq_ignore_ascii_case(word));
        is_apart
            && !self.has_only_name()
            && (self.attributes.contains('=') || self.attributes.split_whitespace().all(is_word))
    }
}

/// The place of the `>` that ends a tag, or of the `<` that shows that there is none.
fn next_unquoted_angle_bracket(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'<' | b'>') => return Some(at),
            _ => {}
        }
    }
    None
}

/// Attributes that have no value.
const WORDS: [&str; 10] = [
    "async", "checked", "compact", "controls", "defer", "disabled", "hidden", "noshade", "open",
    "reversed",
];
