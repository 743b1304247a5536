//! The values of a response that arrives piece by piece: events, JSON lines. Each value is masked and cleaned before it
//! is handed on. The time limit and the size limit hold for each value, not for all values together.

use std::sync::Arc;

use callgate_call::Splitter;
use callgate_tool::{Answer, Fault, Json};
use callgate_transport::{Error, ErrorKind, ResponseBody};
use futures_util::stream;
use tokio::time::timeout_at;

use super::{
    body_reader::timed_out_error,
    response_stream::{Piece, Pieces, Redactions, Terms},
};

#[derive(Debug)]
pub(super) struct Values {
    body: ResponseBody,
    splitter: Splitter,
    terms: Terms,
    is_ended: bool,
    noted: Arc<Redactions>,
}

impl Values {
    pub(super) fn new(body: ResponseBody, splitter: Splitter, terms: Terms) -> Self {
        Self { body, splitter, terms, is_ended: false, noted: Arc::default() }
    }

    pub(super) fn into_pieces(self, head: Answer) -> Pieces {
        let noted = Arc::clone(&self.noted);
        let values = stream::unfold(self, |mut values| async move {
            let value = values.next_value_or_fault().await?;
            Some((value.map(Piece::Value), values))
        });
        Pieces::new(head, values).with_redactions(noted)
    }

    async fn next_value_or_fault(&mut self) -> Option<Result<Json, Box<Fault>>> {
        if self.is_ended {
            return None;
        }
        let next = self.read_next_value().await;
        self.is_ended = !matches!(next, Ok(Some(_)));
        next.map_err(|error| self.terms.reading_fault(&error)).transpose()
    }

    async fn read_next_value(&mut self) -> Result<Option<Json>, Error> {
        let deadline = self.terms.piece_deadline();
        loop {
            if let Some(value) = self.buffered_value() {
                return Ok(Some(value));
            }
            if self.splitter.pending_size() > self.terms.limits.response_bytes {
                let message = "one value of the service's answer is larger than the bound";
                return Err(Error::new(ErrorKind::TooLarge, message));
            }
            let chunk = timeout_at(deadline, self.body.chunk()).await;
            match chunk.unwrap_or_else(|_| Err(timed_out_error()))? {
                Some(chunk) => self.splitter.push(&chunk),
                None => {
                    return Ok(self
                        .splitter
                        .last_value_bytes()
                        .and_then(|bytes| self.masked_value(&bytes)));
                }
            }
        }
    }

    /// The next value in the bytes already received; an event without data is not a value.
    fn buffered_value(&mut self) -> Option<Json> {
        loop {
            let bytes = self.splitter.next_value_bytes()?;
            let value = self.masked_value(&bytes);
            if value.is_some() {
                return value;
            }
        }
    }

    fn masked_value(&self, bytes: &[u8]) -> Option<Json> {
        let value = self.splitter.read_value(bytes, &self.terms.masker)?;
        self.noted.add_counts(&value);
        Some(value.json)
    }
}
