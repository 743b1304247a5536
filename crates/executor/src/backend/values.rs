//! The values of an answer that comes piece by piece: events, JSON lines. Each is masked and cleaned as it is handed on.
//! The time limit holds for each value, not for all of them; the size limit too.

use std::time::Duration;

use callgate_call::{Splitter, wording};
use callgate_secret::Masker;
use callgate_tool::{Effect, Fault, Json, Reached};
use callgate_transport::{Error, ErrorKind, Limits, ResponseBody};
use tokio::time::{Instant, timeout_at};

use super::{failure, reading::late};

/// The values of one answer, as they come.
#[derive(Debug)]
pub struct Values {
    status: u16,
    body: ResponseBody,
    splitter: Splitter,
    masker: Masker<'static>,
    limits: Limits,
    effect: Effect,
    is_ended: bool,
}

impl Values {
    pub(super) fn new(
        status: u16,
        (body, splitter): (ResponseBody, Splitter),
        masker: Masker<'static>,
        (limits, effect): (Limits, Effect),
    ) -> Self {
        Self { status, body, splitter, masker, limits, effect, is_ended: false }
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// The next value, once it is complete; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Result<Json, Box<Fault>>> {
        if self.is_ended {
            return None;
        }
        let next = self.complete(self.limits.timeout).await;
        self.is_ended = !matches!(next, Ok(Some(_)));
        next.map_err(|error| self.fault(&error)).transpose()
    }

    async fn complete(&mut self, time: Duration) -> Result<Option<Json>, Error> {
        let deadline = Instant::now() + time;
        loop {
            if let Some(value) = self.held() {
                return Ok(Some(value));
            }
            if self.splitter.held() > self.limits.response_bytes {
                let message = "one value of the service's answer is larger than the bound";
                return Err(Error::new(ErrorKind::TooLarge, Reached::Yes, message));
            }
            let chunk = timeout_at(deadline, self.body.chunk()).await;
            match chunk.unwrap_or_else(|_| Err(late()))? {
                Some(chunk) => self.splitter.push(&chunk),
                None => return Ok(self.splitter.finish().and_then(|bytes| self.value(&bytes))),
            }
        }
    }

    /// The next value of what is there already; an event without data is none.
    fn held(&mut self) -> Option<Json> {
        loop {
            let bytes = self.splitter.split()?;
            let value = self.value(&bytes);
            if value.is_some() {
                return value;
            }
        }
    }

    fn value(&self, bytes: &[u8]) -> Option<Json> {
        self.splitter.value(&self.masker.mask(bytes))
    }

    fn fault(&self, error: &Error) -> Box<Fault> {
        match error.kind() {
            ErrorKind::TimedOut => wording::timed_out(self.limits.timeout, self.effect),
            _ => failure::of_exchange(error, &self.limits, self.effect),
        }
    }
}
