//! Watches one connection's bytes: heads, idle connections and callers that do not read their responses have time
//! limits. HTTP/1 messages with two readings never reach the HTTP library whole.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep, sleep_until},
};

use super::{activity::Activity, framing::Framing};
use crate::time_limit::{SECOND_LOOK, TimeLimit};

#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) head: Duration,
    /// The limit for an idle connection, and for a response that is not read.
    pub(super) idle: Duration,
}

#[derive(Debug)]
pub(super) struct GuardedStream<S> {
    stream: S,
    times: Times,
    framing: Framing,
    activity: Arc<Activity>,
    /// The time when the incomplete head began; the first head counts from the opening.
    head_began: Option<Instant>,
    timer: Pin<Box<Sleep>>,
    /// The time of the first of two looks at the clock.
    first_look: Option<Instant>,
    /// Runs while the caller does not read.
    stall: Option<TimeLimit>,
    /// Runs after the last response.
    linger: Option<Pin<Box<Sleep>>>,
    /// The bytes that the library still reads after an ambiguous message; the caller's further bytes are dropped.
    last: Option<&'static [u8]>,
}

impl<S> GuardedStream<S> {
    pub(super) fn new(stream: S, times: Times, framing: Framing, activity: Arc<Activity>) -> Self {
        let opened = activity.opened_at();
        let timer = Box::pin(sleep_until(opened + times.head));
        let (head_began, last) = (Some(opened), None);
        let (first_look, stall, linger) = (None, None, None);
        Self {
            stream,
            times,
            framing,
            activity,
            head_began,
            timer,
            first_look,
            stall,
            linger,
            last,
        }
    }

    /// Checks the bytes just read, and cuts off an ambiguous message.
    fn check_framing_of_bytes(&mut self, buffer: &mut ReadBuf<'_>, before: usize) {
        let read = buffer.filled().get(before..).unwrap_or_default();
        if read.is_empty() {
            return;
        }
        let taken = self.framing.check_framing(read);
        match (self.framing.is_in_head(), self.head_began) {
            (false, Some(_)) => {
                self.head_began = None;
                self.shorten_timer_to(self.times.idle);
            }
            (true, None) => {
                self.head_began = Some(Instant::now());
                self.shorten_timer_to(self.times.head);
            }
            (false, None) | (true, Some(_)) => {}
        }
        let Err(ambiguous) = taken else { return };
        buffer.set_filled(before.saturating_add(ambiguous.at));
        self.last = Some(NO_MESSAGE);
        self.give_rejecting_bytes(buffer);
    }

    /// Checks the clock after this time at the latest.
    fn shorten_timer_to(&mut self, time: Duration) {
        let next = Instant::now() + time;
        if next < self.timer.deadline() {
            self.timer.as_mut().reset(next);
        }
    }

    /// Gives the HTTP library the remaining bytes that make it respond 400 and close.
    fn give_rejecting_bytes(&mut self, buffer: &mut ReadBuf<'_>) {
        let last = self.last.unwrap_or_default();
        let (now, later) = last.split_at(last.len().min(buffer.remaining()));
        buffer.put_slice(now);
        self.last = Some(later);
    }

    /// Checks the clock when no bytes have arrived.
    fn poll_time_limits(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.check_time_limits(context) {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    /// Fails if the time for a head is over; gives up an idle connection. Called while there is nothing to read.
    fn check_time_limits(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while self.timer.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            let Some(first) = self.first_look.take() else {
                self.first_look = Some(now);
                self.timer.as_mut().reset(now + SECOND_LOOK);
                continue;
            };
            self.activity.end_unread_responses(self.times.idle + (now - first));
            let next = self.next_deadline(first);
            if next <= first && self.head_began.is_some() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if next <= first {
                self.activity.end_idle_connection();
            }
            self.timer.as_mut().reset(next.max(now + SECOND_LOOK));
        }
        Ok(())
    }

    /// The end of the time limit that applies, at this time.
    fn next_deadline(&self, now: Instant) -> Instant {
        match (self.head_began, self.activity.idle_since()) {
            (Some(began), Some(since)) => began.max(since) + self.times.head,
            // A caller that sends its next request during a call has done nothing wrong.
            (Some(_), None) => now + self.times.head,
            (None, Some(since)) => since + self.times.idle,
            (None, None) => now + self.times.idle,
        }
    }

    fn check_stall<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stall = None;
            return written;
        }
        let stall = self.stall.get_or_insert_with(|| TimeLimit::after(self.times.idle));
        if Pin::new(stall).poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> GuardedStream<S> {
    /// Reads the caller's remaining bytes for a moment: closing earlier would lose the last response (RFC 9112 §9.6).
    fn drain_before_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let linger = self.linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if linger.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut piece = [0; 4096];
        loop {
            let mut piece = ReadBuf::new(&mut piece);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut piece));
            if read.is_err() || piece.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for GuardedStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match this.last {
            Some([]) => return this.poll_time_limits(context),
            Some(_) => {
                this.give_rejecting_bytes(buffer);
                return Poll::Ready(Ok(()));
            }
            None => {}
        }
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                this.check_framing_of_bytes(buffer, before);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => this.poll_time_limits(context),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for GuardedStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.check_stall(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.check_stall(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(context);
        this.check_stall(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            let closed = Pin::new(&mut this.stream).poll_shutdown(context);
            ready!(this.check_stall(context, closed))?;
        }
        this.drain_before_close(context)
    }
}

const LINGER: Duration = Duration::from_secs(1);
/// A byte that is valid in no head and no chunk size, and the end of a head, which the HTTP library waits for.
const NO_MESSAGE: &[u8] = b"\0\r\n\r\n";

#[cfg(test)]
mod tests;
