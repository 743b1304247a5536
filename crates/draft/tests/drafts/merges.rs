//! A description that a person wrote, and drafts merged into it.

use super::*;

#[test]
fn a_merge_keeps_the_text_of_a_person() {
    let mut existing = drafted(pets()).description;
    let path = existing.pointer_mut("/paths").unwrap().as_object_mut().unwrap();
    let mut item = path.remove("/pets/{petId}").unwrap();
    *item.pointer_mut("/get/operationId").unwrap() = "showPet".into();
    *item.pointer_mut("/get/parameters/0/name").unwrap() = "number".into();
    path.insert("/pets/{number}", item);
    let more = vec![
        exchange(
            "GET",
            "https://a.example/pets/9?lang=en",
            &Value::Null,
            &json!({"id": "nine", "name": "Tom", "owner": null, "born": "2020-02-02"}),
        ),
        exchange("DELETE", "https://a.example/pets/9", &Value::Null, &json!({})),
    ];
    let options = DraftOptions { merge: Some(existing), ..DraftOptions::default() };
    let merged = draft(more, &options).unwrap();
    let paths = merged.description["paths"].as_object().unwrap();
    assert_eq!(paths.keys().collect::<Vec<_>>(), ["/pets", "/pets/{number}"]);
    let item = &paths.get("/pets/{number}").unwrap();
    assert_eq!(item["get"]["operationId"], "showPet");
    assert_eq!(item["delete"]["parameters"][0]["name"], "number");
    assert_eq!(item["get"]["parameters"][2]["name"], "lang");
    let schema =
        item.pointer("/get/responses/200/content/application~1json/schema/properties").unwrap();
    assert_eq!(schema["id"]["type"], json!(["integer", "string"]));
    assert_eq!(schema["born"], json!({"type": "string", "format": "date"}));
    assert_eq!(merged.cases[0].tool, "showPet");
    assert_eq!(merged.cases[0].arguments["number"], 9);
}
fn merged(existing: Value, exchanges: Vec<Exchange>) -> Draft {
    draft(exchanges, &DraftOptions { merge: Some(existing), ..DraftOptions::default() }).unwrap()
}

#[test]
fn a_merge_puts_a_path_below_the_server_of_the_description() {
    let existing = json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://{region}.a.example/v1", "variables": {"region": {"default": "eu"}}}],
        "paths": {"/pets/{number}": {"get": {"operationId": "showPet", "responses": {}}}},
    });
    let draft = merged(
        existing,
        vec![
            exchange("DELETE", "https://eu.a.example/v1/pets/9", &Value::Null, &json!({})),
            exchange("GET", "https://b.example/v1/cats", &Value::Null, &json!([])),
        ],
    );
    let paths = draft.description["paths"].as_object().unwrap();
    assert_eq!(paths.keys().collect::<Vec<_>>(), ["/pets/{number}", "/v1/cats"]);
    assert_eq!(paths.get("/pets/{number}").unwrap()["delete"]["parameters"][0]["name"], "number");
    let servers = json!([{"url": "https://b.example"}]);
    assert_eq!(paths.get("/v1/cats").unwrap()["get"]["servers"], servers);
    assert_eq!(draft.description["servers"].as_array().unwrap().len(), 1);
}

#[test]
fn a_merge_leaves_references_and_shared_parameters_alone() {
    let existing = json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://a.example"}],
        "paths": {"/pets": {
            "parameters": [{"name": "lang", "in": "query", "schema": {"type": "string"}}],
            "get": {
                "operationId": "list",
                "parameters": [{"$ref": "#/components/parameters/limit"}],
                "responses": {"200": {"$ref": "#/components/responses/Pets"}},
            },
        }},
        "components": {
            "parameters": {"limit": {"name": "limit", "in": "query", "schema": {"type": "integer"}}},
            "responses": {"Pets": {"description": "Pets"}},
            "schemas": {"Pet": {"type": "string"}},
            "securitySchemes": {"own": {"type": "http", "scheme": "bearer"}},
        },
    });
    let pet = json!({"id": 1, "name": "Rex"});
    let headers = [("Authorization".to_owned(), format!("Bearer {SECRET}"))];
    let with_token = Exchange::from_given(Given {
        url: "https://a.example/owners",
        headers: &headers,
        output: Some("[]"),
        ..Given::default()
    });
    let draft = merged(
        existing.clone(),
        vec![
            exchange("GET", "https://a.example/pets?limit=2&lang=en", &Value::Null, &json!([pet])),
            exchange("GET", "https://a.example/pets/1", &Value::Null, &pet),
            exchange("PUT", "https://a.example/pets/1", &pet, &pet),
            with_token.unwrap(),
        ],
    );
    let description = &draft.description;
    assert_eq!(description["paths"]["/pets"], existing["paths"]["/pets"]);
    assert_eq!(description.pointer("/components/schemas/Pet"), Some(&json!({"type": "string"})));
    let reference = json!({"$ref": "#/components/schemas/Pet2"});
    let body = description
        .pointer("/paths/~1pets~1{petId}/put/requestBody/content/application~1json/schema");
    assert_eq!(body, Some(&reference), "{description:#}");
    assert!(description.pointer("/components/schemas/Pet2").is_some());
    assert_eq!(description.pointer("/paths/~1owners/get/security"), Some(&json!([{"own": []}])));
    assert!(draft.guesses.iter().any(|guess| guess.text == "a reference stays as it is"));
}

#[test]
fn a_draft_speaks_the_version_of_the_description() {
    let existing = json!({
        "openapi": "3.0.3",
        "servers": [{"url": "https://a.example"}],
        "paths": {"/pets": {"get": {"operationId": "list", "responses": {"200": {
            "description": "OK",
            "content": {"application/json": {"schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}},
        }}}}},
    });
    let exchanges = vec![
        exchange("GET", "https://a.example/pets", &Value::Null, &json!({"a": null, "b": null})),
        exchange(
            "GET",
            "https://a.example/pets",
            &Value::Null,
            &json!({"a": 1, "b": "x", "c": [1, "y"]}),
        ),
    ];
    let draft = merged(existing, exchanges);
    let properties = draft
        .description
        .pointer("/paths/~1pets/get/responses/200/content/application~1json/schema/properties");
    let expected = json!({
        "a": {"type": "integer", "nullable": true},
        "b": {"type": "string", "nullable": true},
        "c": {"type": "array", "items": {}},
    });
    assert_eq!(properties, Some(&expected));
    for other in [json!({"swagger": "2.0"}), json!({"toolsets": {}}), Value::Null] {
        let options = DraftOptions { merge: Some(other), ..DraftOptions::default() };
        let error = callgate_draft::draft(pets(), &options).unwrap_err();
        assert!(error.to_string().contains("expected OpenAPI 3.0"), "{error}");
    }
}
