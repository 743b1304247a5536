//! Repeats failed attempts of a call as the toolset's policy allows, after a wait with jitter, within the time of the call and
//! the budget of the toolset. `attempts` decides which may be repeated.

use std::{iter, mem, time::Duration};

use bytes::{Bytes, BytesMut};
use callgate_call::{retry_delay_in_body, wording};
use callgate_tool::{Event, Fault, Journal, Reached};
use callgate_transport::{Error, ResponseBody};
use futures_util::{StreamExt, stream};
use http::{Response, header::CONTENT_TYPE};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::{attempts::Failure, body_reader, exchange::Exchange};
use crate::stop::Stop;

type Answer = Result<Response<ResponseBody>, Box<Fault>>;

impl Exchange<'_> {
    pub(super) fn may_repeat(&self, answer: &Answer) -> bool {
        self.attempts.is_some() && self.repeatable_failure(answer).is_some()
    }

    fn repeatable_failure(&self, answer: &Answer) -> Option<Failure> {
        let attempts = self.attempts.as_deref()?;
        let failure = match answer {
            Ok(answer) => Failure::of_retryable_status(answer)?,
            Err(_) => attempts.lost?,
        };
        attempts.is_repeatable_failure(failure).then_some(failure)
    }

    /// Makes further attempts until one succeeds or no more are allowed.
    pub(super) async fn repeat_attempts(
        &mut self,
        mut answer: Answer,
        journal: &mut Journal,
    ) -> Answer {
        while let Some(mut failure) = self.repeatable_failure(&answer) {
            if failure.asked.is_none()
                && let Ok(response) = &mut answer
            {
                failure.asked = wait_asked_in_body(response, self.deadline).await;
            }
            let Some(wait) = self.wait_before_repeat(failure, journal) else { break };
            self.pause_and_drain(wait, answer.ok().map(Response::into_body)).await?;
            answer = self.send_with_renewal(journal).await;
        }
        self.with_earlier_reach(answer)
    }

    /// The response with its body, within the limits; of a further attempt if the body broke off and the policy allows one.
    pub(super) fn read_response_with_repeats<'e>(
        &'e mut self,
        answer: Response<ResponseBody>,
        journal: &'e mut Journal,
    ) -> impl Future<Output = Result<Response<Bytes>, Box<Fault>>> + Send + 'e {
        let read = self.read_body(answer);
        // A block holds the response once, and an `async fn` twice.
        async move {
            match read.await {
                Ok(response) => Ok(response),
                Err(error) => Box::pin(self.repeat_and_read(error, journal)).await,
            }
        }
    }

    async fn repeat_and_read(
        &mut self,
        mut error: Error,
        journal: &mut Journal,
    ) -> Result<Response<Bytes>, Box<Fault>> {
        loop {
            let fault = self.sending_fault(&error, journal);
            let answer = self.repeat_attempts(Err(fault), journal).await?;
            match self.read_body(answer).await {
                Ok(response) => return Ok(response),
                Err(next) => error = next,
            }
        }
    }

    fn read_body(
        &self,
        answer: Response<ResponseBody>,
    ) -> impl Future<Output = Result<Response<Bytes>, Error>> + Send + use<> {
        body_reader::read_response(
            answer,
            self.connection.settings.limits.response_bytes,
            self.deadline,
        )
    }

    /// The wait before a further attempt; `None` if there is no further one, for a reason that the journal names.
    fn wait_before_repeat(&mut self, failure: Failure, journal: &mut Journal) -> Option<Duration> {
        let retry = &self.connection.settings.retry;
        let attempts = self.attempts.as_deref_mut()?;
        attempts.reached = furthest_reached(attempts.reached, failure.reached);
        if attempts.n_made >= retry.attempts {
            return None;
        }
        let asked = failure.asked.unwrap_or_default();
        let wait = asked.saturating_add(jittered_backoff(attempts.n_made)).min(retry.wait);
        let is_late = Instant::now().checked_add(wait).is_none_or(|then| then >= attempts.ends);
        let obstacle = if asked > retry.wait {
            Some("the service asks for a longer wait than `retry` allows")
        } else if is_late {
            Some("the time of the call is up before that")
        } else if !self.connection.retry_budget.take_retry() {
            Some("too many calls of the toolset were retried a moment ago")
        } else {
            None
        };
        if let Some(why) = obstacle {
            journal.note(Event::NotRetried { why });
            return None;
        }
        let Failure { code, status, .. } = failure;
        attempts.repeated = Some(Event::Retried { code, status, wait });
        Some(wait)
    }

    /// Waits, and meanwhile reads the rest of a response, so that its connection can be used again.
    async fn pause_and_drain(
        &self,
        wait: Duration,
        body: Option<ResponseBody>,
    ) -> Result<(), Box<Fault>> {
        let until = Instant::now() + wait;
        let waiting = async {
            if let Some(body) = body {
                timeout_at(until, body.collect(MOST_READ)).await.ok();
            }
            sleep_until(until).await;
        };
        if Stop::run_unless_stopped(self.call.stop_signal(), waiting).await.is_some() {
            return Ok(());
        }
        let reached = self.attempts.as_deref().map_or(Reached::Maybe, |attempts| attempts.reached);
        Err(wording::stopped_call(reached, self.plan.operation().effect))
    }

    /// The end of the last attempt. Its fault says if an earlier attempt came further.
    fn with_earlier_reach(&self, answer: Answer) -> Answer {
        let Some(attempts) = self.attempts.as_deref() else { return answer };
        answer.map_err(|mut fault| {
            if fault.reached == Reached::No && attempts.reached != Reached::No {
                fault.message = format!("in attempt {}, {}", attempts.n_made, fault.message);
                fault.reached = attempts.reached;
            }
            fault
        })
    }
}

/// The wait that a response asks for in its body, which stays whole. Google's interfaces write it there.
async fn wait_asked_in_body(
    response: &mut Response<ResponseBody>,
    deadline: Instant,
) -> Option<Duration> {
    let media_type = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    if !media_type.contains("json") {
        return None;
    }
    let body = mem::replace(response.body_mut(), ResponseBody::whole(Bytes::new()));
    let (read, body) = peek_first_bytes(body, deadline).await;
    *response.body_mut() = body;
    retry_delay_in_body(&read)
}

/// The first bytes of a body, as far as they come at once and within the time of the attempt, and the body with them.
async fn peek_first_bytes(mut body: ResponseBody, deadline: Instant) -> (Bytes, ResponseBody) {
    let until = deadline.min(Instant::now() + BODY_TIME);
    let (mut read, mut broken) = (BytesMut::new(), None);
    while read.len() < MOST_READ && broken.is_none() {
        match timeout_at(until, body.chunk()).await {
            Ok(Ok(Some(chunk))) => read.extend_from_slice(&chunk),
            Ok(Ok(None)) => {
                let whole = read.freeze();
                return (whole.clone(), ResponseBody::whole(whole));
            }
            Ok(Err(error)) => broken = Some(error),
            Err(_) => break,
        }
    }
    let read = read.freeze();
    let first = stream::iter(iter::once(Ok(read.clone())).chain(broken.map(Err)));
    let rest = stream::unfold(body, |mut body| async move {
        let chunk = body.chunk().await.transpose()?;
        Some((chunk, body))
    });
    (read, ResponseBody::from_pieces(first.chain(rest)))
}

fn furthest_reached(one: Reached, other: Reached) -> Reached {
    match (one, other) {
        (Reached::Yes, _) | (_, Reached::Yes) => Reached::Yes,
        (Reached::Maybe, _) | (_, Reached::Maybe) => Reached::Maybe,
        (Reached::No, Reached::No) => Reached::No,
    }
}

/// The wait after this many attempts: doubled each time, and between its half and its whole at random, so that calls which
/// failed together do not come again together.
fn jittered_backoff(n_made: usize) -> Duration {
    let doublings = u32::try_from(n_made.saturating_sub(1)).unwrap_or(u32::MAX);
    let whole = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(doublings));
    let mut random = [0; 4];
    // Without randomness the wait is the shortest one.
    let part = getrandom::fill(&mut random).map_or(0, |()| u32::from_le_bytes(random));
    let half = whole / 2;
    half + half.mul_f64(f64::from(part) / f64::from(u32::MAX))
}

/// The longest wait after the first attempt.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// The time for the body of a failed response that may name a wait: it usually comes with the head.
const BODY_TIME: Duration = Duration::from_secs(1);
/// The bytes of a failed response that are read: enough for an error page.
const MOST_READ: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use callgate_transport::ErrorKind;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_whose_first_bytes_were_read_stays_whole() {
        let broken = || Error::new(ErrorKind::Receive, "the script says so");
        let later = || Instant::now() + Duration::from_mins(1);
        let long = Bytes::from(vec![b'a'; MOST_READ]);
        for (pieces, is_broken) in [
            (vec![], false),
            (vec![Bytes::from("{\"a\""), Bytes::from(":1}")], false),
            (vec![Bytes::from("{\"a\"")], true),
            (vec![long.clone(), long.clone()], false),
            (vec![long.clone(), long], true),
        ] {
            let expected = pieces.concat();
            let sent = pieces.into_iter().map(Ok).chain(is_broken.then(|| Err(broken())));
            let body = ResponseBody::from_pieces(stream::iter(sent.collect::<Vec<_>>()));
            let (read, body) = peek_first_bytes(body, later()).await;
            assert!(expected.starts_with(&read) && read.len() >= expected.len().min(MOST_READ));
            let whole = body.collect(usize::MAX).await.map_err(|error| error.kind());
            let expected = (!is_broken).then(|| expected.into()).ok_or(ErrorKind::Receive);
            assert_eq!(whole, expected);
        }
        for (deadline, expected) in
            [(later(), BODY_TIME), (Instant::now() + BODY_TIME + BODY_TIME / 2, BODY_TIME / 2)]
        {
            let started = Instant::now();
            let first = stream::iter([Ok(Bytes::from("{"))]);
            let body = ResponseBody::from_pieces(first.chain(stream::pending()));
            assert_eq!(peek_first_bytes(body, deadline).await.0, "{");
            assert_eq!(started.elapsed(), expected);
        }
    }

    #[test]
    fn waits_double_and_differ() {
        for (n_made, half) in [(1, 100), (2, 200), (3, 400), (9, 25_600)] {
            let waits: Vec<_> = (0..100).map(|_| jittered_backoff(n_made)).collect();
            let bounds = Duration::from_millis(half)..=Duration::from_millis(2 * half);
            assert!(waits.iter().all(|wait| bounds.contains(wait)), "{n_made}: {waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "{n_made}");
        }
        assert!(jittered_backoff(usize::MAX) > Duration::from_hours(1));
    }
}
