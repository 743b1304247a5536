//! A response that arrives piece by piece: values, or raw bytes. Any backend can make one from its own stream.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use callgate_call::{SplitValue, wording};
use callgate_secret::Masker;
use callgate_tool::{Answer, Effect, Event, Fault, Journal, Json, Outcome};
use callgate_transport::{Error, ErrorKind, Limits};
use futures_util::{Stream, StreamExt};
use tokio::time::Instant;

use super::failure::exchange_fault;

/// A call that ran up to its response.
///
/// ```
/// use callgate_executor::{Opened, Piece, Pieces};
/// use callgate_tool::{Answer, Content, Fault, FaultCode, Next};
/// use futures_util::{StreamExt, stream};
///
/// /// The answer of a feed, as a backend's `open` gives it.
/// fn opened(feed: Option<Vec<&'static str>>) -> Opened {
///     let Some(lines) = feed else {
///         let fault = Fault::new(FaultCode::Unreachable, "the feed is down", Next::TryLater);
///         return Opened::Ended(fault.into());
///     };
///     let lines = stream::iter(lines).map(|line| Ok(Piece::Bytes(line.into())));
///     Opened::Pieces(Pieces::new(Answer::new(None, Content::Empty), lines))
/// }
/// # assert!(matches!(opened(None), Opened::Ended(_)));
/// # assert!(matches!(opened(Some(vec!["a\n"])), Opened::Pieces(_)));
/// ```
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "an answer has ended or it has not")]
pub enum Opened {
    /// The call has ended.
    Ended(Outcome),
    /// The pieces of the response arrive one after the other.
    Pieces(Pieces),
}

/// The pieces of one response, as they arrive. Dropping them stops the call.
///
/// ```
/// use callgate_executor::{Piece, Pieces};
/// use callgate_tool::{Answer, Content};
/// use futures_util::{StreamExt, stream};
///
/// let lines = stream::iter(["a\n", "b\n"]).map(|line| Ok(Piece::Bytes(line.into())));
/// let pieces = Pieces::new(Answer::new(None, Content::Empty), lines);
/// ```
pub struct Pieces {
    head: Box<Answer>,
    body: BodyHead,
    stream: Pin<Box<dyn Stream<Item = Result<Piece, Box<Fault>>> + Send>>,
    noted: Arc<Redactions>,
}

/// The terms on which the body of a response is handed on as it arrives.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) masker: Masker<'static>,
    /// The limits; the time limit holds for each piece.
    pub(super) limits: Limits,
    pub(super) effect: Effect,
    pub(super) deadline: Option<Instant>,
}

impl Terms {
    /// The end of the time for the next piece.
    pub(super) fn piece_deadline(&self) -> Instant {
        let own = Instant::now() + self.limits.timeout;
        self.deadline.map_or(own, |callers| callers.min(own))
    }

    /// The fault of a body that could not be read to its end.
    pub(super) fn reading_fault(&self, error: &Error) -> Box<Fault> {
        match error.kind() {
            ErrorKind::TimedOut => wording::timed_out(self.limits.timeout, self.effect),
            _ => exchange_fault(error, &self.limits, self.effect),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Redactions {
    n_removed: AtomicUsize,
    n_replaced: AtomicUsize,
    is_masked: AtomicBool,
}

impl Redactions {
    pub(crate) fn add_counts(&self, value: &SplitValue) {
        self.n_removed.fetch_add(value.n_removed, Ordering::Relaxed);
        self.n_replaced.fetch_add(value.n_replaced, Ordering::Relaxed);
    }

    /// Notes that a piece held a credential, which is masked.
    pub(crate) fn note_masked_credential(&self) {
        self.is_masked.store(true, Ordering::Relaxed);
    }

    fn note_redactions(&self, journal: &mut Journal) {
        if self.is_masked.load(Ordering::Relaxed) {
            journal.note(Event::CredentialEchoed);
        }
        let count = self.n_replaced.load(Ordering::Relaxed);
        if count > 0 {
            journal.note(Event::CharactersReplaced { count });
        }
        let count = self.n_removed.load(Ordering::Relaxed);
        if count > 0 {
            journal.note(Event::UnseenRemoved { count });
        }
    }
}

/// The head's facts about the bytes that follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyHead {
    /// Without parameters; empty if the service names none.
    pub(crate) media_type: String,
    pub(crate) size: Option<u64>,
}

/// One piece of a response.
///
/// ```
/// use callgate_executor::Piece;
/// use callgate_tool::Json;
///
/// fn shown(piece: &Piece) -> String {
///     match piece {
///         Piece::Bytes(bytes) => format!("{} bytes", bytes.len()),
///         Piece::Value(json) => json.text().to_owned(),
///     }
/// }
/// assert_eq!(shown(&Piece::Bytes("a\n".into())), "2 bytes");
/// assert_eq!(shown(&Piece::Value(Json::parse(r#"{"id": 7}"#)?)), r#"{"id": 7}"#);
/// # Ok::<(), callgate_tool::InvalidJson>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a piece was read or it was not")]
pub enum Piece {
    /// Bytes as they arrived; the boundaries between pieces mean nothing.
    Bytes(Bytes),
    /// One whole value: an event as `{"event", "id", "data"}`, or a line of JSON unchanged.
    Value(Json),
}

impl Pieces {
    /// Makes a response whose head is known and whose content comes from a stream. A fault is the last item that is read.
    pub fn new(
        head: Answer,
        stream: impl Stream<Item = Result<Piece, Box<Fault>>> + Send + 'static,
    ) -> Self {
        let body = BodyHead::default();
        Self { head: Box::new(head), body, stream: Box::pin(stream.fuse()), noted: Arc::default() }
    }

    pub(crate) fn with_body_head(self, body: BodyHead) -> Self {
        Self { body, ..self }
    }

    pub(crate) fn body(&self) -> &BodyHead {
        &self.body
    }

    /// Sets the counter of what the stream does to the pieces.
    pub(crate) fn with_redactions(self, noted: Arc<Redactions>) -> Self {
        Self { noted, ..self }
    }

    /// Records in the journal what was done to the pieces, once no more are read.
    pub(crate) fn note_redactions(&self, journal: &mut Journal) {
        self.noted.note_redactions(journal);
    }

    /// The facts about the response before its content.
    pub(crate) fn head(&self) -> &Answer {
        &self.head
    }

    pub(crate) async fn next(&mut self) -> Option<Result<Piece, Box<Fault>>> {
        self.stream.next().await
    }
}

impl Piece {
    /// The text of a value; `None` for bytes.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Bytes(_) => None,
            Self::Value(json) => Some(json.text()),
        }
    }
}

callgate_secret::opaque!(Pieces { head });
