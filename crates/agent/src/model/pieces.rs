//! The body of a reply as its pieces come. The time between two of them is limited, not that of the whole: a model that writes
//! for long is not too slow. A comment that a server sends to keep the connection is a piece.

use std::time::Duration;

use bytes::Bytes;
use callgate_transport::{Limits, ResponseBody};
use tokio::time::{Instant, timeout_at};

use super::ModelFailure;

/// The pieces of a reply.
#[derive(Debug)]
pub(super) struct Pieces {
    body: ResponseBody,
    silence: Duration,
    deadline: Instant,
    most: usize,
    n_bytes: usize,
}

impl Pieces {
    /// The pieces of a body within the limits of a request: its time is the longest silence.
    pub(super) fn new(body: ResponseBody, limits: &Limits, deadline: Instant) -> Self {
        let (silence, most) = (limits.timeout, limits.response_bytes);
        Self { body, silence, deadline, most, n_bytes: 0 }
    }

    /// The next piece; `None` at the end.
    pub(super) async fn next_piece(&mut self) -> Result<Option<Bytes>, ModelFailure> {
        let ends = Instant::now().checked_add(self.silence).unwrap_or(self.deadline);
        let chunk = timeout_at(ends.min(self.deadline), self.body.chunk()).await;
        let chunk = chunk.map_err(|_| ModelFailure::stream_pause(self.silence))?;
        let chunk = chunk.map_err(|error| ModelFailure::of_transport(&error))?;
        self.n_bytes = self.n_bytes.saturating_add(chunk.as_ref().map_or(0, Bytes::len));
        if self.n_bytes > self.most {
            let problem = format!("the reply of the model has more than {} bytes", self.most);
            return Err(ModelFailure::unreadable(problem));
        }
        Ok(chunk)
    }

    /// The whole body, whose first piece was taken.
    pub(super) async fn collect_body(mut self, first: Bytes) -> Result<Bytes, ModelFailure> {
        let mut whole = Vec::from(first);
        while let Some(piece) = self.next_piece().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole.into())
    }
}
