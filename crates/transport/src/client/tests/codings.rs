//! Responses in content codings, from a scripted server.

use async_compression::tokio::bufread::{
    BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder,
};
use axum::http::HeaderMap;
use tokio::io::AsyncRead;

use super::*;

async fn all(mut encoder: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut coded = Vec::new();
    encoder.read_to_end(&mut coded).await.unwrap();
    coded
}

async fn coded(coding: &str, text: &[u8]) -> Vec<u8> {
    match coding {
        "br" => all(BrotliEncoder::new(text)).await,
        "deflate" => all(ZlibEncoder::new(text)).await,
        "gzip" | "x-gzip" => all(GzipEncoder::new(text)).await,
        "zstd" => all(ZstdEncoder::new(text)).await,
        other => panic!("no coding: {other}"),
    }
}

/// Responds with these bytes, once with a length and once in chunks, with these lines of `Content-Encoding`.
async fn origins(codings: &[&'static str], body: Vec<u8>) -> [String; 2] {
    let mut headers = HeaderMap::new();
    for coding in codings {
        headers.append(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    let mut origins = Vec::new();
    for size in [body.len().max(1), 7] {
        let (headers, body) = (headers.clone(), body.clone());
        let answer = move || async move {
            let pieces = (0..body.len()).step_by(size).map(move |from| {
                let to = body.len().min(from + size);
                Ok::<_, io::Error>(Bytes::copy_from_slice(&body[from..to]))
            });
            let pieces = stream::iter(pieces);
            (headers, Body::from_stream(pieces))
        };
        origins.push(serve(Router::new().route("/", get_route(answer))).await);
    }
    origins.try_into().unwrap()
}

fn bounded(response_bytes: usize) -> Limits {
    Limits { response_bytes, ..Limits::default() }
}

#[tokio::test]
async fn raw_and_zlib_deflate_streams_are_decoded() {
    for text in ["a", "Stra\u{df}e ", "\0"] {
        let text = text.repeat(4000);
        let body = all(DeflateEncoder::new(text.as_bytes())).await;
        for origin in origins(&["deflate"], body).await {
            let response = send_within(get(&origin, "/"), bounded(text.len())).await.unwrap();
            assert_eq!(response.body(), text.as_bytes());
        }
    }
}

#[tokio::test]
async fn each_coding_is_decoded_up_to_the_bound() {
    let text = "Straße ".repeat(4000);
    for coding in ["br", "deflate", "gzip", "x-gzip", "zstd"] {
        let body = coded(coding, text.as_bytes()).await;
        assert!(body.len() < text.len() / 2, "{coding} compresses");
        for origin in origins(&[coding], body).await {
            let response = send_within(get(&origin, "/"), bounded(text.len())).await.unwrap();
            assert_eq!(response.body(), text.as_bytes(), "{coding}");
            assert!(!response.headers().contains_key(CONTENT_ENCODING), "{coding}");
            let over = send_within(get(&origin, "/"), bounded(text.len() - 1)).await;
            check_failure(over, ErrorKind::TooLarge, Reached::Yes);
        }
    }
}

#[tokio::test]
async fn a_word_that_names_no_coding_leaves_the_bytes_as_they_are() {
    for word in ["utf-8", "UTF-8", "ISO-8859-1", "application/json", "aws-chunked", "None"] {
        for origin in origins(&[word], b"[1]".to_vec()).await {
            assert_eq!(send(get(&origin, "/")).await.unwrap().body(), "[1]", "{word}");
        }
        let body = coded("gzip", b"[1]").await;
        for origin in origins(&[word, "gzip"], body).await {
            assert_eq!(send(get(&origin, "/")).await.unwrap().body(), "[1]", "{word}, gzip");
        }
    }
}

#[tokio::test]
async fn concatenated_gzip_members_and_zstd_frames_are_decoded() {
    for coding in ["gzip", "zstd"] {
        let body = [coded(coding, b"one ").await, coded(coding, b"two").await].concat();
        for origin in origins(&[coding], body).await {
            assert_eq!(send(get(&origin, "/")).await.unwrap().body(), "one two", "{coding}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_not_in_its_announced_coding_is_a_coding_error() {
    for coding in ["br", "deflate", "gzip", "zstd"] {
        let whole = coded(coding, &[7; 5000]).await;
        let cut = origins(&[coding], whole[..whole.len() - 1].to_vec()).await;
        let plain = origins(&[coding], b"plainly not coded".to_vec()).await;
        for origin in cut.iter().chain(&plain) {
            check_failure(send(get(origin, "/")).await, ErrorKind::Coding, Reached::Yes);
        }
    }
}

#[tokio::test]
async fn a_connection_that_breaks_in_a_compressed_answer_is_a_receive_error() {
    let origin = serve_raw(|mut connection| async move {
        connection.read_head().await;
        let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 100\r\n\r\n";
        connection.write(head).await;
        connection.write(&coded("gzip", b"hello").await[..12]).await;
    })
    .await;
    check_failure(send(get(&origin, "/")).await, ErrorKind::Receive, Reached::Maybe);
}

#[tokio::test]
async fn an_empty_body_is_empty_in_every_coding() {
    for coding in ["br", "deflate", "gzip", "zstd"] {
        for origin in origins(&[coding], Vec::new()).await {
            assert_eq!(send(get(&origin, "/")).await.unwrap().body(), "", "{coding}");
            let request = Request::head(&origin).body(Bytes::new()).unwrap();
            assert_eq!(send(request).await.unwrap().body(), "", "{coding}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_expands_too_far_is_refused() {
    let zeros = vec![b'0'; 4 << 20];
    for coding in ["br", "deflate", "gzip", "zstd"] {
        let body = coded(coding, &zeros).await;
        assert!(body.len() * 200 < zeros.len(), "{coding}: {}", body.len());
        for origin in origins(&[coding], body).await {
            let sent = send_within(get(&origin, "/"), bounded(1 << 30)).await;
            check_failure(sent, ErrorKind::Expanding, Reached::Yes);
        }
        let short = coded(coding, &zeros[..60_000]).await;
        for origin in origins(&[coding], short).await {
            assert_eq!(send(get(&origin, "/")).await.unwrap().body().len(), 60_000, "{coding}");
        }
    }
}
