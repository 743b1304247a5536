//! Tests signatures that AWS published: its Signature Version 4 test suite, and the examples of the S3 API Reference.

use std::time::{Duration, UNIX_EPOCH};

use callgate_secret::Secret;

use super::*;

fn keys(id: &str, key: &str, token: Option<&str>) -> AwsKeys {
    let secret = |text: &str| Secret::new(text.to_owned());
    AwsKeys {
        access_key_id: secret(id),
        secret_access_key: secret(key),
        session_token: token.map(secret),
    }
}

fn scope(service: &str) -> Scope {
    Scope { region: "us-east-1".into(), service: service.into(), is_payload_unsigned: false }
}

fn authorization(signed: &[Signed]) -> String {
    let header = signed.iter().find(|header| header.name == "authorization").unwrap();
    assert!(header.value.is_sensitive());
    header.value.to_str().unwrap().to_owned()
}

/// 2015-08-30T12:36:00Z and the key of the suite; service `service`, host `example.amazonaws.com`.
#[track_caller]
fn check(
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &'static str,
    signature: &str,
) {
    let mut request =
        Request::builder().method(method).uri(format!("https://example.amazonaws.com{target}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Bytes::from_static(body.as_bytes())).unwrap();
    let keys = keys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", None);
    let at = UNIX_EPOCH + Duration::from_mins(24_015_636);
    let found = authorization(&sign(&request, &keys, &scope("service"), at).unwrap());
    assert!(found.starts_with(
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders="
    ));
    assert!(found.ends_with(&format!("Signature={signature}")), "{method} {target}: {found}");
}

#[test]
fn signatures_equal_those_of_the_published_test_suite() {
    check("GET", "/", &[], "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    check("POST", "/", &[], "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    check(
        "GET",
        "/?Param2=value2&Param1=value1",
        &[],
        "",
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    );
    check(
        "POST",
        "/",
        &[("content-type", "application/x-www-form-urlencoded")],
        "Param1=value1",
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    );
}

const S3_KEY: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/// Amazon S3 API Reference, "Signature Calculations for the Authorization Header", 2013-05-24.
#[track_caller]
fn check_s3(target: &str, signature: &str) {
    let uri = format!("https://examplebucket.s3.amazonaws.com{target}");
    let request = Request::get(uri).body(Bytes::new()).unwrap();
    let at = UNIX_EPOCH + Duration::from_hours(380_376);
    let keys = keys("AKIAIOSFODNN7EXAMPLE", S3_KEY, None);
    let found = authorization(&sign(&request, &keys, &scope("s3"), at).unwrap());
    assert!(found.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date, "), "{found}");
    assert!(found.ends_with(&format!("Signature={signature}")), "{target}: {found}");
}

#[test]
fn signatures_equal_the_published_examples_of_s3() {
    check_s3("/?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    check_s3(
        "/?max-keys=2&prefix=J",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    );
}

fn names(signed: &[Signed]) -> Vec<&str> {
    signed.iter().map(|header| header.name.as_str()).collect()
}

#[test]
fn a_session_token_is_signed_and_sent() {
    let request = Request::get("https://h/").header("x-amz-security-token", "MODEL");
    let request = request.body(Bytes::new()).unwrap();
    let keys = keys("AKIDEXAMPLE", S3_KEY, Some("canary-token"));
    let signed = sign(&request, &keys, &scope("execute-api"), UNIX_EPOCH).unwrap();
    assert_eq!(names(&signed), ["x-amz-date", "authorization", "x-amz-security-token"]);
    assert!(authorization(&signed).contains("SignedHeaders=host;x-amz-date;x-amz-security-token,"));
    assert_eq!(signed[2].value, "canary-token");
    assert!(!format!("{signed:?} {keys:?}").contains("canary"));
}

#[test]
fn a_body_is_left_out_of_the_signature_over_https_only() {
    let scope = Scope { is_payload_unsigned: true, ..scope("vpc-lattice-svcs") };
    let keys = keys("AKIDEXAMPLE", S3_KEY, None);
    let request = |uri: &str| Request::post(uri).body(Bytes::from_static(b"body")).unwrap();
    let signed = sign(&request("https://h/"), &keys, &scope, UNIX_EPOCH).unwrap();
    let hash = signed.iter().find(|header| header.name == "x-amz-content-sha256").unwrap();
    assert_eq!(hash.value, "UNSIGNED-PAYLOAD");
    for uri in ["http://h/", "/"] {
        let error = sign(&request(uri), &keys, &scope, UNIX_EPOCH).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}

#[test]
fn credentials_and_headers_that_proxies_change_are_not_signed() {
    let request = Request::get("https://h/").header("x-api-key", "canary").header("accept", "*/*");
    let request = request.header("x-amz-meta-a", "b").body(Bytes::new()).unwrap();
    let keys = keys("AKIDEXAMPLE", S3_KEY, None);
    let found = authorization(&sign(&request, &keys, &scope("s3"), UNIX_EPOCH).unwrap());
    let expected = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-meta-a,";
    assert!(found.contains(expected), "{found}");
}

#[test]
fn the_default_port_is_not_signed_and_another_is() {
    let keys = keys("AKIDEXAMPLE", S3_KEY, None);
    let signed = |uri: &str| {
        let request = Request::get(uri).body(Bytes::new()).unwrap();
        authorization(&sign(&request, &keys, &scope("s3"), UNIX_EPOCH).unwrap())
    };
    assert_eq!(signed("https://h:443/"), signed("https://h/"));
    assert_ne!(signed("https://h:8443/"), signed("https://h/"));
}
