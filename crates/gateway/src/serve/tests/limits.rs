//! Tests the limits of connections and requests, each from outside.

use super::*;
use tokio::time::Instant;

use super::sidecar::get;

async fn with(limits: &str) -> Sidecar {
    Sidecar::start(&format!("{}limits: {{{limits}}}\n", nothing())).await
}

const POST: &str =
    "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

#[tokio::test]
async fn a_head_with_too_many_bytes_or_headers_or_too_slow_is_refused() {
    let sidecar = with("headers: 10").await;
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "a".repeat(40_000));
    assert!(sidecar.exchange(long.as_bytes()).await.starts_with("HTTP/1.1 431"));
    let many = "X: a\r\n".repeat(11);
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n");
    assert!(sidecar.exchange(many.as_bytes()).await.starts_with("HTTP/1.1 431"));
    let sidecar = with("head_time: 200ms").await;
    for slow in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "] {
        let began = Instant::now();
        assert_eq!(sidecar.exchange(slow.as_bytes()).await, "", "{slow}");
        assert!(began.elapsed().as_millis() >= 150, "{slow}");
    }
}

#[tokio::test]
async fn the_time_of_a_pipelined_head_begins_after_the_running_call() {
    let (asked, mut is_asked) = tokio::sync::mpsc::channel(1);
    let (go, goes) = tokio::sync::watch::channel(());
    let waits = move || {
        let (asked, mut goes) = (asked.clone(), goes.clone());
        async move {
            asked.send(()).await.ok();
            goes.changed().await.ok();
            "[]"
        }
    };
    let address = service(axum::Router::new().route("/pets", axum::routing::get(waits))).await;
    let text = format!("{}limits: {{head_time: 1s}}\n", pets(address));
    let sidecar = Sidecar::start(&text).await;
    let mut busy = sidecar.connect().await;
    let call = format!("{POST}Content-Length: {}\r\n\r\n{CALL}GET /healthz HT", CALL.len());
    busy.write_all(call.as_bytes()).await.unwrap();
    is_asked.recv().await.unwrap();
    // Another head that begins later has had its time.
    assert_eq!(sidecar.exchange(b"GET / HT").await, "");
    go.send(()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        assert_ne!(busy.read_buf(&mut answer).await.unwrap(), 0);
    }
    busy.write_all(b"TP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
    let answer = read_to_end(&mut busy).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn a_body_that_is_too_large_or_too_slow_is_refused() {
    let sidecar = with("body_time: 200ms, body_bytes: 100, idle_time: 1s").await;
    let large = format!("{POST}Content-Length: 101\r\n\r\n{}", " ".repeat(101));
    assert!(sidecar.exchange(large.as_bytes()).await.starts_with("HTTP/1.1 413"));
    for slow in ["Content-Length: 10\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"] {
        let answer = sidecar.exchange(format!("{POST}{slow}").as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("urn:callgate:problem:too-slow"), "{answer}");
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let sidecar = with("idle_time: 1s").await;
    let get = "GET /v1/tools HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let began = Instant::now();
    let answer = sidecar.exchange(get.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(began.elapsed().as_millis() >= 950);
}

#[tokio::test]
async fn connections_beyond_the_limit_are_answered_503() {
    let sidecar = with("connections: 2").await;
    let (one, two) = (sidecar.connect().await, sidecar.connect().await);
    let answer = sidecar.exchange(b"").await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
    assert!(head.contains("retry-after: 1\r\n") && head.contains("application/problem+json"));
    assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{answer}");
    assert!(body.contains("urn:callgate:problem:overloaded"), "{answer}");
    drop((one, two));
    while sidecar
        .exchange(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await
        .starts_with("HTTP/1.1 503")
    {}
}

#[tokio::test]
async fn requests_beyond_the_limit_are_answered_503_with_retry_after() {
    let (sent, mut asked) = tokio::sync::mpsc::channel(1);
    let hangs = move || async move {
        sent.send(()).await.ok();
        std::future::pending::<()>().await;
    };
    let address = service(axum::Router::new().route("/pets", axum::routing::get(hangs))).await;
    let sidecar = Sidecar::start(&format!("{}limits: {{requests: 1}}\n", pets(address))).await;
    let mut busy = sidecar.connect().await;
    let request = format!("{POST}Content-Length: {}\r\n\r\n{CALL}", CALL.len());
    busy.write_all(request.as_bytes()).await.unwrap();
    asked.recv().await.unwrap();
    let refused = sidecar.get("/v1/tools", &[]).await;
    assert_eq!(refused.status().as_u16(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert!(refused.text().await.unwrap().contains("problem:overloaded"));
    // A health check is still answered.
    assert_ne!(sidecar.status("/healthz", &[]).await, 503);
}

#[tokio::test]
async fn http_2_is_served_with_its_headers_limited() {
    let sidecar = with("headers: 10").await;
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let address = format!("{}/v1/tools", sidecar.calls[0]);
    let answer = client.get(&address).send().await.unwrap();
    assert_eq!((answer.version(), answer.status().as_u16()), (reqwest::Version::HTTP_2, 200));
    let mut many = client.get(&address);
    for number in 0..12 {
        many = many.header(format!("x-{number}"), "a");
    }
    assert_eq!(many.send().await.unwrap().status().as_u16(), 431);
}

#[tokio::test]
async fn an_idle_http_2_connection_is_closed_with_goaway() {
    let sidecar = with("idle_time: 1s").await;
    let mut stream = sidecar.connect().await;
    // The preface and empty settings (RFC 9113 §3.4).
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).await.unwrap();
    // GOAWAY has the type 7 (§6.8) and here the reason 0.
    assert!(all.windows(4).any(|frame| frame == [0, 0, 8, 7]), "{all:?}");
}

#[tokio::test]
async fn requests_over_a_socket_file_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callgate.sock");
    let listen = format!("listen: 'unix:{}'\n{}", path.display(), nothing());
    let sidecar = Sidecar::start(&listen).await;
    assert_eq!(sidecar.calls, [format!("unix:{}", path.display())]);
    let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
    let get = "GET /v1/tools HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n";
    stream.write_all(get.as_bytes()).await.unwrap();
    assert!(read_to_end(&mut stream).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn several_addresses_are_served_and_the_admin_paths_only_on_theirs() {
    let text = format!("listen: ['127.0.0.1:0', '127.0.0.1:0']\nadmin: 127.0.0.1:0\n{}", nothing());
    let sidecar = Sidecar::start(&text).await;
    assert_eq!((sidecar.calls.len(), sidecar.admin.len()), (2, 1));
    for address in &sidecar.calls {
        assert_eq!(get(address, "/v1/tools", &[]).await.status().as_u16(), 200);
        assert_eq!(get(address, "/v1/admin/changes", &[]).await.status().as_u16(), 403);
    }
    assert_eq!(get(&sidecar.admin[0], "/v1/tools", &[]).await.status().as_u16(), 404);
    assert_ne!(get(&sidecar.admin[0], "/v1/admin/changes", &[]).await.status().as_u16(), 403);
}
