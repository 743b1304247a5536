//! The bytes of a connection, counted: a reply that is larger than the rest of the allowance breaks the connection, whatever a
//! statement makes the server send.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes in both directions.
pub(crate) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Bytes for S {}

/// A stream whose reading stops when its allowance is used up.
pub(crate) struct Metered {
    stream: Box<dyn Bytes>,
    meter: Arc<Meter>,
}

/// The number of bytes that may still be read.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    left: AtomicU64,
    is_over: AtomicBool,
}

impl Meter {
    pub(crate) fn allow(&self, n_bytes: u64) {
        self.left.store(n_bytes, Ordering::Relaxed);
    }

    /// True if a reply was larger than its allowance. The connection is broken then.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn take(&self, n_bytes: u64) -> io::Result<()> {
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(n_bytes));
        taken.map(drop).map_err(|_| {
            self.is_over.store(true, Ordering::Relaxed);
            io::Error::other("a reply is larger than its limit")
        })
    }
}

impl Metered {
    pub(crate) fn new(stream: impl Bytes + 'static, meter: Arc<Meter>) -> Self {
        Self { stream: Box::new(stream), meter }
    }
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let n_bytes = buffer.filled().len().saturating_sub(before);
        match read {
            Poll::Ready(Ok(())) => Poll::Ready(self.meter.take(n_bytes as u64)),
            other => other,
        }
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
