//! A call and its ending. Every ending is an [`Outcome`]: a call has no error type.

use std::{error, fmt, time::SystemTime};

use serde::de::DeserializeOwned;

use crate::{Answer, Content, Fault, Journal, Object, Reached, Value};

/// Arguments as the model gave them; numbers keep their digits.
pub type Arguments = Object;

/// One call a model asks for.
///
/// ```
/// use callgate_tool::{Arguments, ToolCall};
///
/// let arguments = Arguments::from_iter([("id".to_owned(), 7.into())]);
/// let call = ToolCall::new("call-1", "getPet", arguments);
/// assert_eq!(call.arguments["id"], 7);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The caller's own id of the call; handed back unchanged.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The values that the model filled in.
    pub arguments: Arguments,
}

/// The fate of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The tool that was meant: its full name where one was found, else what the call said.
    pub tool: String,
    /// The way it ended.
    pub outcome: Outcome,
    /// The decisions made on the way, for the operator.
    pub journal: Journal,
}

impl ToolResult {
    /// The arguments that defaults of the description were sent for, or would be in a dry run; none where nothing was.
    pub fn defaults(&self) -> Option<Vec<&str>> {
        let is_built = match &self.outcome {
            Outcome::Answered(_) | Outcome::Planned(_) => true,
            Outcome::Failed(fault) => fault.reached != Reached::No,
            Outcome::Pending(_) => false,
        };
        let defaults: Vec<&str> = self.journal.defaults().collect();
        Some(defaults).filter(|defaults| is_built && !defaults.is_empty())
    }
}

/// The way a call ended.
///
/// ```
/// use callgate_tool::{Outcome, PendingKind};
///
/// /// True where a person has to be asked before the model goes on.
/// fn waits_for_a_person(outcome: &Outcome) -> bool {
///     match outcome {
///         Outcome::Pending(pending) => pending.kind == PendingKind::Approval,
///         Outcome::Answered(_) | Outcome::Failed(_) | Outcome::Planned(_) => false,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever shows an ending must handle a new one")]
pub enum Outcome {
    /// The service answered with a success.
    Answered(Box<Answer>),
    /// Something failed: before sending, on the way, or at the service.
    Failed(Box<Fault>),
    /// The call waits for somebody else.
    Pending(Box<Pending>),
    /// A dry run: what would have been done.
    Planned(Box<Preview>),
}

/// A call that waits for somebody outside.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pending {
    /// Whom it waits for.
    pub kind: PendingKind,
    /// The name under which it is answered.
    pub id: String,
    /// The time when it is given up.
    pub expires: Option<SystemTime>,
    /// The subject of the question: for an approval the request to approve, for the client the arguments of its
    /// function.
    pub request: Value,
}

/// Whom a call waits for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever answers a pending call must handle a new one")]
pub enum PendingKind {
    /// A person who allows it or does not.
    Approval,
    /// The client, whose function the tool is.
    Client,
}

/// The effect a call would have.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever shows a dry run must handle a new one")]
pub enum Preview {
    /// Send a request.
    Request(PlannedRequest),
    /// The words of a sentence, for tools that send none.
    Text(String),
}

/// A request as a dry run shows it: credentials stand as `****`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRequest {
    /// The HTTP method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// The headers in the order they are sent.
    pub headers: Vec<(String, String)>,
    /// The body as text, where there is one.
    pub body: Option<String>,
    /// A `curl` command that sends the same request.
    pub curl: String,
}

impl Preview {
    /// The request, where one would be sent.
    pub fn request(&self) -> Option<&PlannedRequest> {
        match self {
            Self::Request(request) => Some(request),
            Self::Text(_) => None,
        }
    }
}

impl Pending {
    /// A call that waits without an end.
    pub fn new(kind: PendingKind, id: impl Into<String>, request: Value) -> Self {
        Self { kind, id: id.into(), expires: None, request }
    }

    /// The same, given up at a time.
    #[must_use]
    pub fn with_expiry(mut self, expires: SystemTime) -> Self {
        self.expires = Some(expires);
        self
    }
}

impl PendingKind {
    /// `approval` or `client`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Client => "client",
        }
    }
}

impl ToolResult {
    /// True where the call failed.
    pub fn is_failed(&self) -> bool {
        self.outcome.is_failed()
    }

    /// The text of the answer: [`Outcome::text`].
    pub fn text(&self) -> Option<&str> {
        self.outcome.text()
    }

    /// The answer as a type of one's own: [`Outcome::json`].
    ///
    /// # Errors
    /// [`InvalidAnswer`] where the call did not answer JSON, or JSON of another form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, InvalidAnswer> {
        self.outcome.json()
    }
}

impl Outcome {
    /// True where the call failed.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// The text of an answer: JSON as it was written, or text. `None` where there is none.
    pub fn text(&self) -> Option<&str> {
        let Self::Answered(answer) = self else { return None };
        match &answer.content {
            Content::Empty | Content::File { .. } | Content::Media { .. } | Content::Parts(_) => {
                None
            }
            Content::Json(json) => Some(json.text()),
            Content::Text { text, .. } => Some(text),
        }
    }

    /// The JSON of an answer as a type of one's own.
    ///
    /// ```
    /// use callgate_tool::{Answer, Content, Json, Outcome};
    ///
    /// let json = Json::parse(r#"["a", "b"]"#)?;
    /// let outcome = Outcome::from(Answer::new(200, Content::Json(json)));
    /// assert_eq!(outcome.json::<Vec<String>>()?, ["a", "b"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidAnswer`] where the call did not answer JSON, or JSON of another form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, InvalidAnswer> {
        let Self::Answered(answer) = self else { return Err(InvalidAnswer(None)) };
        let Content::Json(json) = &answer.content else { return Err(InvalidAnswer(None)) };
        serde_json::from_str(json.text()).map_err(|source| InvalidAnswer(Some(source)))
    }
}

/// An outcome that is not the JSON that was asked for.
#[derive(Debug)]
pub struct InvalidAnswer(Option<serde_json::Error>);

impl fmt::Display for InvalidAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("the call did not answer JSON"),
            Some(source) => write!(f, "the answer has another form: {source}"),
        }
    }
}

impl error::Error for InvalidAnswer {}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self::Answered(Box::new(answer))
    }
}

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Self {
        Self::Failed(Box::new(fault))
    }
}

impl From<Box<Fault>> for Outcome {
    fn from(fault: Box<Fault>) -> Self {
        Self::Failed(fault)
    }
}

/// An answer that is JSON.
impl From<Value> for Outcome {
    fn from(value: Value) -> Self {
        Answer::new(None, Content::Json(value.into())).into()
    }
}

/// Makes an outcome of a function's result.
impl<T: Into<Self>, E: Into<Self>> From<Result<T, E>> for Outcome {
    fn from(result: Result<T, E>) -> Self {
        result.map_or_else(Into::into, Into::into)
    }
}

impl ToolCall {
    /// A call of `tool` with `arguments`.
    pub fn new(id: impl Into<String>, tool: impl Into<String>, arguments: Arguments) -> Self {
        Self { id: id.into(), tool: tool.into(), arguments }
    }
}
