//! No argument changes the origin, the base path, the number of segments or the headers, and what is written decodes
//! to the values that were meant: properties over any text, with decoders of our own.

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
fn text() -> impl Strategy<Value = String> {
    let hostile = select(vec![
        "..",
        ".",
        "%2e%2e",
        ".%2E",
        "%252e%252e",
        "/",
        "//",
        "\\",
        "?",
        "#",
        "@",
        ":",
        "&a=b",
        ";",
        "=",
        "%",
        "%00",
        "\r\n",
        "\t",
        " ",
        "\u{0}",
        "\u{7f}",
        "//evil.example",
        "https://evil.example/",
        "..;/",
        "\u{2215}",
        "．．",
        "[::1]",
        "a+b",
        "é",
        "'",
        "\"",
    ]);
    prop_oneof![any::<String>(), vec(hostile, 1..4).prop_map(|parts| parts.concat()), "[ -~]{0,20}",]
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

proptest! {
    #[test]
    fn no_argument_changes_another_part_of_the_request(
        (x, y, z, q, r, h, c, body) in (text(), text(), text(), text(), text(), text(), text(), text())
    ) {
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

    #[test]
    fn a_list_decodes_to_its_items(items in vec(text(), 1..5)) {
        for row in LISTS.iter() {
            let Ok(request) = call(&row.plan, json!({"p": items})).result else { continue };
            let uri = request.uri();
            let raw = if row.is_path { uri.path().strip_prefix("/v1/").unwrap() } else { uri.query().unwrap() };
            let got: Vec<_> = match row.delimiter {
                Some(delimiter) => raw.strip_prefix(row.before).unwrap().split(delimiter).map(decoded).collect(),
                None => raw
                    .split(row.between)
                    .filter(|part| !part.is_empty() || !row.is_path)
                    .map(|pair| decoded(pair.split_once('=').map_or("", |(_, value)| value)))
                    .collect(),
            };
            prop_assert_eq!(&got, &items, "{}", row.style);
        }
    }

    #[test]
    fn an_object_decodes_to_its_members(members in prop::collection::btree_map("[a-zA-Z é.=&,;]{1,5}", text(), 1..4)) {
        for row in OBJECTS.iter() {
            let Ok(request) = call(&row.plan, json!({"p": members})).result else { continue };
            let uri = request.uri();
            let raw = if row.is_path { uri.path().strip_prefix("/v1/").unwrap() } else { uri.query().unwrap() };
            let raw = raw.strip_prefix(row.before).unwrap();
            let got: std::collections::BTreeMap<_, _> = match row.delimiter {
                Some(delimiter) => {
                    let parts: Vec<_> = raw.split(delimiter).map(decoded).collect();
                    parts.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
                }
                None => raw
                    .split(row.between)
                    .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                    .map(|(name, value)| {
                        let name = decoded(name);
                        let name = name.strip_prefix("p[").and_then(|name| name.strip_suffix(']')).map(str::to_owned).unwrap_or(name);
                        (name, decoded(value))
                    })
                    .collect(),
            };
            prop_assert_eq!(&got, &members, "{}", row.style);
        }
    }
}

struct Row {
    plan: Plan,
    style: &'static str,
    is_path: bool,
    before: &'static str,
    /// Between the items of one parameter; none where each item is a parameter of its own.
    delimiter: Option<&'static str>,
    /// Between parameters.
    between: &'static str,
}

type IsolationRow =
    (&'static str, &'static str, bool, &'static str, Option<&'static str>, &'static str);

fn rows(schema: &Value, told: &[IsolationRow]) -> Vec<Row> {
    told.iter()
        .map(|(place, style, explode, before, delimiter, between)| {
            let is_path = *place == "path";
            let path = if is_path { "/{p}" } else { "/" };
            let parameter = json!({"name": "p", "in": place, "required": is_path, "style": style,
                "explode": explode, "schema": schema});
            let plan = operation("get", path, json!({"parameters": [parameter]}));
            Row { plan, style, is_path, before, delimiter: *delimiter, between }
        })
        .collect()
}

static LISTS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    rows(
        &json!({"type": "array", "items": {"type": "string"}}),
        &[
            ("path", "simple", false, "", Some(","), ""),
            ("path", "label", false, ".", Some(","), ""),
            ("path", "label", true, ".", Some("."), ""),
            ("path", "matrix", true, "", None, ";"),
            ("query", "form", false, "p=", Some(","), ""),
            ("query", "form", true, "", None, "&"),
            ("query", "spaceDelimited", false, "p=", Some("%20"), ""),
            ("query", "pipeDelimited", false, "p=", Some("%7C"), ""),
            ("query", "deepObject", true, "", None, "&"),
        ],
    )
});

static OBJECTS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    rows(
        &json!({"type": "object", "additionalProperties": {"type": "string"}}),
        &[
            ("path", "simple", false, "", Some(","), ""),
            ("path", "simple", true, "", None, ","),
            ("path", "label", false, ".", Some(","), ""),
            ("path", "label", true, ".", None, "."),
            ("path", "matrix", true, ";", None, ";"),
            ("query", "form", false, "p=", Some(","), ""),
            ("query", "form", true, "", None, "&"),
            ("query", "pipeDelimited", false, "p=", Some("%7C"), ""),
            ("query", "deepObject", true, "", None, "&"),
        ],
    )
});
