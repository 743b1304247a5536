//! One key has one writer: no value writes a query key, cookie, header, field, part or matrix parameter of another input.
//! Rows for what is refused and what is not, and a property over all styles and bodies with a decoder of its own.

use crate::prelude::*;
use proptest::{prelude::*, test_runner::Config};

use crate::differences::parts::{Part, parts};

const FORM: &str = "application/x-www-form-urlencoded";

fn text(name: &str, place: &str) -> Value {
    json!({"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}})
}

fn object(name: &str, place: &str, style: &str, declared: &[&str]) -> Value {
    let members = declared.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
    let properties: Object = members.collect();
    json!({"name": name, "in": place, "required": place == "path", "style": style, "explode": true,
        "schema": {"type": "object", "properties": properties, "additionalProperties": {"type": "string"}}})
}

#[track_caller]
fn check(plan: &Plan, arguments: Value, expected: Result<&str, [&str; 2]>) {
    match (call(plan, arguments).result, expected) {
        (Ok(request), Ok(expected)) => {
            let cookie = request.headers().get("cookie").map(|value| value.to_str().unwrap());
            let body = String::from_utf8_lossy(request.body()).into_owned();
            let parts = [request.uri().query(), cookie, Some(body.as_str())];
            let sent: Vec<_> =
                parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
            assert_eq!(sent.join(" | "), expected);
        }
        (Err(fault), Err([at, got])) => {
            let problem = &fault.problems[0];
            assert_eq!((problem.at.as_str(), problem.got.as_str()), (at, got));
        }
        (result, expected) => panic!("{result:?} instead of {expected:?}"),
    }
}

/// A query with a fixed key, a text, a list, a `deepObject` and two exploded objects.
fn crowded() -> Plan {
    operation(
        "get",
        "/a?mode=fixed",
        json!({"parameters": [
            text("account", "query"),
            {"name": "ids", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
            object("page", "query", "deepObject", &["size"]),
            object("filter", "query", "form", &["state", "account"]),
            object("other", "query", "form", &["state", "kind"])]}),
    )
}

#[test]
fn an_exploded_object_writes_its_own_keys() {
    for (arguments, expected) in [
        (json!({"filter": {"state": "on", "b": "1"}}), "mode=fixed&state=on&b=1"),
        (json!({"filter": {"state": "on"}, "other": {"kind": "x"}}), "mode=fixed&state=on&kind=x"),
        (json!({"page": {"size": "1", "x": "2"}}), "mode=fixed&page%5Bsize%5D=1&page%5Bx%5D=2"),
        (
            json!({"filter": {"state": null, "b": "1"}, "other": {"state": "x"}}),
            "mode=fixed&b=1&state=x",
        ),
    ] {
        check(&crowded(), arguments, Ok(expected));
    }
}

#[test]
fn an_exploded_object_keeps_out_of_the_keys_of_others() {
    for (filter, key, writer) in [
        (json!({"account": "victim"}), "account", "`account`"),
        (json!({"kind": "a"}), "kind", "`other`"),
        (json!({"ids": "1"}), "ids", "`ids`"),
        (json!({"ids[]": "1"}), "ids[]", "`ids`"),
        (json!({"Account": "1"}), "Account", "`account`"),
        (json!({"page[size]": "1"}), "page[size]", "`page`"),
        (json!({"mode": "1"}), "mode", "the path"),
    ] {
        let got = format!("the query key `{key}`, which {writer} writes");
        let with_account = json!({"account": "mine", "filter": filter});
        check(&crowded(), json!({"filter": filter}), Err(["filter", &got]));
        check(&crowded(), with_account, Err(["filter", &got]));
    }
    for member in ["state", "b"] {
        let got = format!("the query key `{member}`, which `filter` writes");
        let both = json!({"filter": {member: "a"}, "other": {member: "b"}});
        check(&crowded(), both, Err(["other", &got]));
    }
}

#[test]
fn a_deep_object_keeps_out_of_a_parameter_named_like_a_member() {
    let parameters =
        json!([text("filter[id]", "query"), object("filter", "query", "deepObject", &["id"])]);
    let plan = operation("get", "/a", json!({"parameters": parameters}));
    check(&plan, json!({"filter": {"x": "1"}}), Ok("filter%5Bx%5D=1"));
    let got = "the query key `filter[id]`, which `filter_id` writes";
    check(&plan, json!({"filter_id": "1", "filter": {"id": "2"}}), Err(["filter", got]));
}

#[test]
fn no_value_writes_the_cookie_or_the_credential_of_another() {
    let security = json!({"openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "api_key"}}},
        "security": [{"key": []}],
        "paths": {"/a": {"get": {"responses": {}, "parameters": [
            text("sid", "cookie"), object("crumbs", "cookie", "form", &[]), object("filter", "query", "form", &[])]}}}});
    let plan = plan(&security.to_string());
    check(&plan, json!({"sid": "1", "crumbs": {"b": "2"}}), Ok("sid=1; b=2"));
    let got = "the cookie `sid`, which `sid` writes";
    check(&plan, json!({"crumbs": {"sid": "2"}}), Err(["crumbs", got]));
    let got = "the query key `api_key`, which a credential writes";
    check(&plan, json!({"filter": {"api_key": "2"}}), Err(["filter", got]));
}

fn posting(media_type: &str) -> Plan {
    let schema = json!({"type": "object", "additionalProperties": {"type": "string"}, "properties": {
        "owner": {"type": "string"}, "size": {"type": "object", "additionalProperties": {"type": "string"}},
        "deep": {"type": "object", "additionalProperties": {"type": "string"}}}});
    let encoding = json!({"size": {"style": "form", "explode": true}, "deep": {"style": "deepObject", "explode": true}});
    let media = json!({"schema": schema, "encoding": encoding});
    let description = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {"post": {"responses": {},
        "requestBody": {"required": true, "content": {media_type: media}}}}}});
    plan(&description.to_string())
}

#[test]
fn no_member_writes_the_field_or_the_part_of_another() {
    let form = posting(FORM);
    check(&form, json!({"body": {"owner": "me", "size": {"w": "1"}}}), Ok("owner=me&w=1"));
    for plan in [&form, &posting("multipart/form-data")] {
        for [body, got] in rows(
            r#"
                {"size": {"owner": "x"}} => the field of the body `owner`, which `body.owner` writes
                {"owner": "me", "size": {"owner": "x"}} => the field of the body `owner`, which `body.owner` writes
                {"more": "me", "size": {"more": "x"}} => the field of the body `more`, which `body.more` writes
                {"size": {"deep[a]": "x"}} => the field of the body `deep[a]`, which `body.deep` writes
                "#,
        ) {
            let body = Value::parse(body).unwrap();
            check(plan, json!({"body": body}), Err(["body.size", got]));
        }
    }
}

#[test]
fn values_without_members_write_no_key() {
    let empty = [json!({}), json!({"a": {}}), json!({"a": null})];
    let open = |name: &str, place: &str, style: &str| json!({"name": name, "in": place, "style": style, "explode": true, "schema": {"type": "object"}});
    for (place, style) in [("query", "deepObject"), ("query", "form"), ("cookie", "form")] {
        let parameters = json!([open("b", place, style), open("c", place, style)]);
        let plan = operation("get", "/a", json!({"parameters": parameters}));
        // A member that is an object writes its own key in the other styles.
        let is_void = |value: &&Value| style == "deepObject" || !value["a"].is_object();
        for value in empty.iter().filter(is_void) {
            check(&plan, json!({"b": value, "c": value}), Ok(""));
        }
    }
    let deep = json!({"type": "object"});
    let encoding = json!({"b": {"style": "deepObject", "explode": true}, "c": {"style": "deepObject", "explode": true}});
    let media = json!({"schema": {"type": "object", "properties": {"b": deep, "c": deep}}, "encoding": encoding});
    let content = json!({FORM: media});
    let plan =
        operation("post", "/a", json!({"requestBody": {"required": true, "content": content}}));
    for value in &empty {
        check(&plan, json!({"body": {"b": value, "c": value}}), Ok(""));
    }
}

/// Members whose names are drawn from those of other inputs, in every way that readers take for them.
fn hostile() -> impl Strategy<Value = Value> {
    let texts = "account ids deep mode sid owner tenant X-Account size free";
    let names = select(texts.split_whitespace().collect::<Vec<_>>());
    let name = (names, 0..9_u8).prop_map(|(name, way)| match way {
        0 => name.to_owned(),
        1 => format!("{name}[]"),
        2 => format!("{name}[x]"),
        3 => format!("{name}=1&{name}"),
        4 => name.to_uppercase(),
        5 => format!("x&{name}"),
        6 => format!("; {name}"),
        7 => format!("x\"; name=\"{name}"),
        _ => format!("x][{name}"),
    });
    prop::collection::btree_map(name, "[a-z&=;]{1,6}", 0..3).prop_map(|members| {
        Value::Object(members.into_iter().map(|(name, text)| (name, Value::from(text))).collect())
    })
}

/// Pairs of a text, as a receiver reads them.
fn pairs(text: &str, separator: char) -> Vec<(String, String)> {
    let decoded =
        |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let parts = text.split(separator).filter(|part| !part.trim().is_empty());
    parts
        .map(|pair| pair.trim_start().split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

/// What a receiver reads as `key`: itself, `key[]`, `KEY` and `key[x]`.
fn values_of<'a>(pairs: &'a [(String, String)], key: &str) -> Vec<&'a str> {
    let is_key = |name: &str| {
        name.split('[').next().is_some_and(|stem| stem.trim().eq_ignore_ascii_case(key))
    };
    pairs.iter().filter(|(name, _)| is_key(name)).map(|(_, value)| value.as_str()).collect()
}

/// An operation with something of each kind that an object could write to.
fn hostage(media_type: &str) -> Plan {
    let style = |style: &str| json!({"style": style, "explode": true});
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let schema = json!({"type": "object", "required": ["owner"],
        "properties": {"owner": {"type": "string"}, "size": map, "part": map}});
    let encoding = json!({"size": style("form"), "part": style("deepObject")});
    let media = json!({"schema": schema, "encoding": encoding});
    let parameters = json!([
        {"name": "tenant", "in": "path", "required": true, "style": "matrix", "schema": {"type": "string"}},
        object("matrix", "path", "matrix", &[]),
        text("account", "query"), text("ids", "query"),
        object("deep", "query", "deepObject", &[]),
        object("free", "query", "form", &[]), object("also", "query", "form", &[]),
        text("X-Account", "header"), object("X-Free", "header", "simple", &[]),
        text("sid", "cookie"),
        object("crumbs", "cookie", "form", &[]), object("bare", "cookie", "cookie", &[])]);
    let description = json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/a{matrix}{tenant}?mode=fixed": {"post": {"responses": {}, "parameters": parameters,
            "requestBody": {"required": true, "content": {media_type: media}}}}}});
    plan(&description.to_string())
}

/// Everything that is not drawn stands where it was put, once.
fn keeps_its_places(request: &http::Request<Bytes>, media_type: &str) -> TestCaseResult {
    let query = pairs(request.uri().query().unwrap_or_default(), '&');
    for (key, value) in [("account", "mine"), ("ids", "mine"), ("mode", "fixed")] {
        prop_assert_eq!(values_of(&query, key), [value], "{}", request.uri());
    }
    let headers = request.headers();
    let cookies = pairs(headers["cookie"].to_str().unwrap_or_default(), ';');
    prop_assert_eq!(values_of(&cookies, "sid"), ["mine"], "{:?}", cookies);
    let matrix = pairs(request.uri().path().trim_start_matches("/a"), ';');
    prop_assert_eq!(values_of(&matrix, "tenant"), ["mine"], "{}", request.uri());
    prop_assert_eq!(headers.get_all("x-account").iter().collect::<Vec<_>>(), ["mine"]);
    let body = String::from_utf8_lossy(request.body()).into_owned();
    let part = |part: Part| (part.name.clone(), part.text().unwrap());
    let fields = match media_type {
        FORM => pairs(&body, '&'),
        _ => parts(request).unwrap().into_iter().map(part).collect(),
    };
    prop_assert_eq!(values_of(&fields, "owner"), ["mine"], "{}", body);
    Ok(())
}

#[test]
fn no_argument_writes_a_key_that_is_not_its_own() {
    for media_type in [FORM, "multipart/form-data"] {
        let plan = hostage(media_type);
        let drawn = prop::collection::vec(hostile(), 9);
        let config = Config {
            cases: 400.max(Config::default().cases),
            failure_persistence: None,
            ..Config::default()
        };
        let n_sent = std::cell::Cell::new(0);
        let result = TestRunner::new(config).run(&drawn, |drawn| {
            let mut arguments = json!({"matrix": {"x": "1"}, "tenant": "mine", "account": "mine", "ids": "mine",
                "X_Account": "mine", "sid": "mine", "owner": "mine"});
            let names = ["matrix", "deep", "free", "also", "X_Free", "crumbs", "bare", "size", "part"];
            let drawn = names.into_iter().zip(drawn).filter(|(_, value)| *value != json!({}));
            drawn.for_each(|(name, value)| arguments[name] = value);
            let Ok(request) = call(&plan, arguments).result else { return Ok(()) };
            n_sent.set(n_sent.get() + 1);
            keeps_its_places(&request, media_type)
        });
        assert!(result.is_ok(), "{media_type}: {}", result.unwrap_err());
        assert!(n_sent.get() >= 8, "{media_type}: only {} were sent", n_sent.get());
    }
}
