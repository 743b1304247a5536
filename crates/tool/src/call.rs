//! The ways in which a call ends. Every end is an [`Outcome`]: a call has no error type.

use std::{error, fmt, time::SystemTime};

use serde::{Serialize, de::DeserializeOwned};

use crate::{Answer, Content, Fault, Journal, Reached, Value, json_forms};

/// The result of a call.
///
/// ```
/// use callgate_tool::{Answer, Content, Journal, ToolResult, json};
///
/// let answer = Answer::new(200, Content::Json(json!({"name": "Rex"}).into()));
/// let (id, tool, journal) = ("call-1".to_owned(), "getPet".to_owned(), Journal::default());
/// let result = ToolResult { id, tool, outcome: answer.into(), journal };
/// assert!(!result.is_failed());
/// assert_eq!(result.text(), Some(r#"{"name":"Rex"}"#));
///
/// let written = r#"{"id":"call-1","tool":"getPet","status":200,"response":{"name":"Rex"}}"#;
/// assert_eq!(serde_json::to_string(&result)?, written);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The tool that was meant: its full name if a tool was found, otherwise the name in the call.
    pub tool: String,
    /// The way it ended.
    pub outcome: Outcome,
    /// The decisions made during the call, for the operator.
    pub journal: Journal,
}

impl ToolResult {
    /// The arguments for which defaults of the description were sent, or would be sent in a dry run; `None` if none were.
    pub fn defaults(&self) -> Option<Vec<&str>> {
        let defaults: Vec<&str> = self.journal.defaults().collect();
        Some(defaults).filter(|defaults| self.is_request_built() && !defaults.is_empty())
    }

    /// The facts that the caller has to know of the request: what was left out, converted, ignored or chosen
    /// ([`Journal::notes`]); `None` if the request is what the caller asked for, or was not built.
    pub fn notes(&self) -> Option<Vec<String>> {
        let notes = if self.is_request_built() { self.journal.notes() } else { Vec::new() };
        Some(notes).filter(|notes| !notes.is_empty())
    }

    fn is_request_built(&self) -> bool {
        match &self.outcome {
            Outcome::Answered(_) | Outcome::Planned(_) => true,
            Outcome::Failed(fault) => fault.reached != Reached::No,
            Outcome::Pending(_) => false,
        }
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
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Outcome {
    /// The service answered with a successful response.
    Answered(Box<Answer>),
    /// Something failed: before sending, on the way, or at the service.
    Failed(Box<Fault>),
    /// The call waits for a person or for the client.
    Pending(Box<Pending>),
    /// A dry run: the effect that the call would have had.
    Planned(Box<Preview>),
}

/// A call that waits for a person or for the client.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use callgate_tool::{Pending, PendingKind, json};
///
/// let request = json!({"method": "DELETE", "url": "https://api.example.com/pets/7"});
/// let expires = SystemTime::now() + Duration::from_mins(10);
/// let pending = Pending::new(PendingKind::Approval, "approval-1", request).with_expiry(expires);
/// let question = format!("May {} be sent?", pending.request["method"]);
/// assert_eq!((&*pending.id, &*question), ("approval-1", "May \"DELETE\" be sent?"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Pending {
    /// The party that the call waits for.
    pub kind: PendingKind,
    /// The name under which the pending call is answered.
    pub id: String,
    /// The time after which the call is given up.
    #[serde(serialize_with = "json_forms::write_time", skip_serializing_if = "Option::is_none")]
    pub expires: Option<SystemTime>,
    /// The request that a person should approve, or the arguments of the client's function.
    pub request: Value,
    /// The parties that may approve the call.
    #[serde(skip_serializing_if = "Approvers::is_caller")]
    pub approvers: Approvers,
}

crate::named! {
    /// The parties that may approve a call.
    ///
    /// ```
    /// use callgate_tool::{Approvers, Pending, PendingKind, json};
    ///
    /// let pending = Pending::new(PendingKind::Approval, "approval-1", json!({}));
    /// let step = match pending.approvers {
    ///     Approvers::Caller | Approvers::Either => "ask the user",
    ///     Approvers::Others => "make the call again when somebody else has approved it",
    /// };
    /// assert_eq!(step, "ask the user");
    /// ```
    #[derive(Default)]
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum Approvers {
        /// The party that made the call.
        #[default]
        Caller = "caller",
        /// The party that made the call, and others that have the right to.
        Either = "either",
        /// Only others that have the right to: the four-eyes principle.
        Others = "others",
    }
}

impl Approvers {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_caller(&self) -> bool {
        *self == Self::Caller
    }
}

crate::named! {
    /// The party that a call waits for.
    ///
    /// ```
    /// use callgate_tool::{Pending, PendingKind, json};
    ///
    /// let pending = Pending::new(PendingKind::Client, "call-1", json!({"city": "Oslo"}));
    /// let step = match pending.kind {
    ///     PendingKind::Approval => format!("ask a person about {}", pending.request),
    ///     PendingKind::Client => format!("call the function with {}", pending.request),
    /// };
    /// assert_eq!(step, r#"call the function with {"city":"Oslo"}"#);
    /// ```
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum PendingKind {
        /// A person who allows or rejects the call.
        Approval = "approval",
        /// The client, which runs the tool's function.
        Client = "client",
    }
}

/// The effect that a call would have.
///
/// ```
/// use callgate_tool::{Outcome, Preview};
///
/// let outcome = Outcome::Planned(Box::new(Preview::Text("asks the user for a date".to_owned())));
/// let Outcome::Planned(preview) = outcome else { panic!("this was no dry run") };
/// let line = match *preview {
///     Preview::Request(request) => request.curl,
///     Preview::Text(text) => text,
/// };
/// assert_eq!(line, "asks the user for a date");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Preview {
    /// Send a request.
    Request(PlannedRequest),
    /// A sentence, for tools that send no request.
    Text(String),
}

/// A request as a dry run shows it: credentials stand as `****`.
///
/// ```
/// use callgate_tool::{PlannedRequest, Preview};
///
/// let preview = Preview::Request(PlannedRequest {
///     method: "GET".to_owned(),
///     url: "https://api.example.com/pets/7".to_owned(),
///     headers: vec![("authorization".to_owned(), "Bearer ****".to_owned())],
///     body: None,
///     curl: r#"curl -H "Authorization: Bearer $TOKEN" https://api.example.com/pets/7"#.to_owned(),
/// });
/// let request = preview.request().expect("one would be sent");
/// assert_eq!((&*request.method, &*request.url), ("GET", "https://api.example.com/pets/7"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedRequest {
    /// The HTTP method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// The headers, in the order in which they are sent.
    #[serde(serialize_with = "json_forms::write_headers")]
    pub headers: Vec<(String, String)>,
    /// The body as text, if there is one.
    pub body: Option<String>,
    /// A `curl` command that sends this request.
    pub curl: String,
}

impl Preview {
    /// The request, if the call would send one.
    pub fn request(&self) -> Option<&PlannedRequest> {
        if let Self::Request(request) = self { Some(request) } else { None }
    }
}

impl Pending {
    /// The beginning of the ids of calls of programs that wait for the client.
    #[doc(hidden)]
    pub const PROGRAM_CALL: &'static str = "program_call_";

    /// The beginning of the ids of calls of programs that wait until the user has signed in.
    #[doc(hidden)]
    pub const SIGN_IN: &'static str = "sign_in_";

    /// A call that waits without a time limit.
    pub fn new(kind: PendingKind, id: impl Into<String>, request: Value) -> Self {
        Self { kind, id: id.into(), expires: None, request, approvers: Approvers::Caller }
    }

    /// True if a call that a program makes waits: `request` then says where in the program, as `program`.
    pub fn is_of_program(&self) -> bool {
        match self.kind {
            PendingKind::Approval => self.request.get("program").is_some(),
            // The client's arguments may have a member of this name.
            PendingKind::Client => self.id.starts_with(Self::PROGRAM_CALL),
        }
    }

    /// The names of the calls that wait: this one, and those of its program that wait beside it.
    #[doc(hidden)]
    pub fn waiting_ids(&self) -> Vec<&str> {
        let program = self.request.get("program").filter(|_| self.is_of_program());
        let waiting = program.and_then(|it| it.get("waiting")?.as_array());
        let ids = waiting.into_iter().flatten().filter_map(|it| it.get("id")?.as_str());
        let others = ids.filter(|id| *id != self.id);
        std::iter::once(&*self.id).chain(others).collect()
    }

    crate::setters! {
        /// Sets the time after which the call is given up.
        pub fn with_expiry(expires: SystemTime) = Some(expires);
    }
}

impl ToolResult {
    /// True if the call failed.
    pub fn is_failed(&self) -> bool {
        self.outcome.is_failed()
    }

    /// The text of the answer: [`Outcome::text`].
    pub fn text(&self) -> Option<&str> {
        self.outcome.text()
    }

    /// The answer as a type of the caller's choice: [`Outcome::json`].
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use callgate_tool::{Journal, ToolResult, json};
    ///
    /// let (id, tool, journal) = ("call-1".to_owned(), "countPets".to_owned(), Journal::default());
    /// let result = ToolResult { id, tool, outcome: json!({"dogs": 2}).into(), journal };
    /// let counts: BTreeMap<String, u64> = result.json()?;
    /// assert_eq!(counts["dogs"], 2);
    /// # Ok::<(), callgate_tool::InvalidAnswer>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidAnswer`] if the call did not answer JSON, or answered JSON of another form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, InvalidAnswer> {
        self.outcome.json()
    }
}

impl Outcome {
    /// True if the call failed.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// The approval that the call waits for.
    #[doc(hidden)]
    pub fn pending_approval(&self) -> Option<&Pending> {
        let Self::Pending(pending) = self else { return None };
        Some(&**pending).filter(|pending| pending.kind == PendingKind::Approval)
    }

    /// The text of an answer: JSON as the service wrote it, or text. `None` if the outcome has neither.
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

    /// The JSON of an answer as a type of the caller's choice.
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
    /// [`InvalidAnswer`] if the call did not answer JSON, or answered JSON of another form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, InvalidAnswer> {
        let Self::Answered(answer) = self else { return Err(InvalidAnswer(None)) };
        let Content::Json(json) = &answer.content else { return Err(InvalidAnswer(None)) };
        serde_json::from_str(json.text()).map_err(|source| InvalidAnswer(Some(source)))
    }
}

/// The error for an outcome that does not hold the requested JSON.
///
/// ```
/// use callgate_tool::{Answer, Content, Outcome, json};
///
/// let other = Outcome::from(json!({"id": "seven"}));
/// let error = other.json::<Vec<u64>>().unwrap_err();
/// assert!(error.to_string().starts_with("the answer has another form: "));
///
/// let empty = Outcome::from(Answer::new(204, Content::Empty));
/// assert_eq!(empty.json::<u64>().unwrap_err().to_string(), "the call did not answer JSON");
/// ```
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

impl From<Value> for Outcome {
    fn from(value: Value) -> Self {
        Answer::new(None, Content::Json(value.into())).into()
    }
}

impl<T: Into<Self>, E: Into<Self>> From<Result<T, E>> for Outcome {
    fn from(result: Result<T, E>) -> Self {
        result.map_or_else(Into::into, Into::into)
    }
}
