//! callgate turns OpenAPI descriptions into tools that a language model can call, and executes the calls.
//!
//! It fills inputs from the model, the session and the defaults, builds the exact HTTP request, attaches credentials the model
//! never sees, sends it within bounds, and hands back a result that the model can use. The [manual] has guides; this
//! page shows the few types that carry everything.
//!
//! - [A first call](#a-first-call)
//! - [Results are never errors](#results-are-never-errors)
//! - [The session: what a model must not choose](#the-session-what-a-model-must-not-choose)
//! - [The loop of an agent](#the-loop-of-an-agent)
//! - [Credentials](#credentials)
//! - [Tools of your own](#tools-of-your-own)
//! - [Configurations](#configurations)
//! - [Where things are](#where-things-are)
//! - [Features](#features)
//!
//! # A first call
//!
//! [`openapi()`] takes a description, and [`Executor`] holds its tools. [`Executor::dry_run`] is the dry run: the request, built by
//! the code that sends it. [`Executor::call`] sends it.
//!
//! ```
//! use callgate::{Arguments, Outcome, Session, ToolCall};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let description = "
//! openapi: 3.0.3
//! info: { title: Pets, version: '1' }
//! paths:
//!   /pets/{id}:
//!     get:
//!       operationId: getPet
//!       parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
//!       responses: { '200': { description: ok } }
//! ";
//! let executor = callgate::openapi(description).server("https://api.example.com/v1").build().await?;
//!
//! let arguments = Arguments::from_iter([("id".to_owned(), 7.into())]);
//! let call = ToolCall::new("call-1", "getPet", arguments);
//! let result = executor.dry_run(&call, &Session::default()).await;
//!
//! let Outcome::Planned(preview) = result.outcome else { panic!("a dry run") };
//! let request = preview.request().expect("a request");
//! assert_eq!(request.url.to_string(), "https://api.example.com/v1/pets/7");
//! # Ok(())
//! # }
//! ```
//!
//! A server that the program names may be anywhere. A server that only the description names must be public `https`, because
//! descriptions come from elsewhere.
//!
//! # Results are never errors
//!
//! [`Executor::call`] has no `Err`. Each ending of a call is the [`Outcome`] of a [`ToolResult`], worded for a model;
//! [`dialect::json_result`] writes it. Arguments are checked before anything is sent, and every violation is reported at once:
//!
//! ```
//! use callgate::{Arguments, Executor, FaultCode, Outcome, Session, ToolCall, json};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let input = json!({
//!     "type": "object",
//!     "properties": {"zone": {"enum": ["UTC"]}, "day": {"type": "integer"}},
//!     "required": ["zone"],
//! });
//! let executor = Executor::builder()
//!     .function("clock", "get_time", input, |_| async { json!({"time": "12:00"}) })
//!     .build()?;
//!
//! let arguments = Arguments::from_iter([("zone".to_owned(), "Mars".into()), ("day".to_owned(), 1.5.into())]);
//! let call = ToolCall::new("call-1", "clock-get_time", arguments);
//! let result = executor.call(&call, &Session::default()).await;
//!
//! let Outcome::Failed(fault) = result.outcome else { panic!("a fault") };
//! assert_eq!(fault.code, FaultCode::InvalidArguments);
//! assert_eq!(fault.problems.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Fault`] says what happened, whether the service was [`Reached`], and what to do [`Next`].
//!
//! # The session: what a model must not choose
//!
//! A [`Session`] holds the values that the program knows: parameters that fill annotated inputs, the payload of the request, and
//! its user's credentials. A model cannot set such inputs, and a credential is no input at all:
//!
//! ```
//! use callgate::{Object, Secret, Session, json};
//!
//! let mut parameters = Object::new();
//! parameters.insert("customerId".to_owned(), json!("c-7"));
//! let session = Session::new("session-1")
//!     .with_parameters(parameters)
//!     .with_credential("pets", Secret::new("the user's own token".to_owned()));
//! # drop(session);
//! ```
//!
//! # The loop of an agent
//!
//! A [`Dialect`](dialect::Dialect) is a provider's format: it declares tools, reads the calls of the model's message, and writes
//! the messages that answer them.
//!
//! ```
//! use callgate::{Entry, Executor, Session, dialect::Dialect, json};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let executor = Executor::builder()
//!     .function("clock", "get_time", json!({"type": "object"}), |_| async { json!("12:00") })
//!     .build()?;
//!
//! // Sent to the provider, with the conversation.
//! let tools: Vec<_> = executor
//!     .entries()
//!     .filter_map(Entry::declaration)
//!     .map(|tool| Dialect::OpenAi.declaration(tool))
//!     .collect();
//! assert_eq!(tools[0]["function"]["name"], "clock-get_time");
//!
//! // The model's message, as the provider's client returned it.
//! let message = json!({"role": "assistant", "tool_calls": [
//!     {"id": "call_1", "type": "function", "function": {"name": "clock-get_time", "arguments": "{}"}},
//! ]});
//! let read = Dialect::OpenAi.read(message, |name| executor.find(name).and_then(Entry::declaration))?;
//! let calls: Vec<_> = read.to_make().into_iter().cloned().collect();
//! let results = executor.call_all(&calls, &Session::default()).await;
//!
//! // Appended to the conversation, after the message.
//! let messages = Dialect::OpenAi.write(&read, &results);
//! assert_eq!(messages[0]["tool_call_id"], "call_1");
//! # Ok(())
//! # }
//! ```
//!
//! # Credentials
//!
//! [`OpenApi`] takes a bearer token. A configuration takes every kind: API keys, OAuth 2.0 for the program and on behalf of its
//! user, Google accounts, signatures of AWS, client certificates; [the chapter about credentials](manual::credentials) has a
//! recipe for each. A configuration names secrets, and a [`SecretStore`](secret::SecretStore) reads them; a [`Secret`] has no
//! printed form.
//!
//! # Tools of your own
//!
//! A closure is a tool whose arguments are checked against its schema first, as above. A [`Backend`] is your own kind of tool,
//! and [`Middleware`] wraps every call. [The chapter about extending](manual::extending) has a program for each.
//!
//! # Configurations
//!
//! Several descriptions with their servers, credentials and limits form a [`Config`](config::Config), read from a
//! file or built from values. The sidecar and the command read this file too.
//!
//! ```no_run
//! # async fn example() -> Result<(), callgate::config::Error> {
//! use callgate::config::{self, Environment};
//!
//! let config = config::loader().file("callgate.yaml")?;
//! let built = config.build(&Environment::new(), None).await?;
//! println!("{} tools", built.executor.entries().count());
//! # Ok(())
//! # }
//! ```
//!
//! # Where things are
//!
//! | module | holds |
//! |---|---|
//! | this one | tools, calls, results, sessions, the executor |
//! | [`config`] | configurations, and the way from them to an executor |
//! | [`result`] | parts of results: what was cut, what waits, what a dry run shows, the journal |
//! | [`stream`] | calls whose values or bytes are taken as they arrive |
//! | [`context`] | settings of one call: deadline, trace, caller's token, stop |
//! | [`client`], [`approval`] | tools that the client runs, calls that a person approves |
//! | [`middleware`] | types of the methods of [`Middleware`] |
//! | [`search`] | tools found by words |
//! | [`dialect`] | the formats of model providers |
//! | [`openapi`](mod@openapi) | descriptions: settings of the parser, and its report |
//! | [`policy`] | middleware: limits, idempotency, approval, audit, metrics |
//! | [`secret`], [`auth`] | stores of secrets, kinds of credentials |
//! | [`session`] | stores of what outlives a call |
//! | [`transport`] | senders of requests: the network, recordings, yours |
//! | [`value`] | numbers, and types of the methods of values and objects |
//! | [`manual`] | guides |
//!
//! Types of other crates in our signatures are re-exported: the crates [`bytes`], [`http`] and [`serde_json`], and the types
//! [`Instant`](context::Instant), [`Stream`](stream::Stream) and [`Url`](config::Url). Our async traits are written with the
//! attribute `callgate::async_trait`.
//!
//! Everything else is in the crates that callgate is built from (`callgate-openapi`, `callgate-transport`, …), which may change
//! from one version to the next.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `aws` (default) | signatures of AWS (`aws_sigv4`), and secrets of its Secrets Manager: `aws:name#key` |
//! | `google` (default) | tokens of Google accounts, Service Directory, and secrets of Secret Manager: `gcp:projects/…` |
//! | `vault` (default) | secrets of Vault and OpenBao: `vault:path#key` |
//! | `keyring` | secrets of the operating system's keyring: `keyring:service/user` |
//! | `openapiv3` | descriptions of OpenAPI 3.0 as values of the crate `openapiv3`: `config::Description::from(api)` |
//! | `code` | programs that a model writes, as a tool that runs them: the key `code_interpreter` of a toolset |
//! | `monty` | their engine that calls tools, in processes of its own; needs Rust 1.95 |
//! | `documents` | folders of documents as tools: the key `documents` of a toolset |
//! | `mysql`, `postgres`, `sqlite` | tables of these databases as tools, `mysql` for MariaDB too: the key `database` of a toolset |
//!
//! A configuration with a key whose feature is left out is refused, and the finding names the feature.

pub use async_trait::async_trait;
pub use {bytes, http, serde_json};

pub use callgate_executor::{
    Backend, Builder, Call, Entry, Error, ErrorKind, Executor, Function, Middleware,
};
pub use callgate_secret::Secret;
pub use callgate_tool::{
    Answer, Arguments, Content, Effect, Fault, FaultCode, InvalidName, Next, Object, Outcome,
    Preview, Principal, Problem, Reached, Schema, Session, Tool, ToolCall, ToolName, ToolResult,
    Value, json,
};

mod kinds;
#[cfg(any(doc, doctest))]
pub mod manual;
mod openapi_tools;

pub use openapi_tools::{OpenApi, openapi};

/// Parts of results: what a call answered, what was cut, what a dry run shows, the journal.
pub mod result {
    pub use callgate_tool::{
        Approvers, Cut, Event, Handle, InvalidAnswer, Journal, Json, Part, Pending, PendingKind,
        PlannedRequest, StoredResult, Truncated, Unit,
    };
}

/// Calls whose values or bytes are taken as they arrive.
pub mod stream {
    pub use callgate_executor::{Opened, Piece, Pieces, ToolStream};
    pub use futures_util::Stream;
}

/// Settings of one call beside its arguments and session: deadline, trace, caller's token, stop.
pub mod context {
    pub use callgate_executor::{Stop, TraceContext};
    pub use callgate_tool::CallerToken;
    pub use tokio::time::Instant;
}

/// Types of the methods of [`Middleware`].
pub mod middleware {
    pub use callgate_executor::{Ended, Ending, Extensions, Stage};
}

/// Decisions of people about calls that need an approval.
pub mod approval {
    pub use callgate_executor::{Decided, Decision};
}

/// Tools that the client runs.
pub mod client {
    pub use callgate_executor::{ClientAnswer, ClientFunction, Execution};
}

/// Tools found by words.
pub mod search {
    pub use callgate_executor::{Found, FoundNeed, Search};
}

/// Numbers, and types of the methods of values and objects.
pub mod value {
    pub use callgate_tool::{Entry, Index, InvalidJson, Number, ToValue};
}

/// Middleware: limits, idempotency, approval, audit, metrics.
pub mod policy {
    pub use callgate_policy::{
        Approval, ApprovalRules, ApprovalState, Approvals, Audit, AuditArguments, AuditConfig,
        AuditMode, Bound, Breaker, BreakerSettings, Confirm, Error, ErrorKind, Idempotency,
        IdempotencyKey, Limits, LimitsConfig, Marked, Metrics, Rate, RecordBounds,
    };
}

/// Stores of records that outlive a call: sessions, results, approvals.
pub mod session {
    pub use callgate_session::{
        Bounds, Error, ErrorKind, Expected, Group, Key, Memory, Owner, Record, Space, Store,
        Stored, Version,
    };
    #[cfg(feature = "state")]
    pub use callgate_state::{FileSettings, FileStore};
    pub use callgate_tool::SessionName;
}

/// The formats of model providers: declarations, calls and results as JSON.
pub mod dialect {
    pub use callgate_dialect::{
        Dialect, EnvelopeError, Form, ReadMessage, json_result, read_call, read_json, read_session,
    };
}

/// Configurations, and the way from them to an executor.
pub mod config {
    pub use callgate_call::{BigIntegers, Selection as ResultSelection, Shape, ShownHeaders};
    pub use callgate_config::{
        Built, BuiltToolset, CertificateSource, Config, Description, DescriptionOptions,
        Environment, Error, IdentityConfig, Kinds, Loader, Location, SchemeChoice, ServerUrl,
        TlsConfig, ToolsetConfig,
    };
    pub use callgate_executor::{CallSettings, Redirects, Retry, RetryWhen};
    pub use callgate_settings::Finding;
    pub use callgate_tool::{ToolEdit, ToolsetName};
    pub use url::Url;

    pub use crate::kinds::{kinds, load, loader};
}

/// Descriptions: the selection of their parts, and the report of the problems found.
pub mod openapi {
    pub use callgate_openapi::{
        Code, Defaults, Effects, InvalidPattern, Limits, OperationReport, OperationStatus, Pattern,
        Report, Selection, SessionInputs, ToolNames,
    };
    pub use callgate_tree::{
        CodeName, Diagnostic, Limits as TextLimits, Position, Severity, TextCode,
    };
}

/// Kinds of credentials, and the trait for one of your own.
pub mod auth {
    pub use callgate_auth::{
        ApiKeyLocation, AuthConfig, Authenticator, Authorization, ClientAuthentication,
        CredentialPlace, CredentialRefusal, CredentialSource, Error, ErrorKind, GoogleToken,
        LoginEndpoints, OAuth2Client, OAuth2Config, OAuth2Grant, PrivateKeyJwt, SigningAlgorithm,
        SubjectToken, TokenEndpoint,
    };
    pub use callgate_google::{Account, Identity, Impersonation};
    pub use callgate_store::{
        GrantFolder, GrantLock, GrantStore,
        aws::{KeySource, NamedKeys, Scope},
    };
}

/// Secrets and the stores that hold them.
pub mod secret {
    pub use callgate_secret::{
        CachePolicy, CachedStore, Error, ErrorKind, LocalStores, MemoryStore, SecretReference,
        SecretStore,
    };
}

/// Senders of requests: the network, recordings, yours.
pub mod transport {
    pub use callgate_tool::NamedBy;
    pub use callgate_transport::{
        AddressRange, Client, CredentialPlaces, Error, ErrorKind, Limits, Recording, Refuse,
        Replay, ResponseBody, Transport,
    };
}
