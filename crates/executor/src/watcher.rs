//! Shows a call's requests and responses while it runs, for a caller who wants to see more than the result. No credential is
//! shown.

use std::{fmt, sync::Arc, time::Duration};

use callgate_tool::PlannedRequest;
use callgate_transport::ConnectionInfo;

/// Sees the requests of one call and the heads of their responses as they happen.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// Called before a request is sent: the call's own, one more with a fresh credential, or one that a redirect asks for.
    fn observe_request(&self, request: &PlannedRequest);

    /// Called when the head of a response has arrived.
    fn observe_answer_head(&self, head: &AnswerHead);

    /// The recorder of requests and responses as texts. `None` by default, because making the texts takes time.
    fn recorder(&self) -> Option<&dyn Recorder> {
        None
    }
}

/// Records requests and responses as texts without credentials.
pub trait Recorder: Send + Sync {
    /// Called when a request was sent.
    fn record_request(&self, request: Vec<u8>);

    /// Called when the last response was read whole; `None` if it holds a credential in a form that cannot be masked.
    fn record_answer(&self, answer: Option<Vec<u8>>);
}

/// The head of a response, whatever its status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnswerHead {
    /// The version of HTTP: `HTTP/2.0`.
    pub version: String,
    /// The status.
    pub status: u16,
    /// Every header in its order, without secrets and cookies.
    pub headers: Vec<(String, String)>,
    /// The record of the connection; `None` if the transport is not a network.
    pub connection: Option<ConnectionInfo>,
    /// The time from asking for a connection to the head.
    pub elapsed: Duration,
}

#[derive(Clone, Debug)]
pub(crate) struct CallWatcher(pub(crate) Arc<dyn Watcher>);
