//! The time that an exchange may take.

use tokio::time::{Instant, interval};

use super::*;

async fn check_timed_out(origin: &str) {
    let began = Instant::now();
    let limits = Limits { timeout: SHORT, ..Limits::default() };
    let error = check_failure(
        send_within(get(origin, "/"), limits).await,
        ErrorKind::TimedOut,
        Reached::Maybe,
    );
    assert!(error.is_transient());
    assert!(began.elapsed() >= SHORT, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_service_that_never_answers_is_a_timeout() {
    let origin = Raw::silent().await.origin;
    check_timed_out(&origin).await;
}

#[tokio::test(start_paused = true)]
async fn a_service_that_stops_within_the_body_is_a_timeout() {
    let origin = Raw::stuck("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab").await.origin;
    check_timed_out(&origin).await;
}

#[tokio::test(start_paused = true)]
async fn the_timeout_covers_a_slowly_dripping_body() {
    // The bytes arrive faster than any deadline between two bytes.
    let dripping = || async {
        Body::from_stream(stream::unfold(interval(SHORT / 20), |mut clock| async move {
            clock.tick().await;
            Some((Ok::<_, Infallible>("."), clock))
        }))
    };
    let origin = serve(Router::new().route("/", get_route(dripping))).await;
    check_timed_out(&origin).await;
}
