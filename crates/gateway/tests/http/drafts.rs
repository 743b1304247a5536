//! `POST /v1/drafts`. The quality of drafts is the business of `draft`.

use crate::prelude::*;
use callgate_testkit::rows;

const SECRET: &str = "k7Qp2Zx9Vb4Nm8Ls3Td6Wf1Rg5Yh0Jc2";

fn pet(id: u32) -> Value {
    json!({
        "url": format!("https://api.pets.example/v1/pets/{id}"),
        "headers": {"Authorization": format!("Bearer {SECRET}")},
        "output": {"id": id, "name": "Rex"},
    })
}

#[tokio::test]
async fn examples_become_a_description_with_its_guesses_and_fixtures() {
    let sidecar = Sidecar::of_pets().await;
    let created = json!({
        "method": "POST", "url": "https://api.pets.example/v1/pets", "status": 201.0,
        "input": {"name": "Rex"}, "output": r#"{"id": 7, "name": "Rex"}"#,
    });
    let body =
        json!({"exchanges": [pet(7), pet(8), created], "prompt": format!("Pets, by {SECRET}")});
    let answered = sidecar.post("/v1/drafts", &body).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    assert!(!answered.text.contains(SECRET), "{}", answered.text);
    let draft = answered.json();
    let description = &draft["description"];
    assert_eq!(description["paths"]["/v1/pets/{petId}"]["get"]["operationId"], "getPet");
    assert!(description["paths"]["/v1/pets"]["post"]["responses"]["201"]["content"].is_object());
    let guess = json!({
        "at": "/paths/~1v1~1pets~1{petId}/get/parameters/0", "guess": "`petId` differs between addresses", "seen": 2, "of": 2,
        "settle": "rename it, or write the part as it is if it is always the same",
    });
    assert!(draft["guesses"].as_array().unwrap().contains(&guess), "{}", answered.text);
    let fixture = json!({
        "tool": "createPet", "arguments": {"name": "Rex"}, "status": 201, "mediaType": "application/json",
        "body": r#"{"id":7,"name":"Rex"}"#, "source": "exchanges[2]",
    });
    assert_eq!(draft["fixtures"][2], fixture);
    assert_eq!(sidecar.post("/v1/drafts", &body).await.text, answered.text);
}

#[tokio::test]
async fn a_draft_is_added_to_the_text_of_a_description() {
    let sidecar = Sidecar::of_pets().await;
    let merge = "openapi: 3.0.3\ninfo: {title: Mine, version: '1'}\nservers: [{url: https://api.pets.example/v1}]\npaths: {}\n";
    let answered =
        sidecar.post("/v1/drafts", &json!({"exchanges": [pet(7)], "merge": merge})).await;
    let description = answered.json()["description"].clone();
    assert_eq!(description["openapi"], "3.0.3");
    assert_eq!(description["info"]["title"], "Mine");
    assert!(description["paths"]["/pets/{petId}"].is_object(), "{}", answered.text);
}

#[tokio::test]
async fn examples_that_cannot_be_drafted_are_a_problem_with_their_position() {
    let sidecar = Sidecar::of_pets().await;
    for [body, expected] in rows(
        r#"
        {} => 400 `exchanges`: expected an array, got: nothing
        {"exchanges": [{"url": "https://a.example/", "secret": 1}]} => 400 `exchanges[0]`
        {"exchanges": [{"url": "https://a.example/", "headers": {"A": 1}}]} => 400 `exchanges[0].headers.A`: expected a text, got: a number
        {"exchanges": []} => 422 expected at least one request
        {"exchanges": [{"url": "https://a.example/"}, {"url": "file:///etc/passwd"}]} => 422 exchanges[1]: expected an address
        {"exchanges": [{"method": "BREW", "url": "https://a.example/"}]} => 422 exchanges[0]: expected a method that OpenAPI has
        {"exchanges": [{"url": "https://a.example/", "status": 99}]} => 400 `exchanges[0].status`: expected a status from 100 to 599, got: a number
        {"exchanges": [{"url": "https://a.example/"}], "merge": "swagger: '2.0'"} => 422 got Swagger 2.0
        {"exchanges": [{"url": "https://a.example/"}], "merge": "- 1"} => 422 `merge`: expected a description as JSON or YAML
        "#,
    ) {
        let (status, expected) = expected.split_once(' ').unwrap();
        let answered = sidecar.post("/v1/drafts", &body.parse().unwrap()).await;
        assert_eq!(answered.status.to_string(), status, "{body}: {}", answered.text);
        let detail = answered.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(expected), "{body}: {detail}");
    }
    let many = vec![json!({"url": "https://a.example/"}); 501];
    let answered = sidecar.post("/v1/drafts", &json!({"exchanges": many})).await;
    assert_eq!(answered.status, 422, "{}", answered.text);
    let large =
        json!({"exchanges": [{"url": "https://a.example/", "output": "a".repeat(1 << 20)}]});
    assert_eq!(sidecar.post("/v1/drafts", &large).await.status, 413);
}
