//! The body of a request while it arrives. It must arrive in time, and before the sidecar stops; a slow request may
//! lose its permit to others.

use std::{
    error::Error as StdError,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, SizeHint};
use tokio::{sync::Notify, time::Instant};

use super::capacity::Permit;
use crate::{drain::Drain, json_body::Unread, time_limit::TimeLimit};

type BoxError = Box<dyn StdError + Send + Sync>;

pub(super) struct ArrivingBody<B> {
    body: B,
    deadline: Instant,
    drain: Drain,
    permit: Option<Arc<Permit>>,
    /// Ends the wait; set when the first wait begins.
    end: Option<Pin<Box<dyn Future<Output = Unread> + Send>>>,
}

impl<B> ArrivingBody<B> {
    pub(super) fn new(
        body: B,
        deadline: Instant,
        drain: Drain,
        permit: Option<Arc<Permit>>,
    ) -> Self {
        Self { body, deadline, drain, permit, end: None }
    }
}

/// Waits until the body's time is over, its permit is taken, or the sidecar stops.
async fn wait_until_body_ends(
    deadline: Instant,
    drain: Drain,
    permit: Option<Arc<Permit>>,
) -> Unread {
    let is_left = async {
        let Some(permit) = permit else { return std::future::pending().await };
        let left = Arc::new(Notify::new());
        let leaves = Arc::clone(&left);
        permit.mark_client_may_stall(move || leaves.notify_one());
        left.notified().await;
    };
    tokio::select! {
        () = TimeLimit::until(deadline) => Unread::TooSlow,
        () = drain.wait_until_calls_stopped() => Unread::Stopped,
        () = is_left => Unread::Overloaded,
    }
}

impl<B> ArrivingBody<B> {
    /// Returns the piece that arrived. The end of the body counts only if the request still has its permit.
    fn frame_unless_permit_lost(
        &self,
        frame: Option<Result<Frame<Bytes>, BoxError>>,
    ) -> Option<Result<Frame<Bytes>, BoxError>> {
        let is_over = frame.is_none();
        let has_place = self
            .permit
            .as_ref()
            .is_none_or(|permit| !is_over || permit.clear_waiting_and_has_permit());
        if has_place { frame } else { Some(Err(Unread::Overloaded.into())) }
    }
}

impl<B> Body for ArrivingBody<B>
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
            return Poll::Ready(
                this.frame_unless_permit_lost(frame.map(|frame| frame.map_err(Into::into))),
            );
        }
        let (deadline, drain, permit) = (this.deadline, &this.drain, &this.permit);
        let end = this.end.get_or_insert_with(|| {
            Box::pin(wait_until_body_ends(deadline, drain.clone(), permit.clone()))
        });
        end.as_mut().poll(context).map(|unread| Some(Err(unread.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
