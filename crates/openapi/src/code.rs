//! The stable codes of findings, one for each kind. A code never changes its meaning and is never used again for
//! another one.

/// What kind of finding a diagnostic is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Code {
    /// YAML aliases stand for more text than the limits allow.
    AliasExpansion,
    /// A name occurs twice in one object; the last one counts.
    DuplicateKey,
    /// A YAML tag says nothing to JSON and was ignored.
    IgnoredTag,
    /// YAML infinity or not-a-number, which JSON has not; it was read as text.
    NonFiniteNumber,
    /// The text is not in an encoding of Unicode that is read.
    NotUtf8,
    /// Lists and objects are nested deeper than the limits allow.
    TextTooDeep,
    /// The text has more bytes than the limits allow.
    TextTooLarge,
    /// The text has more values than the limits allow.
    TooManyNodes,
    /// The text is not readable YAML or JSON.
    UnreadableText,
}

impl Code {
    /// The code as it is shown: lower-case words with dashes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AliasExpansion => "alias-expansion",
            Self::DuplicateKey => "duplicate-key",
            Self::IgnoredTag => "ignored-tag",
            Self::NonFiniteNumber => "non-finite-number",
            Self::NotUtf8 => "not-utf8",
            Self::TextTooDeep => "text-too-deep",
            Self::TextTooLarge => "text-too-large",
            Self::TooManyNodes => "too-many-nodes",
            Self::UnreadableText => "unreadable-text",
        }
    }
}
