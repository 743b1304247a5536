//! A record of how the connection of a response was made: its address, its TLS and the time of each step. The record is
//! written while the connection is made and is an extension of every response over it.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use tokio::{net::TcpStream, time::Instant};

tokio::task_local! {
    static STEPS: Arc<Mutex<Steps>>;
}

/// The connection that carried a response, and the time of each step that made it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct ConnectionInfo {
    /// The address of the other end: the service, or the proxy in between.
    pub address: Option<SocketAddr>,
    /// The version of TLS and its cipher suite: `TLSv1_3, TLS13_AES_256_GCM_SHA384`; `None` without TLS.
    pub tls: Option<String>,
    /// The time of the name's look-up; `None` if no name had to be looked up.
    pub looked_up: Option<Duration>,
    /// The time from the look-up until the address accepted the connection.
    pub connected: Duration,
    /// The time of the TLS handshake; `None` without TLS.
    pub secured: Option<Duration>,
    /// True if the connection was made for an earlier request.
    pub is_reused: bool,
}

/// The times when the steps of making a connection ended.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    looked_up: Option<Instant>,
    connected: Option<Instant>,
}

pub(crate) fn note_looked_up() {
    change_connection_steps(|steps| steps.looked_up = Some(Instant::now()));
}

pub(crate) fn note_connected() {
    change_connection_steps(|steps| steps.connected = Some(Instant::now()));
}

fn change_connection_steps(change: impl FnOnce(&mut Steps)) {
    // Outside of [`noted`] there is no record to write.
    let _unheard = STEPS.try_with(|steps| {
        change(&mut steps.lock().unwrap_or_else(PoisonError::into_inner));
    });
}

pub(crate) async fn connect_with_step_times<E>(
    connection: impl Future<Output = Result<MaybeHttpsStream<TokioIo<TcpStream>>, E>>,
) -> Result<Stream, E> {
    let steps = Arc::new(Mutex::new(Steps::default()));
    let started = Instant::now();
    let stream = STEPS.scope(Arc::clone(&steps), connection).await?;
    let steps = *steps.lock().unwrap_or_else(PoisonError::into_inner);
    let looked_up = steps.looked_up.map(|at| at - started);
    let before = steps.looked_up.unwrap_or(started);
    let connected = steps.connected.unwrap_or_else(Instant::now);
    let (tcp, tls) = match &stream {
        MaybeHttpsStream::Http(tcp) => (tcp.inner(), None),
        MaybeHttpsStream::Https(tls) => {
            let (tcp, session) = tls.inner().get_ref();
            let version = session.protocol_version().and_then(|version| version.as_str());
            let suite = session.negotiated_cipher_suite().and_then(|suite| suite.suite().as_str());
            let said: Vec<&str> = version.into_iter().chain(suite).collect();
            (tcp.inner().inner(), Some(said.join(", ")))
        }
    };
    let info = ConnectionInfo {
        address: tcp.peer_addr().ok(),
        secured: tls.is_some().then(|| connected.elapsed()),
        tls,
        looked_up,
        connected: connected - before,
        is_reused: false,
    };
    Ok(Stream { stream, note: Note(Arc::new((info, AtomicBool::new(false)))) })
}

/// A record that a connection adds to its responses; the first of them is the one that the connection was made for.
#[derive(Clone, Debug)]
pub(crate) struct Note(Arc<(ConnectionInfo, AtomicBool)>);

impl Note {
    /// The record for the next response over the connection.
    pub(crate) fn take_connection_info(&self) -> ConnectionInfo {
        let (info, is_used) = &*self.0;
        ConnectionInfo { is_reused: is_used.swap(true, Ordering::Relaxed), ..info.clone() }
    }

    /// True if the connection has carried a response.
    pub(crate) fn has_carried_response(&self) -> bool {
        self.0.1.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub(crate) struct Stream {
    stream: MaybeHttpsStream<TokioIo<TcpStream>>,
    note: Note,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.note.clone())
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for Stream {
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

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }
}
