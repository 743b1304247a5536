//! Threats 21, 22 and 27 to 31 of `SECURITY.md`: values that must arrive as they were meant, and answers that attack. Real
//! connections; rows 20 and 22 begin with text and are tested with the command.

use crate::prelude::*;

use async_compression::tokio::bufread::GzipEncoder;

const DESCRIPTION: &str = r"
paths:
  /items/{id}:
    get:
      operationId: item
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
  /numbers:
    post:
      operationId: numbers
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, properties: { n: { type: number } }, required: [n] } } }
";
const CANARY: &str = "canary-5ecret/+key";

async fn answered(server: &Raw, settings: &str) -> Outcome {
    let executor = target::executor(DESCRIPTION, &server.origin, settings);
    call(&executor, "item", json!({"id": "1"})).await.outcome
}

/// An answer with this body and these further headers, sent at once.
async fn body(headers: &str, body: &[u8]) -> Raw {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n", body.len());
    Raw::once([head.as_bytes(), body].concat()).await
}

async fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    GzipEncoder::new(bytes).read_to_end(&mut coded).await.unwrap();
    coded
}

#[tokio::test]
async fn row_21_digits_are_preserved_in_requests_and_answers() {
    let server = Server::start().await;
    let executor = target::executor(DESCRIPTION, &server.url(""), "");
    let texts = "9007199254740993 -123456789012345678901234567890
        0.1000000000000000055511151231257827 1.10";
    for digits in texts.split_whitespace() {
        let arguments = serde_json::from_str(&format!("{{\"n\":{digits}}}")).unwrap();
        let seen = target::json(call(&executor, "numbers", arguments).await.outcome);
        assert_eq!(seen["body"], format!("{{\"n\":{digits}}}"));
        let answer = body("content-type: application/json\r\n", digits.as_bytes()).await;
        let Outcome::Answered(answer) = answered(&answer, "").await else { panic!("no answer") };
        let Content::Json(json) = answer.content else { panic!("no JSON") };
        assert_eq!((json.text(), json.value().to_string()), (digits, digits.to_owned()));
    }
    let arguments = serde_json::from_str("{\"n\":1e400}").unwrap();
    let seen = target::json(call(&executor, "numbers", arguments).await.outcome);
    assert!(
        ["{\"n\":1e400}", "{\"n\":1e+400}"].contains(&seen["body"].as_str().unwrap()),
        "{seen}"
    );
}

#[tokio::test]
async fn row_22_characters_are_sent_unchanged() {
    let server = Server::start().await;
    let executor = target::executor(DESCRIPTION, &server.url("/v1"), "");
    for (id, path) in [
        ("e\u{301}", "/v1/items/e%CC%81"),
        ("\u{e9}", "/v1/items/%C3%A9"),
        ("\u{ff0e}\u{ff0e}", "/v1/items/%EF%BC%8E%EF%BC%8E"),
        ("a\u{2215}b", "/v1/items/a%E2%88%95b"),
        ("\u{1f600}", "/v1/items/%F0%9F%98%80"),
    ] {
        let seen = target::json(call(&executor, "item", json!({"id": id})).await.outcome);
        assert_eq!(seen["target"], path);
    }
}

#[tokio::test]
async fn row_27_compression_bombs_and_endless_answers_end_at_the_limit() {
    // Members of gzip simply follow one another: two hundred times a mebibyte of zeros.
    let bomb = gzip(&vec![0; 1 << 20]).await.repeat(200);
    let bomb = body("content-encoding: gzip\r\n", &bomb).await;
    let twice = gzip(&gzip(b"hello").await).await;
    let twice_in_one = body("content-encoding: gzip, gzip\r\n", &twice).await;
    let twice_in_two = body("content-encoding: gzip\r\ncontent-encoding: gzip\r\n", &twice).await;
    let endless = Raw::start(|mut connection| async move {
        connection.read_head().await;
        connection.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        while connection.write(&chunk).await {}
    })
    .await;
    let announced = Raw::stuck("HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n").await;
    for (server, code) in [
        (bomb, FaultCode::ResponseTooLarge),
        (twice_in_one, FaultCode::UnreadableResponse),
        (twice_in_two, FaultCode::UnreadableResponse),
        (endless, FaultCode::ResponseTooLarge),
        (announced, FaultCode::ResponseTooLarge),
    ] {
        let fault = fault(answered(&server, "limits: { response_bytes: 64MiB }").await);
        assert_eq!((fault.code, fault.reached), (code, Reached::Yes));
    }
}

#[tokio::test(start_paused = true)]
async fn row_28_a_slow_service_ends_at_the_deadline_of_the_whole_call() {
    let dripping = Raw::start(|mut connection| async move {
        connection.read_head().await;
        connection.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n").await;
        while connection.write("x").await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let silent = Raw::silent().await;
    let slow_head = Raw::start(|mut connection| async move {
        connection.read_head().await;
        while connection.write("HTTP/1.1 100 Continue\r\n\r\n").await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    for server in [dripping, silent, slow_head] {
        let started = Instant::now();
        let fault = fault(answered(&server, "limits: { timeout: 300ms }").await);
        assert_eq!((fault.code, fault.reached), (FaultCode::TimedOut, Reached::Maybe));
        assert!((300..400).contains(&started.elapsed().as_millis()), "{:?}", started.elapsed());
    }
}

#[tokio::test]
async fn row_29_a_malformed_answer_is_refused() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\ncontent-length: 1, 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n4\r\ntrue\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\ncontent-length: 0\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nx y: 1\r\n\r\n",
        "HTTP/1.1 two hundred\r\n\r\n",
        "\u{16}\u{3}\u{1}",
    ] {
        let fault = fault(answered(&Raw::once(answer).await, "").await);
        assert_eq!(
            (fault.code, fault.reached),
            (FaultCode::Unreachable, Reached::Maybe),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn row_29_an_answer_of_ambiguous_length_closes_its_connection() {
    for rest in [
        "content-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n4\r\ntrue\r\n0\r\n\r\n",
        "content-length: 40\r\ntransfer-encoding: chunked\r\n\r\n4\r\ntrue\r\n",
        "content-length: -1\r\n\r\nok",
        "content-length: 0x2\r\n\r\nok",
        "transfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n",
    ] {
        let server = Raw::always(format!("HTTP/1.1 200 OK\r\n{rest}")).await;
        let executor = target::executor(DESCRIPTION, &server.origin, "");
        for _ in 0..3 {
            let fault = fault(call(&executor, "item", json!({"id": "1"})).await.outcome);
            assert_eq!((fault.code, fault.reached), (FaultCode::Unreachable, Reached::Maybe));
        }
        assert_eq!(server.n_connections(), 3, "{rest:?}");
    }
}

#[tokio::test]
async fn row_29_bytes_after_an_answer_answer_no_other_call() {
    let json = "content-type: application/json\r\n";
    let poison = format!("HTTP/1.1 200 OK\r\n{json}content-length: 8\r\n\r\n\"poison\"");
    for head in [
        format!("{json}content-length: 4\r\n\r\ntrue"),
        format!(
            "{json}content-length: 0\r\ntransfer-encoding: chunked\r\n\r\n4\r\ntrue\r\n0\r\n\r\n"
        ),
    ] {
        let server = Raw::always(format!("HTTP/1.1 200 OK\r\n{head}{poison}")).await;
        let executor = target::executor(DESCRIPTION, &server.origin, "");
        for _ in 0..4 {
            match call(&executor, "item", json!({"id": "1"})).await.outcome {
                outcome @ Outcome::Answered(_) => assert_eq!(target::json(outcome), json!(true)),
                outcome => assert_eq!(fault(outcome).code, FaultCode::Unreachable),
            }
        }
        assert_eq!(server.n_connections(), 4, "no connection is used again");
    }
}

#[tokio::test]
async fn row_30_every_answer_is_shown_as_clean_text() {
    for (media_type, sent, expected) in [
        ("application/json", &b"{\"v\":\"\xff\"}"[..], json!({"v": "\u{fffd}"})),
        ("application/json", b"\xef\xbb\xbf[1]", json!([1])),
        ("text/html", b"<h1>a</h1><script>x</script>", json!("a")),
        ("text/plain", b"\x1b[31mred\x1b[0m \x07\x00", json!("red ")),
        ("text/plain", b"\xc3\x28", json!("\u{fffd}(")),
        (
            "application/json",
            b"{\"m\":\"ok\\n2026-01-01 ERROR forged\\u001b[2J\"}",
            json!({"m": "ok\n2026-01-01 ERROR forged"}),
        ),
    ] {
        let server = body(&format!("content-type: {media_type}\r\n"), sent).await;
        let executor = target::executor(DESCRIPTION, &server.origin, "");
        let result = call(&executor, "item", json!({"id": "1"})).await;
        assert_eq!(json_result(&result).value()["response"], expected, "{sent:?}");
    }
}

/// The result as a model sees it, and all that is said of the call besides.
async fn shown(server: &Raw, auth: &str) -> String {
    let executor = target::executor(DESCRIPTION, &server.origin, auth);
    let result = call(&executor, "item", json!({"id": "1"})).await;
    let kept = match &result.outcome {
        Outcome::Answered(answer) => match &answer.handle {
            Some(handle) => executor.result(handle, &Session::default(), None).await.unwrap(),
            None => None,
        },
        _ => None,
    };
    format!("{}\n{result:?}\n{kept:?}", json_result(&result))
}

/// Answers in two writes, the second when nothing else is left to do, so that an echoed secret comes in two pieces.
async fn in_two_pieces(answer: String, at: usize) -> Raw {
    Raw::start(move |mut connection| {
        let answer = answer.clone();
        async move {
            connection.read_head().await;
            let (first, second) = answer.split_at(at);
            connection.write(first).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            connection.write(second).await;
        }
    })
    .await
}

/// How a service may spell what it was sent.
fn spellings() -> [String; 7] {
    [
        CANARY.to_owned(),
        BASE64_STANDARD.encode(CANARY),
        BASE64_STANDARD.encode(format!("x{CANARY}")),
        BASE64_STANDARD.encode(format!("user:{CANARY}")),
        CANARY.replace('/', "%2F").replace('+', "%2B"),
        CANARY.replace('/', "\\/"),
        CANARY.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ]
}

#[track_caller]
fn check_masked(shown: &str) {
    let start: String = shown.chars().take(500).collect();
    assert!(shown.contains("****"), "{start}");
    for spelling in spellings() {
        // The ends of base64 depend on what stands beside it.
        let core = spelling.trim_end_matches('=');
        let core = core.get(4..core.len() - 4).unwrap();
        assert!(!shown.contains(core), "{core} in {start}");
    }
}

#[tokio::test(start_paused = true)]
async fn row_31_an_echoed_credential_is_masked_in_every_spelling() {
    let long = "z".repeat(40_000);
    for (auth, status, media_type) in [
        ("bearer: { token: 'literal:KEY' }", "200 OK", "application/json"),
        ("api_key: { in: query, name: k, value: 'literal:KEY' }", "500 Oops", "application/json"),
        ("basic: { username: user, password: 'literal:KEY' }", "422 No", "text/plain"),
        ("api_key: { in: header, name: X-K, value: 'literal:KEY' }", "200 OK", "application/zip"),
    ] {
        let auth = format!("auth: {{ {} }}", auth.replace("KEY", CANARY));
        for spelling in spellings() {
            let text = format!("{{\"you\":\"{spelling}\",\"pad\":\"{long}\"}}");
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\nlink: <?page={CANARY}>; rel=next\r\ncontent-length: {}\r\n\r\n",
                text.len()
            );
            let server = in_two_pieces(format!("{head}{text}"), head.len() + 12).await;
            check_masked(&shown(&server, &auth).await);
        }
    }
}

#[test]
fn every_row_of_the_security_table_has_its_test() {
    let source = [include_str!("security.rs"), include_str!("security_answers.rs")].concat();
    let rows: Value = (1..=12).chain([21, 22, 23]).chain(27..=31).collect();
    for row in rows.as_array().unwrap() {
        let is_named = source.contains(&format!("row_{row}_"))
            || source.contains(&format!("rows_{row}_"))
            || source.contains(&format!("_and_{row}_"));
        assert!(is_named, "row {row}");
    }
}

/// What decoding puts together is masked, and the whole is kept only where nothing would be put together again.
#[tokio::test]
async fn row_59_a_secret_that_appears_by_decoding_is_masked() {
    let settings = format!(
        "auth: {{ bearer: {{ token: 'literal:{CANARY}' }} }}\nlimits: {{ result_bytes: 64 }}"
    );
    let rest = "<p>".to_owned() + &"more ".repeat(100);
    let utf16: Vec<u8> =
        format!("{CANARY} {rest}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let script = CANARY.replace('5', "5<script>x</script>") + &rest;
    let reference = CANARY.replace('/', "&#x2F;") + &rest;
    for (media_type, sent, is_kept) in [
        ("text/html", reference.into_bytes(), true),
        ("text/html", script.into_bytes(), false),
        ("text/plain; charset=utf-16le", utf16, true),
        (
            "text/plain; charset=iso-2022-jp",
            [b"canary-5\x1b(Becret/+key ", rest.as_bytes()].concat(),
            false,
        ),
    ] {
        let server = body(&format!("content-type: {media_type}\r\n"), &sent).await;
        let executor = target::executor(DESCRIPTION, &server.origin, &settings);
        let result = call(&executor, "item", json!({"id": "1"})).await;
        let Outcome::Answered(answer) = result.outcome else { panic!("{result:?}") };
        let Content::Text { text, .. } = &answer.content else { panic!("{answer:?}") };
        assert!(text.starts_with("****"), "{media_type}: {text}");
        assert!(answer.truncated.is_some());
        assert_eq!(answer.handle.is_some(), is_kept, "{media_type}");
        let kept = match &answer.handle {
            Some(handle) => executor.result(handle, &Session::default(), None).await.unwrap(),
            None => None,
        };
        let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).replace('\0', ""));
        assert!(kept.is_none_or(|kept| kept.contains("****")), "{media_type}");
    }
}
