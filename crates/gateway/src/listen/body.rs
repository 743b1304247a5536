//! The body of a response. While a body of unknown length is sent, its request counts as running; if the caller does not
//! read it, the body and its source are dropped.

use std::{
    error::Error as StdError,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use hyper::body::{Body, Frame, SizeHint};

use super::activity::{Activity, InFlight};
use crate::admission::Permit;

type BoxError = Box<dyn StdError + Send + Sync>;

#[derive(Debug)]
pub(super) enum AnswerBody<B> {
    /// The length of the body is unknown.
    Streamed(Arc<StreamedBody<B>>),
    /// A body in memory uses no permit.
    Whole(B),
    /// The request takes no permit from others.
    Unplaced { body: B, _in_flight: InFlight },
}

#[derive(Debug)]
pub(super) struct StreamedBody<B> {
    /// `None` once the body has ended.
    open: Mutex<Option<(B, InFlight)>>,
    permit: Arc<Permit>,
}

/// The error of a response that its caller did not read.
#[derive(Debug)]
struct NotTaken;

callgate_secret::text!(error NotTaken: _ => "the caller did not take the answer");

impl<B: Body + Send + 'static> AnswerBody<B> {
    /// The body of a response; the permit becomes free at once if the length is known.
    pub(super) fn new(
        body: B,
        in_flight: InFlight,
        permit: Option<Arc<Permit>>,
        activity: &Activity,
    ) -> Self {
        let is_whole = body.is_end_stream() || body.size_hint().exact().is_some();
        let permit = match permit {
            _ if is_whole => return Self::Whole(body),
            None => return Self::Unplaced { body, _in_flight: in_flight },
            Some(permit) => permit,
        };
        let open = Mutex::new(Some((body, in_flight)));
        let streamed = Arc::new(StreamedBody { open, permit });
        let weak = Arc::downgrade(&streamed);
        streamed.permit.mark_client_may_stall(move || {
            if let Some(streamed) = weak.upgrade() {
                streamed.close();
            }
        });
        activity.add_stream(&streamed.permit);
        Self::Streamed(streamed)
    }
}

impl<B> StreamedBody<B> {
    fn close(&self) {
        let ended = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(ended);
    }
}

impl<B> StreamedBody<B>
where
    B: Body + Unpin,
    B::Error: Into<BoxError>,
{
    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        // No other request can end this one from here on: its caller waits for the sidecar, or has already been ended.
        if !self.permit.clear_waiting_and_has_permit() {
            return Poll::Ready(Some(Err(NotTaken.into())));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((body, _)) = open.as_mut() else { return Poll::Ready(None) };
        let frame = Pin::new(body).poll_frame(context);
        match &frame {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(_))) => self.permit.mark_client_stalls(),
            Poll::Ready(None | Some(Err(_))) => *open = None,
        }
        frame.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }
}

impl<B> Body for AnswerBody<B>
where
    B: Body + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        match self.get_mut() {
            Self::Streamed(streamed) => streamed.poll(context),
            Self::Whole(body) | Self::Unplaced { body, .. } => {
                let frame = Pin::new(body).poll_frame(context);
                frame.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Streamed(_) => false,
            Self::Whole(body) | Self::Unplaced { body, .. } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Streamed(_) => SizeHint::default(),
            Self::Whole(body) | Self::Unplaced { body, .. } => body.size_hint(),
        }
    }
}
