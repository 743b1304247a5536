//! Tests answers of token endpoints, as servers in the world write them.

use callgate_secret::{Masker, Secret};
use callgate_testkit::rows;
use http::header::WWW_AUTHENTICATE;

use super::*;

fn answer(status: u16, media_type: &str, body: &str) -> Response<Bytes> {
    let builder = Response::builder().status(status).header(CONTENT_TYPE, media_type);
    builder.body(Bytes::from(body.to_owned())).unwrap()
}

fn shown(failure: &EndpointFailure) -> String {
    match failure {
        EndpointFailure::Refused { code, .. } => format!("refused {code}"),
        EndpointFailure::Unavailable { why, retry, .. } => format!("{why}, {retry:?}"),
        EndpointFailure::Unreadable { why, .. } => why.to_string(),
    }
}

#[test]
fn a_token_is_read_under_every_media_type_and_status_of_success() {
    let bodies = [
        "{\"access_token\":\"T\",\"token_type\":\"Bearer\"}",
        " \r\n{\"access_token\":\"T\"}\n",
        "\u{feff}{\"access_token\":\"T\"}",
        "{\"access_token\":\"U\",\"access_token\":\"T\"}",
        "{\"error\":null,\"access_token\":\"T\"}",
        "access_token=T&token_type=bearer&scope=",
        "token_type=bearer&access_token=T",
    ];
    let media_types = [
        "application/json",
        "text/plain;charset=UTF-8",
        "text/html",
        "application/vnd.oauth+json",
        "application/x-www-form-urlencoded",
        "no media type",
        "",
    ];
    for body in bodies {
        for media_type in media_types {
            for status in [200, 201, 203] {
                let read = token_response(&answer(status, media_type, body));
                let read = read.unwrap_or_else(|failure| panic!("{body}: {failure:?}"));
                assert_eq!(read.token.expose(), "T", "{status} {media_type} {body}");
            }
        }
    }
}

#[track_caller]
fn check(status: u16, body: &str, expected: &str) {
    for media_type in ["application/json", "text/plain", "text/html"] {
        let failure = token_response(&answer(status, media_type, body)).unwrap_err();
        assert_eq!(shown(&failure), expected, "{status} {media_type} {body}");
    }
}

#[test]
fn a_refusal_is_read_under_every_status() {
    for status in [200, 400, 401, 403] {
        let texts = r#"{"access_token":null,"error":"invalid_client"} {"error":"INVALID_CLIENT"}
            {"ok":false,"error":"invalid_client"}
            {"error":{"code":"invalid_client","message":"x"}}
            {"error":{"code":401,"type":"invalid_client"}}
            {"errorCode":"invalid_client","errorSummary":"x"}
            {"ErrorCode":"invalid_client","Error":"x"} error=invalid_client&error_description=x"#;
        let others = ["{\"error\":\"invalid_client\",\"error_description\":\"no such client\"}"];
        for body in texts.split_whitespace().chain(others) {
            check(status, body, "refused invalid_client");
        }
        for body in
            ["{\"error\":\"canary\"}", "{\"error\":{\"message\":\"canary\"}}", "{\"error\":true}"]
        {
            check(status, body, "refused an error code of its own");
        }
    }
}

#[test]
fn the_reason_of_a_refusal_is_kept_on_one_line_without_the_secrets_of_its_request() {
    let masker = Masker::new(vec![Secret::new("client-secret-0123456789".to_owned())]);
    for [body, expected] in rows(
        r#"
        {"error":"invalid_scope","error_description":"AADSTS1002012: the scope has to end in /.default"} => AADSTS1002012: the scope has to end in /.default
        {"error":"invalid_client","error_description":"no\n client-secret-0123456789 "} => no\n ****
        {"error":{"code":"invalid_client","message":"no such client"}} => no such client
        {"errorCode":"invalid_client","errorSummary":"no client"} => no client
        error=invalid_client&error_description=no+client => no client
        {"code":10003,"msg":"invalid app_id"} => invalid app_id
        {"errcode":40013,"errmsg":"invalid appid"} => invalid appid
        {"error":"invalid_client","error_description":" "} =>
        {"error":"invalid_client","error_description":7} =>
        "#,
    ) {
        let expected = (!expected.is_empty()).then_some(expected);
        let failure = token_response(&answer(400, "application/json", body))
            .unwrap_err()
            .without_secrets(&masker);
        let EndpointFailure::Refused { said, .. } = failure else { panic!("{body}: {failure:?}") };
        assert_eq!(said.as_deref(), expected, "{body}");
    }
    let long =
        format!("{{\"error\":\"invalid_client\",\"error_description\":\"{}\"}}", "x".repeat(2000));
    let failure =
        token_response(&answer(400, "text/plain", &long)).unwrap_err().without_secrets(&masker);
    assert!(
        matches!(failure, EndpointFailure::Refused { said: Some(said), .. } if said.len() == 500)
    );
}

/// As servers of the world answer: Zoom, `ServiceNow`, Salesforce, Slack, `HubSpot`, X, Apigee, a server of Nimbus and of Laravel, Keycloak,
/// and a gateway before one.
const ANSWERS: [(u16, &str, &str, &str, &str); 16] = [
    (
        400,
        JSON,
        r#"{"reason":"Invalid client_id or client_secret","error":"invalid_client"}"#,
        "refused invalid_client",
        "Invalid client_id or client_secret",
    ),
    (
        401,
        JSON,
        r#"{"error_description": "access_denied", "error": "server_error"}"#,
        "refused server_error",
        "",
    ),
    (
        400,
        JSON,
        r#"{"error":"invalid_client_id","error_description":"client identifier invalid"}"#,
        "refused an error code of its own",
        "client identifier invalid",
    ),
    (
        400,
        JSON,
        r#"[{"message":"Session expired or invalid","errorCode":"INVALID_SESSION_ID"}]"#,
        "the token endpoint answered 400, which is no token",
        "Session expired or invalid",
    ),
    (
        200,
        JSON,
        r#"{"ok":false,"error":"bad_client_secret"}"#,
        "refused an error code of its own",
        "bad_client_secret",
    ),
    (
        400,
        JSON,
        r#"{"status":"BAD_AUTH_CODE","message":"missing or unknown auth code"}"#,
        "the token endpoint answered 400, which is no token",
        "missing or unknown auth code",
    ),
    (
        403,
        JSON,
        r#"{"errors":[{"code":99,"message":"Unable to verify your credentials","label":"authenticity_token_error"}]}"#,
        "the token endpoint answered 403, which is no token",
        "Unable to verify your credentials",
    ),
    (
        401,
        JSON,
        r#"{"fault":{"faultstring":"Invalid ApiKey","detail":{"errorcode":"oauth.v2.InvalidApiKey"}}}"#,
        "the token endpoint answered 401, which is no token",
        "Invalid ApiKey",
    ),
    (
        400,
        JSON,
        r#"{"code":"invalid_request","description":"client 'a' is not authorized to get token with aud=b","uri":null}"#,
        "refused invalid_request",
        "client 'a' is not authorized to get token with aud=b",
    ),
    (
        401,
        JSON,
        r#"{"error":"invalid_client","message":"Client authentication failed"}"#,
        "refused invalid_client",
        "Client authentication failed",
    ),
    (
        404,
        JSON,
        r#"{"error":"Realm does not exist"}"#,
        "refused an error code of its own",
        "Realm does not exist",
    ),
    (
        503,
        JSON,
        r#"{"error":"temporarily_unavailable","error_description":"AADSTS90033: A transient error has occurred."}"#,
        "the token endpoint is out of order, Later",
        "AADSTS90033: A transient error has occurred.",
    ),
    (
        401,
        "text/plain; charset=utf-8",
        "the client assertion has expired\n",
        "the token endpoint answered 401, which is no token",
        "the client assertion has expired",
    ),
    (400, "text/plain", "error=invalid_grant", "refused invalid_grant", ""),
    (
        302,
        "text/plain",
        "Found. Redirecting to https://a.example/login?session=canary",
        "the token endpoint redirects, which is not followed",
        "",
    ),
    (502, "text/html", "<h1>Bad Gateway</h1>", "the token endpoint is out of order, Soon", ""),
];

#[test]
fn the_operator_reads_the_reason_of_any_failure_wherever_a_server_writes_it() {
    for (status, media_type, body, expected, reason) in ANSWERS {
        let failure = token_response(&answer(status, media_type, body)).unwrap_err();
        let said = failure.server_words().unwrap_or_default();
        assert_eq!((&*shown(&failure), said), (expected, reason), "{body}");
    }
}

const JSON: &str = "application/json";

#[test]
fn the_reason_of_a_refusal_may_be_in_its_challenge() {
    for (challenge, body, code, reason) in [
        (
            "Basic error=\"invalid_client\", error_description=\"no such client\"",
            "",
            "invalid_client",
            Some("no such client"),
        ),
        ("Bearer error=\"x\"", "", ITS_OWN, None),
        ("Bearer error=\"x\"", "no", ITS_OWN, Some("no")),
        (
            "Basic error_description=\"canary\"",
            r#"{"error":"invalid_scope","error_description":"b"}"#,
            "invalid_scope",
            Some("b"),
        ),
    ] {
        let mut answer = answer(401, "text/plain", body);
        answer.headers_mut().insert(WWW_AUTHENTICATE, challenge.parse().unwrap());
        let failure = token_response(&answer).unwrap_err();
        let EndpointFailure::Refused { code: own, said } = failure else { panic!("{failure:?}") };
        assert_eq!((own, said.as_deref()), (code, reason), "{challenge}");
    }
    let mut answer = answer(401, "text/plain", "");
    answer.headers_mut().insert(WWW_AUTHENTICATE, "Basic realm=\"x\"".parse().unwrap());
    let failure = token_response(&answer).unwrap_err();
    assert!(matches!(failure, EndpointFailure::Unreadable { .. }), "{failure:?}");
}

#[test]
fn a_success_with_a_number_that_is_no_fault_is_no_refusal() {
    for body in [
        "{\"code\":0,\"msg\":\"ok\"}",
        "{\"code\":\"0\",\"msg\":\"ok\"}",
        "{\"code\":200,\"message\":\"ok\"}",
        "{\"errcode\":40013}",
    ] {
        check(200, body, NO_TOKEN);
    }
}

#[test]
fn an_answer_without_token_and_error_is_refused() {
    for body in ["<h1>canary</h1>", "[]", "\"x\"", "{", "{}", "canary", "{\"access_token\":1}"] {
        check(200, body, NO_TOKEN);
        check(404, body, "the token endpoint answered 404, which is no token");
    }
    check(200, "{\"error\":null,\"code\":\"canary\"}", NO_TOKEN);
    check(302, "{}", "the token endpoint redirects, which is not followed");
}

#[test]
fn a_temporary_failure_of_the_token_endpoint_is_unavailable() {
    check(200, "", "the answer of the token endpoint is empty, Soon");
    check(204, " \n", "the answer of the token endpoint is empty, Soon");
    check(500, "", "the token endpoint is out of order, Later");
    check(503, "{\"error\":\"invalid_client\"}", "the token endpoint is out of order, Soon");
    check(408, "{\"error\":\"canary\"}", "the token endpoint is out of order, Later");
    check(429, "{\"error\":\"canary\"}", "the token endpoint has had too many requests, Later");
    for status in [200, 400] {
        for code in ["temporarily_unavailable", "server_error"] {
            let body = format!("{{\"error\":\"{code}\"}}");
            check(status, &body, "the token endpoint is out of order, Later");
        }
    }
    check(400, "{\"error\":\"slow_down\"}", "refused slow_down");
}

#[test]
fn the_retry_time_of_the_token_endpoint_is_reported() {
    for (text, expected) in [
        ("3", Retry::After(Duration::from_secs(3))),
        ("0.5", Retry::After(Duration::from_millis(500))),
        ("soon", Retry::Later),
        ("-1", Retry::Later),
        ("", Retry::Later),
    ] {
        let mut answer = answer(429, "text/html", "");
        answer.headers_mut().insert(RETRY_AFTER, text.parse().unwrap());
        let EndpointFailure::Unavailable { retry, .. } = endpoint_failure(&answer) else {
            panic!("{text}")
        };
        assert_eq!(retry, expected, "{text}");
    }
}
