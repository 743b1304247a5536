//! No argument changes the origin, the base path, the number of segments or the headers: a property over any text.

use crate::prelude::*;
use std::sync::LazyLock;

use proptest::{collection::vec, prelude::*};

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    operation(
        "post",
        "/a/{x}/b/{y}{z}/c",
        json!({
            "parameters": [
                {"name": "x", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "y", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "z", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "q", "in": "query", "schema": {"type": "string"}},
                {"name": "r", "in": "query", "allowReserved": true, "schema": {"type": "string"}},
                {"name": "X-H", "in": "header", "schema": {"type": "string"}},
                {"name": "c", "in": "cookie", "schema": {"type": "string"}}],
            "requestBody": {"required": true, "content": {"application/json": {"schema":
                {"type": "object", "properties": {"text": {"type": "string"}}}}}}}),
    )
});

/// Any text, and texts that have broken address writers before.
pub(crate) fn hostile_text() -> impl Strategy<Value = String> {
    let texts = r#".. . %2e%2e .%2E %252e%252e / // \ ? # @ : &a=b ; = % %00 //evil.example
        https://evil.example/ ..;/ ．． [::1] a+b é ' ""#;
    let hostile = select(
        texts
            .split_whitespace()
            .chain(["\r\n", "\t", " ", "\u{0}", "\u{7f}", "\u{2215}"])
            .collect::<Vec<_>>(),
    );
    prop_oneof![any::<String>(), vec(hostile, 1..4).prop_map(|parts| parts.concat()), "[ -~]{0,20}",]
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

proptest! {
    #[test]
    fn no_argument_changes_another_part_of_the_request(
        texts in proptest::array::uniform8(hostile_text())
    ) {
        let [x, y, z, q, r, h, c, body] = texts;
        let arguments = json!({"x": x, "y": y, "z": z, "q": q, "r": r, "X_H": h, "c": c, "text": body});
        let Ok(request) = call(&PLAN, arguments).result else { return Ok(()) };
        let uri = request.uri();
        prop_assert_eq!(uri.scheme_str(), Some("https"));
        prop_assert_eq!(uri.authority().map(http::uri::Authority::as_str), Some("api.example.com"));
        let segments: Vec<_> = uri.path().split('/').collect();
        prop_assert_eq!(segments.len(), 7);
        prop_assert_eq!(&segments[..3], &["", "v1", "a"]);
        prop_assert_eq!(decoded(segments[3]), x);
        prop_assert_eq!(decoded(segments[5]), format!("{y}{z}"));
        let pairs: Vec<_> = uri.query().unwrap().split('&').map(|pair| pair.split_once('=').unwrap()).collect();
        prop_assert_eq!(pairs.len(), 2);
        prop_assert_eq!((pairs[0].0, decoded(pairs[0].1)), ("q", q));
        prop_assert_eq!((pairs[1].0, decoded(pairs[1].1)), ("r", r));
        let names: Vec<_> = request.headers().keys().map(http::HeaderName::as_str).collect();
        prop_assert_eq!(names, ["accept", "content-type", "x-h", "cookie"]);
        prop_assert_eq!(request.headers()["x-h"].as_bytes(), h.as_bytes());
        let cookie = request.headers()["cookie"].to_str().unwrap();
        prop_assert_eq!(decoded(cookie.strip_prefix("c=").unwrap()), c);
        prop_assert!(!cookie.contains(';'));
        let sent: Value = serde_json::from_slice(request.body()).unwrap();
        prop_assert_eq!(sent, json!({"text": body}));
        let parsed = url::Url::parse(&uri.to_string()).unwrap();
        prop_assert_eq!(parsed.path(), uri.path());
    }
}
