//! callgate turns OpenAPI descriptions into tools a language model can call, and executes the calls: it fills inputs
//! from the model, the session and the defaults, builds the exact HTTP request, attaches credentials the model never
//! sees, and hands back a result the model can use.
//!
//! ```no_run
//! use callgate::{Arguments, Session, ToolCall};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), callgate::config::Error> {
//! let built = callgate::config::load("config/demo.yaml".as_ref()).await?;
//! let arguments = Arguments::from_iter([("petId".to_owned(), 7.into())]);
//! let call = ToolCall::new("1", "pets-getPet", arguments);
//! let result = built.executor.call(&call, &Session::new("session-1")).await;
//! println!("{}", callgate::dialect::json_result(&result));
//! # Ok(())
//! # }
//! ```

pub use callgate_call::{
    BigIntegers, DEFAULT_MEDIA_BYTES, DEFAULT_RESULT_BYTES, Selection, Shape, ShownHeaders,
};
pub use callgate_executor::{
    Backend, Builder, CLIENT_TIME, Call, Callable, Change, ChangeKind, Changes, ClientAnswer,
    ClientFunction, ClientSide, Decided, Decision, Ended, Ending, Entry, Error, ErrorKind,
    Execution, Executor, Extensions, Found, FoundNeed, Function, InputChange, Middleware, Opened,
    Piece, Pieces, Redirects, Search, SessionValues, Stage, Stop, ToolStream, Toolset,
    TraceContext,
};
pub use callgate_secret::Secret;
pub use callgate_tool::{
    Answer, ArgumentName, Arguments, Content, Cut, Effect, Event, Fault, FaultCode, ForeignNumber,
    Handle, InvalidAnswer, InvalidJson, InvalidName, Journal, Json, Next, Number, Object, Outcome,
    Pending, PendingKind, PlannedRequest, Preview, Principal, Problem, Reached, Schema, Session,
    SessionName, StoredResult, Tool, ToolCall, ToolName, ToolResult, ToolsetName, Truncated, Unit,
    Value, json,
};

/// What stands around calls.
pub mod policy {
    pub use callgate_policy::*;
}

/// What outlives a call, and where it is kept.
pub mod session {
    pub use callgate_session::*;
}

#[cfg(any(doc, doctest))]
pub mod manual;
mod openapi_tools;

pub use openapi_tools::{OpenApi, openapi};

/// Foreign wire formats: declarations, calls and results as JSON.
pub mod dialect {
    pub use callgate_dialect::*;
}

/// Configurations and bare descriptions, to a ready executor.
pub mod config {
    pub use callgate_config::*;
}

/// The parser: descriptions to operations, and what is wrong with them.
pub mod openapi {
    pub use callgate_openapi::*;
}

/// Text to one tree of located nodes: how descriptions and configurations are read, and how findings point into them.
pub mod tree {
    pub use callgate_tree::*;
}

/// Credentials on a finished request.
pub mod auth {
    pub use callgate_auth::*;
}

/// Secrets and where they are kept.
pub mod secret {
    pub use callgate_secret::*;
}

/// Who sends a request: the network, or recorded responses.
pub mod transport {
    pub use callgate_transport::*;
}
