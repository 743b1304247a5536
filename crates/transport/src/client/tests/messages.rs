//! The bytes of requests on the wire, and the responses that are read from them.

use axum::{http::StatusCode, routing::post};
use tokio::sync::mpsc;

use super::*;

#[tokio::test]
async fn a_body_is_sent_and_an_answer_body_received() {
    let origin = serve(
        Router::new().route("/echo", post(|body: Bytes| async { (StatusCode::CREATED, body) })),
    )
    .await;
    let request =
        Request::post(format!("{origin}/echo")).body(Bytes::from_static(b"{\"a\":1}")).unwrap();
    let response = send(request).await.unwrap();
    assert_eq!((response.status().as_u16(), &response.body()[..]), (201, &b"{\"a\":1}"[..]));
    assert_eq!(response.headers()["content-length"], "7");
}

#[tokio::test]
async fn a_response_of_status_204_has_an_empty_body() {
    let origin =
        serve(Router::new().route("/", get_route(|| async { StatusCode::NO_CONTENT }))).await;
    let response = send(get(&origin, "/")).await.unwrap();
    assert_eq!((response.status().as_u16(), response.body().len()), (204, 0));
}

#[tokio::test]
async fn a_redirect_is_answered_and_not_followed() {
    let n_calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_calls);
    let elsewhere = serve(Router::new().fallback(any(move || async move {
        counted.fetch_add(1, Ordering::SeqCst);
    })))
    .await;
    let location = format!("{elsewhere}/stolen");
    let routes = Router::new().route(
        "/",
        get_route(move || async move {
            (StatusCode::TEMPORARY_REDIRECT, [("location", location)], "moved")
        }),
    );
    let origin = serve(routes).await;
    let mut request = get(&origin, "/?key=canary");
    request.headers_mut().insert("x-api-key", "canary".parse().unwrap());
    let response = send(request).await.unwrap();
    assert_eq!((response.status().as_u16(), &response.body()[..]), (307, &b"moved"[..]));
    assert_eq!(n_calls.load(Ordering::SeqCst), 0);
}

async fn arriving(request: impl FnOnce(&str) -> Request<Bytes>) -> String {
    let (heads, mut arrived) = mpsc::unbounded_channel();
    let origin = serve_raw(move |mut connection| {
        let heads = heads.clone();
        async move {
            heads.send(connection.read_head().await.unwrap()).unwrap();
            connection.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
        }
    })
    .await;
    send(request(&origin)).await.unwrap();
    arrived.recv().await.unwrap()
}

#[tokio::test]
async fn the_request_target_is_sent_unchanged() {
    for target in ["/", "/a%2Fb//c/?", "/%2e%2ea?x=%26+%20&y", "/a;b=c,@:!$&()*=~?a[]=1"] {
        let head = arriving(|origin| get(origin, target)).await;
        assert_eq!(head.lines().next(), Some(&*format!("GET {target} HTTP/1.1")));
    }
}

#[tokio::test]
async fn the_client_adds_only_user_agent_framing_and_accept_encoding() {
    let head = arriving(|origin| {
        let request =
            Request::post(format!("{origin}/")).header("x-a", "1").header("accept", "text/plain");
        request.body(Bytes::new()).unwrap()
    })
    .await;
    let mut names: Vec<_> = head.lines().skip(1).filter_map(|line| line.split_once(':')).collect();
    names.retain(|(name, _)| *name != "host");
    assert_eq!(
        names,
        [
            ("x-a", " 1"),
            ("accept", " text/plain"),
            ("user-agent", concat!(" callgate/", env!("CARGO_PKG_VERSION"))),
            ("accept-encoding", " gzip, br, zstd, deflate"),
            ("content-length", " 0")
        ]
    );
}

#[tokio::test]
async fn a_request_without_accept_is_sent_with_accept_any() {
    let head = arriving(|origin| get(origin, "/")).await;
    assert!(head.lines().any(|line| line == "accept: */*"), "{head}");
}

#[tokio::test]
async fn headers_that_frame_the_message_are_refused_before_anything_is_sent() {
    let origin = closed_origin();
    for (name, value) in [
        ("host", "elsewhere.example"),
        ("content-length", "5"),
        ("transfer-encoding", "chunked"),
        ("connection", "close, authorization"),
        ("upgrade", "websocket"),
        ("expect", "100-continue"),
        ("proxy-authorization", "Basic canary"),
    ] {
        let mut request = get(&origin, "/");
        request.headers_mut().insert(name, value.parse().unwrap());
        check_failure(send(request).await, ErrorKind::Refused, Reached::No);
    }
}

#[tokio::test]
async fn a_url_the_client_would_change_is_refused_before_anything_is_sent() {
    let origin = closed_origin();
    for target in ["/a/../admin", "/a/%2e%2e/admin", "/a/.%2E", "/.", "/a?q='"] {
        check_failure(send(get(&origin, target)).await, ErrorKind::Refused, Reached::No);
    }
}

#[tokio::test]
async fn cookies_of_a_response_are_not_sent_again() {
    let client = Client::new().unwrap();
    let routes = Router::new().route(
        "/",
        get_route(async |headers: http::HeaderMap| {
            ([("set-cookie", "session=canary; Path=/")], format!("{:?}", headers.get("cookie")))
        }),
    );
    let origin = serve(routes).await;
    for _ in 0..2 {
        let response = client.send(get(&origin, "/"), &Limits::default()).await.unwrap();
        assert_eq!(response.body(), "None");
    }
}

#[tokio::test]
async fn an_unrequested_response_answers_no_request() {
    // Finding 7 of `SECURITY.md`: the service appends a second response for the next caller of the connection.
    let n_answers = Arc::new(AtomicUsize::new(0));
    let origin =
        serve_raw(move |connection| answer_twice(connection, Arc::clone(&n_answers))).await;
    let client = Client::new().unwrap();
    for honest in 0..6 {
        let response = client.send(get(&origin, "/"), &Limits::default()).await.unwrap();
        assert_eq!(response.body(), &honest.to_string());
    }
}

async fn answer_twice(mut connection: Connection, n_answers: Arc<AtomicUsize>) {
    while connection.read_head().await.is_some() {
        let honest = n_answers.fetch_add(1, Ordering::SeqCst);
        let forged = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n{honest}{forged}");
        connection.write(&answer).await;
    }
}
