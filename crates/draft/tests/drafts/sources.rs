//! Sources of exchanges: HAR, lines of curl, Postman, HTTP messages.

use super::*;

#[test]
fn a_collection_names_its_credentials_and_gives_no_value() {
    let collection = json!({
        "auth": {"type": "apikey", "apikey": [
            {"key": "key", "value": "q"}, {"key": "value", "value": "abc"}, {"key": "in", "value": "query"},
        ]},
        "item": [
            {"name": "one", "request": {"method": "GET", "url": "https://a.example/a"}},
            {"name": "two", "request": {"method": "GET", "url": "https://a.example/b", "auth": {"type": "hawk"}}},
        ],
    });
    let source = read_postman_collection(&collection.to_string(), "c").unwrap();
    assert_eq!(source.notes, ["c, `two`: a credential of the kind `hawk` is not drafted"]);
    let draft = drafted(source.exchanges);
    let scheme = json!({"type": "apiKey", "in": "query", "name": "q"});
    assert_eq!(draft.description.pointer("/components/securitySchemes/qQuery"), Some(&scheme));
}

#[test]
fn options_of_curl_that_are_not_read_are_named() {
    let source = read_curl_commands(
        "curl --aws-sigv4 aws:amz -T pet.png https://a.example/pets/$PET_ID/photo",
        "a",
    )
    .unwrap();
    assert_eq!(source.notes, ["a, command 1: `--aws-sigv4` is not looked at"]);
    let draft = drafted(source.exchanges);
    let content = draft
        .description
        .pointer("/paths/~1pets~1{PET_ID}~1photo/put/requestBody/content")
        .unwrap();
    assert!(content.get("application/octet-stream").is_some(), "{content}");
}

#[test]
fn every_source_gives_the_same_exchange() {
    let command = r#"curl -s -X POST 'https://a.example/pets?dry=true' -H "Content-Type: application/json" --data-raw $'{"name": "Rex"}'"#;
    let request = "POST https://a.example/pets?dry=true HTTP/1.1\ncontent-type: application/json\n\n{\"name\": \"Rex\"}";
    let collection = json!({"item": [{"name": "make", "item": [{"name": "one", "request": {
        "method": "POST",
        "url": {"raw": "{{base}}/pets?dry=true"},
        "header": [{"key": "Content-Type", "value": "application/json"}],
        "body": {"mode": "raw", "raw": "{\"name\": \"Rex\"}"},
    }}]}], "variable": [{"key": "base", "value": "https://a.example"}]});
    let archive = json!({"log": {"entries": [{"request": {
        "method": "POST", "url": "https://a.example/pets?dry=true", "headers": [],
        "postData": {"mimeType": "application/json", "text": "{\"name\": \"Rex\"}"},
    }}]}});
    let sources = [
        read_curl_commands(command, "a").unwrap(),
        read_http_messages(request, None, "a").unwrap(),
        read_postman_collection(&collection.to_string(), "a").unwrap(),
        read_har(&archive.to_string(), "a").unwrap(),
    ];
    let descriptions: Vec<Value> =
        sources.into_iter().map(|source| drafted(source.exchanges).description).collect();
    assert!(descriptions.windows(2).all(|pair| pair[0] == pair[1]), "{descriptions:#?}");
    assert_eq!(
        descriptions[0].pointer("/paths/~1pets/post/parameters/0/schema/type"),
        Some(&json!("boolean"))
    );
}

#[test]
fn a_file_that_a_command_names_is_not_read() {
    let source = read_curl_commands("curl -d @/etc/passwd https://a.example/pets", "a").unwrap();
    assert!(
        source.exchanges.is_empty() && source.notes[0].contains("which is not read"),
        "{source:?}"
    );
}
