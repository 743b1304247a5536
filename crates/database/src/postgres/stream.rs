//! The bytes of a connection once they are secured, by our own settings. `meter` counts them.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use callgate_transport::{Error, Network, TlsSettings};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

use crate::meter::{Bytes, MeteredStream};

/// TLS by our own settings, once the server agreed to it.
#[derive(Clone, Debug)]
pub(super) struct Tls {
    pub(super) network: Network,
    pub(super) settings: TlsSettings,
    /// The name that the certificate must have.
    pub(super) host: String,
}

pub(super) struct SecuredStream {
    stream: Box<dyn Bytes>,
    end_point: Option<Vec<u8>>,
}

impl TlsConnect<MeteredStream> for Tls {
    type Stream = SecuredStream;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<SecuredStream, Error>> + Send>>;

    fn connect(self, stream: MeteredStream) -> Self::Future {
        Box::pin(async move {
            let secured =
                self.network.secure_with_channel_binding(stream, &self.host, &self.settings).await;
            secured.map(|(stream, end_point)| SecuredStream { stream: Box::new(stream), end_point })
        })
    }
}

impl TlsStream for SecuredStream {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.end_point {
            Some(digest) => ChannelBinding::tls_server_end_point(digest.clone()),
            None => ChannelBinding::none(),
        }
    }
}

impl AsyncRead for SecuredStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for SecuredStream {
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
