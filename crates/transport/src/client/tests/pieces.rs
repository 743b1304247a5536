//! Responses whose body is read as it arrives.

use async_compression::tokio::write::GzipEncoder;
use tokio::sync::Notify;

use super::*;

async fn open(origin: &str) -> Response<ResponseBody> {
    Client::new().unwrap().open(get(origin, "/"), &Limits::default()).await.unwrap()
}

/// The pieces of a gzip stream, each of which can be read as soon as it arrives.
async fn flushed(texts: &[&str]) -> Vec<Vec<u8>> {
    let mut encoder = GzipEncoder::new(Vec::new());
    let mut pieces = Vec::new();
    for text in texts {
        encoder.write_all(text.as_bytes()).await.unwrap();
        encoder.flush().await.unwrap();
        pieces.push(std::mem::take(encoder.get_mut()));
    }
    pieces
}

/// Sends each piece when `go` is notified, and then waits for the client to leave.
async fn told(head: &'static str, pieces: Vec<Vec<u8>>, go: &Arc<Notify>) -> String {
    let (go, pieces) = (Arc::clone(go), Arc::new(pieces));
    serve_raw(move |mut connection| {
        let (go, pieces) = (Arc::clone(&go), Arc::clone(&pieces));
        async move {
            connection.read_head().await;
            connection.write(head).await;
            for piece in &*pieces {
                go.notified().await;
                connection.write(&format!("{:x}\r\n", piece.len())).await;
                connection.write(piece).await;
                connection.write("\r\n").await;
            }
            connection.hold().await;
        }
    })
    .await
}

#[tokio::test]
async fn each_piece_of_a_stream_arrives_before_the_next_is_sent() {
    let plain = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let gzip = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n";
    let texts = ["data: 1\n\n", "data: 2\n\n"];
    for (head, pieces) in [
        (plain, texts.map(|text| text.as_bytes().to_vec()).to_vec()),
        (gzip, flushed(&texts).await),
    ] {
        let go = Arc::new(Notify::new());
        let origin = told(head, pieces, &go).await;
        let mut response = open(&origin).await;
        for text in texts {
            go.notify_one();
            assert_eq!(response.body_mut().chunk().await.unwrap().unwrap(), text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_head_that_is_late_is_a_timeout() {
    let origin = Raw::silent().await.origin;
    let limits = Limits { timeout: SHORT, ..Limits::default() };
    let opened = Client::new().unwrap().open(get(&origin, "/"), &limits).await;
    check_failure(opened, ErrorKind::TimedOut, Reached::Maybe);
}

#[tokio::test]
async fn an_answer_without_a_date_is_given_one() {
    let origin = Raw::once("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.origin;
    let response = send(get(&origin, "/")).await.unwrap();
    let date = response.headers()["date"].to_str().unwrap().to_owned();
    let age = httpdate::parse_http_date(&date).unwrap().elapsed().unwrap_or_default();
    assert!(age < Duration::from_mins(1), "{date}");
}
