//! The stable codes of findings. One table lists the codes of findings about a text: each row makes the code, its name
//! and its explanation. The meaning of a code never changes, and a code is never reused. The crate that makes a finding
//! owns its code; a finding holds the code's name.

use std::fmt;

use callgate_tool::codes;

/// The name of a code: lower-case words with dashes.
///
/// ```
/// use callgate_tree::{CodeName, TextCode};
///
/// let code = CodeName::from(TextCode::DuplicateKey);
/// assert_eq!(code.as_str(), "duplicate-key");
/// assert_eq!(code, TextCode::DuplicateKey);
///
/// // The code of a finding that a program makes itself.
/// assert_ne!(code, CodeName::new("no-owner"));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CodeName(&'static str);

codes! {
    /// The kinds of findings about a text, whatever the text describes.
    ///
    /// ```
    /// use callgate_tree::TextCode;
    ///
    /// let text = b"{\"openapi\": \"3.1.0\",}";
    /// let refused = callgate_tree::read(text, &Default::default()).unwrap_err();
    /// assert_eq!(refused[0].code, TextCode::UnreadableText);
    /// assert!(TextCode::UnreadableText.explanation().starts_with("The text is neither JSON nor YAML"));
    /// ```
    #[derive(Ord, PartialOrd)]
    pub enum TextCode {
        /// The YAML aliases expand to more text than the limits allow.
        AliasExpansion = "alias-expansion" => "A YAML alias stands for the whole text it names. A few lines of aliases can stand for gigabytes, so \
            the text they unfold to is bounded. Write the repeated parts out, use `$ref` instead of aliases, or \
            raise the limit.";
        /// A name occurs twice in one object; the last value counts.
        DuplicateKey = "duplicate-key" => "The same name occurs twice in one object. Readers disagree on which one counts; here the last one \
            does. Remove one of them.";
        /// A YAML tag has no meaning in JSON and was ignored.
        IgnoredTag = "ignored-tag" => "A YAML tag gives a value a type that JSON does not have. The tag is ignored and the value is read \
            without it.";
        /// The value is YAML infinity or not-a-number, which JSON does not have; it was read as text.
        NonFiniteNumber = "non-finite-number" => "YAML knows infinity and not-a-number, JSON does not. The value is read as text.";
        /// The encoding of the text is not supported: it is neither UTF-8 nor UTF-16 with a byte order mark.
        NotUtf8 = "not-utf8" => "The text is in no encoding that is read: UTF-8, or UTF-16 with a byte order mark. Convert it to \
            UTF-8.";
        /// Lists and objects are nested deeper than the limits allow.
        TextTooDeep = "text-too-deep" => "Lists and objects are nested deeper than the limit. What reads a tree needs stack for each level, so \
            depth is bounded before the text is read.";
        /// The text has more bytes than the limits allow.
        TextTooLarge = "text-too-large" => "The text has more bytes than the limit. Split the description or raise the limit.";
        /// The text has more values than the limits allow.
        TooManyNodes = "too-many-nodes" => "The text has more values than the limit. Split the description or raise the limit.";
        /// The text is not readable YAML or JSON.
        UnreadableText = "unreadable-text" => "The text is neither JSON nor YAML. The place where reading ended is given.";
    }
}

impl CodeName {
    /// The name of a code that another crate defines.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name as it is displayed.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for CodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl From<TextCode> for CodeName {
    fn from(code: TextCode) -> Self {
        Self(code.as_str())
    }
}

impl PartialEq<TextCode> for CodeName {
    fn eq(&self, code: &TextCode) -> bool {
        self.0 == code.as_str()
    }
}
