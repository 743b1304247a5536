//! Results that are sent on: the handle of one call's file is an argument of the next. A real server that answers with
//! a file and tells what arrived.

use crate::prelude::*;
use std::future::ready;

use axum::{body::Bytes, http::header::CONTENT_TYPE};
use callgate::result::Part;

const DESCRIPTION: &str = concat!("\n", include_str!("handles.yaml"));

/// Bytes that are no text, with what could end a part.
fn file() -> Vec<u8> {
    (0..=255).chain(*b"\r\n--\r\n\0\xff").collect()
}

const PARTS: &str = "multipart/mixed; boundary=b";

/// A text and the file.
fn parts() -> Vec<u8> {
    let (head, tail) =
        ("--b\r\n\r\nhere it is\r\n--b\r\nContent-Type: application/zip\r\n\r\n", "\r\n--b--");
    [head.as_bytes(), &file(), tail.as_bytes()].concat()
}

async fn arrived(headers: HeaderMap, body: Bytes) -> Json<Value> {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    Json(json!({"type": media_type, "body": BASE64_STANDARD.encode(body)}))
}

async fn executor() -> Executor {
    let app = Router::new()
        .route("/file", get(|_: Request| async { ([(CONTENT_TYPE, "application/zip")], file()) }))
        .route("/parts", get(|_: Request| async { ([(CONTENT_TYPE, PARTS)], parts()) }))
        .fallback(post(arrived));
    target::executor(DESCRIPTION, &serve(app).await, "")
}

async fn fetched(executor: &Executor) -> String {
    match call(executor, "fetch", json!({})).await.outcome {
        Outcome::Answered(answer) => answer.handle.unwrap().to_string(),
        other => panic!("no answer: {other:?}"),
    }
}

/// The media type and the bytes that arrived.
async fn seen(executor: &Executor, tool: &str, arguments: Value) -> (String, Vec<u8>) {
    let seen = target::json(call(executor, tool, arguments).await.outcome);
    let body = BASE64_STANDARD.decode(seen["body"].as_str().unwrap()).unwrap();
    (seen["type"].as_str().unwrap().to_owned(), body)
}

#[tokio::test]
async fn the_file_of_one_call_is_the_argument_of_the_next() {
    let executor = executor().await;
    let handle = fetched(&executor).await;
    let sent = seen(&executor, "raw", json!({"body": {"handle": handle}})).await;
    assert_eq!(sent, ("application/octet-stream".to_owned(), file()));

    let arguments = json!({"file": {"handle": handle, "filename": "a.zip"}});
    let (media_type, body) = seen(&executor, "form", arguments.clone()).await;
    let boundary = media_type.strip_prefix("multipart/form-data; boundary=").unwrap();
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\
         Content-Type: application/zip\r\n\r\n"
    );
    let tail = format!("\r\n--{boundary}--\r\n");
    assert_eq!(body, [head.as_bytes(), &file(), tail.as_bytes()].concat());

    let planned = executor.dry_run(&asked("form", arguments), &Session::default()).await.outcome;
    assert!(matches!(planned, Outcome::Planned(_)), "{planned:?}");
}

#[tokio::test]
async fn the_file_in_a_part_of_an_answer_is_the_argument_of_the_next() {
    let executor = executor().await;
    let Outcome::Answered(answer) = call(&executor, "parts", json!({})).await.outcome else {
        panic!("no answer")
    };
    assert_eq!(answer.handle, None, "all that is said beside the file is shown");
    let Content::Parts(parts) = &answer.content else { panic!("{answer:?}") };
    let [Part { handle: None, .. }, Part { handle: Some(handle), .. }] = &**parts else {
        panic!("{parts:?}")
    };
    let sent = seen(&executor, "raw", json!({"body": {"handle": handle.as_str()}})).await;
    assert_eq!(sent, ("application/octet-stream".to_owned(), file()));
}

/// What is sent once more with a fresh token is the same file.
#[tokio::test]
async fn an_upload_that_is_repeated_after_a_401_keeps_its_handle() {
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&bodies);
    let raw = move |headers: HeaderMap, body: Bytes| {
        seen.lock().unwrap().push(body);
        let is_refused = headers["authorization"] == "Bearer token-1";
        let challenge = [("www-authenticate", "Bearer error=\"invalid_token\"")];
        let refused = (StatusCode::UNAUTHORIZED, challenge).into_response();
        let answer = if is_refused { refused } else { StatusCode::NO_CONTENT.into_response() };
        ready(answer)
    };
    let n_tokens = Arc::new(AtomicUsize::new(1));
    let token = move |_: Request| {
        let token = format!("token-{}", n_tokens.fetch_add(1, Ordering::Relaxed));
        async move { Json(json!({"access_token": token, "token_type": "Bearer", "expires_in": 3600})) }
    };
    let file_of_it = |_: Request| async { ([(CONTENT_TYPE, "application/zip")], file()) };
    let app = Router::new()
        .route("/file", get(file_of_it))
        .route("/raw", post(raw))
        .route("/token", post(token));
    let origin = serve(app).await;
    let settings = format!(
        "auth: {{ oauth2_client_credentials: {{ token_url: '{origin}/token', client_id: me }} }}"
    );
    let executor = target::executor(DESCRIPTION, &origin, &settings);
    let handle = fetched(&executor).await;
    let result = call(&executor, "raw", json!({"body": {"handle": handle}})).await;
    assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    assert!(result.journal.events().contains(&Event::CredentialRenewed), "{result:?}");
    assert_eq!(*bodies.lock().unwrap(), [file(), file()]);
}

#[tokio::test]
async fn an_unknown_handle_is_a_fault_before_anything_is_sent() {
    let executor = executor().await;
    let arguments = json!({"body": {"handle": "result:00ff"}});
    let asked = asked("raw", arguments.clone());
    let prepared = executor.dry_run(&asked, &Session::default()).await;
    for outcome in [call(&executor, "raw", arguments).await.outcome, prepared.outcome] {
        let fault = fault(outcome);
        assert_eq!(
            (fault.code, fault.reached, fault.next),
            (FaultCode::InvalidArguments, Reached::No, Next::CorrectArguments)
        );
        assert_eq!(fault.problems[0].at, "body.handle");
    }
}

#[tokio::test]
async fn a_handle_is_valid_only_for_its_session_and_principal() {
    let executor = executor().await;
    let (own, other) = (Session::new("own"), Session::new("other"));
    let fetch = asked("fetch", json!({}));
    let made = Call::new(&fetch, &own).with_principal(Principal::new("kim"));
    let Outcome::Answered(answer) = executor.call_with(made).await.outcome else {
        panic!("no answer")
    };
    let handle = answer.handle.unwrap();
    let upload = asked("raw", json!({"body": {"handle": handle.to_string()}}));
    for (session, principal, is_own) in [
        (&own, Some("kim"), true),
        (&other, Some("kim"), false),
        (&own, Some("lee"), false),
        (&own, None, false),
        (&other, None, false),
    ] {
        let principal = principal.map(Principal::new);
        let kept = executor.result(&handle, session, principal.as_ref()).await.unwrap();
        assert_eq!(kept.is_some(), is_own, "{session:?} {principal:?}");
        let call = Call::new(&upload, session);
        let call = match principal {
            Some(principal) => call.with_principal(principal),
            None => call,
        };
        let outcome = executor.call_with(call).await.outcome;
        if is_own {
            assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
            continue;
        }
        let fault = fault(outcome);
        assert_eq!((fault.code, fault.reached), (FaultCode::InvalidArguments, Reached::No));
        assert_eq!(fault.problems[0].at, "body.handle");
    }
}
