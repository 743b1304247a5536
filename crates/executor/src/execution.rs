//! The side that runs a checked call, and the answer of a client that ran one.

use std::{collections::BTreeMap, time::Duration};

use callgate_tool::{ToolName, Value};

/// The side that runs a call after its arguments are checked.
///
/// ```
/// use callgate_executor::{Call, Execution, Executor};
/// use callgate_tool::{Arguments, Outcome, Session, ToolCall, json};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let executor = Executor::builder()
///     .function("app", "open_page", json!({"type": "object"}), |_| async { json!("opened") })
///     .build()?;
/// let (asked, session) = (ToolCall::new("1", "app-open_page", Arguments::new()), Session::default());
/// let call = Call::new(&asked, &session).run_by_client();
/// assert_eq!(call.execution(), Execution::Client);
/// assert!(matches!(executor.call_with(call).await.outcome, Outcome::Pending(_)));
/// # Ok::<(), callgate_executor::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a call is run on one side or the other")]
pub enum Execution {
    /// The client: the call is pending, with its arguments filled and without credentials, until the client sends the result.
    Client,
    /// This program: it calls the service or runs the function.
    #[default]
    Server,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Runner {
    pub(crate) execution: Execution,
    pub(crate) client_time: Duration,
}

/// The tools of a toolset that the client runs.
#[derive(Clone, Debug)]
pub struct ClientSide {
    /// The side that runs the tools without an entry of their own.
    pub execution: Execution,
    /// The sides that run single tools.
    pub tools: BTreeMap<ToolName, Execution>,
    /// The time that the client has.
    pub time: Duration,
}

impl Default for ClientSide {
    fn default() -> Self {
        Self { execution: Execution::Server, tools: BTreeMap::new(), time: CLIENT_TIME }
    }
}

impl ClientSide {
    pub(crate) fn tool_runner(&self, tool: &ToolName) -> Runner {
        let execution = self.tools.get(tool).copied().unwrap_or(self.execution);
        Runner { execution, client_time: self.time }
    }
}

/// The answer of a client that ran a call.
///
/// ```
/// use callgate_executor::{Call, ClientAnswer, ClientFunction, Executor};
/// use callgate_tool::{Arguments, Session, ToolCall, ToolName, json};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let name = ToolName::new("open_page")?;
/// # let function = ClientFunction::new(name, "Opens a page", json!({"type": "object"}))?;
/// # let executor = Executor::builder().backend(function).build()?;
/// let (asked, session) = (ToolCall::new("1", "open_page", Arguments::new()), Session::default());
/// let answer = ClientAnswer::Output(json!({"title": "Pets"}));
/// let result = executor.resume(Call::new(&asked, &session), answer).await.expect("a result");
/// assert_eq!(result.text(), Some(r#"{"title":"Pets"}"#));
///
/// let answer = ClientAnswer::Failed(json!("there is no such page"));
/// let result = executor.resume(Call::new(&asked, &session), answer).await.expect("a result");
/// assert!(result.is_failed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a client has a result or it has failed")]
pub enum ClientAnswer {
    /// The call failed: the client's words about the failure.
    Failed(Value),
    /// The call succeeded: the result.
    Output(Value),
}

/// The client's time by default: the time that a session of Dialogflow CX lives without a request.
pub const CLIENT_TIME: Duration = Duration::from_mins(30);
