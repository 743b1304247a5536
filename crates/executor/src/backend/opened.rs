//! An answer that comes piece by piece: values, or raw bytes. Any backend makes one of a stream of its own.

use std::{fmt, pin::Pin};

use bytes::Bytes;
use callgate_tool::{Answer, Fault, Json, Outcome};
use futures_util::{Stream, StreamExt};

/// A call that was run up to its answer.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "an answer has ended or it has not")]
pub enum Opened {
    /// It has ended.
    Ended(Outcome),
    /// Its pieces come one after the other.
    Pieces(Pieces),
}

/// The pieces of one answer, as they come. Dropping them stops the call.
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
    stream: Pin<Box<dyn Stream<Item = Result<Piece, Box<Fault>>> + Send>>,
}

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a piece was read or it was not")]
pub enum Piece {
    /// Bytes as they came; where one piece ends and the next begins means nothing.
    Bytes(Bytes),
    /// One whole value: an event as `{"event", "id", "data"}`, a line of JSON as it is.
    Value(Json),
}

impl Pieces {
    /// An answer whose head is known and whose content comes from a stream. A fault is the last item that is taken.
    pub fn new(
        head: Answer,
        stream: impl Stream<Item = Result<Piece, Box<Fault>>> + Send + 'static,
    ) -> Self {
        Self { head: Box::new(head), stream: Box::pin(stream.fuse()) }
    }

    /// What is known of the answer before its content.
    pub(crate) fn head(&self) -> &Answer {
        &self.head
    }

    /// The next piece; `None` at the end.
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

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").field("head", &self.head).finish_non_exhaustive()
    }
}
