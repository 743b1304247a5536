//! Patterns of texts: pieces of text with wildcards between them. Each engine has its own form, which `sql` writes.

use callgate_tool::{Problem, Value};

use crate::column;

/// The pieces of a text in their order; neither texts nor [`Piece::Any`] follow one another.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Pattern(Vec<Piece>);

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Piece {
    /// Any characters, or none.
    Any,
    Text(String),
}

impl Pattern {
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    pub(super) fn with_prefix(value: &Value) -> Result<Self, Problem> {
        let text = text(value)?;
        Ok(Self::from_pieces([Piece::Text(text.to_owned()), Piece::Any]))
    }

    pub(super) fn with_substring(value: &Value) -> Result<Self, Problem> {
        let text = text(value)?;
        Ok(Self::from_pieces([Piece::Any, Piece::Text(text.to_owned()), Piece::Any]))
    }

    /// The pattern of a text in which `*` stands for any characters.
    pub(super) fn from_starred_text(value: &Value) -> Result<Self, Problem> {
        let piece = |character| match character {
            '*' => Piece::Any,
            _ => Piece::Text(String::from(character)),
        };
        Self::check_wildcard_limit(Self::from_pieces(text(value)?.chars().map(piece)), value)
    }

    pub(super) fn from_pieces(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut pattern: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (pattern.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (_, Piece::Text(text)) if text.is_empty() => {}
                (Some(Piece::Any), Piece::Any) => {}
                (_, piece) => pattern.push(piece),
            }
        }
        Self(pattern)
    }

    /// The time of a comparison grows with a power of the text's length for each wildcard.
    fn check_wildcard_limit(self, value: &Value) -> Result<Self, Problem> {
        if self.0.iter().filter(|piece| **piece == Piece::Any).count() > MOST_WILDCARDS {
            let expected = format!("a pattern of at most {MOST_WILDCARDS} wildcards");
            return Err(column::problem(expected, value));
        }
        Ok(self)
    }
}

/// The text, as every engine takes it for a pattern.
fn text(value: &Value) -> Result<&str, Problem> {
    let has_room = |text: &&str| text.len() <= MOST_BYTES && !text.contains('\0');
    let expected = || {
        let expected = format!("a text of at most {MOST_BYTES} bytes, none of them U+0000");
        column::problem(expected, value)
    };
    value.as_str().filter(has_room).ok_or_else(expected)
}

const MOST_BYTES: usize = 1000;

const MOST_WILDCARDS: usize = 5;
