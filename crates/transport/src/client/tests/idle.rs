//! Services that close connections at bad moments, and responses that are not HTTP. Findings 7 and 8 and threat 29 of
//! `SECURITY.md`.

use std::collections::BTreeMap;

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// The number of times that each request line arrived.
type Seen = Arc<Mutex<BTreeMap<String, usize>>>;

/// Responds to the first request of each connection, and closes it after reading the second.
async fn closing_server() -> (String, Seen) {
    let seen = Seen::default();
    let shared = Arc::clone(&seen);
    let origin = serve_raw(move |connection| answer_first(connection, Arc::clone(&shared)));
    (origin.await, seen)
}

async fn answer_first(mut connection: Connection, seen: Seen) {
    for answer in [OK, ""] {
        let Some(head) = connection.read_head().await else { return };
        let line = head.lines().next().unwrap().to_owned();
        *seen.lock().unwrap().entry(line).or_default() += 1;
        connection.write(answer).await;
    }
}

async fn call(client: &Client, method: Method, origin: &str, number: usize) -> Result<bool, Error> {
    let request = Request::builder().method(method).uri(format!("{origin}/{number}"));
    let request = request.body(Bytes::new()).unwrap();
    let response = client.send(request, &Limits::default()).await?;
    assert_eq!(response.body(), "ok");
    Ok(response.extensions().get::<SentAgain>().is_some())
}

#[tokio::test]
async fn no_read_fails_when_a_service_closes_idle_connections() {
    let (origin, seen) = closing_server().await;
    let client = Client::new().unwrap();
    let mut n_again = 0;
    for number in 0..200 {
        n_again += usize::from(call(&client, Method::GET, &origin, number).await.unwrap());
    }
    assert!(n_again >= 100, "every second call meets a connection that closes: {n_again}");
    assert_eq!(seen.lock().unwrap().values().copied().max(), Some(2));
}

#[tokio::test]
async fn no_write_is_sent_twice_when_a_service_closes_idle_connections() {
    let (origin, seen) = closing_server().await;
    let client = Client::new().unwrap();
    let mut n_failed = 0;
    for number in 0..200 {
        if let Err(error) = call(&client, Method::POST, &origin, number).await {
            check_failure(Err::<(), _>(error), ErrorKind::Send, Reached::Maybe);
            n_failed += 1;
        }
    }
    assert!(n_failed >= 50, "the service does close: {n_failed}");
    assert_eq!(seen.lock().unwrap().len(), 200);
    assert_eq!(seen.lock().unwrap().values().copied().max(), Some(1));
}

#[tokio::test]
async fn calls_while_a_connection_closes_are_answered_or_fail() {
    // The service closes a hundred turns of the runtime after its response; the next call goes out before, then, or later.
    let n_posts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_posts);
    let origin = serve_raw(move |connection| answer_and_close(connection, Arc::clone(&counted)));
    let origin = origin.await;
    let client = Client::new().unwrap();
    let mut n_answered = 0;
    for number in 0..200 {
        turns(number).await;
        call(&client, Method::GET, &origin, number).await.unwrap();
        n_answered += usize::from(call(&client, Method::POST, &origin, number).await.is_ok());
    }
    assert_eq!(n_posts.load(Ordering::SeqCst), n_answered, "what was executed was answered, once");
}

async fn answer_and_close(mut connection: Connection, n_posts: Arc<AtomicUsize>) {
    let Some(head) = connection.read_head().await else { return };
    n_posts.fetch_add(usize::from(head.starts_with("POST")), Ordering::SeqCst);
    connection.write(OK).await;
    turns(100).await;
}

async fn turns(n_turns: usize) {
    for _ in 0..n_turns {
        tokio::task::yield_now().await;
    }
}
