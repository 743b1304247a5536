//! A service on loopback that ends the connection of a request at a chosen point, and counts the requests of which it read a
//! byte.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{raw::read_head, service::listen};

/// The point of an exchange at which the service ends the connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum BreakPoint {
    /// Before it has read a byte of the request.
    BeforeRequest,
    /// Within the head of the request.
    InRequestHead,
    /// Between the head of the request and its body.
    InRequest,
    /// When it has read the whole request.
    AfterRequest,
    /// Within the head of the response.
    InResponseHead,
    /// Within the body of the response.
    InResponseBody,
}

impl BreakPoint {
    /// All of them, in the order of an exchange.
    pub const ALL: [Self; 6] = [
        Self::BeforeRequest,
        Self::InRequestHead,
        Self::InRequest,
        Self::AfterRequest,
        Self::InResponseHead,
        Self::InResponseBody,
    ];
}

/// The way in which the service ends a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Close {
    /// In order. The kernel resets a connection with unread bytes all the same.
    Fin,
    /// By a reset.
    Reset,
}

/// What the service does to the requests that come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Plan {
    /// The point.
    pub at: BreakPoint,
    /// The way.
    pub close: Close,
    /// True if the first connection answers a request before the one that counts, so that a client keeps it.
    pub is_kept: bool,
}

/// The service; it stops with the runtime of the test.
#[derive(Clone, Debug)]
pub struct Breaking {
    /// `http://` and the address.
    pub origin: String,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    plan: Plan,
    n_connections: usize,
    n_read: usize,
}

impl Breaking {
    /// Starts one with a plan.
    pub async fn start(plan: Plan) -> Self {
        let (listener, origin) = listen().await;
        let state = Arc::new(Mutex::new(State { plan, n_connections: 0, n_read: 0 }));
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { origin, state }
    }

    /// Goes by another plan from now on, and counts anew.
    pub fn go_by(&self, plan: Plan) {
        *self.state.lock().unwrap() = State { plan, n_connections: 0, n_read: 0 };
    }

    /// The number of requests of which a byte was read, without the one that a kept connection answers first.
    pub fn n_read(&self) -> usize {
        self.state.lock().unwrap().n_read
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let (plan, is_first) = {
        let mut state = state.lock().unwrap();
        state.n_connections += 1;
        (state.plan, state.n_connections == 1)
    };
    if plan.is_kept && is_first {
        if read_head(&mut stream).await.is_none() {
            return;
        }
        stream.write_all(WHOLE).await.ok();
    }
    // A connection that follows a kept one is a good one.
    let is_good = plan.at == BreakPoint::BeforeRequest && plan.is_kept && !is_first;
    if plan.at == BreakPoint::BeforeRequest && !is_good {
        return end(stream, plan.close);
    }
    let Ok(first) = stream.read_u8().await else { return };
    state.lock().unwrap().n_read += 1;
    if plan.at == BreakPoint::InRequestHead {
        return end(stream, plan.close);
    }
    let head = read_head(&mut stream).await.map(|head| head.to_lowercase());
    let Some(head) = head else { return };
    let is_of_the_body = |line: &&str| line.starts_with("content-length:");
    let length = head.lines().find(is_of_the_body).and_then(|line| line.split_once(": "));
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    if plan.at != BreakPoint::InRequest && stream.read_exact(&mut body).await.is_err() {
        return;
    }
    let answer = match plan.at {
        _ if is_good => WHOLE,
        BreakPoint::InResponseHead => HALF_OF_A_HEAD,
        BreakPoint::InResponseBody if first == b'H' => HALF_OF_A_HEAD,
        BreakPoint::InResponseBody => HALF_OF_A_BODY,
        _ => b"",
    };
    stream.write_all(answer).await.ok();
    end(stream, plan.close);
}

fn end(stream: TcpStream, close: Close) {
    if close == Close::Reset {
        stream.set_zero_linger().unwrap();
    }
    drop(stream);
}

const WHOLE: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]";
const HALF_OF_A_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-le";
const HALF_OF_A_BODY: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[";
