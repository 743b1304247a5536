//! The size of a response that is read.

use axum::routing::head;

use super::*;

fn bounded(response_bytes: usize) -> Limits {
    Limits { response_bytes, ..Limits::default() }
}

#[tokio::test]
async fn chunks_over_the_bound_are_refused() {
    let chunks =
        || async { Body::from_stream(stream::iter([Ok::<_, Infallible>("abcd"), Ok("efgh")])) };
    let origin = serve(Router::new().route("/", get_route(chunks))).await;
    assert_eq!(send_within(get(&origin, "/"), bounded(8)).await.unwrap().body(), "abcdefgh");
    check_failure(
        send_within(get(&origin, "/"), bounded(7)).await,
        ErrorKind::TooLarge,
        Reached::Yes,
    );
}

#[tokio::test]
async fn an_answer_to_head_has_no_body() {
    let origin =
        serve(Router::new().route("/", head(|| async { [("content-length", "10737418240")] })))
            .await;
    let request = Request::head(&origin).body(Bytes::new()).unwrap();
    assert_eq!(send(request).await.unwrap().body().len(), 0);
}
