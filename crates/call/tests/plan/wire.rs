//! What a whole request looks like: address, headers, body.

use crate::prelude::*;

const PETS: &str = concat!("\n", include_str!("wire.yaml"));

#[test]
fn a_post_sends_its_members_as_json() {
    let plan = plan(PETS);
    let planned = call(&plan, json!({"owner": {"email": "a@example.com"}, "name": "Rex"}));
    planned.sends("POST /v1/pets\ncontent-type: application/json\n\n{\"name\":\"Rex\",\"owner\":{\"email\":\"a@example.com\"}}");
    let request = planned.result.unwrap();
    assert_eq!(request.headers()["accept"], "application/json");
    assert_eq!(request.uri().to_string(), "https://api.example.com/v1/pets");
}

#[test]
fn json_is_the_first_accepted_media_type() {
    for (declared, expected) in [
        (&["application/json"][..], "application/json"),
        (&["text/csv", "application/xml"], "text/csv, application/xml"),
        (
            &["application/xml", "application/hal+json", "text/csv", "application/json"],
            "application/hal+json, application/json, application/xml;q=0.9, text/csv;q=0.9",
        ),
        (&["text/csv", "*/*"], "application/json, text/csv;q=0.9"),
        (&[], "application/json, */*;q=0.1"),
    ] {
        let content: Object = declared.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        let answer = json!({"description": "fine", "content": content});
        let plan = operation("get", "/x", json!({"responses": {"200": answer}}));
        let request = call(&plan, json!({})).result.unwrap();
        assert_eq!(request.headers()["accept"], expected, "{declared:?}");
    }
}

#[test]
fn a_get_sends_its_path_and_header_arguments() {
    let plan = operation(
        "get",
        "/pets/{petId}",
        json!({"parameters": [
        {"name": "petId", "in": "path", "required": true, "schema": {"type": "integer"}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
        {"name": "verbose", "in": "query", "schema": {"type": "boolean", "default": false}}]}),
    );
    let planned = call(&plan, json!({"petId": 7, "X_Trace": "t"}));
    assert_eq!(planned.shown(), "GET /v1/pets/7?verbose=false\nx-trace: t");
    assert_eq!(planned.journal(), "`verbose` was filled by its default");
}

fn with_body(required: bool, content: Value) -> Plan {
    operation("post", "/x", json!({"requestBody": {"required": required, "content": content}}))
}

#[test]
fn a_body_that_is_not_given_is_not_sent() {
    let any = json!({"application/json": {"schema": {}}});
    assert_eq!(call(&with_body(false, any.clone()), json!({})).shown(), "POST /v1/x");
    call(&with_body(false, any), json!({"body": null}))
        .sends("POST /v1/x\ncontent-type: application/json\n\nnull");
    let object = json!({"application/json": {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    call(&with_body(true, object.clone()), json!({}))
        .is_refused("body: expected a value, got nothing");
    call(&with_body(true, object), json!({"body": {}}))
        .sends("POST /v1/x\ncontent-type: application/json\n\n{}");
}

#[test]
fn a_media_type_is_sent_as_the_description_writes_it() {
    let content = json!({"application/vnd.pets+json; version=1": {"schema": {"type": "array", "items": {"type": "integer"}}}});
    call(&with_body(true, content), json!({"body": [1, 2]}))
        .sends("POST /v1/x\ncontent-type: application/vnd.pets+json; version=1\n\n[1,2]");
}

#[test]
fn headers_of_credentials_and_connections_are_not_sent() {
    let plan = with_parameters(json!([
        {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
        {"name": "Host", "in": "header", "schema": {"type": "string"}},
        {"name": "X-Ok", "in": "header", "schema": {"type": "string"}}]));
    for name in ["Authorization", "Host"] {
        let mut arguments = json!({"X_Ok": "y"});
        arguments[name] = json!("evil");
        let planned = call(&plan, arguments);
        assert!(matches!(planned.fault().code, FaultCode::InvalidArguments | FaultCode::Refused));
    }
}

#[test]
fn bounds_of_addresses_and_headers_are_refused_with_the_argument() {
    let plan = with_parameters(json!([
        {"name": "q", "in": "query", "schema": {"type": "string"}},
        {"name": "X-H", "in": "header", "schema": {"type": "string"}}]));
    let long = "a".repeat(8 * 1024);
    let query = call(&plan, json!({"q": long}));
    assert_eq!(query.fault().code, FaultCode::Refused);
    query.is_refused("q: expected an address of at most 8192 bytes, got more (shorten the value)");
    let header = call(&plan, json!({"X_H": format!("{long}a")}));
    assert_eq!(header.fault().code, FaultCode::Refused);
    assert!(
        header.problems().starts_with("X_H: expected a shorter value"),
        "{}",
        header.problems()
    );
}

#[test]
fn a_header_value_with_a_line_break_is_refused() {
    let plan = with_parameters(json!([
        {"name": "X-H", "in": "header", "schema": {"type": "string"}}]));
    for evil in ["a\r\nX-Evil: 1", "a\u{0}b", "a\nb", "\u{7f}"] {
        let planned = call(&plan, json!({"X_H": evil}));
        assert_eq!(planned.fault().code, FaultCode::Refused);
        planned
            .is_refused("X_H: expected text without control characters, got a control character");
    }
    assert_eq!(call(&plan, json!({"X_H": ""})).shown(), "GET /v1/x\nx-h: ");
}

#[test]
fn the_query_of_a_path_key_precedes_query_arguments() {
    let plan = operation(
        "get",
        "/x?fixed=1",
        json!({"parameters": [
        {"name": "q", "in": "query", "schema": {"type": "string"}}]}),
    );
    assert_eq!(call(&plan, json!({})).shown(), "GET /v1/x?fixed=1");
    call(&plan, json!({"q": "a b+c&d=é"})).sends("GET /v1/x?fixed=1&q=a%20b%2Bc%26d%3D%C3%A9");
}

#[test]
fn a_body_that_cannot_be_written_is_reported_with_its_media_type() {
    let content = json!({"application/xml": {"schema": {"type": "object"}}});
    let planned = call(&with_body(false, content), json!({"body": {"a": 1}}));
    assert_eq!(planned.fault().code, FaultCode::NotSupported);
    assert!(
        planned.fault().message.contains("`XML without a named root element`"),
        "{}",
        planned.fault().message
    );
}

#[test]
fn a_value_of_another_format_is_sent_with_a_note() {
    let plan = with_parameters(json!([
        {"name": "u", "in": "query", "schema": {"type": "string", "format": "uri"}},
        {"name": "i", "in": "query", "schema": {"type": "string", "format": "uuid"}}]));
    assert_eq!(call(&plan, json!({"u": "www.example.com"})).shown(), "GET /v1/x?u=www.example.com");
    let planned = call(&plan, json!({"i": "7"}));
    assert_eq!(planned.shown(), "GET /v1/x?i=7");
    let noted = call(&plan, json!({"i": "7"})).journal();
    assert!(
        noted.contains("`i` is sent as it stands, although the description says `uuid`"),
        "{noted}"
    );
}

#[test]
fn reserved_characters_of_a_path_stay_where_version_3_2_allows_them() {
    for (version, expected) in
        [("3.1.0", "/v1/a%3Ab%40c%2Cd/x"), ("3.2.0", "/v1/a:b@c,d/x"), ("3.2.1", "/v1/a:b@c,d/x")]
    {
        let parameter = json!({"name": "id", "in": "path", "required": true, "allowReserved": true, "schema": {"type": "string"}});
        let description = json!({
            "openapi": version, "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com/v1"}],
            "paths": {"/{id}/x": {"get": {"parameters": [parameter], "responses": {"200": {"description": "fine"}}}}},
        });
        let request =
            call(&plan(&description.to_string()), json!({"id": "a:b@c,d"})).result.unwrap();
        assert_eq!(request.uri().path(), expected, "{version}");
    }
}

#[test]
fn a_query_string_is_written_by_the_encodings_of_its_members() {
    let encoding = json!({"filter": {"style": "deepObject", "explode": true}, "ids": {"explode": false},
        "sort": {"style": "pipeDelimited"}, "raw": {"contentType": "application/json"}, "all": {"style": "form"},
        "xml": {"contentType": "application/xml"}});
    let form = json!({"schema": {"type": "object"}, "encoding": encoding});
    let whole = json!({"name": "q", "in": "querystring", "content": {"application/x-www-form-urlencoded": form}});
    let description = json!({
        "openapi": "3.2.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}},
        "paths": {"/x": {"get": {"parameters": [whole], "responses": {"200": {"description": "fine"}}}}},
    });
    let plan = plan(&description.to_string());
    let given = json!({"q": {"filter": {"a": 1, "b": [2]}, "ids": ["x", "y,z"], "sort": ["m", "n"],
        "raw": [], "all": {"k": 1}, "plain": ["u", "v"], "xml": ["<a/>", 1]}});
    call(&plan, given).sends("GET /v1/x?filter%5Ba%5D=1&filter%5Bb%5D%5B0%5D=2&ids=x,y%2Cz&sort=m%7Cn&raw=%5B%5D&k=1&plain=u&plain=v&xml=%3Ca%2F%3E&xml=1");
    let structure =
        "a text in the parameter's media type, which is not JSON, got a list or an object";
    for xml in [json!({"a": 1}), json!(["<a/>", {"a": 1}])] {
        let refused = call(&plan, json!({"q": {"xml": xml}}));
        refused.is_refused(&format!("q: expected {structure}"));
    }
    call(&plan, json!({"q": {"all": {"k": 1}, "k": 2}})).is_refused(
        "q.k: expected members whose names are no query key of another input, got the query key `k`, which `q.all` writes",
    );
    let credential = call(&plan, json!({"q": {"all": {"key": 1}}}));
    assert_eq!(credential.fault().code, FaultCode::Refused);
}

#[test]
fn a_parameter_may_be_empty_if_the_description_allows_it() {
    let parameter = |place: &str, schema: &Value| json!([{"name": "n", "in": place, "allowEmptyValue": true, "schema": schema}]);
    for schema in [
        json!({"type": "integer"}),
        json!({"type": "boolean"}),
        json!({"type": "string", "enum": ["a"]}),
        json!({"type": "string", "minLength": 1}),
    ] {
        let plan = with_parameters(parameter("query", &schema));
        assert_eq!(call(&plan, json!({"n": ""})).shown(), "GET /v1/x?n=", "{schema}");
        let header = with_parameters(parameter("header", &schema));
        assert_eq!(call(&header, json!({"n": ""})).fault().code, FaultCode::InvalidArguments);
    }
    let parameters = parameter("query", &json!({"type": ["integer", "null"]}));
    let description = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {"/x": {"get": {"parameters": parameters, "responses": {"200": {"description": "fine"}}}}}});
    let nullable = plan(&description.to_string());
    assert_eq!(call(&nullable, json!({"n": ""})).shown(), "GET /v1/x?n=");
    let number = with_parameters(parameter("query", &json!({"type": "integer"})));
    assert_eq!(call(&number, json!({"n": "5"})).shown(), "GET /v1/x?n=5");
    call(&number, json!({"n": "x"})).is_refused("n: expected integer, got string \"x\"");
    let field = json!({"name": "n", "in": "formData", "type": "integer", "required": true, "allowEmptyValue": true});
    let description = json!({"swagger": "2.0", "info": {"title": "t", "version": "1"}, "host": "api.example.com",
        "schemes": ["https"], "paths": {"/x": {"post": {"parameters": [field], "responses": {"200": {"description": "fine"}}}}}});
    let sent = call(&plan(&description.to_string()), json!({"n": ""})).shown();
    assert_eq!(sent, "POST /x\ncontent-type: application/x-www-form-urlencoded\n\nn=");
}
