//! The end of a sidecar: what runs may end, nothing new begins, and what takes too long is given up.

use std::time::Duration;

use axum::{Router, routing};
use tokio::{io::AsyncWriteExt, sync::mpsc, time::timeout};

use super::{
    Sidecar,
    sidecar::{CALL, pets, read_to_end, service},
};

/// A sidecar with a call that hangs until something is sent, and the two ends of that.
async fn with_a_call(limits: &str) -> (Sidecar, tokio::net::TcpStream, mpsc::Sender<()>) {
    let (asked, mut is_asked) = mpsc::channel::<()>(1);
    let (go, goes) = mpsc::channel::<()>(1);
    let goes = std::sync::Arc::new(tokio::sync::Mutex::new(goes));
    let answers = move || {
        let (asked, goes) = (asked.clone(), goes.clone());
        async move {
            asked.send(()).await.ok();
            goes.lock().await.recv().await;
            "[]"
        }
    };
    let address = service(Router::new().route("/pets", routing::get(answers))).await;
    let sidecar = Sidecar::start(&format!("{}limits: {{{limits}}}\n", pets(address))).await;
    let mut stream = sidecar.connect().await;
    let length = CALL.len();
    let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let request = format!("{head}Content-Length: {length}\r\n\r\n{CALL}");
    stream.write_all(request.as_bytes()).await.unwrap();
    is_asked.recv().await.unwrap();
    (sidecar, stream, go)
}

const SOON: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_call_that_runs_ends_and_no_other_begins() {
    let (mut sidecar, mut stream, go) = with_a_call("").await;
    let idle = sidecar.connect().await;
    sidecar.gateway.drain().begin();
    let refused = sidecar.get("/v1/tools", &[]).await;
    assert_eq!(refused.status().as_u16(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.headers()["connection"], "close");
    assert!(refused.text().await.unwrap().contains("problem:draining"));
    assert_ne!(sidecar.status("/readyz", &[]).await, 503 + 1);
    go.send(()).await.unwrap();
    let answer = read_to_end(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    timeout(SOON, &mut sidecar.running).await.unwrap().unwrap();
    drop(idle);
}

#[tokio::test]
async fn a_sidecar_without_calls_ends_at_once() {
    let mut sidecar = Sidecar::start(&super::sidecar::nothing()).await;
    assert_eq!(sidecar.status("/v1/tools", &[]).await, 200);
    sidecar.gateway.drain().begin();
    timeout(SOON, &mut sidecar.running).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let (mut sidecar, mut stream, _go) = with_a_call("drain: 100ms").await;
    sidecar.gateway.drain().begin();
    sidecar.gateway.drain().end();
    timeout(SOON, &mut sidecar.running).await.unwrap().unwrap();
    assert_eq!(read_to_end(&mut stream).await, "");
}
