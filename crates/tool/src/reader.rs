//! JSON's grammar (RFC 8259): text to tokens, one at a time, without a tree and without recursion. Whoever reads makes
//! of them what is wanted; digits of numbers are handed over as they were written. Texts that differ from the grammar
//! are refused, and so are half surrogate pairs and what is nested too deep.

mod fault;
mod text;

pub use self::fault::InvalidJson;
use self::fault::Reason;
use self::text::Text;
pub(crate) use self::text::special;
use crate::number::Digits;

/// Lists and objects may be nested so deep: whoever walks a value may recurse.
pub const DEPTH: usize = 127;

/// Reads a JSON text token by token.
///
/// ```
/// use callgate_tool::{Reader, Token};
///
/// let mut reader = Reader::new("[1.10]");
/// assert_eq!(reader.token()?, Some(Token::ArrayStart));
/// assert!(matches!(reader.token()?, Some(Token::Number(digits)) if digits.as_str() == "1.10"));
/// assert_eq!(reader.token()?, Some(Token::ArrayEnd));
/// assert_eq!(reader.token()?, None);
/// # Ok::<(), callgate_tool::InvalidJson>(())
/// ```
#[derive(Debug)]
pub struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The place where the name begins that was read last.
    name_at: usize,
    due: Due,
    /// The lists and objects that are open, the innermost in the lowest bit, which is set for an object.
    open: u128,
    depth: usize,
    max_depth: usize,
    unescaped: String,
}

/// A part of a JSON text. Names and texts are free of escapes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the grammar does not change")]
pub enum Token<'r> {
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
    /// A comma, or the end of what is open.
    Comma,
    /// The first item of a list, or its end.
    FirstItem,
    /// The first name of an object, or its end.
    FirstName,
    Value,
}

impl<'t> Reader<'t> {
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

    /// The same reader for texts nested at most `levels` deep, and no deeper than [`DEPTH`].
    #[must_use]
    pub fn with_depth(mut self, levels: usize) -> Self {
        self.max_depth = levels.min(DEPTH);
        self
    }

    /// Reads to the end and keeps nothing.
    ///
    /// # Errors
    /// [`InvalidJson`] where the text is not JSON.
    pub fn check(mut self) -> Result<(), InvalidJson> {
        while self.token()?.is_some() {}
        Ok(())
    }

    /// The byte at which the next token is looked for.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The line and the column in characters, both from 1, where the name that was read last begins.
    pub fn name_position(&self) -> (usize, usize) {
        fault::position(self.text.as_bytes().get(..self.name_at).unwrap_or_default())
    }

    /// The next token; `None` after the last.
    ///
    /// # Errors
    /// [`InvalidJson`] where the text is not JSON.
    #[inline]
    pub fn token(&mut self) -> Result<Option<Token<'_>>, InvalidJson> {
        let byte = self.skip_blank();
        match self.due {
            Due::Comma if self.depth == 0 => match byte {
                None => Ok(None),
                Some(_) => Err(self.fault(Reason::More)),
            },
            Due::Comma if self.open & 1 == 1 => self.after_member(byte).map(Some),
            Due::Comma => self.after_item(byte).map(Some),
            Due::FirstItem if byte == Some(b']') => Ok(Some(self.close(Token::ArrayEnd))),
            Due::FirstItem | Due::Value => self.value(byte).map(Some),
            Due::FirstName if byte == Some(b'}') => Ok(Some(self.close(Token::ObjectEnd))),
            Due::FirstName => self.name(byte).map(Some),
        }
    }

    #[inline]
    fn after_item(&mut self, byte: Option<u8>) -> Result<Token<'_>, InvalidJson> {
        match byte {
            Some(b',') => {
                self.at += 1;
                match self.skip_blank() {
                    Some(b']') => Err(self.fault(Reason::LastComma)),
                    byte => self.value(byte),
                }
            }
            Some(b']') => Ok(self.close(Token::ArrayEnd)),
            Some(_) => Err(self.fault(Reason::NoCommaInArray)),
            None => Err(self.fault(Reason::OpenArray)),
        }
    }

    #[inline]
    fn after_member(&mut self, byte: Option<u8>) -> Result<Token<'_>, InvalidJson> {
        match byte {
            Some(b',') => {
                self.at += 1;
                match self.skip_blank() {
                    Some(b'}') => Err(self.fault(Reason::LastComma)),
                    byte => self.name(byte),
                }
            }
            Some(b'}') => Ok(self.close(Token::ObjectEnd)),
            Some(_) => Err(self.fault(Reason::NoCommaInObject)),
            None => Err(self.fault(Reason::OpenObject)),
        }
    }

    #[inline]
    fn value(&mut self, byte: Option<u8>) -> Result<Token<'_>, InvalidJson> {
        self.due = Due::Comma;
        match byte {
            Some(b'"') => {
                let text = self.string()?;
                Ok(Token::String(text.of(&self.unescaped)))
            }
            Some(b'{') => self.open(1, Due::FirstName, Token::ObjectStart),
            Some(b'[') => self.open(0, Due::FirstItem, Token::ArrayStart),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Token::Bool(true)),
            Some(b'f') => self.word("false", Token::Bool(false)),
            Some(b'n') => self.word("null", Token::Null),
            Some(_) => Err(self.fault(Reason::NoValue)),
            None => Err(self.fault(Reason::End)),
        }
    }

    /// A name and the colon after it.
    #[inline]
    fn name(&mut self, byte: Option<u8>) -> Result<Token<'_>, InvalidJson> {
        match byte {
            Some(b'"') => {}
            Some(_) => return Err(self.fault(Reason::NoName)),
            None => return Err(self.fault(Reason::OpenObject)),
        }
        self.name_at = self.at;
        let name = self.string()?;
        match self.skip_blank() {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.fault(Reason::NoColon)),
            None => return Err(self.fault(Reason::OpenObject)),
        }
        self.due = Due::Value;
        Ok(Token::Name(name.of(&self.unescaped)))
    }

    fn open(
        &mut self,
        kind: u128,
        due: Due,
        token: Token<'static>,
    ) -> Result<Token<'_>, InvalidJson> {
        if self.depth >= self.max_depth {
            return Err(self.fault(Reason::Depth(self.max_depth)));
        }
        self.at += 1;
        self.depth += 1;
        self.open = self.open << 1 | kind;
        self.due = due;
        Ok(token)
    }

    #[inline]
    fn close(&mut self, token: Token<'static>) -> Token<'_> {
        self.at += 1;
        self.depth -= 1;
        self.open >>= 1;
        self.due = Due::Comma;
        token
    }

    fn number(&mut self) -> Result<Token<'_>, InvalidJson> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let digits = Digits::first_of(rest).ok_or_else(|| self.fault(Reason::Number))?;
        self.at += digits.as_str().len();
        Ok(Token::Number(digits))
    }

    fn word(&mut self, word: &str, token: Token<'static>) -> Result<Token<'_>, InvalidJson> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.fault(Reason::NoValue));
        }
        self.at += word.len();
        Ok(token)
    }

    /// The text whose quote is next.
    #[inline]
    fn string(&mut self) -> Result<Text<'t>, InvalidJson> {
        let start = self.at + 1;
        let end = special(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Text::Plain(self.text.get(start..end).unwrap_or_default()));
        }
        self.unescape(start, end)
    }

    /// The text that begins at `start` and is plain until `end`.
    #[cold]
    fn unescape(&mut self, start: usize, end: usize) -> Result<Text<'t>, InvalidJson> {
        match text::unescape(self.text, start, end, &mut self.unescaped) {
            Ok(end) => {
                self.at = end;
                Ok(Text::Unescaped)
            }
            Err((reason, at)) => Err(InvalidJson::new(self.text, at, reason)),
        }
    }

    /// Goes over white space, of which there mostly is none, and answers the byte after it.
    #[inline]
    fn skip_blank(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(b'\t' | b'\n' | b'\r' | b' ') => self.skip_blanks(),
            other => other.copied(),
        }
    }

    fn skip_blanks(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ') => self.skip_indent(),
                Some(b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Goes over one space, or over eight where there are so many.
    fn skip_indent(&mut self) {
        let is_indent = self.rest().first_chunk() == Some(b"        ");
        self.at += if is_indent { 8 } else { 1 };
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[cold]
    fn fault(&self, reason: Reason) -> InvalidJson {
        InvalidJson::new(self.text, self.at, reason)
    }
}

#[cfg(test)]
mod tests;
