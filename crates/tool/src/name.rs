//! Names of toolsets, tools and arguments, as a model sees them. A value of these types is legal for every provider;
//! `openapi` decides how an illegal name becomes a legal one.

use std::{borrow::Borrow, sync::Arc};

/// The longest tool name, in bytes: every provider accepts it and has room for a prefix of its own.
pub const MAX_TOOL_NAME: usize = 60;
/// The longest argument name, in bytes.
pub const MAX_ARGUMENT_NAME: usize = 64;

/// A tool name: `^[A-Za-z_][A-Za-z0-9_-]{0,59}$`.
///
/// ```
/// use callgate_tool::ToolName;
///
/// assert_eq!(ToolName::new("pets-getPet")?.as_str(), "pets-getPet");
/// assert!(ToolName::new("get pet").is_err());
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ToolName(Arc<str>);

/// An argument name: `^[A-Za-z_][A-Za-z0-9_]{0,63}$`.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ArgumentName(Arc<str>);

/// A toolset name: `^[A-Za-z_][A-Za-z0-9_]{0,59}$`, without `-`, which separates it from the operation.
///
/// ```
/// use callgate_tool::{ToolName, ToolsetName};
///
/// let toolset = ToolsetName::new("pets")?;
/// let tool = ToolName::new(&format!("{toolset}-getPet"))?;
/// assert_eq!(tool.as_str().split_once('-'), Some((toolset.as_str(), "getPet")));
/// assert!(ToolsetName::new("pet-shop").is_err());
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ToolsetName(Arc<str>);

/// The error for a text that is not a legal name.
///
/// ```
/// use callgate_tool::ToolName;
///
/// let error = ToolName::new("get pet").unwrap_err();
/// let message = "expected a name matching `^[A-Za-z_][A-Za-z0-9_-]{0,59}$`, got: `get pet`";
/// assert_eq!(error.to_string(), message);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidName {
    name: String,
    expected: &'static str,
}

impl ToolName {
    /// Takes a legal tool name.
    ///
    /// # Errors
    /// [`InvalidName`] when `name` does not match `^[A-Za-z_][A-Za-z0-9_-]{0,59}$`.
    pub fn new(name: &str) -> Result<Self, InvalidName> {
        checked_name(name, MAX_TOOL_NAME, true, "`^[A-Za-z_][A-Za-z0-9_-]{0,59}$`").map(Self)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ArgumentName {
    /// Takes a legal argument name.
    ///
    /// # Errors
    /// [`InvalidName`] when `name` does not match `^[A-Za-z_][A-Za-z0-9_]{0,63}$`.
    pub fn new(name: &str) -> Result<Self, InvalidName> {
        checked_name(name, MAX_ARGUMENT_NAME, false, ARGUMENT_NAME).map(Self)
    }

    /// Takes a legal argument name from a shared text without copying it.
    ///
    /// # Errors
    /// [`InvalidName`] when `name` does not match `^[A-Za-z_][A-Za-z0-9_]{0,63}$`.
    pub fn from_shared(name: &Arc<str>) -> Result<Self, InvalidName> {
        check_name(name, MAX_ARGUMENT_NAME, false, ARGUMENT_NAME).map(|()| Self(Arc::clone(name)))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ToolsetName {
    /// Takes a legal toolset name.
    ///
    /// # Errors
    /// [`InvalidName`] when `name` does not match `^[A-Za-z_][A-Za-z0-9_]{0,59}$`.
    pub fn new(name: &str) -> Result<Self, InvalidName> {
        checked_name(name, MAX_TOOL_NAME, false, "`^[A-Za-z_][A-Za-z0-9_]{0,59}$`").map(Self)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Lets a map of names be searched by text.
impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

callgate_secret::text!(ToolName: Self(text) => "{text}");

callgate_secret::text!(ArgumentName: Self(text) => "{text}");

callgate_secret::text!(ToolsetName: Self(text) => "{text}");

callgate_secret::text!(error InvalidName: Self { expected, name, .. } => "expected a name matching {expected}, got: `{name}`");

const ARGUMENT_NAME: &str = "`^[A-Za-z_][A-Za-z0-9_]{0,63}$`";

fn checked_name(
    name: &str,
    longest: usize,
    dash: bool,
    expected: &'static str,
) -> Result<Arc<str>, InvalidName> {
    check_name(name, longest, dash, expected).map(|()| name.into())
}

fn check_name(
    name: &str,
    longest: usize,
    dash: bool,
    expected: &'static str,
) -> Result<(), InvalidName> {
    let mut bytes = name.bytes();
    let starts_well = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let goes_on_well =
        bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || (dash && byte == b'-'));
    if starts_well && goes_on_well && name.len() <= longest {
        return Ok(());
    }
    Err(InvalidName { name: name.chars().take(80).collect(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_may_have_a_dash_and_an_argument_name_may_not() {
        assert!(ToolName::new("pets-getPet").is_ok());
        assert!(ArgumentName::new("pet-id").is_err());
        assert!(ToolsetName::new("pet-store").is_err());
    }

    #[test]
    fn a_name_starts_with_a_letter_or_an_underscore() {
        for bad in ["", "1a", "-a", "é", "a b", "a.b", "../x", "p\u{430}y"] {
            assert!(ToolName::new(bad).is_err(), "{bad}");
            assert!(ArgumentName::new(bad).is_err(), "{bad}");
        }
        assert!(ToolName::new("_x9").is_ok());
    }

    #[test]
    fn a_name_beyond_its_maximum_length_is_refused() {
        assert!(ToolName::new(&"a".repeat(MAX_TOOL_NAME)).is_ok());
        assert!(ToolName::new(&"a".repeat(MAX_TOOL_NAME + 1)).is_err());
        assert!(ArgumentName::new(&"a".repeat(MAX_ARGUMENT_NAME)).is_ok());
        assert!(ArgumentName::new(&"a".repeat(MAX_ARGUMENT_NAME + 1)).is_err());
    }

    #[test]
    fn the_error_of_a_refused_name_has_the_expected_pattern() {
        let error = ToolsetName::new("a-b").unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a name matching `^[A-Za-z_][A-Za-z0-9_]{0,59}$`, got: `a-b`"
        );
    }
}
