//! Reads the body of a response within the limits of a toolset. For a response that is a sequence of values, the part
//! before a limit is kept; any other response is read whole or not at all.

use std::pin::pin;

use bytes::{Bytes, BytesMut};
use callgate_call::{Splitter, Unfinished};
use callgate_transport::{Error, ErrorKind, ResponseBody};
use futures_util::future::Either;
use http::Response;
use tokio::time::{Instant, timeout_at};

use super::in_time::run_within_deadline;

/// The response with its body, of at most `bound` bytes, read until `deadline`.
pub(super) fn read_response(
    answer: Response<ResponseBody>,
    bound: usize,
    deadline: Instant,
) -> impl Future<Output = Result<Response<Bytes>, Error>> + Send + use<> {
    let (mut head, body) = answer.into_parts();
    if !head.status.is_success() || Splitter::from_headers(&head.headers).is_none() {
        let collected = body.collect(bound);
        return Either::Left(async move {
            let collected = run_within_deadline(deadline, pin!(collected)).await;
            Ok(Response::from_parts(head, collected.unwrap_or_else(|_| Err(timed_out_error()))?))
        });
    }
    // Boxed because few responses are sequences; the others need no room for it.
    Either::Right(Box::pin(async move {
        let (body, end) = read_within_limits(body, bound, deadline).await?;
        if end == End::Bound {
            head.extensions.insert(Unfinished);
        }
        Ok(Response::from_parts(head, body))
    }))
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum End {
    Bound,
    Service,
}

async fn read_within_limits(
    mut body: ResponseBody,
    bound: usize,
    deadline: Instant,
) -> Result<(Bytes, End), Error> {
    let mut read = BytesMut::new();
    loop {
        let chunk = match timeout_at(deadline, body.chunk()).await {
            Ok(chunk) => chunk?,
            Err(_) if read.is_empty() => return Err(timed_out_error()),
            Err(_) => return Ok((read.freeze(), End::Bound)),
        };
        let Some(mut chunk) = chunk else { return Ok((read.freeze(), End::Service)) };
        let room = bound - read.len();
        let is_over = chunk.len() > room;
        chunk.truncate(room);
        read.extend_from_slice(&chunk);
        if is_over {
            return Ok((read.freeze(), End::Bound));
        }
    }
}

pub(super) fn timed_out_error() -> Error {
    Error::new(ErrorKind::TimedOut, "the service did not answer in time")
}
