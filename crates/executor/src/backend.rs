//! The trait of kinds of tools: an implementation runs the tools of one kind. The catalog finds the tool.

mod argument_check;
mod attempts;
mod body_reader;
mod challenge;
mod client;
mod echo;
mod edit;
mod exchange;
mod failure;
mod function;
mod in_time;
mod masked_request;
mod openapi;
mod raw;
mod redirect;
mod repeat;
mod request_span;
mod response_stream;
mod review;
mod session_values;
mod unknown_session;
mod values;

use std::{fmt::Debug, time::Duration};

use async_trait::async_trait;
use callgate_secret::Secret;
use callgate_tool::{
    Effect, Fault, FingerprintHasher, Journal, Outcome, Preview, Session, Tool, ToolName, Value,
};

use crate::{
    call::Call,
    execution::{CLIENT_TIME, Execution},
};

pub(crate) use argument_check::CheckedBackend;
pub use client::ClientFunction;
pub use edit::EditedTool;
pub(crate) use exchange::Connection;
pub(crate) use failure::stop_fault;
pub use function::Function;
pub(crate) use openapi::OpenApi;
pub(crate) use response_stream::BodyHead;
pub use response_stream::{Opened, Piece, Pieces};
pub use review::{Review, Reviewed};

/// Writes the methods of a backend that has the tool's declaration and the name of its toolset as fields.
#[doc(hidden)]
#[macro_export]
macro_rules! of_tool {
    ($tool:ident, $($toolset:ident).+) => {
        fn name(&self) -> &::callgate_tool::ToolName {
            &self.$tool.name
        }

        fn toolset(&self) -> &str {
            &self.$($toolset).+
        }

        fn declaration(&self) -> Option<&::callgate_tool::Tool> {
            Some(&self.$tool)
        }
    };
}

/// Runs the calls of one tool.
///
/// The executor checks a backend against its declaration: when it is built, that both have one name and one effect and that
/// the schemas are schemas; before each call, its arguments; after it, its JSON or text if the declaration has an output schema
/// (a result that does not match becomes a fault, with the result as its body). Pieces of a stream are not checked.
///
/// ```
/// use callgate_executor::{Backend, Call, Executor};
/// use callgate_tool::{Effect, Fault, Journal, Outcome, Preview, Schema, Tool, ToolName};
/// use callgate_tool::json;
///
/// /// Says what it hears.
/// #[derive(Debug)]
/// struct Echo(Tool);
///
/// #[async_trait::async_trait]
/// impl Backend for Echo {
///     fn name(&self) -> &ToolName {
///         &self.0.name
///     }
///
///     fn declaration(&self) -> Option<&Tool> {
///         Some(&self.0)
///     }
///
///     async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
///         Ok(Preview::Text("says what it hears".to_owned()))
///     }
///
///     async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
///         callgate_tool::Value::Object(call.arguments().clone()).into()
///     }
/// }
///
/// let schema = Schema::new(json!({"type": "object"}));
/// let name = ToolName::new("echo")?;
/// let tool = Tool::new(name, "Says what it hears".to_owned(), schema, Effect::Read);
/// let executor = Executor::builder().backend(Echo(tool)).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[async_trait]
pub trait Backend: Debug + Send + Sync {
    /// The tool's name.
    fn name(&self) -> &ToolName;

    /// The toolset of the tool; empty if it has none.
    #[expect(clippy::unnecessary_literal_bound, reason = "implementations borrow from themselves")]
    fn toolset(&self) -> &str {
        ""
    }

    /// The tool's declaration to a model, built on first use. `None` if the declaration exceeds its limits.
    fn declaration(&self) -> Option<&Tool>;

    /// The effect of a call. A tool without a declaration is assumed to change something.
    fn effect(&self) -> Effect {
        self.declaration().map_or(Effect::Write, |tool| tool.effect)
    }

    /// The effect that decides whether a call may be repeated after a failure. It differs from [`Backend::effect`] only
    /// where an operator says that a tool has another effect than its request.
    fn retry_effect(&self) -> Effect {
        self.effect()
    }

    /// The service that a call goes to, as an audit records it: `GET api.example.com`. `None` if a call goes to no service.
    fn target(&self) -> Option<String> {
        None
    }

    /// The values of a session that credentials read. No record shows them.
    fn secrets(&self, _: &Session) -> Vec<Secret> {
        Vec::new()
    }

    /// The side that runs the tool's calls, unless a call asks for the client ([`Call::run_by_client`]).
    #[doc(hidden)]
    fn execution(&self) -> Execution {
        Execution::Server
    }

    /// The time that a client has for a call that it runs.
    #[doc(hidden)]
    fn client_time_limit(&self) -> Duration {
        CLIENT_TIME
    }

    /// The request that a client gets which runs the call: the arguments, checked and filled, without credentials. By default they
    /// are those of the call, if it can be previewed.
    ///
    /// # Errors
    /// Returns the fault that the call would end with, if it is known before any side effect.
    #[doc(hidden)]
    async fn client_request(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Value, Box<Fault>> {
        self.preview(call, journal).await?;
        Ok(Value::Object(call.arguments().clone()))
    }

    /// Adds to a call's fingerprint what of the session decides the call: the values that inputs read, and whose credential
    /// is sent. By default all values of the session are added.
    #[doc(hidden)]
    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        hasher.add_session(session);
    }

    /// The arguments that hold credentials, at any depth. No record shows their values. Names are compared without regard
    /// to case, and `-` equals `_`.
    fn secret_arguments(&self) -> &[String] {
        &[]
    }

    /// True if results meet the declaration by the way they are made. They are then checked in builds with debug assertions alone, as
    /// those of tests.
    #[doc(hidden)]
    fn has_results_as_declared(&self) -> bool {
        false
    }

    /// Sentences for the person who configures the tool, which no model sees: what it does not offer, and why.
    #[doc(hidden)]
    fn operator_notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if calls of the tool call tools: each then has its `Executor` among its extensions. Such a tool calls none of its like.
    #[doc(hidden)]
    fn can_call_tools(&self) -> bool {
        false
    }

    /// True if a call of the tool may pause within, and go on by the answer to a call that it made, under the rules of that call. The
    /// tool makes sure itself that what it goes on with was begun by a call of its own.
    #[doc(hidden)]
    fn is_resumable(&self) -> bool {
        false
    }

    /// The declaration among the tools of an executor, for a tool that names others; asked once, when the executor is built.
    #[doc(hidden)]
    fn declaration_listing_other_tools(&self, tools: &[&dyn Backend]) -> Option<Tool> {
        _ = tools;
        None
    }

    /// Previews the call: runs its code without fetching a credential, up to the first side effect.
    ///
    /// # Errors
    /// Returns the fault that the call would end with, if it is known before any side effect.
    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>>;

    /// The subject of a person's decision before the call is made. It may read, but changes nothing. By default it is the preview.
    ///
    /// # Errors
    /// Returns the fault that the call would end with, if it is known before any side effect.
    #[doc(hidden)]
    async fn review(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Review, Box<Fault>> {
        self.preview(call, journal).await.map(Review::new)
    }

    /// Runs one call. Dropping the future stops it.
    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome;

    /// Runs one call up to its response, whose pieces the caller then takes as they arrive. By default there are no pieces
    /// and the call runs to its end.
    async fn open(&self, call: &Call<'_>, journal: &mut Journal) -> Opened {
        Opened::Ended(self.run(call, journal).await)
    }
    /// The outcome of a pending call from the answer of the client that ran it. By default the outcome is that answer.
    ///
    /// # Errors
    /// Returns a fault that names the mistake in the answer; the call then stays pending.
    async fn outcome_from_answer(
        &self,
        _call: &Call<'_>,
        answer: Value,
        _journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        Ok(answer.into())
    }
}
