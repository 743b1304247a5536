//! The source of a value that the session or the operator gives, never the model, as configurations and filters write it.

use std::fmt;

use crate::{Session, SessionName, Value};

/// The source of a value that the model never sees and cannot choose.
///
/// ```
/// use callgate_tool::{Object, Session, SessionSource};
///
/// let source = SessionSource::parse("$session.params.audience").expect("a source");
/// let session = Session::new("s-1").with_parameters(Object::from([("audience", "staff".into())]));
/// assert_eq!(source.value_in_session(&session), Some("staff".into()));
/// assert_eq!(source.to_string(), "$session.params.audience");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum SessionSource {
    /// A value at a dotted path of the context: `$context.variables.tenant`.
    Context(String),
    /// A value of the configuration itself.
    Fixed(Value),
    /// A parameter of the session: `$session.params.user_id`.
    Parameter(String),
    /// A value at a dotted path of the payload: `$request.payload.user`.
    Payload(String),
}

/// The source of a value of a statement.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum StatementInput {
    /// The model, by a JSON Schema of a scalar.
    Model(Value),
    /// The session.
    Session(SessionSource),
}

/// The member of the context whose members have the names of parameters.
const VARIABLES: &str = "variables";

/// The beginning of a reference, and the source of the path after it.
type Prefix = (&'static str, fn(String) -> SessionSource);

impl SessionSource {
    /// The beginnings of references.
    pub const PREFIXES: [Prefix; 3] = [
        ("$context.", Self::Context),
        ("$request.payload.", Self::Payload),
        ("$session.params.", Self::Parameter),
    ];

    /// The source that a reference names; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::PREFIXES.iter().find_map(|(prefix, source)| {
            let path = text.strip_prefix(prefix).filter(|path| !path.is_empty())?;
            Some(source(path.to_owned()))
        })
    }

    /// The sources of all references in a text.
    ///
    /// ```
    /// let filter = "audience: ANY($session.params.audience) AND tier: ANY($context.tier)";
    /// assert_eq!(callgate_tool::SessionSource::sources_in(filter).len(), 2);
    /// ```
    pub fn sources_in(text: &str) -> Vec<Self> {
        text.split('$')
            .skip(1)
            .filter_map(Self::source_at_start)
            .map(|(source, _)| source)
            .collect()
    }

    /// A text with the value of the session in place of each reference.
    ///
    /// ```
    /// use callgate_tool::{Object, Session, SessionSource};
    ///
    /// let session = Session::new("s-1").with_parameters(Object::from([("user", "Kim".into())]));
    /// let text = SessionSource::fill_references("The user is $session.params.user.", &session);
    /// assert_eq!(text.as_deref(), Ok("The user is Kim."));
    /// assert!(SessionSource::fill_references("$session.params.tenant", &session).is_err());
    /// ```
    ///
    /// # Errors
    /// The first source that has no value in the session.
    pub fn fill_references(text: &str, session: &Session) -> Result<String, Self> {
        let mut pieces = text.split('$');
        let mut filled = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let Some((source, rest)) = Self::source_at_start(piece) else {
                filled.push('$');
                filled.push_str(piece);
                continue;
            };
            match source.value_in_session(session).filter(|value| !value.is_null()) {
                None => return Err(source),
                Some(Value::String(text)) => filled.push_str(&text),
                Some(value) => filled.push_str(&value.to_string()),
            }
            filled.push_str(rest);
        }
        Ok(filled)
    }

    /// The words of a text that read like a value of the session or like the caller's token, whether or not there is such a
    /// value: `$session.params.user`, `$caller.token`, `${session.id`.
    #[doc(hidden)]
    pub fn reference_words_in(text: &str) -> Vec<&str> {
        text.match_indices('$')
            .filter_map(|(at, _)| reference_word_at_start(text.get(at..)?))
            .collect()
    }

    /// The words among those of a text that [`SessionSource::fill_references`] leaves as they are.
    #[doc(hidden)]
    pub fn unfillable_words_in(text: &str) -> Vec<&str> {
        let is_filled = |word: &str| word.get(1..).and_then(Self::source_at_start).is_some();
        Self::reference_words_in(text).into_iter().filter(|word| !is_filled(word)).collect()
    }

    /// The source of a reference at the beginning of a text, which lacks its `$`, and the text behind it.
    fn source_at_start(text: &str) -> Option<(Self, &str)> {
        let (path, rest) = text.split_at_checked(leading_path_length(text))?;
        Some((Self::parse(&format!("${path}"))?, rest))
    }

    /// The value in a session.
    pub fn value_in_session(&self, session: &Session) -> Option<Value> {
        match self {
            Self::Context(path) => session.context(path),
            Self::Fixed(value) => Some(value.clone()),
            Self::Parameter(name) => session.parameter(name).cloned(),
            Self::Payload(path) => session.payload(path).cloned(),
        }
    }

    /// True if the source reads the session value `name`, an object that contains it, or something in it.
    pub fn overlaps_name(&self, name: &SessionName) -> bool {
        let path = match self {
            Self::Context(path) if path == VARIABLES => return true,
            Self::Context(path) => {
                path.strip_prefix(VARIABLES).and_then(|rest| rest.strip_prefix('.'))
            }
            Self::Parameter(path) => Some(&**path),
            Self::Fixed(_) | Self::Payload(_) => None,
        };
        path.map(SessionName::new).is_some_and(|path| path.holds(name) || name.holds(&path))
    }

    /// True for a value of the configuration.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed(_))
    }
}

/// The word at the beginning of a text, with its `$`.
fn reference_word_at_start(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('$')?;
    let (name, beginnings) = match rest.strip_prefix('{') {
        Some(name) => (name, WORDS_IN_BRACES),
        None => (rest, WORDS),
    };
    let length = leading_path_length(name);
    let is_word =
        beginnings.iter().any(|beginning| name.starts_with(beginning) && length > beginning.len());
    text.get(..text.len() - name.len() + length).filter(|_| is_word)
}

/// The length of the path at the beginning of a text: letters of any script, digits and `_.-`. A sign behind the path, such as the
/// full stop of its sentence, is no part of it.
fn leading_path_length(text: &str) -> usize {
    let is_mark = |letter| ('\u{300}'..='\u{36f}').contains(&letter);
    let is_of_a_path =
        |letter: char| letter.is_alphanumeric() || "_.-".contains(letter) || is_mark(letter);
    let end = text.find(|letter| !is_of_a_path(letter)).unwrap_or(text.len());
    text.get(..end).map_or(0, |path| path.trim_end_matches(['.', '-']).len())
}

/// The beginnings of words that read like a value of the session.
const WORDS: &[&str] = &["caller.", "context.", "request.payload.", "session."];
/// Those of words in braces, as other programs write them.
const WORDS_IN_BRACES: &[&str] = &["caller.", "session."];

/// The reference as a configuration writes it; a fixed value is not shown.
impl fmt::Display for SessionSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context(path) => write!(f, "$context.{path}"),
            Self::Fixed(_) => f.write_str("a value of the configuration"),
            Self::Parameter(name) => write!(f, "$session.params.{name}"),
            Self::Payload(path) => write!(f, "$request.payload.{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Object;

    #[test]
    fn a_reference_in_a_text_has_letters_of_any_script() {
        let names = ["größe", "gro\u{308}ße", "名前", "имя", "user_id", "a-b"];
        for name in names {
            let session = Session::new("s").with_parameters(Object::from([(name, "XL".into())]));
            let filled =
                SessionSource::fill_references(&format!("Size $session.params.{name}."), &session);
            assert_eq!(filled.as_deref(), Ok("Size XL."), "{name}");
        }
    }

    #[track_caller]
    fn check(text: &str, words: &[&str], unfilled: &[&str]) {
        assert_eq!(SessionSource::reference_words_in(text), words, "{text}");
        assert_eq!(SessionSource::unfillable_words_in(text), unfilled, "{text}");
    }

    #[test]
    fn words_that_nothing_fills_in_are_found_in_a_text() {
        check("$5, $x, ${HOME}, $session, $session. A $ at the end $", &[], &[]);
        check("id-$session.params.name", &["$session.params.name"], &[]);
        check(
            "$context.tier and $request.payload.a.",
            &["$context.tier", "$request.payload.a"],
            &[],
        );
        let words = "$session.parameters.name|$session.param.name|$session.id|$session.credentials.x|$session.params|$caller.token|\
            ${session.params.name|${caller.token";
        for word in words.split('|') {
            check(&format!("Ask {word}."), &[word], &[word]);
        }
    }
}
