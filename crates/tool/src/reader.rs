//! JSON's grammar (RFC 8259): reads text as tokens, one at a time, without a tree and without recursion. Callers build
//! values from the tokens; numbers keep their digits. The reader refuses texts that differ from the grammar, lone
//! surrogates and texts that are nested too deeply.

mod fault;
mod text;

pub use self::fault::InvalidJson;
use self::fault::Reason;
use self::text::Text;
pub(crate) use self::text::special_position;
use crate::number::Digits;

/// The maximum nesting of lists and objects, low enough for a caller to walk a value recursively.
pub const DEPTH: usize = 127;

/// Reads a JSON text token by token.
///
/// ```
/// use callgate_tool::{JsonReader, JsonToken};
///
/// let mut reader = JsonReader::new("[1.10]");
/// assert_eq!(reader.next_token()?, Some(JsonToken::ArrayStart));
/// assert!(matches!(reader.next_token()?, Some(JsonToken::Number(digits)) if digits.as_str() == "1.10"));
/// assert_eq!(reader.next_token()?, Some(JsonToken::ArrayEnd));
/// assert_eq!(reader.next_token()?, None);
/// # Ok::<(), callgate_tool::InvalidJson>(())
/// ```
#[derive(Debug)]
pub struct JsonReader<'t> {
    text: &'t str,
    at: usize,
    /// The byte where the name that was read last begins.
    name_at: usize,
    due: Due,
    /// The open lists and objects, one bit each, the innermost lowest; a set bit is an object.
    open: u128,
    depth: usize,
    max_depth: usize,
    unescaped: String,
}

/// A part of a JSON text. Escapes in names and strings are already replaced.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the grammar does not change")]
pub enum JsonToken<'r> {
    /// The end of a list.
    ArrayEnd,
    /// The beginning of a list.
    ArrayStart,
    /// `true` or `false`.
    Bool(bool),
    /// The name of a member; its value comes next.
    Name(&'r str),
    /// `null`.
    Null,
    /// A number by its digits.
    Number(Digits<'r>),
    /// The end of an object.
    ObjectEnd,
    /// The beginning of an object.
    ObjectStart,
    /// A text.
    String(&'r str),
}

#[derive(Clone, Copy, Debug)]
enum Due {
    /// A comma, or the end of the open list or object.
    Comma,
    /// The first item of a list, or its end.
    FirstItem,
    /// The first name of an object, or its end.
    FirstName,
    Value,
}

impl<'t> JsonReader<'t> {
    /// Reads this text from its beginning.
    pub fn new(text: &'t str) -> Self {
        let (due, max_depth) = (Due::Value, DEPTH);
        Self {
            text,
            at: 0,
            name_at: 0,
            due,
            open: 0,
            depth: 0,
            max_depth,
            unescaped: String::new(),
        }
    }

    /// Limits the nesting to `levels`, and to [`DEPTH`] at most.
    #[must_use]
    pub fn with_depth(mut self, levels: usize) -> Self {
        self.max_depth = levels.min(DEPTH);
        self
    }

    /// Reads the text to its end and keeps nothing.
    ///
    /// # Errors
    /// [`InvalidJson`] if the text is not JSON.
    pub fn check(mut self) -> Result<(), InvalidJson> {
        while self.next_token()?.is_some() {}
        Ok(())
    }

    /// The byte at which the search for the next token starts.
    pub fn next_token_offset(&self) -> usize {
        self.at
    }

    /// The line and the column in characters, both from 1, where the name that was read last begins.
    pub fn name_line_and_column(&self) -> (usize, usize) {
        fault::line_and_column(self.text.as_bytes().get(..self.name_at).unwrap_or_default())
    }

    /// The next token; `None` after the last token.
    ///
    /// # Errors
    /// [`InvalidJson`] if the text is not JSON.
    #[inline]
    pub fn next_token(&mut self) -> Result<Option<JsonToken<'_>>, InvalidJson> {
        let byte = self.skip_white_space();
        match self.due {
            Due::Comma if self.depth == 0 => match byte {
                None => Ok(None),
                Some(_) => Err(self.fault_here(Reason::More)),
            },
            Due::Comma if self.open & 1 == 1 => self.read_after_member(byte).map(Some),
            Due::Comma => self.read_after_item(byte).map(Some),
            Due::FirstItem if byte == Some(b']') => {
                Ok(Some(self.close_container(JsonToken::ArrayEnd)))
            }
            Due::FirstItem | Due::Value => self.read_value(byte).map(Some),
            Due::FirstName if byte == Some(b'}') => {
                Ok(Some(self.close_container(JsonToken::ObjectEnd)))
            }
            Due::FirstName => self.read_member_name(byte).map(Some),
        }
    }

    #[inline]
    fn read_after_item(&mut self, byte: Option<u8>) -> Result<JsonToken<'_>, InvalidJson> {
        match byte {
            Some(b',') => {
                self.at += 1;
                match self.skip_white_space() {
                    Some(b']') => Err(self.fault_here(Reason::LastComma)),
                    byte => self.read_value(byte),
                }
            }
            Some(b']') => Ok(self.close_container(JsonToken::ArrayEnd)),
            Some(_) => Err(self.fault_here(Reason::NoCommaInArray)),
            None => Err(self.fault_here(Reason::OpenArray)),
        }
    }

    #[inline]
    fn read_after_member(&mut self, byte: Option<u8>) -> Result<JsonToken<'_>, InvalidJson> {
        match byte {
            Some(b',') => {
                self.at += 1;
                match self.skip_white_space() {
                    Some(b'}') => Err(self.fault_here(Reason::LastComma)),
                    byte => self.read_member_name(byte),
                }
            }
            Some(b'}') => Ok(self.close_container(JsonToken::ObjectEnd)),
            Some(_) => Err(self.fault_here(Reason::NoCommaInObject)),
            None => Err(self.fault_here(Reason::OpenObject)),
        }
    }

    #[inline]
    fn read_value(&mut self, byte: Option<u8>) -> Result<JsonToken<'_>, InvalidJson> {
        self.due = Due::Comma;
        match byte {
            Some(b'"') => {
                let text = self.read_string()?;
                Ok(JsonToken::String(text.plain_or_unescaped(&self.unescaped)))
            }
            Some(b'{') => self.open_container(1, Due::FirstName, JsonToken::ObjectStart),
            Some(b'[') => self.open_container(0, Due::FirstItem, JsonToken::ArrayStart),
            Some(b'-' | b'0'..=b'9') => self.read_number(),
            Some(b't') => self.read_literal("true", JsonToken::Bool(true)),
            Some(b'f') => self.read_literal("false", JsonToken::Bool(false)),
            Some(b'n') => self.read_literal("null", JsonToken::Null),
            Some(_) => Err(self.fault_here(Reason::NoValue)),
            None => Err(self.fault_here(Reason::End)),
        }
    }

    #[inline]
    fn read_member_name(&mut self, byte: Option<u8>) -> Result<JsonToken<'_>, InvalidJson> {
        match byte {
            Some(b'"') => {}
            Some(_) => return Err(self.fault_here(Reason::NoName)),
            None => return Err(self.fault_here(Reason::OpenObject)),
        }
        self.name_at = self.at;
        let name = self.read_string()?;
        match self.skip_white_space() {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.fault_here(Reason::NoColon)),
            None => return Err(self.fault_here(Reason::OpenObject)),
        }
        self.due = Due::Value;
        Ok(JsonToken::Name(name.plain_or_unescaped(&self.unescaped)))
    }

    fn open_container(
        &mut self,
        kind: u128,
        due: Due,
        token: JsonToken<'static>,
    ) -> Result<JsonToken<'_>, InvalidJson> {
        if self.depth >= self.max_depth {
            return Err(self.fault_here(Reason::Depth(self.max_depth)));
        }
        self.at += 1;
        self.depth += 1;
        self.open = self.open << 1 | kind;
        self.due = due;
        Ok(token)
    }

    #[inline]
    fn close_container(&mut self, token: JsonToken<'static>) -> JsonToken<'_> {
        self.at += 1;
        self.depth -= 1;
        self.open >>= 1;
        self.due = Due::Comma;
        token
    }

    fn read_number(&mut self) -> Result<JsonToken<'_>, InvalidJson> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let digits =
            Digits::number_at_start(rest).ok_or_else(|| self.fault_here(Reason::Number))?;
        self.at += digits.as_str().len();
        Ok(JsonToken::Number(digits))
    }

    fn read_literal(
        &mut self,
        word: &str,
        token: JsonToken<'static>,
    ) -> Result<JsonToken<'_>, InvalidJson> {
        if !self.remaining_bytes().starts_with(word.as_bytes()) {
            return Err(self.fault_here(Reason::NoValue));
        }
        self.at += word.len();
        Ok(token)
    }

    #[inline]
    fn read_string(&mut self) -> Result<Text<'t>, InvalidJson> {
        let start = self.at + 1;
        let end = special_position(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Text::Plain(self.text.get(start..end).unwrap_or_default()));
        }
        self.read_escaped_string(start, end)
    }

    #[cold]
    fn read_escaped_string(&mut self, start: usize, end: usize) -> Result<Text<'t>, InvalidJson> {
        match text::unescape(self.text, start, end, &mut self.unescaped) {
            Ok(end) => {
                self.at = end;
                Ok(Text::Unescaped)
            }
            Err((reason, at)) => Err(InvalidJson::new(self.text, at, reason)),
        }
    }

    /// Skips white space, of which there usually is none, and returns the byte after it.
    #[inline]
    fn skip_white_space(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(b'\t' | b'\n' | b'\r' | b' ') => self.skip_all_white_space(),
            other => other.copied(),
        }
    }

    fn skip_all_white_space(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ') => self.skip_one_or_eight_spaces(),
                Some(b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Skips one space, or eight spaces at once.
    fn skip_one_or_eight_spaces(&mut self) {
        let is_indent = self.remaining_bytes().first_chunk() == Some(b"        ");
        self.at += if is_indent { 8 } else { 1 };
    }

    fn remaining_bytes(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[cold]
    fn fault_here(&self, reason: Reason) -> InvalidJson {
        InvalidJson::new(self.text, self.at, reason)
    }
}

#[cfg(test)]
mod tests;
