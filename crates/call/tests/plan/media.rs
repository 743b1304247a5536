//! Bodies with several media types: which one is taken, what its value is checked against, and what a file says itself.

use crate::prelude::*;

fn planned(content: Value, arguments: Value) -> Planned {
    let body = json!({"requestBody": {"required": true, "content": content}});
    call(&operation("post", "/x", body), arguments)
}

/// The media type and the body, with the boundary made visible.
#[track_caller]
fn check(content: &Value, arguments: Value, expected: &str) {
    let shown = planned(content.clone(), arguments).shown().replace("\r\n", "\n");
    let shown = shown.strip_prefix("POST /v1/x\ncontent-type: ").unwrap();
    let boundary = shown.split("boundary=").nth(1).and_then(|rest| rest.lines().next());
    let shown = boundary.map_or_else(|| shown.to_owned(), |boundary| shown.replace(boundary, "B"));
    assert_eq!(shown, expected);
}

fn photo() -> Value {
    json!({
        "application/json": {"schema": {"type": "object", "required": ["link"], "additionalProperties": false,
            "properties": {"link": {"type": "string"}, "size": {"type": "integer", "default": 3}}}},
        "multipart/form-data": {"schema": {"type": "object", "required": ["file"],
            "properties": {"file": {"type": "string", "format": "binary"}}}},
        "image/png": {"schema": {"type": "string", "format": "binary"}}})
}

#[test]
fn each_media_type_has_the_schema_it_is_described_with() {
    let link = json!({"body": {"link": "a"}});
    check(&photo(), link.clone(), "application/json\n\n{\"link\":\"a\",\"size\":3}");
    check(
        &photo(),
        json!({"body": {"file": "aGk="}, "content_type": "multipart/form-data"}),
        "multipart/form-data; boundary=B\n\n--B\nContent-Disposition: form-data; name=\"file\"; \
         filename=\"file\"\nContent-Type: application/octet-stream\n\nhi\n--B--\n",
    );
    check(&photo(), json!({"body": "aGk=", "content_type": "image/png"}), "image/png\n\nhi");
    let mut other = link;
    other["content_type"] = "multipart/form-data".into();
    assert_eq!(planned(photo(), other).problems(), "body.file: expected a value, got nothing");
    planned(photo(), json!({"body": {"file": "aGk="}})).is_refused("body.link: expected a value, got nothing\nbody.file: expected one of `link`, `size`, got an unknown property");
}

/// The value chooses the media type, and the journal says so.
#[test]
fn the_media_type_of_a_body_is_chosen_to_fit_its_value() {
    let any = json!({"schema": {}});
    let patches = json!({"application/json-patch+json": any, "application/merge-patch+json": any,
        "application/strategic-merge-patch+json": any});
    let texts = json!({"application/x-www-form-urlencoded": any, "text/csv": any});
    let of_types = json!({"application/json": {"schema": {"type": "object"}}, "text/plain": {"schema": {"type": "string"}}});
    let binary = json!({"multipart/form-data": {"schema": {"type": "object"}},
        "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}});
    for (content, body, expected, is_told) in [
        (&patches, json!({"a": 1}), "application/merge-patch+json\n\n{\"a\":1}", false),
        (&patches, json!([1]), "application/merge-patch+json\n\n[1]", false),
        (&texts, json!({"a": 1}), "application/x-www-form-urlencoded\n\na=1", false),
        (&texts, json!("a,b"), "text/csv; charset=utf-8\n\na,b", true),
        (&of_types, json!({"a": 1}), "application/json\n\n{\"a\":1}", false),
        (&of_types, json!("{\"a\": 1}"), "application/json\n\n{\"a\":1}", false),
        (&of_types, json!("hello"), "text/plain; charset=utf-8\n\nhello", true),
        (&binary, json!("aGk="), "application/octet-stream\n\nhi", true),
    ] {
        check(content, json!({"body": body}), expected);
        let told = planned(content.clone(), json!({"body": body})).journal();
        assert_eq!(told.contains("which its value fits"), is_told, "{told}");
    }
}

#[test]
fn only_a_list_of_operations_is_sent_as_json_patch() {
    let any = json!({"schema": {}});
    let alone = json!({"application/json-patch+json": any});
    let operations = json!([{"op": "remove", "path": "/a"}]);
    check(
        &alone,
        json!({"body": operations}),
        "application/json-patch+json\n\n[{\"op\":\"remove\",\"path\":\"/a\"}]",
    );
    let problem = planned(alone.clone(), json!({"body": {"a": 1}}));
    assert!(problem.problems().starts_with("body: expected a list of operations"));
    let both = json!({"application/json-patch+json": any, "application/json": any});
    let asked = json!({"body": {"a": 1}, "content_type": "application/json-patch+json"});
    assert!(planned(both, asked).problems().starts_with("body: expected a list of operations"));
    let listed = json!({"application/merge-patch+json": {"schema": {"type": "object"}},
        "application/json-patch+json": {"schema": {"type": "array"}}});
    check(
        &listed,
        json!({"body": operations}),
        "application/json-patch+json\n\n[{\"op\":\"remove\",\"path\":\"/a\"}]",
    );
    check(&listed, json!({"body": {"a": null}}), "application/merge-patch+json\n\n{\"a\":null}");
}

#[test]
fn a_structure_is_refused_under_a_media_type_without_a_form_for_it() {
    let either = json!({"schema": {"type": ["object", "string"]}});
    for media_type in ["application/cbor", "text/csv", "application/jwt"] {
        let content = json!({media_type: either});
        let refused = planned(content.clone(), json!({"body": {"a": 1}})).problems();
        assert!(refused.starts_with("body: expected a text, as `"), "{refused}");
        assert!(planned(content, json!({"body": "x"})).result.is_ok());
    }
    let yaml = json!({"application/apply-patch+yaml": {"schema": {"type": "object"}}});
    check(&yaml, json!({"body": {"a": 1}}), "application/apply-patch+yaml\n\n{\"a\":1}");
}

#[test]
fn media_types_of_one_schema_share_its_properties() {
    let one = json!({"schema": {"type": "object", "required": ["a"], "properties": {"a": {}}}});
    let content = json!({"application/json": one, "application/x-www-form-urlencoded": one});
    check(
        &content,
        json!({"a": "b", "content_type": "application/x-www-form-urlencoded"}),
        "application/x-www-form-urlencoded\n\na=b",
    );
}

#[test]
fn raw_bytes_are_preferred_to_base64_in_json() {
    let file = |kind: Value| json!({"schema": {"type": "object", "required": ["f"], "properties": {"f": kind}}});
    let content = json!({
        "application/json": file(json!({"type": "string", "format": "byte"})),
        "multipart/form-data": file(json!({"type": "string", "format": "binary"}))});
    check(
        &content,
        json!({"body": {"f": {"text": "hi", "filename": "a", "content_type": "text/csv"}}}),
        "multipart/form-data; boundary=B\n\n--B\nContent-Disposition: form-data; name=\"f\"; \
         filename=\"a\"\nContent-Type: text/csv\n\nhi\n--B--\n",
    );
    check(
        &content,
        json!({"body": {"f": "aGk="}, "content_type": "application/json"}),
        "application/json\n\n{\"f\":\"aGk=\"}",
    );
}

#[test]
fn the_content_type_of_a_file_chooses_among_the_media_types() {
    let content = json!({"application/octet-stream": {}, "image/gif": {}, "image/*": {}});
    check(&content, json!({"body": "aGk="}), "application/octet-stream\n\nhi");
    let gif = json!({"body": {"data": "aGk=", "content_type": "image/gif"}});
    check(&content, gif, "image/gif\n\nhi");
    check(&content, json!({"body": "data:image/webp;base64,aGk="}), "image/webp\n\nhi");
    check(
        &content,
        json!({"body": "data:video/mp4;base64,aGk="}),
        "application/octet-stream\n\nhi",
    );
}

#[test]
fn bytes_under_a_range_of_all_media_types_are_bytes() {
    let file = json!({"schema": {"type": "string", "format": "binary"}});
    for range in ["*/*", "application/*"] {
        let content = json!({range: file});
        check(&content, json!({"body": "aGk="}), "application/octet-stream\n\nhi");
        let pdf = json!({"body": {"data": "aGk=", "content_type": "application/pdf"}});
        check(&content, pdf, "application/pdf\n\nhi");
    }
    let object = json!({"*/*": {"schema": {"type": "object"}}});
    check(&object, json!({"body": {"a": 1}}), "application/json\n\n{\"a\":1}");
    // What is asked for is what the answer is.
    let answer = json!({"description": "fine", "content": {"*/*": file}});
    let plan = operation("get", "/x", json!({"responses": {"200": answer}}));
    assert_eq!(call(&plan, json!({})).result.unwrap().headers()["accept"], "*/*");
}

#[test]
fn a_picture_described_as_text_is_bytes() {
    let content = json!({"image/png": {"schema": {"type": "string"}}});
    check(&content, json!({"body": "aGk="}), "image/png\n\nhi");
    let encoded = json!({"image/png": {"schema": {"type": "string", "format": "byte"}}});
    check(&encoded, json!({"body": "aGk="}), "image/png\n\naGk=");
}

#[test]
fn an_object_under_a_media_type_of_bytes_is_bytes() {
    let object = json!({"schema": {"type": "object", "properties": {"file": {"type": "string"}}}});
    let plain = &object["schema"];
    let nested = json!({"allOf": [{"anyOf": [plain, {"allOf": [plain]}]}, {}]});
    for media_type in ["application/octet-stream", "image/png", "application/zip"] {
        for object in [&object, &json!({"schema": nested})] {
            check(
                &json!({media_type: object}),
                json!({"body": "aGk="}),
                &format!("{media_type}\n\nhi"),
            );
        }
    }
}

#[test]
fn properties_that_are_arguments_are_written_in_each_media_type() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "xml": {"name": "r"}});
    let media = json!({"schema": schema});
    let types = [
        "application/json",
        "text/plain",
        "application/apply-patch+yaml",
        "application/x-ndjson",
        "application/xml",
    ];
    let content: Object = types.iter().map(|name| ((*name).to_owned(), media.clone())).collect();
    for (media_type, expected) in [
        ("application/json", "application/json\n\n{\"a\":\"x\",\"b\":1}"),
        ("text/plain", "text/plain; charset=utf-8\n\n{\"a\":\"x\",\"b\":1}"),
        ("application/apply-patch+yaml", "application/apply-patch+yaml\n\n{\"a\":\"x\",\"b\":1}"),
        ("application/x-ndjson", "application/x-ndjson\n\n{\"a\":\"x\",\"b\":1}\n"),
        (
            "application/xml",
            "application/xml\n\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r><a>x</a><b>1</b></r>",
        ),
    ] {
        let arguments = json!({"a": "x", "b": 1, "content_type": media_type});
        check(&Value::Object(content.clone()), arguments, expected);
    }
}

#[test]
fn a_part_that_may_be_bytes_or_an_object_is_sent_by_its_value() {
    let bytes = json!({"type": "string", "format": "binary"});
    let object =
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    for keyword in ["anyOf", "oneOf"] {
        let part = json!({keyword: [bytes, object]});
        let schema =
            json!({"type": "object", "required": ["video"], "properties": {"video": part}});
        let content = json!({"multipart/form-data": {"schema": schema}});
        let head = "multipart/form-data; boundary=B\n\n--B\nContent-Disposition: form-data; name=\"video\"";
        check(
            &content,
            json!({"video": {"id": "7"}}),
            &format!("{head}\nContent-Type: application/json\n\n{{\"id\":\"7\"}}\n--B--\n"),
        );
        let file = format!(
            "{head}; filename=\"video\"\nContent-Type: application/octet-stream\n\nhi\n--B--\n"
        );
        check(&content, json!({"video": "aGk="}), &file);
        check(&content, json!({"video": {"data": "aGk="}}), &file);
        assert!(planned(content, json!({"video": {}})).result.is_err());
    }
}

#[test]
fn a_media_type_that_is_not_offered_is_no_choice() {
    let problems = planned(photo(), json!({"body": {"link": "a"}, "content_type": "text/csv"}));
    problems.is_refused("content_type: expected one of `application/json`, `multipart/form-data`, `image/png`, got string \"text/csv\"");
}

#[test]
fn null_is_a_value_of_a_merge_patch() {
    let schema = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string"},
        "a": {"type": "string"}, "b": {"type": "object", "properties": {"c": {"type": "integer"}}}}});
    let patch = json!({"application/merge-patch+json": {"schema": schema}});
    let given = json!({"id": "1", "a": null, "b": {"c": null}});
    check(
        &patch,
        given.clone(),
        "application/merge-patch+json\n\n{\"id\":\"1\",\"a\":null,\"b\":{\"c\":null}}",
    );
    let planned = planned(json!({"application/json": {"schema": schema}}), given);
    planned.sends("POST /v1/x\ncontent-type: application/json\n\n{\"id\":\"1\",\"b\":{}}");
    assert_eq!(planned.journal(), "`a` was null and is omitted\n`b.c` was null and is omitted");
}

#[test]
fn nested_members_are_checked_against_their_declaration() {
    let inner = json!({"type": "object", "properties": {"id": {"type": "integer", "readOnly": true}, "n": {}}});
    let closed = json!({"type": "object", "properties": {"n": {}}, "additionalProperties": false});
    let schema = json!({"type": "object", "required": ["open"],
        "properties": {"open": inner, "closed": closed, "list": {"type": "array", "items": inner},
            "map": {"type": "object", "properties": {"n": {}}, "additionalProperties": {}}}});
    let content = json!({"application/json": {"schema": schema}});
    let told = planned(
        content.clone(),
        json!({"open": {"m": 1}, "list": [{"n": 1, "o": {"p": 2}}], "map": {"any": 1}}),
    );
    assert_eq!(told.journal(), "`open.m` is sent undeclared\n`list[0].o` is sent undeclared");
    told.shown();
    let refused =
        planned(content, json!({"open": {"id": 1}, "closed": {"m": 1}, "list": [{"id": 2}]}));
    assert_eq!(
        refused.problems(),
        "open.id: expected nothing: the service sets it (`readOnly`), got number (leave it out)\n\
         closed.m: expected one of `n`, got an unknown property\n\
         list[0].id: expected nothing: the service sets it (`readOnly`), got number (leave it out)"
    );
}
