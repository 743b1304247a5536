//! Shows what a call sends and what comes back, while it runs, to whoever made the call and wants to know more than its result.
//! What is shown holds no credential.

use std::{fmt, sync::Arc, time::Duration};

use callgate_tool::PlannedRequest;
use callgate_transport::Dialled;

/// Sees the requests of one call and the heads of their answers, each as it happens.
pub trait Watcher: fmt::Debug + Send + Sync {
    /// A request is about to be sent: the call's own, one more with a fresh credential, or what a redirect asks for.
    fn sending(&self, request: &PlannedRequest);

    /// The head of an answer is there.
    fn answered(&self, head: &AnswerHead);

    /// Who writes requests and answers down as texts; nobody unless a watcher says so, for they have to be made.
    fn recorder(&self) -> Option<&dyn Recorder> {
        None
    }
}

/// Writes down requests and answers in the form of recordings, without credentials.
pub trait Recorder: Send + Sync {
    /// A request was sent.
    fn sent(&self, request: Vec<u8>);

    /// The last answer was read whole; `None` where it holds a credential in a form that cannot be masked.
    fn received(&self, answer: Option<Vec<u8>>);
}

/// The head of an answer, whatever its status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnswerHead {
    /// The version of HTTP: `HTTP/2.0`.
    pub version: String,
    /// The status.
    pub status: u16,
    /// Every header in its order, without secrets and cookies.
    pub headers: Vec<(String, String)>,
    /// The record of the connection; `None` where the transport is no network.
    pub dialled: Option<Dialled>,
    /// From asking for a connection to the head.
    pub elapsed: Duration,
}

/// The watcher of a call.
#[derive(Clone, Debug)]
pub(crate) struct Watched(pub(crate) Arc<dyn Watcher>);
