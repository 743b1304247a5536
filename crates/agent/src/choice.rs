//! The rule that lets a model call tools, makes it call one, or forbids it. The formats of requests write it each in its own way.

/// The choice that a model has between words and calls.
///
/// ```
/// use callgate_agent::Choice;
///
/// let forced = Choice::Tool("pizza-get_menu".to_owned());
/// assert_ne!(forced, Choice::default());
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Choice {
    /// The model decides.
    #[default]
    Auto,
    /// Tools are declared, and no call is made.
    None,
    /// The first reply of a turn has to call a tool. Later ones may answer.
    Required,
    /// The first reply of a turn has to call this tool.
    Tool(String),
}
