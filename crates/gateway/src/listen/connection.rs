//! One connection: HTTP/1 or HTTP/2 within the bounds, each request passed to `admission`, closed when nothing comes, when the
//! sidecar is stopped, or when the caller is too slow.

use std::{
    convert::Infallible,
    hint::black_box,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
};

use axum::body::Body;
use callgate_config::ServingLimits;
use callgate_transport::subject_names;
use http::{Request, Response};
use hyper::{
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Duration, sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::{
    activity::Activity,
    body::AnswerBody,
    framing::Framing,
    guarded_stream::{GuardedStream, Times},
    socket::AcceptedStream,
    tls::Tls,
    version::{PeekedStream, Version},
};
use crate::{
    admission::Admission,
    drain::Drain,
    observe::{RecordedBody, RequestLine},
    peer::{ListenerKind, Peer},
    time_limit::TimeLimit,
};

#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) admission: Arc<Admission>,
    pub(super) kind: ListenerKind,
    pub(super) tls: Option<Arc<Tls>>,
    /// True if the sidecar was being stopped when the connection came: it has one request.
    pub(super) is_late: bool,
}

struct Shared {
    admission: Arc<Admission>,
    peer: Peer,
    activity: Arc<Activity>,
}

/// What ends a connection that its caller keeps open.
struct Ending {
    drain: Drain,
    activity: Arc<Activity>,
    is_late: bool,
}

#[derive(Clone, Copy)]
enum Reason {
    Idle,
    Drain,
}

/// A stream of any kind. TLS and Unix sockets share one copy of the code of both HTTP versions; plain TCP, which is usual, has its
/// own.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

pub(super) async fn serve(accepted: AcceptedStream, setup: Setup) {
    match accepted {
        AcceptedStream::Tcp(stream) => {
            // An answer is written in one piece; waiting for more would only delay it.
            stream.set_nodelay(true).ok();
            let dialled = stream.local_addr().map(|address| address.ip()).ok();
            serve_stream(stream, dialled, setup).await;
        }
        #[cfg(unix)]
        AcceptedStream::Unix(stream) => {
            serve_stream(Box::new(stream) as Box<dyn Stream>, None, setup).await;
        }
    }
}

async fn serve_stream<S: Stream + 'static>(stream: S, dialled: Option<IpAddr>, setup: Setup) {
    let mut peer =
        Peer { kind: setup.kind, is_encrypted: setup.tls.is_some(), dialled, names: Vec::new() };
    let Some(tls) = &setup.tls else { return serve_protocol(stream, peer, setup).await };
    let handshake = Box::pin(TlsAcceptor::from(tls.config()).accept(stream));
    let secured = tokio::select! {
        biased;
        secured = handshake => secured,
        () = TimeLimit::after(setup.admission.limits().head_time) => return,
    };
    let Ok(stream) = secured else { return };
    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
    peer.names = shown.map(subject_names).unwrap_or_default();
    // What TLS needs to remember is not in the memory of every other connection.
    Box::pin(serve_protocol(Box::new(stream) as Box<dyn Stream>, peer, setup)).await;
}

async fn serve_protocol<S: Stream + 'static>(stream: S, peer: Peer, setup: Setup) {
    let is_late = setup.is_late;
    let activity = Arc::new(Activity::new());
    let shared =
        Arc::new(Shared { admission: setup.admission, peer, activity: Arc::clone(&activity) });
    let limits = shared.admission.limits();
    let times = Times { head: limits.head_time, idle: limits.idle_time };
    let framing = Framing::new(limits.head_bytes);
    let watched = GuardedStream::new(stream, times, framing, Arc::clone(&activity));
    let ending = Ending { drain: shared.admission.drain().clone(), activity, is_late };
    let begun = tokio::select! {
        begun = PeekedStream::new(watched).read_version() => begun,
        // Nothing was asked, so that nobody waits for an answer.
        _ = ending.wait_for_reason() => return,
    };
    // The caller's doing: it broke off, or took too long.
    let Ok((version, stream)) = begun else { return };
    let asked = Arc::clone(&shared);
    let service = service_fn(move |request| answer_request(Box::new(request), Arc::clone(&asked)));
    match version {
        Version::Http1 => {
            let http1 = http1_builder(limits, is_late);
            // The allocator hands out again what was freed last, here the block of an earlier request. The buffer for answers must
            // not be that one: it waits, and would keep pages in memory beside those of the next request.
            let warm = black_box(Vec::<u8>::with_capacity(HTTP1_BUFFER));
            let connection = http1.serve_connection(TokioIo::new(stream), service);
            drop(warm);
            let closing = http1::Connection::graceful_shutdown;
            serve_to_end(pin!(connection), closing, ending, limits).await;
        }
        Version::Http2 => {
            let connection = http2_builder(limits).serve_connection(TokioIo::new(stream), service);
            let closing = http2::Connection::graceful_shutdown;
            // Its state would double that of every connection.
            serve_to_end(Box::pin(connection).as_mut(), closing, ending, limits).await;
        }
    }
}

/// Serves until the caller leaves, or the sidecar closes the connection and its time is over.
async fn serve_to_end<C: Future>(
    mut connection: Pin<&mut C>,
    close: impl Fn(Pin<&mut C>),
    ending: Ending,
    limits: &ServingLimits,
) {
    let reason = tokio::select! {
        // The library's errors are the caller's doing: a connection that breaks off, a head that is none.
        _ = connection.as_mut() => return,
        reason = ending.wait_for_reason() => reason,
    };
    close(connection.as_mut());
    let time = match reason {
        Reason::Idle => limits.idle_time,
        Reason::Drain => limits.drain + LAST_WORDS,
    };
    timeout(time, connection).await.ok();
}

impl Ending {
    async fn wait_for_reason(&self) -> Reason {
        let drained = async {
            self.drain.wait_until_draining().await;
            // Its first request may be on the way: it is told that another sidecar may answer, not nothing.
            if self.activity.has_had_no_request() {
                sleep(LAST_WORDS).await;
            }
        };
        tokio::select! {
            () = self.activity.wait_until_idle_end() => Reason::Idle,
            () = drained, if !self.is_late => Reason::Drain,
        }
    }
}

fn http1_builder(limits: &ServingLimits, is_late: bool) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // `GuardedStream` keeps the time.
        .header_read_timeout(None)
        .keep_alive(!is_late)
        .max_headers(limits.headers)
        .max_buf_size(limits.head_bytes);
    builder
}

fn http2_builder(limits: &ServingLimits) -> http2::Builder<TokioExecutor> {
    let window = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(u32::try_from(limits.streams).unwrap_or(u32::MAX))
        .initial_stream_window_size(window(limits.stream_window))
        .initial_connection_window_size(window(limits.connection_window))
        .max_header_list_size(window(limits.head_bytes))
        .max_send_buf_size(SEND_BUFFER)
        .max_pending_accept_reset_streams(RESETS)
        .max_local_error_reset_streams(RESETS)
        // A caller that cannot answer a ping, in the middle of a head say, is gone.
        .keep_alive_interval(PING)
        .keep_alive_timeout(limits.head_time);
    builder
}

/// Answers one request, which is in a box: what waits for the answer would keep its permit.
async fn answer_request(
    mut request: Box<Request<Incoming>>,
    shared: Arc<Shared>,
) -> Result<Response<RecordedBody<AnswerBody<Body>>>, Infallible> {
    let line = RequestLine::begin_if_logged(&mut request);
    let in_flight = shared.activity.begin_request();
    let (response, permit) = shared.admission.answer_request(request, &shared.peer).await;
    let response = response.map(|body| AnswerBody::new(body, in_flight, permit, &shared.activity));
    Ok(RecordedBody::wrap_response(response, line))
}

/// The time the last answers may take to be written after calls were given up.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The bytes of each of the two buffers that the HTTP library makes for a connection.
const HTTP1_BUFFER: usize = 8 << 10;
/// The bytes to be sent that one HTTP/2 stream may hold.
const SEND_BUFFER: usize = 256 << 10;
/// Streams that are reset by either side faster than they are served (CVE-2023-44487, CVE-2025-8671).
const RESETS: usize = 64;
/// The interval at which a silent caller is asked whether it is there.
const PING: Duration = Duration::from_secs(20);
