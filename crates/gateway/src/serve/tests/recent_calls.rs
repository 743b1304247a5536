//! Tests `/v1/admin/calls` and `/v1/admin/report` over real sockets: who may read them, and that no credential is in them.

use http::HeaderValue;

use super::{sidecar::get, *};

const ADMIN: &str = "a-token-of-operators-0123456789";
const AGENT: &str = "a-token-of-the-agent-0123456789";
const CANARY: &str = "canary-credential-0123456789";

/// A service that answers with the credential that it got.
async fn echo() -> SocketAddr {
    let echoed = |headers: HeaderMap| async move {
        let credential = headers.get("x-api-key").map(|it| it.to_str().unwrap().to_owned());
        axum::Json(json!([{"echoed": credential}]))
    };
    service(Router::new().route("/pets", routing::get(echoed))).await
}

fn configuration(address: SocketAddr) -> String {
    format!(
        "call_values: true\naccess: {{principals: {{agent: {{bearer: 'literal:{AGENT}'}}, ops: {{bearer: 'literal:{ADMIN}', admin: true}}}}}}\n\
         toolsets: {{pets: {{openapi: pets.yaml, server: 'http://{address}', auth: {{api_key: {{in: header, name: X-Api-Key, value: 'literal:{CANARY}'}}}}}}}}\n"
    )
}

async fn call(sidecar: &Sidecar, token: &str, body: &str) -> String {
    let client = Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/v1/calls", sidecar.calls[0])).bearer_auth(token);
    let request = request.header("content-type", "application/json");
    request.body(body.to_owned()).send().await.unwrap().text().await.unwrap()
}

async fn shown(sidecar: &Sidecar, path: &str, token: &str) -> (u16, Value, String) {
    let answer = sidecar.get(path, &[("authorization", &format!("Bearer {token}"))]).await;
    let status = answer.status().as_u16();
    let text = answer.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or_default(), text)
}

#[tokio::test]
async fn an_admin_reads_the_last_calls_and_no_credential_is_in_them() {
    let sidecar = Sidecar::start(&configuration(echo().await)).await;
    let called = call(&sidecar, AGENT, CALL).await;
    assert!(called.contains("****") && !called.contains(CANARY), "{called}");
    let wrong = r#"{"calls": [{"id": "w", "tool": "pets-lits", "args": {"a": 1}}]}"#;
    call(&sidecar, AGENT, wrong).await;
    assert_eq!(shown(&sidecar, "/v1/admin/calls", AGENT).await.0, 403);
    let (status, listed, text) = shown(&sidecar, "/v1/admin/calls", ADMIN).await;
    assert_eq!((status, &listed["latest"]), (200, &json!(2)), "{text}");
    let (last, first) = (&listed["calls"][0], &listed["calls"][1]);
    assert_eq!((&last["ending"], &last["reached"]), (&json!("unknown_tool"), &json!("no")));
    assert_eq!((&first["tool"], &first["attempts"]), (&json!("pets-list"), &json!(1)));
    assert_eq!((&first["principal"], &first["status"]), (&json!("principal:agent"), &json!(200)));
    assert!(!text.contains("echoed") && !text.contains("arguments"), "values are of one call");
    let (_, after, _) = shown(&sidecar, "/v1/admin/calls?after=1", ADMIN).await;
    assert_eq!(after["calls"].as_array().unwrap().len(), 1);
    let (status, opened, text) = shown(&sidecar, "/v1/admin/calls/1", ADMIN).await;
    assert_eq!((status, &opened["journal"][0]["event"]), (200, &json!("attempt")), "{text}");
    assert!(opened["result"].as_str().unwrap().contains("echoed") && !text.contains(CANARY));
    for path in ["/v1/admin/calls/9", "/v1/admin/calls/x"] {
        assert_eq!(shown(&sidecar, path, ADMIN).await.0, 404, "{path}");
    }
    assert_eq!(shown(&sidecar, "/v1/admin/calls?after=x", ADMIN).await.0, 400);
    // Beyond the numbers of the description.
    let beyond = "/v1/admin/calls?after=9223372036854775808";
    assert_eq!(shown(&sidecar, beyond, ADMIN).await.0, 400);
}

#[tokio::test]
async fn the_report_shows_findings_with_their_places_and_no_credential() {
    let text = configuration(echo().await);
    let described = "
paths:
  /pets:
    get: {operationId: list, parameters: [{$ref: '#/nowhere'}], responses: {}}";
    let sidecar = Sidecar::describing(&text, described).await;
    assert_eq!(shown(&sidecar, "/v1/admin/report", AGENT).await.0, 403);
    let (status, report, text) = shown(&sidecar, "/v1/admin/report", ADMIN).await;
    assert_eq!(status, 200, "{text}");
    let pets = &report["toolsets"][0];
    assert_eq!((&pets["name"], &pets["status"]), (&json!("pets"), &json!("ready")), "{text}");
    let found = pets["diagnostics"].as_array().unwrap();
    assert!(found.iter().all(|it| it["line"].as_u64().is_some()), "{text}");
    assert!(found.iter().any(|it| it["pointer"].as_str().unwrap().contains("/paths")), "{text}");
    assert!(!text.contains(CANARY));
    assert_eq!(shown(&sidecar, "/v1/admin/report?toolset=no", ADMIN).await.0, 404);
}

#[tokio::test]
async fn without_access_this_machine_reads_calls_and_the_report_unless_the_console_is_off() {
    let sidecar = Sidecar::start(&pets(echo().await)).await;
    sidecar.call().await;
    let calls = sidecar.get("/v1/admin/calls", &[]).await.text().await.unwrap();
    assert!(calls.contains(r#""latest":1"#), "{calls}");
    let statuses = async |sidecar: &Sidecar| {
        let mut statuses = Vec::new();
        for path in ["calls", "calls/1", "report", "changes", "callsx"] {
            statuses.push(sidecar.status(&format!("/v1/admin/{path}"), &[]).await);
        }
        statuses
    };
    assert_eq!(statuses(&sidecar).await, [200, 200, 200, 403, 403]);
    let closed = format!("console: false\n{}", pets(echo().await));
    let closed = Sidecar::start(&closed).await;
    closed.call().await;
    assert_eq!(statuses(&closed).await, [403, 403, 403, 403, 403]);
    assert_eq!(closed.gateway.recent_calls().calls_after(0).1, 0, "nobody may read them");
    let admin = format!("console: false\nadmin: 127.0.0.1:0\n{}", pets(echo().await));
    let admin = Sidecar::start(&admin).await;
    admin.call().await;
    let calls = get(&admin.admin[0], "/v1/admin/calls", &[]).await.text().await.unwrap();
    assert!(calls.contains(r#""latest":1"#), "{calls}");
}

#[tokio::test]
async fn calls_are_events_as_they_end_and_a_reader_continues_after_the_last_one_it_saw() {
    let sidecar = Sidecar::start(&pets(echo().await)).await;
    sidecar.call().await;
    let headers = [("accept", "text/event-stream"), ("last-event-id", "0")];
    let answer = sidecar.get("/v1/admin/calls", &headers).await;
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut events = answer.bytes_stream();
    let mut next = async || {
        let piece = timeout(Duration::from_secs(5), events.next()).await.unwrap();
        String::from_utf8(piece.unwrap().unwrap().to_vec()).unwrap()
    };
    let first = next().await;
    assert!(first.contains("event: call") && first.contains("id: 1"), "{first}");
    sidecar.call().await;
    assert!(next().await.contains(r#""number":2"#));
    let now = sidecar.get("/v1/admin/calls", &[("accept", "text/event-stream")]).await;
    sidecar.call().await;
    let mut events = now.bytes_stream();
    let piece = timeout(Duration::from_secs(5), events.next()).await.unwrap().unwrap().unwrap();
    assert!(String::from_utf8_lossy(&piece).contains(r#""number":3"#));
}

/// The next event of a stream, in time; none at its end.
async fn next_event(stream: &mut Response) -> Option<String> {
    let piece = timeout(Duration::from_secs(5), stream.chunk()).await.unwrap().unwrap();
    piece.map(|piece| String::from_utf8(piece.to_vec()).unwrap())
}

#[tokio::test]
async fn an_admin_of_some_toolsets_sees_the_calls_of_these_alone() {
    let address = echo().await;
    let pets = format!("openapi: pets.yaml, server: 'http://{address}'");
    let text = format!(
        "call_values: true\naccess: {{principals: {{ops: {{bearer: 'literal:{ADMIN}', admin: true, toolsets: [other]}}, agent: {{bearer: 'literal:{AGENT}'}}}}}}\n\
         toolsets: {{pets: {{{pets}}}, other: {{{pets}}}}}\n"
    );
    let sidecar = Sidecar::start(&text).await;
    let token = format!("Bearer {ADMIN}");
    let headers = [("authorization", &*token), ("accept", "text/event-stream")];
    let mut stream = sidecar.get("/v1/admin/calls", &headers).await;
    for tool in ["pets-list", "nowhere-list", "other-list"] {
        call(&sidecar, AGENT, &CALL.replace("pets-list", tool)).await;
    }
    let (_, listed, text) = shown(&sidecar, "/v1/admin/calls", ADMIN).await;
    let tools: Vec<_> = listed["calls"].as_array().unwrap().iter().map(|it| &it["tool"]).collect();
    assert_eq!(tools, [&json!("other-list")], "{text}");
    for (number, expected) in [(1, 404), (2, 404), (3, 200)] {
        let path = format!("/v1/admin/calls/{number}");
        assert_eq!(shown(&sidecar, &path, ADMIN).await.0, expected, "{number}");
    }
    let event = next_event(&mut stream).await.unwrap();
    assert!(event.contains("id: 3") && event.contains("other-list"), "{event}");
}

#[tokio::test]
async fn a_stream_of_calls_ends_with_the_right_to_see_them_and_values_with_their_key() {
    let text = configuration(echo().await);
    let sidecar = Sidecar::start(&text).await;
    call(&sidecar, AGENT, CALL).await;
    let token = format!("Bearer {ADMIN}");
    let headers = [("authorization", &*token), ("accept", "text/event-stream")];
    let open = async || sidecar.get("/v1/admin/calls?after=0", &headers).await;
    let mut streams = [open().await, open().await];
    for stream in &mut streams {
        assert!(next_event(stream).await.unwrap().contains("id: 1"));
    }
    let without_values = text.replace("call_values: true\n", "");
    sidecar.reload_text(&without_values).await;
    let (_, opened, text) = shown(&sidecar, "/v1/admin/calls/1", ADMIN).await;
    assert!(opened["number"] == 1 && !text.contains("arguments"), "{text}");
    for changed in [", admin: true, toolsets: [pets]", ""] {
        let narrower = without_values.replace(", admin: true", changed);
        assert_ne!(narrower, without_values);
        sidecar.reload_text(&narrower).await;
        for stream in &mut streams {
            assert_eq!(next_event(stream).await, None, "{changed}");
        }
        sidecar.reload_text(&without_values).await;
        streams = [open().await, open().await];
        for stream in &mut streams {
            assert!(next_event(stream).await.unwrap().contains("id: 1"), "it is another reader");
        }
    }
}

#[tokio::test]
async fn a_sign_out_ends_the_stream_of_calls() {
    let sidecar = Sidecar::start(&configuration(echo().await)).await;
    let sign_ins = sidecar.gateway.sign_ins();
    let cookie = sign_ins.keep_under_new_cookie("principal:ops", ADMIN.to_owned());
    let cookie = HeaderValue::from_str(&format!("__Host-callgate={cookie}")).unwrap();
    let headers = HeaderMap::from_iter([(http::header::COOKIE, cookie)]);
    let mut request = http::Request::get("/console").body(()).unwrap();
    *request.headers_mut() = headers.clone();
    let (head, ()) = request.into_parts();
    let built = sidecar.gateway.current_build();
    let caller = crate::pages::caller_from_cookie(&sidecar.gateway, &built, &head).await;
    let caller = caller.unwrap_or_else(|_| panic!("a caller"));
    assert!(crate::rights::may_still_see_calls(&sidecar.gateway, &caller));
    sign_ins.remove(&headers);
    assert!(!crate::rights::may_still_see_calls(&sidecar.gateway, &caller));
}
