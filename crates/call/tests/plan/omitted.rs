//! What leaves nothing in a request is said in the journal: a `null` and what is empty, in parameters of each style, in whole
//! query strings, in forms and in multipart bodies.

use crate::prelude::*;

const FORM: &str = "application/x-www-form-urlencoded";

/// What the journal says of a call of an operation of OpenAPI 3.2 below `path`.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn told(path: &str, operation: Value, arguments: Value) -> String {
    let description = json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": {path: {"post": operation}}});
    let planned = call(&plan(&description.to_string()), arguments);
    planned.shown();
    planned.journal()
}

#[track_caller]
fn check_parameter(place: &str, style: &str, explode: bool, value: Value, expected: &str) {
    let path = if place == "path" { "/a/{p}" } else { "/a" };
    let schema = json!({"type": ["object", "null"]});
    let parameter = json!({"name": "p", "in": place, "required": place == "path", "style": style, "explode": explode, "schema": schema});
    let operation = json!({"responses": {}, "parameters": [parameter]});
    assert_eq!(told(path, operation, json!({"p": value})), expected, "{place} {style} {explode}");
}

#[test]
fn values_that_a_parameter_style_omits_are_reported() {
    let member = "`p.a` was null and is omitted";
    for (place, style, explode) in [
        ("query", "form", true),
        ("query", "form", false),
        ("query", "deepObject", true),
        ("header", "simple", true),
        ("header", "simple", false),
        ("cookie", "form", true),
        ("cookie", "cookie", true),
        ("path", "simple", false),
        ("path", "label", true),
        ("path", "matrix", true),
    ] {
        check_parameter(place, style, explode, json!({"a": null, "b": 1}), member);
        check_parameter(place, style, explode, json!({"b": 1}), "");
        if place != "path" {
            let empty = "`p` is empty and was left out";
            check_parameter(place, style, explode, json!({"a": null}), empty);
            check_parameter(place, style, explode, json!(null), "`p` was null and is omitted");
        }
    }
}

#[test]
fn null_in_a_structured_query_member_is_sent_as_json() {
    check_parameter("query", "form", true, json!({"a": {"b": null}}), "");
    check_parameter(
        "query",
        "deepObject",
        true,
        json!({"a": {"b": null, "c": [], "d": [{"e": null, "f": 1}]}}),
        "`p.a.b` was null and is omitted\n`p.a.c` is empty and was left out\n\
         `p.a.d[0].e` was null and is omitted",
    );
}

#[test]
fn values_that_a_whole_query_string_omits_are_reported() {
    let content = json!({FORM: {"schema": {"type": "object"}}});
    let operation = json!({"responses": {}, "parameters": [{"name": "q", "in": "querystring", "content": content}]});
    let arguments = json!({"q": {"a": null, "b": [], "c": {}, "d": 1}});
    assert_eq!(
        told("/a", operation, arguments),
        "`q.a` was null and is omitted\n`q.b` is empty and was left out\n`q.c` is empty and was left out"
    );
}

#[test]
fn values_without_an_xml_form_are_reported() {
    let nullable = |xml: Value| json!({"type": ["string", "null"], "xml": xml});
    let list = |wrapped: bool| json!({"type": "array", "items": {"type": "object", "properties": {"id": nullable(json!({"attribute": true}))}}, "xml": {"wrapped": wrapped}});
    let properties = json!({"name": {"type": "string"}, "id": nullable(json!({"attribute": true})), "note": nullable(json!({"name": "n"})),
        "text": nullable(json!({"nodeType": "text"})), "tags": list(false), "all": list(true), "some": list(false)});
    let flat = json!({"type": "object", "required": ["name"], "properties": properties, "xml": {"name": "r"}});
    let whole = json!({"type": "object", "properties": properties, "xml": {"name": "r"}});
    let given = json!({"name": "x", "id": null, "note": null, "text": null, "tags": [], "all": [], "some": [{"id": null}]});
    for (schema, at) in [(&flat, ""), (&whole, "body.")] {
        let content =
            json!({"application/json": {"schema": schema}, "application/xml": {"schema": schema}});
        let operation =
            json!({"responses": {}, "requestBody": {"required": true, "content": content}});
        let mut arguments = if at.is_empty() { given.clone() } else { json!({"body": given}) };
        arguments["content_type"] = "application/xml".into();
        let expected = "`@id` was null and is omitted\n`@text` was null and is omitted\n\
                        `@tags` is empty and was left out\n`@some[0].id` was null and is omitted";
        assert_eq!(told("/a", operation, arguments), expected.replace('@', at), "{at}");
    }
}

#[test]
fn a_whole_query_string_excludes_other_query_parameters() {
    let query = |default: Value| {
        let schema = json!({"type": "integer", "default": default});
        json!({"name": "n", "in": "query", "schema": schema})
    };
    for (media_type, expected) in [(FORM, "a=1"), ("application/json", "%7B%22a%22%3A%221%22%7D")] {
        let content = json!({media_type: {"schema": {"type": "object"}}});
        let whole = json!({"name": "q", "in": "querystring", "content": content});
        // A default is no reason to refuse it.
        let operation = json!({"responses": {}, "parameters": [whole, query(json!(7))]});
        let description = json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {"get": operation}}});
        let plan = plan(&description.to_string());
        let sent = |arguments: Value| call(&plan, arguments);
        assert_eq!(sent(json!({"q": {"a": "1"}})).shown(), format!("GET /a?{expected}"));
        assert_eq!(sent(json!({"n": 2})).shown(), "GET /a?n=2");
        let both = sent(json!({"q": {"a": "1"}, "n": 2}));
        let problem =
            "q: expected to be the whole query string, got other values of the query beside it";
        assert_eq!(both.problems(), problem);
    }
}

#[test]
fn null_as_an_item_is_refused_and_no_note_says_that_it_was_omitted() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let schema = json!({"type": "object", "properties": {"a": list, "n": {"type": "string"}}});
    let body = json!({"required": true, "content": {"application/json": {"schema": schema}}});
    let plan = operation("post", "/x", json!({"requestBody": body}));
    let refused = call(&plan, json!({"body": {"a": ["x", null]}}));
    assert_eq!(refused.problems(), "body.a[1]: expected string, got null");
    assert_eq!(refused.journal(), "");
    let answered = call(&plan, json!({"body": {"a": ["x"], "n": null}}));
    assert_eq!(answered.journal(), "`body.n` was null and is omitted");
}

#[test]
fn values_that_a_body_omits_are_reported() {
    let nullable = json!({"type": ["string", "null"]});
    let properties = json!({"name": nullable, "note": nullable, "tags": {"type": "array"},
        "size": {"type": "object"}, "deep": {"type": "object"}});
    let encoding = json!({"size": {"style": "form", "explode": true},
        "deep": {"style": "deepObject", "explode": true}});
    let flat = json!({"type": "object", "required": ["name"], "properties": properties});
    let whole = json!({"type": "object", "properties": properties});
    let given = json!({"name": "x", "note": null, "tags": [], "size": {"w": null, "h": "1"}, "deep": {"a": {"b": null, "c": "2"}}});
    let all = "`@note` was null and is omitted\n`@tags` is empty and was left out\n\
               `@size.w` was null and is omitted\n`@deep.a.b` was null and is omitted";
    for (media_type, expected) in
        [(FORM, all), ("multipart/form-data", all), ("application/json", "")]
    {
        for (schema, at) in [(&flat, ""), (&whole, "body.")] {
            let media = json!({"schema": schema, "encoding": encoding});
            let body = json!({"required": true, "content": {media_type: media}});
            let operation = json!({"responses": {}, "requestBody": body});
            let arguments = if at.is_empty() { given.clone() } else { json!({"body": given}) };
            let expected = expected.replace('@', at);
            assert_eq!(told("/a", operation, arguments), expected, "{media_type} {at}");
        }
    }
}

#[test]
fn a_null_in_a_patch_is_refused_where_the_schema_has_none() {
    let patch = |method: &str, media_type: &str, required: Value| {
        let properties = json!({"nickname": {"type": "string"}, "name": {"type": "string"},
            "tag": {"type": "string", "nullable": true}});
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let content = json!({media_type: {"schema": schema}});
        operation(method, "/x", json!({"requestBody": {"required": true, "content": content}}))
    };
    let json_type = "application/json";
    let whole = patch("patch", json_type, json!([]));
    let refused = "body.nickname: expected string, got null";
    call(&whole, json!({"body": {"nickname": null}})).is_refused(refused);
    call(&whole, json!({"body": {"nickname": null, "name": "x"}})).is_refused(refused);
    let nothing = json!({"body": {"nickname": null, "name": null, "tag": null}});
    assert!(call(&whole, nothing).problems().starts_with(refused));
    call(&whole, json!({"body": {"tag": null}}))
        .sends("PATCH /v1/x\ncontent-type: application/json\n\n{\"tag\":null}");
    let flat = patch("patch", json_type, json!(["name"]));
    call(&flat, json!({"nickname": null, "name": "x"}))
        .is_refused("nickname: expected string, got null");
    // A model in a provider's strict mode gives all members.
    for (plan, given) in [
        (&whole, json!({"body": {"nickname": null, "name": "x", "tag": "y"}})),
        (&flat, json!({"nickname": null, "name": "x", "tag": "y"})),
    ] {
        call(plan, given)
            .sends("PATCH /v1/x\ncontent-type: application/json\n\n{\"name\":\"x\",\"tag\":\"y\"}");
    }
    for fields in ["application/x-www-form-urlencoded", "multipart/form-data"] {
        let plan = patch("patch", fields, json!([]));
        call(&plan, json!({"body": {"nickname": null, "name": "x"}})).is_refused(refused);
        assert!(
            call(&plan, json!({"body": {"tag": null, "name": "x"}})).result.is_ok(),
            "{fields}"
        );
    }
    // A text has no members: a model in the strict mode means no body.
    let content = json!({"text/plain": {"schema": {"type": "string"}}});
    let text = operation("patch", "/x", json!({"requestBody": {"content": content}}));
    assert!(call(&text, json!({"body": null})).result.is_ok());
    let post = patch("post", json_type, json!([]));
    call(&post, json!({"body": {"nickname": null}}))
        .sends("POST /v1/x\ncontent-type: application/json\n\n{}");
    let merge = patch("patch", "application/merge-patch+json", json!([]));
    call(&merge, json!({"body": {"nickname": null}}))
        .sends("PATCH /v1/x\ncontent-type: application/merge-patch+json\n\n{\"nickname\":null}");
}

/// The problems of a required value, in each location and style.
#[track_caller]
fn check_required(operation: Value, arguments: Value, expected: &str) {
    let description = json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {"delete": operation}}});
    let planned = call(&plan(&description.to_string()), arguments);
    let got = match &planned.result {
        Ok(_) => format!("{}\n{}", planned.shown(), planned.journal()),
        Err(_) => planned.problems(),
    };
    assert_eq!(got, expected, "{description}");
}

#[test]
fn a_required_parameter_that_would_not_be_sent_is_refused() {
    let lists =
        json!({"type": ["object", "null"], "additionalProperties": {"type": ["array", "null"]}});
    let member = "p: expected at least one member that is neither null nor empty, got object of";
    for [place, style, kind, given, expected] in rows(
        r#"
        query => form => lists => {"a": []} => 1 member
        query => form => lists => {"a": null} => 1 member
        query => form => lists => {"a": null, "b": []} => 2 members
        query => pipeDelimited => lists => {"a": []} => 1 member
        query => form => lists => null => p: expected a value, got null
        cookie => form => lists => {"a": []} => 1 member
        cookie => cookie => lists => {"a": []} => 1 member
        cookie => form => array => [] => p: expected at least one item, got array of 0 items
        header => simple => array => [] => p: expected at least one item, got array of 0 items
        query => deepObject => object => {"a": {}} => 1 member
        query => deepObject => object => {"a": {"b": null, "c": [[]]}} => 1 member
        "#,
    ) {
        let schema = if kind == "lists" { lists.clone() } else { json!({"type": kind}) };
        let value = value(given);
        let expected = if expected.starts_with("p:") {
            expected.to_owned()
        } else {
            format!("{member} {expected}")
        };
        let parameter = json!({"name": "p", "in": place, "required": true, "style": style, "explode": true, "schema": schema});
        check_required(
            json!({"responses": {}, "parameters": [parameter]}),
            json!({"p": value}),
            &expected,
        );
    }
    // A `null` that its schema does not allow is omitted, and nothing is left.
    let text = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let parameter = json!({"name": "p", "in": "query", "required": true, "schema": text});
    let expected = format!("{member} 0 members");
    check_required(
        json!({"responses": {}, "parameters": [parameter]}),
        json!({"p": {"a": null}}),
        &expected,
    );
    // An exploded object without members is complete.
    let sent = "DELETE /a\n`p` is empty and was left out";
    check_required(json!({"responses": {}, "parameters": [parameter]}), json!({"p": {}}), sent);
}

#[test]
fn a_required_query_string_that_would_not_be_sent_is_refused() {
    let content = json!({FORM: {"schema": {"type": "object"}}});
    let operation = json!({"responses": {}, "parameters": [{"name": "q", "in": "querystring", "required": true, "content": content}]});
    let problem =
        "q: expected at least one member that is neither null nor empty, got object of 2 members";
    check_required(operation.clone(), json!({"q": {"a": null, "b": []}}), problem);
    let text = json!({"name": "q", "in": "querystring", "required": true, "content": {FORM: {"schema": {"type": "string"}}}});
    let text = json!({"responses": {}, "parameters": [text]});
    check_required(text, json!({"q": ""}), "q: expected a value, got string \"\"");
    check_required(operation, json!({"q": {}}), "DELETE /a\n`q` is empty and was left out");
}

#[test]
fn a_required_body_member_that_would_not_be_sent_is_refused() {
    let list = json!({"type": "array", "items": {"type": ["string", "null"]}});
    let map = json!({"type": "object", "additionalProperties": list});
    let schema = json!({"type": "object", "required": ["tags"], "properties": {"tags": list}});
    let maps = json!({"type": "object", "required": ["tags"], "properties": {"tags": map}});
    let body = |media_type: &str, schema: &Value, style: Option<&str>| {
        let encoding =
            style.map_or(json!({}), |style| json!({"tags": {"style": style, "explode": true}}));
        json!({"responses": {}, "requestBody": {"required": true,
            "content": {media_type: {"schema": schema, "encoding": encoding}}}})
    };
    let member =
        "tags: expected at least one member that is neither null nor empty, got object of 1 member";
    for media_type in [FORM, "multipart/form-data"] {
        let item = "tags: expected at least one item, got array of 0 items";
        check_required(body(media_type, &schema, None), json!({"tags": []}), item);
        check_required(body(media_type, &schema, Some("form")), json!({"tags": []}), item);
        for style in ["form", "deepObject"] {
            check_required(
                body(media_type, &maps, Some(style)),
                json!({"tags": {"a": []}}),
                member,
            );
        }
        let null = "tags: expected a value that is not null, got null";
        let at = if media_type == FORM { null.to_owned() } else { null.replace("tags", "tags[1]") };
        check_required(body(media_type, &schema, None), json!({"tags": ["a", null]}), &at);
    }
    let whole = json!({"type": "object", "properties": {"tags": list}});
    let sent = "DELETE /a\n`body` is empty and was left out";
    check_required(body("multipart/form-data", &whole, None), json!({"body": {}}), sent);
    let expected =
        "body: expected at least one member that is neither null nor empty, got object of 1 member";
    check_required(
        body("multipart/form-data", &whole, None),
        json!({"body": {"tags": []}}),
        expected,
    );
}

#[test]
fn an_item_with_a_comma_is_refused_in_a_comma_separated_part() {
    let media = |style: &str, explode: bool| {
        let schema = json!({"type": "object", "required": ["tags"], "properties": {"tags": {"type": "array", "items": {"type": "string"}}}});
        json!({"responses": {}, "requestBody": {"required": true, "content": {"multipart/form-data":
            {"schema": schema, "encoding": {"tags": {"style": style, "explode": explode}}}}}})
    };
    let joined =
        "tags: expected items without `,`, which separates them, got an item that holds it";
    check_required(media("form", false), json!({"tags": ["a,b"]}), joined);
    for operation in [media("form", true), media("pipeDelimited", false)] {
        let description = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {"post": operation}}});
        let shown = call(&plan(&description.to_string()), json!({"tags": ["a,b"]})).shown();
        assert!(shown.contains("\r\n\r\na,b\r\n"), "{shown}");
    }
}
