//! Bodies with a bound in time. A request's has to arrive; while an answer's is being sent, its request counts.

use std::{
    error::Error as StdError,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, sleep_until};

use crate::{
    drain::Drain,
    json_body::{Stopped, TooSlow},
};

type BoxError = Box<dyn StdError + Send + Sync>;

/// The body of a request, which must be there in time.
pub(super) struct Timed<B> {
    body: B,
    deadline: Instant,
    drain: Drain,
    /// What ends the waiting, once there is any.
    end: Option<Pin<Box<dyn Future<Output = BoxError> + Send>>>,
}

impl<B> Timed<B> {
    pub(super) fn new(body: B, deadline: Instant, drain: Drain) -> Self {
        Self { body, deadline, drain, end: None }
    }
}

/// Waits until a body has had its time, or the sidecar is stopped.
async fn end(deadline: Instant, drain: Drain) -> BoxError {
    tokio::select! {
        () = sleep_until(deadline) => TooSlow.into(),
        () = drain.over() => Stopped.into(),
    }
}

impl<B> Body for Timed<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.body.frame()).poll(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let (deadline, drain) = (this.deadline, &this.drain);
        let end = this.end.get_or_insert_with(|| Box::pin(end(deadline, drain.clone())));
        end.as_mut().poll(context).map(|error| Some(Err(error)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer, with what ends when it does.
#[derive(Debug)]
pub(super) struct Held<B, T> {
    body: B,
    held: Option<T>,
}

impl<B: Body, T> Held<B, T> {
    /// Holds on where the end is not in sight: what is in memory already costs nobody anything.
    pub(super) fn new(body: B, held: T) -> Self {
        let is_whole = body.is_end_stream() || body.size_hint().exact().is_some();
        Self { body, held: (!is_whole).then_some(held) }
    }
}

impl<B: Body + Unpin, T: Unpin> Body for Held<B, T> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.get_mut();
        let frame = Pin::new(&mut this.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            this.held = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
