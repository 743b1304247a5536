//! Tests callers that keep the sidecar waiting: a body that does not arrive and a response that is not read hold no place
//! that others need.

use super::*;

use futures_util::stream;

const SOON: Duration = Duration::from_secs(10);

/// Sends requests until there is room.
async fn has_room(sidecar: &Sidecar) {
    let asks = async { while sidecar.status("/v1/tools", &[]).await == 503 {} };
    timeout(SOON, asks).await.unwrap();
}

#[tokio::test]
async fn a_request_whose_body_stalls_gives_its_permit_to_others() {
    let limits = "limits: {requests: 1, body_time: 1h, idle_time: 1s}\n";
    let sidecar = Sidecar::start(&format!("{}{limits}", nothing())).await;
    let mut slow = sidecar.connect().await;
    let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    slow.write_all(format!("{head}Content-Length: 10\r\n\r\n{{").as_bytes()).await.unwrap();
    let asks = async {
        loop {
            assert_eq!(sidecar.status("/v1/tools", &[]).await, 200);
        }
    };
    let answer = tokio::select! {
        answer = timeout(SOON, read_to_end(&mut slow)) => answer.unwrap(),
        () = asks => unreachable!("it asks for ever"),
    };
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1"), "{answer}");
}

/// Reports when it is dropped.
struct Leaves(mpsc::Sender<()>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.try_send(()).ok();
    }
}

/// A service whose events never end; it reports when its caller has left.
async fn endless() -> (SocketAddr, mpsc::Receiver<()>) {
    let (says, left) = mpsc::channel(4);
    let sends = move || {
        let leaves = Leaves(says.clone());
        async move {
            let event = format!("data: \"{}\"\n\n", "x".repeat(10_000));
            let events = stream::repeat(event).map(move |event| {
                let _held = &leaves;
                Ok::<_, std::io::Error>(event)
            });
            ([("content-type", "text/event-stream")], Body::from_stream(events))
        }
    };
    (service(Router::new().route("/pets", routing::get(sends))).await, left)
}

/// A response of events, of which the caller reads no more than the window of the connection.
async fn not_taken(sidecar: &Sidecar) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
    let client = client.http2_initial_stream_window_size(1000).build().unwrap();
    let request = client.post(format!("{}/v1/calls", sidecar.calls[0])).body(CALL);
    let request =
        request.header("content-type", "application/json").header("accept", "text/event-stream");
    request.send().await.unwrap()
}

#[tokio::test]
async fn a_request_whose_answer_is_not_read_gives_its_permit_to_others_and_its_call_ends() {
    let (address, mut left) = endless().await;
    let limits = "limits: {requests: 1, idle_time: 1h}\n";
    let sidecar = Sidecar::start(&format!("{}{limits}", pets(address))).await;
    let stalled = not_taken(&sidecar).await;
    has_room(&sidecar).await;
    timeout(SOON, left.recv()).await.unwrap();
    drop(stalled);
}

#[tokio::test]
async fn an_answer_that_is_not_read_within_the_idle_time_ends_with_its_call() {
    let (address, mut left) = endless().await;
    let limits = "limits: {idle_time: 1s}\n";
    let sidecar = Sidecar::start(&format!("{}{limits}", pets(address))).await;
    let stalled = not_taken(&sidecar).await;
    timeout(SOON, left.recv()).await.unwrap();
    drop(stalled);
}

/// The bytes that a sidecar lets a connection of HTTP/2 send before they are read: 65,535, and what its first update of the connection
/// adds (RFC 9113 §6.9).
async fn announced_window(limits: &str) -> u32 {
    let sidecar = Sidecar::start(&format!("{}{limits}", nothing())).await;
    let mut stream = sidecar.connect().await;
    let settings = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    stream.write_all(settings).await.unwrap();
    loop {
        let mut head = [0; 9];
        timeout(SOON, stream.read_exact(&mut head)).await.unwrap().unwrap();
        let [length @ .., kind, _, _, _, _, _] = head;
        let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        let mut payload = vec![0; length];
        timeout(SOON, stream.read_exact(&mut payload)).await.unwrap().unwrap();
        if kind == WINDOW_UPDATE && head.ends_with(&[0; 4]) {
            return 65_535 + u32::from_be_bytes(payload.try_into().unwrap());
        }
    }
}

/// The type of the frame (RFC 9113 §6.9).
const WINDOW_UPDATE: u8 = 8;

#[tokio::test]
async fn a_connection_gets_the_window_of_the_configuration() {
    assert_eq!(announced_window("").await, 1 << 20);
    assert_eq!(announced_window("limits: {connection_window: 3MiB}\n").await, 3 << 20);
}
