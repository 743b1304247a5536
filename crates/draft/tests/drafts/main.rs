//! Drafts of exchanges as services have them.

#![cfg(test)]

mod merges;
mod secrets;
mod sources;

use callgate_draft::{
    Draft, DraftOptions, Exchange, Given, draft, read_curl_commands, read_har, read_http_messages,
    read_postman_collection,
};
use callgate_tool::{Value, json};
use proptest::prelude::*;

const SECRET: &str = "k7Qp2Zx9Vb4Nm8Ls3Td6Wf1Rg5Yh0Jc2";

fn exchange(method: &str, url: &str, input: &Value, output: &Value) -> Exchange {
    let (input, output) = (input.to_string(), output.to_string());
    let input = (input != "null").then_some(input.as_str());
    Exchange::from_given(Given { method, url, input, output: Some(&output), ..Given::default() })
        .unwrap()
}

fn drafted(exchanges: Vec<Exchange>) -> Draft {
    draft(exchanges, &DraftOptions::default()).unwrap()
}

fn pets() -> Vec<Exchange> {
    vec![
        exchange(
            "GET",
            "https://a.example/pets/7?fields=name",
            &Value::Null,
            &json!({"id": 7, "name": "Rex", "owner": null}),
        ),
        exchange(
            "GET",
            "https://a.example/pets/8",
            &Value::Null,
            &json!({"id": 8, "name": "Mia", "owner": {"id": 1}, "weight": 4.5}),
        ),
        exchange(
            "POST",
            "https://a.example/pets",
            &json!({"name": "Rex"}),
            &json!({"id": 7, "name": "Rex", "owner": null}),
        ),
        exchange(
            "POST",
            "https://a.example/pets",
            &json!({"name": "Mia", "age": 3}),
            &json!({"id": 8, "name": "Mia", "owner": null}),
        ),
    ]
}

#[test]
fn all_examples_count_and_not_the_first_alone() {
    let draft = drafted(pets());
    let get = draft.description.pointer("/paths/~1pets~1{petId}/get").unwrap();
    assert_eq!(get["operationId"], "getPet");
    let parameters = json!([
        {"name": "petId", "in": "path", "required": true, "schema": {"type": "integer"}},
        {"name": "fields", "in": "query", "schema": {"type": "string"}},
    ]);
    assert_eq!(get["parameters"], parameters);
    let pet = get.pointer("/responses/200/content/application~1json/schema").unwrap();
    assert_eq!(pet.get("required"), None);
    assert_eq!(pet["properties"]["owner"]["type"], json!(["object", "null"]));
    assert_eq!(pet["properties"]["weight"], json!({"type": ["number", "null"]}));
    let body = draft
        .description
        .pointer("/paths/~1pets/post/requestBody/content/application~1json/schema")
        .unwrap();
    assert_eq!(body["required"], json!(["name"]));
    assert_eq!(body["properties"]["age"], json!({"type": "integer"}));
}

#[test]
fn guesses_have_their_evidence() {
    let draft = drafted(pets());
    let guess = draft.guesses.iter().find(|guess| guess.text == "`fields` is optional").unwrap();
    assert_eq!((guess.seen, guess.total), (1, 2));
    let path = |draft: &Draft| {
        draft.guesses.iter().any(|guess| guess.text == "`petId` differs between addresses")
    };
    assert!(path(&draft) && !path(&drafted(pets().into_iter().take(1).collect())));
    for guess in &draft.guesses {
        assert!(draft.description.pointer(&guess.pointer).is_some(), "{guess:?}");
    }
}

#[test]
fn each_exchange_is_a_case_of_a_tool() {
    let draft = drafted(pets());
    let cases: Vec<_> =
        draft.cases.iter().map(|case| (case.tool.as_str(), case.arguments.clone())).collect();
    let arguments = |value: Value| value.as_object().unwrap().clone();
    assert_eq!(cases[0], ("getPet", arguments(json!({"petId": 7, "fields": "name"}))));
    assert_eq!(cases[3], ("createPet", arguments(json!({"name": "Mia", "age": 3}))));
    assert_eq!(draft.cases[0].body, r#"{"id":7,"name":"Rex","owner":null}"#);
}

#[test]
fn words_and_maps_and_formats_are_recognized() {
    let statuses = ["open", "closed", "open", "closed"].repeat(5);
    let answers = statuses.iter().map(|status| {
        json!({"status": status, "at": "2026-11-29T10:00:00Z", "scores": {"17": 1, "18": 2}, "zip": "01234"})
    });
    let exchanges =
        answers.map(|answer| exchange("GET", "https://a.example/state", &Value::Null, &answer));
    let draft = drafted(exchanges.collect());
    let schema = draft
        .description
        .pointer("/paths/~1state/get/responses/200/content/application~1json/schema/properties")
        .unwrap();
    assert_eq!(schema["status"]["enum"], json!(["closed", "open"]));
    assert_eq!(schema["at"], json!({"type": "string", "format": "date-time"}));
    assert_eq!(
        schema["scores"],
        json!({"type": "object", "additionalProperties": {"type": "integer"}})
    );
    assert_eq!(schema["zip"], json!({"type": "string"}));
}

/// The schema of what is sent and of what comes back when as many examples have the same names.
fn sides(n_examples: u32, input: &Value, output: &Value) -> [Value; 2] {
    let exchanges =
        (0..n_examples).map(|_| exchange("POST", "https://a.example/pets", input, output));
    let draft = drafted(exchanges.collect());
    ["/requestBody", "/responses/200"].map(|place| {
        let pointer = format!("/paths/~1pets/post{place}/content/application~1json/schema");
        draft.description.pointer(&pointer).unwrap().clone()
    })
}

#[test]
fn a_service_that_writes_null_may_write_it_for_other_members() {
    let input = json!({"note": null, "tag": "a"});
    let output = json!({"id": "p7", "owner": null, "tag": "a", "sizes": [1]});
    let [request, response] = sides(19, &input, &output);
    assert_eq!(request["properties"]["tag"]["type"], "string");
    let types = |name: &str| response["properties"][name]["type"].clone();
    assert_eq!(types("tag"), json!(["string", "null"]));
    assert_eq!(types("sizes"), json!(["array", "null"]));
    assert_eq!(response["properties"]["sizes"]["items"]["type"], "integer");
    assert_eq!(types("id"), "string");
    let [_, many] = sides(20, &input, &output);
    assert_eq!(many["properties"]["tag"]["type"], "string");
    let [_, other] = sides(5, &input, &json!({"tag": "a"}));
    assert_eq!(other["properties"]["tag"]["type"], "string");
}

#[test]
fn responses_need_more_examples_than_requests_to_be_narrow() {
    let both = json!({"name": "Rex"});
    let required =
        |n_examples| sides(n_examples, &both, &both).map(|schema| schema.get("required").is_some());
    assert_eq!(
        [1, 2, 4, 5].map(required),
        [[false, false], [true, false], [true, false], [true, true]]
    );
}

#[test]
fn equal_schemas_become_a_component() {
    let owner = json!({"id": 1, "name": "Ann"});
    let draft = drafted(vec![
        exchange("GET", "https://a.example/owners/1", &Value::Null, &owner),
        exchange("GET", "https://a.example/owners", &Value::Null, &json!([owner, owner])),
    ]);
    let schema = draft
        .description
        .pointer("/paths/~1owners~1{ownerId}/get/responses/200/content/application~1json/schema");
    let items = draft
        .description
        .pointer("/paths/~1owners/get/responses/200/content/application~1json/schema/items");
    assert!(schema.is_some() && items.is_some(), "{:#}", draft.description);
}

/// Each place in which a request or a response may carry a secret.
fn leaky(secret: &str) -> Vec<Exchange> {
    let archive = json!({"log": {"entries": [{
        "request": {
            "method": "POST",
            "url": format!("https://user:{secret}@a.example/bot{secret}/pets?api_key={secret}&plain={secret}"),
            "headers": [
                {"name": "Authorization", "value": format!("Bearer {secret}")},
                {"name": "X-Api-Key", "value": secret},
                {"name": "Cookie", "value": format!("theme=dark; session={secret}")},
                {"name": "X-Trace", "value": format!("a {secret} b")},
            ],
            "postData": {"mimeType": "application/json", "text": json!({"password": secret, "note": format!("it is {secret}"), secret: 1}).to_string()},
        },
        "response": {
            "status": 200,
            "headers": [{"name": "Set-Cookie", "value": format!("session={secret}; Path=/")}],
            "content": {"mimeType": "application/json", "text": json!({"access_token": secret, "echo": [secret], secret: {"a": secret}}).to_string()},
        },
    }]}});
    read_har(&archive.to_string(), "a.har").unwrap().exchanges
}

#[test]
fn credentials_become_schemes_and_no_secret_is_written() {
    let prompt = format!("Makes a pet with {SECRET}");
    let draft = draft(leaky(SECRET), &DraftOptions { prompt, ..DraftOptions::default() }).unwrap();
    assert!(!format!("{draft:?}").contains(SECRET), "{draft:#?}");
    let schemes = draft.description.pointer("/components/securitySchemes").unwrap();
    assert_eq!(schemes["bearerAuth"], json!({"type": "http", "scheme": "bearer"}));
    assert_eq!(schemes["basicAuth"], json!({"type": "http", "scheme": "basic"}));
    assert_eq!(schemes["apiKeyQuery"], json!({"type": "apiKey", "in": "query", "name": "api_key"}));
    assert_eq!(
        schemes["xApiKeyHeader"],
        json!({"type": "apiKey", "in": "header", "name": "x-api-key"})
    );
    assert_eq!(
        schemes["sessionCookie"],
        json!({"type": "apiKey", "in": "cookie", "name": "session"})
    );
}

#[test]
fn a_query_may_have_the_name_of_a_header_that_clients_set() {
    let addresses = ["date=2026-11-29&from=Bonn&age=3", "origin=Bonn&host=a&priority=1"];
    let exchanges = addresses.map(|query| {
        exchange("GET", &format!("https://a.example/trains?{query}"), &Value::Null, &json!({}))
    });
    let draft = drafted(exchanges.into());
    let parameters = draft.description.pointer("/paths/~1trains/get/parameters").unwrap();
    let names = parameters.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["date", "from", "age", "origin", "host", "priority"]);
}
#[test]
fn media_types_are_as_sent_and_bodies_that_are_cut_are_reported() {
    let answer = |media_type: &str, body: &str| {
        let response = format!("HTTP/1.1 200 OK\ncontent-type: {media_type}\n\n{body}");
        read_http_messages("GET https://a.example/state HTTP/1.1", Some(&response), "a")
            .unwrap()
            .exchanges
    };
    let mut exchanges = answer("application/hal+json", r#"{"a": 1}"#);
    exchanges.extend(answer("application/hal+json; charset=utf-8", r#"{"a": 1, "b": "cu"#));
    exchanges.extend(answer("application/x-ndjson", "{}\n{}"));
    let draft = drafted(exchanges);
    let content = draft.description.pointer("/paths/~1state/get/responses/200/content").unwrap();
    assert_eq!(
        content["application/hal+json"]["schema"]["properties"],
        json!({"a": {"type": "integer"}})
    );
    assert_eq!(content["application/x-ndjson"]["schema"], json!({"type": "string"}));
    assert!(draft.guesses.iter().any(|guess| guess.text.ends_with("they may be cut")));
}

#[test]
fn identifiers_that_nobody_types_are_no_credentials() {
    let id = "507f1f77bcf86cd799439011";
    let draft = drafted(vec![exchange(
        "GET",
        &format!("https://a.example/pets?ownerId={id}"),
        &Value::Null,
        &json!([]),
    )]);
    assert_eq!(draft.description.get("components"), None);
    assert_eq!(
        draft.description.pointer("/paths/~1pets/get/parameters/0/name"),
        Some(&json!("ownerId"))
    );
}

#[test]
fn a_password_of_one_word_is_masked_in_all_places() {
    let login = json!({"password": "swordfish", "secret_scanning": "enabled"});
    let draft = drafted(vec![exchange(
        "POST",
        "https://a.example/login",
        &login,
        &json!({"said": "swordfish", "state": "enabled"}),
    )]);
    assert!(!format!("{draft:?}").contains("swordfish"));
    assert!(draft.cases[0].body.contains("enabled"));
}

#[test]
fn secrets_that_overlap_are_masked_as_one() {
    let output =
        json!({"password": "k7Qp2Zx9", "secret": "2Zx9Vb4N", "note": "it is k7Qp2Zx9Vb4N."});
    let draft = drafted(vec![exchange("GET", "https://a.example/a", &Value::Null, &output)]);
    assert!(draft.cases[0].body.contains("it is ****."), "{}", draft.cases[0].body);
}

#[test]
fn secrets_within_each_other_are_masked_as_one_and_too_many_mask_all() {
    let long = format!("0123456789abcdefghijklmnopqrstuvwxyz/{}", "z".repeat(100_000));
    let secrets = (0..300).map(|at| (format!("secret{at}"), json!("A".repeat(6 + at))));
    let text = json!(format!("{long}, {}b{}", "A".repeat(100_000), "c".repeat(300)));
    let others = [("password".to_owned(), json!(long)), ("text".to_owned(), text)];
    let input = Value::Object(secrets.chain(others).collect());
    let draft = drafted(vec![exchange("POST", "https://a.example/x", &input, &Value::Null)]);
    let text = draft.cases[0].arguments["text"].as_str().unwrap();
    assert!(text.starts_with("****c") && text.ends_with('c'), "{text}");
    let many = (0..20_001).map(|at| (format!("secret{at}"), json!(format!("S3cret{at}"))));
    let many = Value::Object(many.chain([("text".to_owned(), json!("a"))]).collect());
    let draft = drafted(vec![exchange("POST", "https://a.example/x", &many, &Value::Null)]);
    assert!(draft.cases[0].arguments.values().all(|value| *value == "****"), "{draft:?}");
}

#[test]
fn a_request_of_more_parts_than_services_have_is_refused() {
    let draft_of = |url: String, cookie: String| {
        let headers = [("Cookie".to_owned(), cookie)];
        let given = Given { url: &url, headers: &headers, ..Given::default() };
        draft(vec![Exchange::from_given(given).unwrap()], &DraftOptions::default())
    };
    let path = |n_parts| format!("https://a.example/{}", vec!["a"; n_parts].join("/"));
    let query = |n_values| format!("https://a.example/?{}", vec!["q=1"; n_values].join("&"));
    let cookie = |n_cookies| vec!["c=1"; n_cookies].join("; ");
    assert!(draft_of(path(100), cookie(9)).is_ok() && draft_of(query(1990), cookie(9)).is_ok());
    for (url, cookie, expected) in [
        (path(100_000), cookie(1), "expected at most 100 parts of the path, got: 100000"),
        (
            query(2000),
            cookie(1),
            "expected at most 2000 values of query, headers and cookies, got: 2001",
        ),
        (path(1), cookie(3000), "got: 3000"),
    ] {
        let refused = draft_of(url, cookie).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
}

proptest! {
    #[test]
    fn the_same_exchanges_give_the_same_draft(names in prop::collection::vec("[a-z0-9]{1,6}", 1..6), seed in any::<u32>()) {
        let exchanges = || names.iter().map(|name| {
            exchange("GET", &format!("https://a.example/{name}/{seed}"), &Value::Null, &json!({name.as_str(): [seed, name]}))
        }).collect::<Vec<_>>();
        prop_assert_eq!(format!("{:?}", drafted(exchanges())), format!("{:?}", drafted(exchanges())));
    }

    #[test]
    fn no_secret_of_any_form_is_written(secret in "[A-Za-z0-9]{24,40}") {
        prop_assume!(secret.bytes().any(|byte| byte.is_ascii_digit()) && secret.bytes().any(|byte| byte.is_ascii_uppercase()));
        let draft = drafted(leaky(&secret));
        let written = format!("{draft:?}");
        prop_assert!(!written.contains(&secret));
    }

    #[test]
    fn no_text_makes_a_source_panic(text in ".{0,200}", places in prop::collection::vec(0..4_usize, 1..3)) {
        for place in places {
            let read = [read_curl_commands, read_har, read_postman_collection].get(place).map(|read| read(&text, "a"));
            let exchanges = read.unwrap_or_else(|| read_http_messages(&text, Some(&text), "a")).map(|source| source.exchanges);
            if let Ok(exchanges) = exchanges {
                draft(exchanges, &DraftOptions::default()).ok();
            }
        }
    }
}
