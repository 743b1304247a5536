//! Every parameter style, explode both ways, every kind of value: one row each, whole paths through a description.

use crate::prelude::*;

fn schema_of(value: &Value) -> Value {
    match value {
        Value::Array(_) => json!({"type": "array", "items": {}}),
        Value::Object(_) => json!({"type": "object"}),
        Value::Number(_) => json!({"type": "number"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        _ => json!({"type": "string"}),
    }
}

pub(crate) fn target(
    place: &str,
    style: &str,
    explode: bool,
    value: &Value,
) -> Result<String, String> {
    let path = if place == "path" { "/{color}" } else { "/" };
    let mut parameter = json!({"name": "color", "in": place, "required": place == "path",
        "style": style, "explode": explode, "schema": schema_of(value)});
    if style.ends_with('+') {
        parameter["style"] = json!("form");
        parameter["allowReserved"] = json!(true);
    }
    let plan = operation("get", path, json!({"parameters": [parameter]}));
    let planned = call(&plan, json!({"color": value}));
    if planned.result.is_err() {
        return Err(planned.problems());
    }
    let shown = planned.shown();
    let wire = match place {
        "cookie" | "header" => {
            shown.split_once('\n').map_or("", |(_, line)| line.split_once(": ").unwrap().1)
        }
        _ => shown.strip_prefix("GET /v1/").unwrap(),
    };
    Ok(wire.trim_start_matches('?').to_owned())
}

#[track_caller]
fn check(place: &str, style: &str, explode: bool, value: Value, expected: &str) {
    assert_eq!(target(place, style, explode, &value), Ok(expected.to_owned()), "{style} {explode}");
}

#[track_caller]
fn check_refused(place: &str, style: &str, explode: bool, value: Value, expected: &str) {
    assert_eq!(target(place, style, explode, &value), Err(format!("color: expected {expected}")));
}

fn array() -> Value {
    json!(["blue", "black"])
}

fn object() -> Value {
    json!({"R": 100, "G": 200})
}

#[test]
fn path_parameters_are_written_in_each_style() {
    for (style, explode, array_text, object_text) in [
        ("simple", false, "blue,black", "R,100,G,200"),
        ("simple", true, "blue,black", "R=100,G=200"),
        ("label", false, ".blue,black", ".R,100,G,200"),
        ("label", true, ".blue.black", ".R=100.G=200"),
        ("matrix", false, ";color=blue,black", ";color=R,100,G,200"),
        ("matrix", true, ";color=blue;color=black", ";R=100;G=200"),
    ] {
        check("path", style, explode, array(), array_text);
        check("path", style, explode, object(), object_text);
        let empty = "a value that is not empty, got an empty value";
        check_refused("path", style, explode, json!([]), empty);
        check_refused("path", style, explode, json!({}), empty);
    }
    check("path", "simple", false, json!(true), "true");
    check("path", "label", false, json!("blue"), ".blue");
    check("path", "matrix", false, json!("blue"), ";color=blue");
    check("path", "matrix", false, json!(""), ";color");
    check("path", "matrix", true, json!(["", "a"]), ";color;color=a");
    check("path", "label", true, json!([1.5, "a.b"]), ".1%2E5.a%2Eb");
    check("path", "simple", false, json!(["a,b", "c"]), "a%2Cb,c");
    check("path", "simple", false, json!([{"a": 1}]), "%7B%22a%22%3A1%7D");
    check_refused(
        "path",
        "simple",
        false,
        json!(""),
        "a value that is not empty, got an empty value",
    );
}

#[test]
fn query_parameters_are_written_in_each_style() {
    for (style, explode, array_text, object_text) in [
        ("form", false, "color=blue,black", "color=R,100,G,200"),
        ("form", true, "color=blue&color=black", "R=100&G=200"),
        ("spaceDelimited", false, "color=blue%20black", "color=R%20100%20G%20200"),
        ("spaceDelimited", true, "color=blue&color=black", "R=100&G=200"),
        ("pipeDelimited", false, "color=blue%7Cblack", "color=R%7C100%7CG%7C200"),
        ("pipeDelimited", true, "color=blue&color=black", "R=100&G=200"),
        (
            "deepObject",
            true,
            "color%5B0%5D=blue&color%5B1%5D=black",
            "color%5BR%5D=100&color%5BG%5D=200",
        ),
    ] {
        check("query", style, explode, array(), array_text);
        check("query", style, explode, object(), object_text);
        check("query", style, explode, json!([]), "");
        check("query", style, explode, json!({}), "");
        check("query", style, explode, json!(""), "color=");
        check("query", style, explode, json!("a b"), "color=a%20b");
    }
    check("query", "form", true, json!({"R": null, "G": 1}), "G=1");
    check("query", "form", false, json!(["a,b", "&=+"]), "color=a%2Cb,%26%3D%2B");
    check("query", "form", true, json!([{"a": 1}]), "color=%7B%22a%22%3A1%7D");
    check(
        "query",
        "deepObject",
        true,
        json!({"a": {"b c": 1, "d": [true]}, "e": {}}),
        "color%5Ba%5D%5Bb%20c%5D=1&color%5Ba%5D%5Bd%5D%5B0%5D=true",
    );
    let holds = |delimiter: &str| {
        format!("items without `{delimiter}`, which separates them, got an item that holds it")
    };
    check_refused("query", "spaceDelimited", false, json!(["a b"]), &holds(" "));
    check_refused("query", "pipeDelimited", false, json!(["a|b"]), &holds("|"));
    check_refused("query", "form", false, json!([null]), "a value that is not null, got null");
}

#[test]
fn reserved_characters_stay_where_allowed_unless_they_end_the_parameter() {
    check("query", "+", true, json!("a/b?c:d@e,f"), "color=a/b?c:d@e,f");
    check("query", "+", true, json!("a&b#c+d[e]%20 'f"), "color=a%26b%23c%2Bd%5Be%5D%2520%20%27f");
    check("query", "+", false, json!(["a,b", "c/d"]), "color=a%2Cb,c/d");
}

#[test]
fn cookie_parameters_are_written_in_each_style() {
    check("cookie", "form", false, json!("a; b=c"), "color=a%3B%20b%3Dc");
    check("cookie", "form", false, array(), "color=blue,black");
    check("cookie", "form", true, array(), "color=blue; color=black");
    check("cookie", "form", true, object(), "R=100; G=200");
    check("cookie", "form", false, json!([]), "");
    // OpenAPI 3.2.0 §4.12.6 and appendix D: style `cookie` escapes nothing.
    let greeting = json!({"greeting": "Hello%2C world!", "code": 42});
    check("cookie", "cookie", true, greeting, "greeting=Hello%2C world!; code=42");
    check("cookie", "cookie", true, array(), "color=blue; color=black");
    check("cookie", "cookie", false, array(), "color=blue,black");
    check("cookie", "cookie", false, object(), "color=R,100,G,200");
    check("cookie", "cookie", false, json!("a=\"é\" b"), "color=a=\"é\" b");
    check("cookie", "cookie", true, json!([]), "");
    let without = |delimiter: &str| {
        format!("items without `{delimiter}`, which separates them, got an item that holds it")
    };
    check_refused("cookie", "cookie", true, json!("a; admin=1"), &without(";"));
    check_refused("cookie", "cookie", false, json!(["a,b"]), &without(","));
    let edge = "text that neither begins nor ends with a space, got a space at an end";
    check_refused("cookie", "cookie", true, json!(" a"), edge);
}

#[test]
fn header_parameters_are_written_in_each_style() {
    check("header", "simple", false, array(), "blue,black");
    check("header", "simple", true, object(), "R=100,G=200");
    check("header", "simple", false, json!([]), "");
    check("header", "simple", false, json!("50% é"), "50% é");
}

#[test]
fn parameters_with_content_are_written_by_their_media_type() {
    let parameter = |place: &str, media_type: &str| {
        let path = if place == "path" { "/{q}" } else { "/" };
        let content = json!({media_type: {"schema": {}}});
        operation(
            "get",
            path,
            json!({"parameters": [
            {"name": "q", "in": place, "required": true, "content": content}]}),
        )
    };
    let value = json!({"q": {"a": "x y"}});
    let json_type = "application/json";
    call(&parameter("query", json_type), value.clone())
        .sends("GET /v1/?q=%7B%22a%22%3A%22x%20y%22%7D");
    call(&parameter("path", json_type), value.clone()).sends("GET /v1/%7B%22a%22%3A%22x%20y%22%7D");
    call(&parameter("header", json_type), value.clone()).sends("GET /v1/\nq: {\"a\":\"x y\"}");
    for (place, expected) in [
        ("query", "GET /v1/?q=%7B%7D"),
        ("path", "GET /v1/%7B%7D"),
        ("header", "GET /v1/\nq: {}"),
        ("cookie", "GET /v1/\ncookie: q=%7B%7D"),
    ] {
        assert_eq!(call(&parameter(place, json_type), json!({"q": {}})).shown(), expected);
    }
    call(&parameter("cookie", json_type), value)
        .sends("GET /v1/\ncookie: q=%7B%22a%22%3A%22x%20y%22%7D");
    call(&parameter("query", json_type), json!({"q": "x"})).sends("GET /v1/?q=%22x%22");
    assert_eq!(call(&parameter("query", "text/plain"), json!({"q": "x"})).shown(), "GET /v1/?q=x");
    let expected = "q: expected a text in the parameter's media type, which is not JSON, got a list or an object";
    for place in ["query", "path", "header", "cookie"] {
        let plan = parameter(place, "text/csv");
        for value in [json!(["a", 1]), json!({"a": 1})] {
            assert_eq!(call(&plan, json!({"q": value})).problems(), expected, "{place}");
        }
        assert!(call(&plan, json!({"q": 1.5})).shown().contains("1.5"), "{place}");
    }
}
