//! The bytes of a connection and its turns, counted: a reply that is larger than the rest of the allowance breaks the connection,
//! whatever a statement makes the server send, and so does a server that has the client ask on and on.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes in both directions.
pub(crate) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Bytes for S {}

/// A stream whose reading stops when its allowance is used up.
pub(crate) struct MeteredStream {
    stream: Box<dyn Bytes>,
    meter: Arc<Meter>,
    /// True if something was written since something was read.
    has_asked: bool,
}

/// The number of bytes that may still be read, and of the times that the client has written and then read.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    left: AtomicU64,
    n_turns: AtomicU32,
    is_over: AtomicBool,
}

impl Meter {
    pub(crate) fn reset_allowance(&self, n_bytes: u64) {
        self.left.store(n_bytes, Ordering::Relaxed);
        self.n_turns.store(0, Ordering::Relaxed);
    }

    /// True if a reply was larger than its allowance. The connection is broken then.
    pub(crate) fn is_limit_exceeded(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn count_bytes(&self, n_bytes: u64) -> io::Result<()> {
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(n_bytes));
        taken.map(drop).map_err(|_| self.record_exceeded_limit("a reply is larger than its limit"))
    }

    fn count_turn(&self) -> io::Result<()> {
        if self.n_turns.fetch_add(1, Ordering::Relaxed) < MOST_TURNS {
            return Ok(());
        }
        Err(self.record_exceeded_limit("a call took more turns than its limit"))
    }

    fn record_exceeded_limit(&self, message: &'static str) -> io::Error {
        self.is_over.store(true, Ordering::Relaxed);
        io::Error::other(message)
    }
}

impl MeteredStream {
    pub(crate) fn new(stream: impl Bytes + 'static, meter: Arc<Meter>) -> Self {
        Self { stream: Box::new(stream), meter, has_asked: false }
    }
}

impl AsyncRead for MeteredStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let n_bytes = buffer.filled().len().saturating_sub(before);
        match read {
            Poll::Ready(Ok(())) => {
                let is_turn = std::mem::take(&mut self.has_asked);
                let turned = if is_turn { self.meter.count_turn() } else { Ok(()) };
                Poll::Ready(turned.and_then(|()| self.meter.count_bytes(n_bytes as u64)))
            }
            other => other,
        }
    }
}

impl AsyncWrite for MeteredStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.has_asked = true;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// The turns of one call. The library for PostgreSQL takes one for each type that it does not know, and goes down the stack for the
/// type of a type.
const MOST_TURNS: u32 = 250;
