//! Tests the end of a sidecar: running calls may end, no new ones begin, and slow ones are given up.

use super::*;

/// A sidecar with a call that hangs until a message is sent, and the two ends of the call.
async fn with_a_call() -> (Sidecar, tokio::net::TcpStream, mpsc::Sender<()>) {
    with_a_request("", CALL).await
}

/// A sidecar with a request that hangs until a message is sent.
async fn with_a_request(
    headers: &str,
    body: &str,
) -> (Sidecar, tokio::net::TcpStream, mpsc::Sender<()>) {
    let (sidecar, mut is_asked, go) = hanging().await;
    let stream = requested(&sidecar, headers, body).await;
    is_asked.recv().await.unwrap();
    (sidecar, stream, go)
}

/// A sidecar whose service reports a request, and responds when a message allows it.
async fn hanging() -> (Sidecar, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (asked, is_asked) = mpsc::channel::<()>(1);
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
    (Sidecar::start(&pets(address)).await, is_asked, go)
}

/// A connection on which calls were requested.
async fn requested(sidecar: &Sidecar, headers: &str, body: &str) -> tokio::net::TcpStream {
    let mut stream = sidecar.connect().await;
    let length = body.len();
    let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let request = format!("{head}{headers}Content-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

const SOON: Duration = Duration::from_secs(10);

#[tokio::test]
async fn draining_lets_a_running_call_end_and_begins_no_other() {
    let (mut sidecar, mut stream, go) = with_a_call().await;
    let idle = sidecar.connect().await;
    sidecar.gateway.drain().begin_drain();
    let refused = sidecar.get("/v1/tools", &[]).await;
    assert_eq!(refused.status().as_u16(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.headers()["connection"], "close");
    assert!(refused.text().await.unwrap().contains("problem:draining"));
    assert_eq!(sidecar.status("/readyz", &[]).await, 503);
    go.send(()).await.unwrap();
    let answer = read_to_end(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    timeout(SOON, &mut sidecar.running).await.unwrap().unwrap();
    drop(idle);
}

#[tokio::test]
async fn draining_closes_an_http_2_connection_when_its_calls_have_ended() {
    let (mut sidecar, mut is_asked, go) = hanging().await;
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let call = client.post(format!("{}/v1/calls", sidecar.calls[0])).body(CALL);
    let call = tokio::spawn(call.header("content-type", "application/json").send());
    is_asked.recv().await.unwrap();
    sidecar.gateway.drain().begin_drain();
    go.send(()).await.unwrap();
    let answer = call.await.unwrap().unwrap();
    assert_eq!((answer.version(), answer.status().as_u16()), (reqwest::Version::HTTP_2, 200));
    // A real client would keep its connection.
    timeout(SOON, &mut sidecar.running).await.unwrap().unwrap();
    drop(client);
}

#[tokio::test]
async fn draining_ends_a_sidecar_without_calls_at_once() {
    let mut sidecar = Sidecar::start(&super::sidecar::nothing()).await;
    assert_eq!(sidecar.status("/v1/tools", &[]).await, 200);
    sidecar.gateway.drain().begin_drain();
    timeout(SOON, &mut sidecar.running).await.unwrap().unwrap();
}

/// The response body when everything is given up, which also ends the sidecar.
async fn given_up(sidecar: &mut Sidecar, stream: &mut tokio::net::TcpStream) -> String {
    sidecar.gateway.drain().begin_drain();
    sidecar.gateway.drain().end_calls();
    let answer = timeout(SOON, read_to_end(stream)).await.unwrap();
    timeout(SOON, &mut sidecar.running).await.unwrap().unwrap();
    answer
}

#[tokio::test]
async fn calls_that_outlast_the_drain_are_answered_with_the_results_so_far() {
    let calls = r#"{"mode": "sequential", "calls": [{"id": "a", "tool": "pets-list", "args": {}}, {"id": "b", "tool": "pets-list", "args": {}}]}"#;
    for headers in ["", "Accept: text/event-stream\r\n"] {
        let (mut sidecar, mut stream, _go) = with_a_request(headers, calls).await;
        let answer = given_up(&mut sidecar, &mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let results: Vec<_> = answer.split(r#"{"id":""#).skip(1).collect();
        let [first, second] = results[..] else { panic!("{answer}") };
        for (result, id, reached) in [(first, "a", "maybe"), (second, "b", "no")] {
            assert!(result.starts_with(id) && result.contains(r#""code":"stopped""#), "{answer}");
            assert!(result.contains(&format!(r#""reached":"{reached}""#)), "{answer}");
        }
        assert_eq!(headers.is_empty(), !answer.contains("event: end"), "{answer}");
    }
}

#[tokio::test]
async fn a_stream_that_outlasts_the_drain_ends_marked_as_still_sending() {
    let (asked, mut is_asked) = mpsc::channel::<()>(1);
    let sends = move || {
        let asked = asked.clone();
        async move {
            let first =
                futures_util::stream::iter([Ok::<_, std::io::Error>("data: {\"n\": 1}\n\n")]);
            asked.send(()).await.ok();
            let body = axum::body::Body::from_stream(first.chain(futures_util::stream::pending()));
            ([("content-type", "text/event-stream")], body)
        }
    };
    let address = service(Router::new().route("/pets", routing::get(sends))).await;
    let mut sidecar = Sidecar::start(&pets(address)).await;
    let mut stream = requested(&sidecar, "Accept: text/event-stream\r\n", CALL).await;
    is_asked.recv().await.unwrap();
    let mut begun = [0; 1024];
    let mut seen = String::new();
    while !seen.contains("event: value") {
        let read = stream.read(&mut begun).await.unwrap();
        seen.push_str(str::from_utf8(&begun[..read]).unwrap());
    }
    let answer = given_up(&mut sidecar, &mut stream).await;
    assert!(answer.contains(r#""status":200"#), "{answer}");
    assert!(answer.contains(r#""stillSending":true"#) && answer.contains("event: end"), "{answer}");
}

#[tokio::test]
async fn a_request_whose_body_outlasts_the_drain_is_answered_that_nothing_was_called() {
    let mut sidecar = Sidecar::start(&super::sidecar::nothing()).await;
    let mut stream = sidecar.connect().await;
    let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    // The sidecar waits for the body.
    stream.read_u8().await.unwrap();
    let answer = given_up(&mut sidecar, &mut stream).await;
    assert!(answer.contains("503") && answer.contains("problem:draining"), "{answer}");
}
