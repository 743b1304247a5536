//! The executor: finds a tool, lets its backend run the call, keeps the journal. Every ending of a call is an
//! outcome; only building an executor can be an error.

mod around;
mod backend;
mod builder;
mod call;
mod call_recorder;
mod catalog;
mod changes;
mod comparable;
mod decision;
mod dispatch;
mod error;
mod execution;
mod executor;
mod extensions;
mod fingerprint;
mod lease;
mod middleware;
mod patience;
mod results;
mod retry;
mod rights;
mod search;
mod side;
mod stop;
mod stream;
mod toolset;
mod trace;
mod watcher;

pub use backend::{
    Backend, ClientFunction, EditedTool, Function, Opened, Piece, Pieces, Review, Reviewed,
};
pub use builder::Builder;
#[doc(hidden)]
pub use builder::toolset_backends;
pub use call::Call;
#[doc(hidden)]
pub use call_recorder::{CallRecorder, RecordedAnswer, RecordedExchange};
pub use catalog::Entry;
pub use changes::{Change, ChangeKind, Changes, InputChange};
#[doc(hidden)]
pub use comparable::{result_handles, result_without_random_values};
#[doc(hidden)]
pub use decision::Approved;
pub use decision::{Decided, Decision};
pub use error::{Error, ErrorKind};
pub use execution::{CLIENT_TIME, ClientAnswer, ClientSide, Execution};
pub use executor::Executor;
pub use extensions::Extensions;
#[doc(hidden)]
pub use extensions::{
    AnswersPrograms, AnswersSignIns, CoveredCall, MeantToolset, OuterCall, PausableCall, RepeatKey,
    Resumption,
};
pub use fingerprint::fingerprint;
#[doc(hidden)]
pub use fingerprint::sign_in_fingerprint;
#[doc(hidden)]
pub use lease::Lease;
pub use middleware::{Ended, Ending, Middleware, Stage};
#[doc(hidden)]
pub use patience::put_record_with_retries;
#[doc(hidden)]
pub use results::KeptFile;
pub use retry::{Retry, RetryWhen};
#[doc(hidden)]
pub use rights::CallRights;
pub use search::{Found, FoundNeed, Search};
#[doc(hidden)]
pub use side::{preview_call, random_name, review_call};
pub use stop::Stop;
pub use stream::ToolStream;
pub use toolset::{CallSettings, Callable, Redirects, RefusedTool, SessionValues, Toolset};
pub use trace::{CurrentTrace, TraceContext};
pub use watcher::{AnswerHead, Recorder, Watcher};
