//! Finds the HTTP version of a connection from its first bytes (RFC 9113 §3.4). These bytes go to the HTTP library together
//! with the bytes that follow: a request in two pieces costs the library twice the memory.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};

/// The version of HTTP that one connection uses to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Version {
    Http1,
    Http2,
}

#[derive(Debug)]
pub(super) struct PeekedStream<S> {
    first: Vec<u8>,
    n_given: usize,
    stream: S,
}

impl<S: AsyncRead + Unpin> PeekedStream<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { first: Vec::new(), n_given: 0, stream }
    }

    /// Reads until the version is known. A stream that ends earlier is HTTP/1, which then sends no response.
    pub(super) async fn read_version(mut self) -> io::Result<(Version, Self)> {
        self.first.reserve_exact(FIRST_READ);
        while PREFACE.starts_with(&self.first) {
            if self.first.len() == PREFACE.len() {
                return Ok((Version::Http2, self));
            }
            // The vector never fills up here, so it does not grow.
            if self.stream.read_buf(&mut self.first).await? == 0 {
                break;
            }
        }
        let is_http2 = self.first.starts_with(PREFACE);
        Ok((if is_http2 { Version::Http2 } else { Version::Http1 }, self))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PeekedStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let rest = this.first.get(this.n_given..).unwrap_or_default();
        if rest.is_empty() {
            return Pin::new(&mut this.stream).poll_read(context, buffer);
        }
        let given = rest.len().min(buffer.remaining());
        buffer.put_slice(rest.get(..given).unwrap_or_default());
        this.n_given += given;
        if this.n_given == this.first.len() {
            (this.first, this.n_given) = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PeekedStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// The first bytes of every connection of HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The bytes of the first read: half of what the HTTP library reads at once, so that these bytes and the next ones fit
/// together.
const FIRST_READ: usize = 4096;

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt as _, duplex};

    use super::*;

    /// The version in these pieces, and everything that is read afterwards.
    async fn begun(pieces: &'static [&'static [u8]]) -> (Version, Vec<u8>) {
        let (mut caller, ours) = duplex(1 << 16);
        tokio::spawn(async move {
            for piece in pieces {
                caller.write_all(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
        });
        let (version, mut begun) = PeekedStream::new(ours).read_version().await.unwrap();
        let mut all = Vec::new();
        begun.read_to_end(&mut all).await.unwrap();
        (version, all)
    }

    #[tokio::test]
    async fn the_http_version_is_detected_without_losing_bytes() {
        let whole: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nframes";
        let request: &[u8] = b"POST / HTTP/1.1\r\n\r\n";
        assert_eq!(
            begun(&[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nframes"]).await,
            (Version::Http2, whole.to_vec())
        );
        assert_eq!(
            begun(&[b"PRI * H", b"TTP/2.0\r\n\r\nS", b"M\r\n\r\n", b"frames"]).await,
            (Version::Http2, whole.to_vec())
        );
        assert_eq!(
            begun(&[b"P", b"OST / HTTP/1.1\r\n\r\n"]).await,
            (Version::Http1, request.to_vec())
        );
        assert_eq!(begun(&[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\rx"]).await.0, Version::Http1);
        assert_eq!(begun(&[b"PRI"]).await, (Version::Http1, b"PRI".to_vec()));
        assert_eq!(begun(&[]).await, (Version::Http1, Vec::new()));
    }

    #[tokio::test]
    async fn a_request_is_passed_on_in_one_read_after_the_version_is_detected() {
        let (mut caller, ours) = duplex(1 << 16);
        caller.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        let (_, mut begun) = PeekedStream::new(ours).read_version().await.unwrap();
        let mut piece = [0; 8192];
        assert_eq!(begun.read(&mut piece).await.unwrap(), 27);
    }
}
