//! The network client against servers on loopback, well-behaved and not. One file per subject.

use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    routing::{any, get as get_route},
};
use callgate_testkit::{Connection, Raw, closed_origin, serve, serve_raw};
use callgate_tool::Reached;
use futures_util::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::{
    CaCertificates, Denial, ErrorKind, Listeners, SentAgain, TlsFault,
    test_tls::{Authority, TLS_1_2, TLS_1_3, When, serve_tls},
};

mod addresses;
mod codings;
mod environment;
mod failures;
mod identities;
mod idle;
mod messages;
mod pieces;
mod proxy;
mod repeats;
mod sizes;
mod tls;
mod unprocessed;

/// Long enough for a busy machine, short enough for a test that waits for it.
const SHORT: Duration = Duration::from_millis(200);

fn get(origin: &str, path: &str) -> Request<Bytes> {
    Request::get(format!("{origin}{path}")).body(Bytes::new()).unwrap()
}

async fn send(request: Request<Bytes>) -> Result<Response<Bytes>, Error> {
    send_within(request, Limits::default()).await
}

async fn send_within(request: Request<Bytes>, limits: Limits) -> Result<Response<Bytes>, Error> {
    Client::new().unwrap().send(request, &limits).await
}

#[track_caller]
fn check_failure<T: std::fmt::Debug>(
    result: Result<T, Error>,
    kind: ErrorKind,
    reached: Reached,
) -> Error {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.reached_service()), (kind, reached), "{error:?}");
    error
}
