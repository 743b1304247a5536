//! The reason and the place of a text's first departure from JSON.

use std::fmt;

/// The place where a text stops being JSON.
///
/// ```
/// use callgate_tool::Value;
///
/// let error = Value::parse("{\"id\": 7,\n \"tags\": [}").unwrap_err();
/// assert_eq!((error.line(), error.column()), (2, 11));
/// assert_eq!(error.reason().to_string(), "expected a value");
/// assert_eq!(error.to_string(), "expected a value at line 2 column 11");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidJson {
    reason: Reason,
    offset: usize,
    line: usize,
    column: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Reason {
    ControlCharacter,
    Depth(usize),
    End,
    Escape,
    LastComma,
    More,
    NoColon,
    NoCommaInArray,
    NoCommaInObject,
    NoName,
    NoValue,
    NotUtf8,
    Number,
    OpenArray,
    OpenObject,
    OpenText,
    Surrogate,
}

impl InvalidJson {
    pub(super) fn new(text: &str, offset: usize, reason: Reason) -> Self {
        let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
        Self::fault_after(before, reason)
    }

    /// The fault for bytes that are not UTF-8 and follow `before`.
    pub(crate) fn not_utf8_after(before: &[u8]) -> Self {
        Self::fault_after(before, Reason::NotUtf8)
    }

    fn fault_after(before: &[u8], reason: Reason) -> Self {
        let (line, column) = line_and_column(before);
        Self { reason, offset: before.len(), line, column }
    }

    /// The byte offset of the fault.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line of the fault, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column of the fault in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// True if the text is nested too deeply to be read.
    pub fn is_too_deep(&self) -> bool {
        matches!(self.reason, Reason::Depth(_))
    }

    /// The problem, without its place.
    pub fn reason(&self) -> impl fmt::Display {
        self.reason
    }
}

/// The line and the column, both from 1, just after `before`.
pub(super) fn line_and_column(before: &[u8]) -> (usize, usize) {
    let lines = before.split(|byte| *byte == b'\n').enumerate();
    let (line, in_line) = lines.last().unwrap_or((0, before));
    let n_chars = in_line.iter().filter(|byte| !matches!(byte, 0x80..0xC0)).count();
    (line + 1, n_chars + 1)
}

callgate_secret::text!(error InvalidJson: Self { reason, line, column, .. } => "{reason} at line {line} column {column}");

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ControlCharacter => "a control character stands in a text, it must be escaped",
            Self::Depth(levels) => {
                return write!(f, "lists and objects are nested deeper than {levels} levels");
            }
            Self::End => "expected a value, the text ends",
            Self::Escape => "an escape is none of JSON's",
            Self::LastComma => "a comma stands before the end",
            Self::More => "expected nothing after the value",
            Self::NoColon => "expected `:`",
            Self::NoCommaInArray => "expected `,` or `]`",
            Self::NoCommaInObject => "expected `,` or `}`",
            Self::NoName => "expected a name in double quotes",
            Self::NoValue => "expected a value",
            Self::NotUtf8 => "expected UTF-8",
            Self::Number => "a number is not written as JSON writes it",
            Self::OpenArray => "a list is not closed, the text ends",
            Self::OpenObject => "an object is not closed, the text ends",
            Self::OpenText => "a text is not closed",
            Self::Surrogate => "half of a surrogate pair stands alone",
        })
    }
}
