//! HTTP/2 services that reject a stream with `REFUSED_STREAM` or when they leave: they report that they did not process the
//! request (RFC 9113 §8.7), so that it is sent again whatever its method, unless a person approved it.

use h2::Reason;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::*;
use crate::AttemptEnd;

/// The treatment of a request by its first connection; later connections respond.
#[derive(Clone, Copy, Debug)]
enum First {
    /// Resets the stream within its response of this status.
    Cuts(u16, Reason),
    /// Reports that it processed the request, and leaves without a response.
    Drops,
    /// Disappears silently once the connection is made: no more bytes come.
    Hangs,
    /// Reports that it did not process the request.
    Leaves,
    Resets(Reason),
}

/// A service on loopback: its port, its authority and the number of requests that came.
async fn service(first: First) -> (u16, CaCertificates, Arc<AtomicUsize>) {
    let authority = Authority::new("ours");
    let mut config = authority.issue("127.0.0.1", When::Now).server_config();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let n_requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_requests);
    tokio::spawn(async move {
        let mut first = Some(first);
        while let Ok((stream, _)) = listener.accept().await {
            let accepting = acceptor.accept(stream);
            let (first, counted) = (first.take(), Arc::clone(&counted));
            tokio::spawn(async move { serve(accepting.await.unwrap(), first, &counted).await });
        }
    });
    (port, authority.ca_certificates(), n_requests)
}

async fn serve(stream: TlsStream<TcpStream>, first: Option<First>, counted: &AtomicUsize) {
    match first {
        Some(First::Cuts(status, reason)) => cut(stream, status, reason).await,
        Some(First::Drops) => drop_request(stream, counted).await,
        Some(First::Hangs) => {
            let _connection = h2::server::handshake(stream).await.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
        Some(First::Leaves) => leave(stream, counted).await.unwrap(),
        Some(First::Resets(reason)) => answer(stream, Some(reason), counted).await,
        None => answer(stream, None, counted).await,
    }
}

/// Reads until a request begins, and reports that none was processed.
async fn leave(mut stream: TlsStream<TcpStream>, counted: &AtomicUsize) -> io::Result<()> {
    let no_settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    stream.write_all(&no_settings).await?;
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let length = usize::from(head[1]) << 8 | usize::from(head[2]);
        stream.read_exact(&mut vec![0; length]).await?;
        let is_request = head[3] == 1;
        if is_request {
            break;
        }
    }
    counted.fetch_add(1, Ordering::SeqCst);
    let no_stream_no_error = [0; 8];
    stream.write_all(&[0, 0, 8, 7, 0, 0, 0, 0, 0]).await?;
    stream.write_all(&no_stream_no_error).await?;
    stream.shutdown().await
}

/// Takes a request and leaves; the last processed stream is the request's.
async fn drop_request(stream: TlsStream<TcpStream>, counted: &AtomicUsize) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok(_request)) = connection.accept().await {
        counted.fetch_add(1, Ordering::SeqCst);
        connection.abrupt_shutdown(Reason::NO_ERROR);
    }
}

async fn answer(stream: TlsStream<TcpStream>, reset: Option<Reason>, counted: &AtomicUsize) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((_, mut reply))) = connection.accept().await {
        counted.fetch_add(1, Ordering::SeqCst);
        if let Some(reason) = reset {
            reply.send_reset(reason);
            continue;
        }
        let mut body = reply.send_response(Response::new(()), false).unwrap();
        body.send_data(Bytes::from_static(b"ok"), true).unwrap();
    }
}

async fn cut(stream: TlsStream<TcpStream>, status: u16, reason: Reason) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((_, mut reply))) = connection.accept().await {
        let head = Response::builder().status(status).body(()).unwrap();
        let mut body = reply.send_response(head, false).unwrap();
        body.send_data(Bytes::from_static(b"[1]"), false).unwrap();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            body.send_reset(reason);
        });
    }
}

/// Sends a request; returns its response and the number of times it came.
async fn send_to(
    first: First,
    method: Method,
    kind: RequestKind,
) -> (Result<Response<Bytes>, Error>, usize) {
    let (port, ca, n_requests) = service(first).await;
    let tls = TlsSettings::new().trust_only_ca(ca);
    let settings = ClientSettings { tls, ..ClientSettings::default() };
    let client = Client::over_network(&Network::new(), settings);
    let request = Request::builder().method(method).uri(format!("https://127.0.0.1:{port}/"));
    let mut request = request.body(Bytes::from_static(b"{}")).unwrap();
    request.extensions_mut().insert(kind);
    let answer = client.send(request, &Limits::default()).await;
    (answer, n_requests.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_request_that_the_service_did_not_process_is_sent_again() {
    for first in [First::Resets(Reason::REFUSED_STREAM), First::Leaves] {
        for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
            let (answer, n_requests) = send_to(first, method, RequestKind::Change).await;
            let answer = answer.unwrap_or_else(|error| panic!("{first:?}: {error:?}"));
            assert_eq!((&answer.body()[..], n_requests), (&b"ok"[..], 2), "{first:?}");
            assert!(answer.extensions().get::<SentAgain>().is_some(), "{first:?}");
        }
    }
}

#[tokio::test]
async fn an_approved_request_that_the_service_did_not_process_is_sent_once() {
    for first in [First::Resets(Reason::REFUSED_STREAM), First::Leaves] {
        let (answer, n_requests) = send_to(first, Method::POST, RequestKind::Approved).await;
        let error = check_failure(answer, ErrorKind::Send, Reached::No);
        assert_eq!((error.attempt_end(), n_requests), (AttemptEnd::NotProcessed, 1), "{first:?}");
    }
}

#[tokio::test]
async fn an_unresponsive_http_2_service_is_noticed_within_the_timeout() {
    let (port, ca, n_requests) = service(First::Hangs).await;
    let tls = TlsSettings::new().trust_only_ca(ca);
    let settings = ClientSettings { tls, ..ClientSettings::default() };
    let client = Client::over_network(&Network::new(), settings);
    let call = move || {
        let client = client.clone();
        async move {
            client.send(get(&format!("https://127.0.0.1:{port}"), "/"), &Limits::default()).await
        }
    };
    let answer = tokio::spawn(call());
    while n_requests.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    // Step by step: the clock would otherwise advance to the end of the call while the second connection is made.
    tokio::time::pause();
    for _ in 0..27 {
        tokio::time::advance(Duration::from_secs(1)).await;
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
    }
    tokio::time::resume();
    // The request may have been read, and the connection had carried none before.
    check_failure(answer.await.unwrap(), ErrorKind::Send, Reached::Maybe);
    assert_eq!(n_requests.load(Ordering::SeqCst), 1);
    assert_eq!(call().await.unwrap().body(), "ok");
}

#[tokio::test]
async fn a_request_that_the_service_may_have_processed_is_not_sent_again() {
    let resets = [Reason::INTERNAL_ERROR, Reason::CANCEL, Reason::PROTOCOL_ERROR];
    for first in resets.map(First::Resets).into_iter().chain([First::Drops]) {
        for (method, kind) in [
            (Method::POST, RequestKind::Change),
            (Method::PUT, RequestKind::Approved),
            (Method::GET, RequestKind::Read),
        ] {
            let (answer, n_requests) = send_to(first, method, kind).await;
            check_failure(answer, ErrorKind::Send, Reached::Maybe);
            assert_eq!(n_requests, 1, "{first:?} {kind:?}");
        }
    }
}

#[tokio::test]
async fn a_success_whose_stream_is_reset_is_no_complete_answer() {
    for reason in [Reason::NO_ERROR, Reason::CANCEL, Reason::INTERNAL_ERROR] {
        let cut = First::Cuts(200, reason);
        let (answer, _) = send_to(cut, Method::POST, RequestKind::Change).await;
        check_failure(answer, ErrorKind::Receive, Reached::Maybe);
    }
    // A refusal may end so.
    let refusal = First::Cuts(413, Reason::NO_ERROR);
    let (answer, _) = send_to(refusal, Method::POST, RequestKind::Change).await;
    assert_eq!(answer.unwrap().body(), "[1]");
}
