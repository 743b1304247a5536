//! The input of a turn: words of the user, also with files, or answers to the calls that the last turn waits for.

mod part;

use callgate_executor::Decision;
use callgate_tool::Value;

pub use self::part::InputPart;

/// The input of a turn.
///
/// ```
/// use callgate_agent::{Answer, Given, Input};
/// use callgate_executor::Decision;
///
/// let first = Input::text("One pizza, please.");
/// let then = Input::Answers(vec![Answer::new("toolu_1", Given::Decision(Decision::Approve))]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Input {
    /// Answers to calls that wait. Calls without an answer go on waiting.
    Answers(Vec<Answer>),
    /// Words of the user with images and other files, in their order. Calls that wait are not made any more.
    Parts(Vec<InputPart>),
    /// Words of the user. Calls that wait are not made any more.
    Text(String),
}

/// The answer to a call that waits.
///
/// ```
/// use callgate_agent::{Answer, Given};
///
/// let answer = Answer::new("toolu_1", Given::Output(callgate_tool::json!({"opened": true})));
/// assert_eq!(answer.call, "toolu_1");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an answer is what was given to a call")]
pub struct Answer {
    /// The id of the call.
    pub call: String,
    /// The answer.
    pub given: Given,
}

/// What was given to a call that waits.
///
/// ```
/// use callgate_agent::Given;
///
/// let given = Given::Failed(callgate_tool::json!("the window was closed"));
/// assert!(matches!(given, Given::Failed(_)));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Given {
    /// A person's decision, for a call that waits for an approval.
    Decision(Decision),
    /// The failure of whoever ran the call.
    Failed(Value),
    /// The result of whoever ran the call.
    Output(Value),
}

impl Input {
    /// Words of the user.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl Answer {
    /// An answer to the call with this id.
    pub fn new(call: impl Into<String>, given: Given) -> Self {
        Self { call: call.into(), given }
    }
}
