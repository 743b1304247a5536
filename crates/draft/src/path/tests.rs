//! Templates of paths, from the addresses of requests.

use super::*;
use crate::redact::redact_secrets;

/// The templates of requests, each `METHOD ADDRESS [RESPONSE]`.
fn templates(requests: &[&str]) -> Vec<String> {
    let exchange = |request: &&str| {
        let words: Vec<&str> = request.splitn(3, ' ').collect();
        Exchange::from_given(crate::Given {
            method: words[0],
            url: &format!("https://api.shop.example{}", words[1]),
            output: words.get(2).copied(),
            ..crate::Given::default()
        })
        .unwrap()
    };
    let (redacted, _) = redact_secrets(requests.iter().map(exchange).collect(), "");
    path_templates(&redacted).iter().map(Template::text).collect()
}

#[test]
fn a_part_that_looks_like_an_identifier_is_variable() {
    let paths = [
        ("/v1/pets/7", "/v1/pets/{petId}"),
        ("/pets/1b4e28ba-2fa1-11d2-883f-0016d3cca427/photos", "/pets/{petId}/photos"),
        ("/commits/9fceb02d0ae598e95dc970b74767f19372d61af8", "/commits/{commitId}"),
        ("/tickets/PET-123", "/tickets/{ticketId}"),
        ("/assistants/asst_abc123/files/file-9x8y7z", "/assistants/{assistantId}/files/{fileId}"),
        ("/regions/us-east1", "/regions/us-east1"),
        ("/api_v1beta12/pets", "/api_v1beta12/pets"),
        ("/rates/2026-11-29", "/rates/{rateId}"),
        ("/reports/2024.json", "/reports/{reportId}.json"),
        ("/oauth2/token", "/oauth2/token"),
        ("/users/me", "/users/me"),
        ("/7", "/{id}"),
    ];
    for (path, template) in paths {
        assert_eq!(templates(&[&format!("GET {path}")]), [template], "{path}");
    }
}

#[test]
fn words_that_differ_between_otherwise_equal_exchanges_are_variable() {
    let user = r#"{"login": "a", "followers": 2, "bio": null}"#;
    let found = templates(&[
        &format!("GET /users/octocat {user}"),
        &format!("GET /users/hubot {user}"),
        r#"GET /users/count {"total": 2, "active": 1}"#,
        r#"GET /emojis {"a": "b", "c": "d"}"#,
        r#"GET /meta {"a": "b", "c": "d"}"#,
    ]);
    assert_eq!(found, ["/users/{userId}", "/users/{userId}", "/users/count", "/emojis", "/meta"]);
}

#[test]
fn given_names_count() {
    let found = templates(&["GET /pets/{pet}/visits/:visit", "GET /pets/7/visits/8"]);
    assert_eq!(found, ["/pets/{pet}/visits/{visit}", "/pets/{pet}/visits/{visit}"]);
}
