//! A service of HTTP/2 that writes its frames itself, so that it can end a stream or a connection at any point of an exchange: within a
//! head, and with a last stream below one that it has read. It counts the requests that it reads.

use crate::prelude::*;

use tokio::sync::Semaphore;
use tokio_rustls::{Accept, server::TlsStream};

/// The point of an exchange at which the service ends it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Point {
    /// Before it has read a byte of the request.
    BeforeRequest,
    /// After the head of the request, before its body.
    AfterHead,
    /// Within the body of the request.
    InBody,
    AfterRequest,
    /// Within the head of the response.
    InResponseHead,
    AfterResponseHead,
    /// Within the body of the response.
    InResponseBody,
}

/// The way in which it ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// The connection, in order.
    Fin,
    /// The connection, by a reset of TCP.
    Reset,
    /// The stream, with this error code (RFC 9113 §7).
    Stream(u32),
    /// The connection, with a `GOAWAY` whose last stream is the one before the request's.
    AwayBelow(u32),
    /// The connection, with a `GOAWAY` whose last stream is the request's.
    AwayAt(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) at: Point,
    pub(super) end: End,
    /// True if a request is answered first, so that the connection is kept.
    pub(super) is_kept: bool,
}

#[derive(Debug)]
struct State {
    plan: Plan,
    n_connections: usize,
    n_answered: usize,
    n_read: usize,
}

/// The service; it stops with the runtime of the test.
pub(super) struct Service {
    pub(super) authority: Authority,
    pub(super) origin: String,
    state: Arc<Mutex<State>>,
    /// One permit for each kept connection that may end.
    ends: Arc<Semaphore>,
}

impl Service {
    pub(super) async fn start(plan: Plan) -> Self {
        let authority = Authority::new();
        let (certificate, key) = authority.issue("server", 3000);
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let mut config = config.with_single_cert(vec![certificate], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let state = State { plan, n_connections: 0, n_answered: 0, n_read: 0 };
        let state = Arc::new(Mutex::new(state));
        let ends = Arc::new(Semaphore::new(0));
        let (shared, permits) = (Arc::clone(&state), Arc::clone(&ends));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let accepting = acceptor.accept(stream);
                tokio::spawn(serve(accepting, Arc::clone(&shared), Arc::clone(&permits)));
            }
        });
        Self { authority, origin, state, ends }
    }

    /// Ends the connection that waits for a request.
    pub(super) fn end_idle(&self) {
        self.ends.add_permits(1);
    }

    /// Goes by another plan from now on, and counts anew.
    pub(super) fn go_by(&self, plan: Plan) {
        *self.state.lock().unwrap() = State { plan, n_connections: 0, n_answered: 0, n_read: 0 };
    }

    /// The number of requests that were read, without the one that is answered first.
    pub(super) fn n_read(&self) -> usize {
        self.state.lock().unwrap().n_read
    }
}

async fn serve(accepting: Accept<TcpStream>, state: Arc<Mutex<State>>, ends: Arc<Semaphore>) {
    if let Ok(stream) = accepting.await {
        Connection { stream, state, ends, answered: 0 }.serve().await;
    }
}

struct Connection {
    stream: TlsStream<TcpStream>,
    state: Arc<Mutex<State>>,
    ends: Arc<Semaphore>,
    /// The stream of the last request that was answered.
    answered: u32,
}

struct Frame {
    kind: u8,
    flags: u8,
    id: u32,
}

impl Connection {
    /// Serves until the client or the plan ends the connection.
    async fn serve(mut self) {
        let (plan, is_first) = {
            let mut state = self.state.lock().unwrap();
            state.n_connections += 1;
            (state.plan, state.n_connections == 1)
        };
        let ends_at_once = plan.at == Point::BeforeRequest && !plan.is_kept;
        self.write(SETTINGS, 0, 0, &[]).await;
        if ends_at_once || self.stream.read_exact(&mut [0; 24]).await.is_err() {
            return self.end(plan.end, 1).await;
        }
        while let Some(frame) = self.read().await {
            if !self.handle(plan, &frame, is_first).await {
                return;
            }
            let is_idle = self.answered > 0 && plan.at == Point::BeforeRequest && is_first;
            if is_idle {
                // The client has its answer before the connection ends.
                self.ends.acquire().await.unwrap().forget();
                return self.end(plan.end, self.answered + 2).await;
            }
        }
    }

    /// Handles a frame. Returns false if the connection has ended.
    async fn handle(&mut self, plan: Plan, frame: &Frame, is_first: bool) -> bool {
        match frame.kind {
            SETTINGS if frame.flags & ACK == 0 => self.write(SETTINGS, ACK, 0, &[]).await,
            HEADERS if self.is_answered_first(plan) => self.answer(frame.id).await,
            // The connection after a kept one that was closed is a good one.
            HEADERS if plan.at == Point::BeforeRequest && !is_first => {
                self.count();
                self.finish(frame).await;
                self.answer(frame.id).await;
            }
            HEADERS => {
                self.count();
                return self.break_off(plan, frame).await;
            }
            _ => {}
        }
        true
    }

    fn count(&self) {
        self.state.lock().unwrap().n_read += 1;
    }

    fn is_answered_first(&self, plan: Plan) -> bool {
        let mut state = self.state.lock().unwrap();
        let is_first = plan.is_kept && state.n_answered == 0;
        state.n_answered += usize::from(is_first);
        is_first
    }

    /// Goes on with a request as far as the plan says. Returns false if the connection has ended.
    async fn break_off(&mut self, plan: Plan, head: &Frame) -> bool {
        match plan.at {
            Point::AfterHead => {}
            Point::InBody => {
                self.read_until(head, |frame| frame.kind == DATA).await;
            }
            _ => self.finish(head).await,
        }
        match plan.at {
            Point::InResponseHead => self.write(HEADERS, 0, head.id, &RESPONSE[..1]).await,
            Point::AfterResponseHead => self.write(HEADERS, END_HEADERS, head.id, RESPONSE).await,
            Point::InResponseBody => {
                self.write(HEADERS, END_HEADERS, head.id, RESPONSE).await;
                self.write(DATA, 0, head.id, b"[").await;
            }
            _ => {}
        }
        if let End::Stream(code) = plan.end {
            self.write(RST_STREAM, 0, head.id, &code.to_be_bytes()).await;
            return true;
        }
        self.end(plan.end, head.id).await;
        false
    }

    async fn answer(&mut self, id: u32) {
        self.write(HEADERS, END_HEADERS, id, RESPONSE).await;
        self.write(DATA, END_STREAM, id, b"[]").await;
        self.answered = id;
    }

    /// Ends the connection; `id` is the stream of the request.
    async fn end(&mut self, end: End, id: u32) {
        let last = match end {
            End::AwayAt(code) => Some((id, code)),
            End::AwayBelow(code) => Some((id.saturating_sub(2), code)),
            End::Fin | End::Reset | End::Stream(_) => None,
        };
        if let Some((last, code)) = last {
            let payload = [last.to_be_bytes(), code.to_be_bytes()].concat();
            self.write(GOAWAY, 0, 0, &payload).await;
        }
        if end == End::Reset {
            self.stream.get_ref().0.set_zero_linger().unwrap();
        } else {
            self.stream.shutdown().await.ok();
            // The kernel would reset a connection with unread bytes.
            while !matches!(self.stream.read(&mut [0; 4096]).await, Ok(0) | Err(_)) {}
        }
    }

    /// Reads the rest of a request.
    async fn finish(&mut self, head: &Frame) {
        if head.flags & END_STREAM == 0 {
            self.read_until(head, |frame| frame.flags & END_STREAM != 0).await;
        }
    }

    async fn read_until(&mut self, head: &Frame, is_last: impl Fn(&Frame) -> bool) {
        while let Some(frame) = self.read().await {
            if frame.id == head.id && frame.kind == DATA && is_last(&frame) {
                return;
            }
        }
    }

    async fn read(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).await.ok()?;
        let [one, two, three, kind, flags, id @ ..] = head;
        let length = u32::from_be_bytes([0, one, two, three]);
        let mut payload = vec![0; length.try_into().unwrap()];
        self.stream.read_exact(&mut payload).await.ok()?;
        Some(Frame { kind, flags, id: u32::from_be_bytes(id) })
    }

    async fn write(&mut self, kind: u8, flags: u8, id: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let frame = [&length[1..], &[kind, flags], &id.to_be_bytes(), payload].concat();
        // The client may be gone.
        self.stream.write_all(&frame).await.ok();
        self.stream.flush().await.ok();
    }
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `:status: 200` and `content-type: application/json` (RFC 7541 §6.1, §6.2.2).
const RESPONSE: &[u8] = b"\x88\x0f\x10\x10application/json";
