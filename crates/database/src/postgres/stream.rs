//! The bytes of a connection: dialled by our own rules, secured by our own settings, and counted. A reply that is larger than
//! the rest of the allowance breaks the connection, whatever a statement makes the server send.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use callgate_transport::{Error, Network, TlsSettings};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

/// Bytes in both directions.
pub(super) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Bytes for S {}

/// A stream whose reading stops when its allowance is used up.
pub(super) struct Metered {
    stream: Box<dyn Bytes>,
    meter: Arc<Meter>,
}

/// The number of bytes that may still be read.
#[derive(Debug, Default)]
pub(super) struct Meter {
    left: AtomicU64,
    is_over: AtomicBool,
}

impl Meter {
    pub(super) fn allow(&self, n_bytes: u64) {
        self.left.store(n_bytes, Ordering::Relaxed);
    }

    /// True if a reply was larger than its allowance. The connection is broken then.
    pub(super) fn is_over(&self) -> bool {
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
    pub(super) fn new(stream: impl Bytes + 'static, meter: Arc<Meter>) -> Self {
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

/// TLS by our own settings, once the server agreed to it.
#[derive(Clone, Debug)]
pub(super) struct Tls {
    pub(super) network: Network,
    pub(super) settings: TlsSettings,
    /// The name that the certificate must have.
    pub(super) host: String,
}

/// A secured stream.
pub(super) struct Secured {
    stream: Box<dyn Bytes>,
    end_point: Option<Vec<u8>>,
}

impl TlsConnect<Metered> for Tls {
    type Stream = Secured;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Secured, Error>> + Send>>;

    fn connect(self, stream: Metered) -> Self::Future {
        Box::pin(async move {
            let secured = self.network.secure(stream, &self.host, &self.settings).await;
            secured.map(|(stream, end_point)| Secured { stream: Box::new(stream), end_point })
        })
    }
}

impl TlsStream for Secured {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.end_point {
            Some(digest) => ChannelBinding::tls_server_end_point(digest.clone()),
            None => ChannelBinding::none(),
        }
    }
}

impl AsyncRead for Secured {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Secured {
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
