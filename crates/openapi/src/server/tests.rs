//! Tests rows of servers: from descriptions, from operators, and unknown ones.

use callgate_tool::{Value, json};

use super::*;
use crate::sample::document;

/// Checks the URL and the party that named it, or the code of the refusal.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check_with(options: &LoadOptions, servers: Value, expected: &str) {
    let document = document(json!({"servers": servers}));
    let mut findings = Findings::default();
    let got = Servers::new(&document, options).operation_server(&[], &mut findings);
    let got = got.map_or_else(
        || findings.into_diagnostics()[0].code.as_str().to_owned(),
        |server| format!("{} {:?}", server.url, server.named_by),
    );
    assert_eq!(got, expected);
}

/// Checks an unknown server: it is reported once, whatever the number of operations.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check_missing(servers: Value, url: &str, message: &str) {
    let document = document(json!({"servers": servers}));
    let options = LoadOptions::default();
    let servers = Servers::new(&document, &options);
    let mut findings = Findings::default();
    for _ in 0..3 {
        let server = servers.operation_server(&[], &mut findings).unwrap();
        assert_eq!((server.url.as_str(), server.is_missing), (url, true));
    }
    assert_eq!(servers.root_server(), None);
    servers.report_missing_server(&mut findings);
    let found = findings.into_diagnostics();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code.as_str(), "no-server");
    assert!(found[0].message.ends_with(message) && found[0].message.contains("3 operations"));
}

#[test]
fn a_malformed_server_of_the_operator_is_reported_as_such() {
    let document = document(json!({"servers": [{"url": "https://a.example"}]}));
    let server = Some("localhost:8000".to_owned());
    let options = LoadOptions { server, ..LoadOptions::default() };
    let servers = Servers::new(&document, &options);
    let mut findings = Findings::default();
    assert_eq!(servers.operation_server(&[], &mut findings), None);
    servers.report_root_faults(&mut findings);
    let found = findings.into_diagnostics();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].help, "write `http://localhost:8000`");
}

#[test]
fn an_operators_server_without_the_path_of_the_description_is_reported() {
    let path = |servers: Value| json!({"openapi": "3.1.0", "servers": servers});
    let base = |base: &str| json!({"swagger": "2.0", "basePath": base});
    let hosted = json!({"swagger": "2.0", "host": "a.example", "basePath": "/api"});
    for (root, server, expected) in [
        (path(json!([{"url": "/api/"}])), "http://b.example", Some("http://b.example/api")),
        (path(json!([{"url": "/api"}])), "http://b.example/", Some("http://b.example/api")),
        (path(json!([{"url": "/api"}])), "http://b.example/v1", None),
        (path(json!([{"url": "./api"}])), "http://b.example", Some("http://b.example/api")),
        (path(json!([{"url": "api/v1/"}])), "http://b.example", Some("http://b.example/api/v1")),
        (path(json!([{"url": "a.example/api"}])), "http://b.example", None),
        (path(json!([{"url": "."}])), "http://b.example", None),
        (path(json!([{"url": "./"}])), "http://b.example", None),
        (path(json!([{"url": "/"}])), "http://b.example", None),
        (path(json!([{"url": "https://a.example/api"}])), "http://b.example", None),
        (base("/api"), "http://b.example", Some("http://b.example/api")),
        (hosted, "http://b.example", None),
    ] {
        let document = Document::new(crate::sample::node(&root)).unwrap();
        let options = LoadOptions { server: Some(server.to_owned()), ..LoadOptions::default() };
        let mut findings = Findings::default();
        Servers::new(&document, &options).report_root_faults(&mut findings);
        let found = findings.into_diagnostics();
        let helps: Vec<_> = found.iter().map(|finding| &*finding.help).collect();
        assert_eq!(helps.len(), expected.iter().count(), "{root} {server}");
        assert!(helps.iter().zip(expected).all(|(help, url)| help.contains(url)), "{helps:?}");
    }
}

#[track_caller]
fn check(servers: Value, expected: &str) {
    check_with(&LoadOptions::default(), servers, expected);
}

#[test]
fn the_first_server_is_used() {
    let two = json!([{"url": "https://a.example/v1/"}, {"url": "https://b.example"}]);
    check(two, "https://a.example/v1 Description");
    check(json!([{"url": "https://a.example"}]), "https://a.example/ Description");
}

#[test]
fn server_variables_have_defaults_and_configured_values() {
    let servers = json!([{"url": "https://{region}.example:{port}", "variables": {
        "region": {"default": "eu", "enum": ["eu", "us"]}, "port": {"default": 8443}}}]);
    check(servers.clone(), "https://eu.example:8443/ Description");
    let mut options = LoadOptions::default();
    options.server_variables.insert("region".to_owned(), "us".to_owned());
    check_with(&options, servers.clone(), "https://us.example:8443/ Description");
    options.server_variables.insert("region".to_owned(), "evil".to_owned());
    check_with(&options, servers, "server-variable");
    check(json!([{"url": "https://{tenant}.example"}]), "server-variable");
}

#[test]
fn a_default_outside_the_values_of_its_variable_is_reported_once() {
    let document = document(json!({"servers": [{"url": "https://{region}.example", "variables": {
        "region": {"default": "asia", "enum": ["eu", "us"]}}}]}));
    for (region, expected) in [(None, &["server-variable"][..]), (Some("us"), &[])] {
        let mut options = LoadOptions::default();
        options.server_variables.extend(region.map(|name| ("region".to_owned(), name.to_owned())));
        let servers = Servers::new(&document, &options);
        let mut findings = Findings::default();
        servers.report_root_faults(&mut findings);
        servers.report_root_faults(&mut findings);
        assert!(servers.operation_server(&[], &mut findings).is_some());
        let found = findings.into_diagnostics();
        let codes: Vec<_> = found.iter().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, expected);
    }
}

#[test]
fn a_relative_server_needs_the_address_of_the_description() {
    check_missing(json!([{"url": "/v1"}]), "https://server.invalid/v1", "got: `/v1`");
    check_missing(
        json!([{"url": "//a.example/v1"}]),
        "https://server.invalid/v1",
        "got: `//a.example/v1`",
    );
    check_missing(json!([]), "https://server.invalid/", "got: `/`");
    check_missing(json!(null), "https://server.invalid/", "got: `/`");
    let options = LoadOptions {
        document_url: Some(Url::parse("https://a.example/docs/api.json").unwrap()),
        ..LoadOptions::default()
    };
    check_with(&options, json!([{"url": "/v1"}]), "https://a.example/v1 Operator");
    check_with(&options, json!([{"url": "v1/"}]), "https://a.example/docs/v1 Operator");
    check_with(&options, json!([]), "https://a.example/ Operator");
    check_with(&options, json!([{"url": "//b.example"}]), "https://b.example/ Description");
    // The party that named the address of the description named its origin.
    check_with(&options, json!([{"url": "https://a.example/v2"}]), "https://a.example/v2 Operator");
    check_with(&options, json!([{"url": "http://a.example"}]), "http://a.example/ Description");
}

#[test]
fn the_suggested_server_keeps_the_host_and_path_of_the_description() {
    for (servers, expected) in [
        (json!([{"url": "/v1"}]), "https://HOST/v1"),
        (json!([{"url": "api.example.com/v1"}]), "https://api.example.com/v1"),
        (json!([{"url": "//api.example.com/v1"}]), "https://api.example.com/v1"),
        (
            json!([{"url": "/v1"}, {"url": "v2"}, {"url": "https://a.example/v1"}]),
            "https://a.example/v1",
        ),
    ] {
        let document = document(json!({"servers": servers}));
        let options = LoadOptions::default();
        let server = Servers::new(&document, &options)
            .operation_server(&[], &mut Findings::default())
            .unwrap();
        assert_eq!(server.suggestion.as_deref(), Some(expected));
    }
    for (servers, expected) in [
        (json!([{"url": "localhost:8000/v1"}]), "http://localhost:8000/v1"),
        (json!([{"url": "https:/a.example"}]), "https://a.example"),
        (json!([{"url": "wss://a.example"}, {"url": "https://b.example"}]), "https://b.example"),
        (json!([{"url": "{{baseUrl}}"}]), "URL"),
    ] {
        let document = document(json!({"servers": servers}));
        let mut findings = Findings::default();
        let options = LoadOptions::default();
        assert_eq!(Servers::new(&document, &options).operation_server(&[], &mut findings), None);
        let help = findings.into_diagnostics()[0].help.clone();
        assert_eq!(help, format!("name the server: `server: {expected}`"));
    }
}

#[test]
fn a_doubtful_server_is_reported_once_and_used() {
    let document = document(json!({"servers": [{"url": "https://a.example/v1/../v2"}]}));
    let options = LoadOptions::default();
    let servers = Servers::new(&document, &options);
    let mut findings = Findings::default();
    for _ in 0..2 {
        assert!(servers.operation_server(&[], &mut findings).is_some());
    }
    let found = findings.into_diagnostics();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code.as_str(), &*found[0].pointer), ("invalid-server", "/servers/0"));
}

#[test]
fn a_server_on_a_trusted_origin_counts_as_set_by_the_operator() {
    let options = LoadOptions {
        trusted_origins: vec!["http://127.0.0.1:8000".to_owned()],
        ..LoadOptions::default()
    };
    for (url, named_by) in [
        ("http://127.0.0.1:8000/v1", "Operator"),
        ("http://127.0.0.1:8001/v1", "Description"),
        ("https://127.0.0.1:8000/v1", "Description"),
    ] {
        check_with(&options, json!([{"url": url}]), &format!("{url} {named_by}"));
    }
}

#[test]
fn a_server_must_be_a_plain_http_address() {
    let texts = "ftp://a.example file:///etc https://u:p@a.example https://a.example?x=1
        https://a.example#f https:// https://{a javascript:alert(1)";
    for bad in texts.split_whitespace() {
        let document = document(json!({"servers": [{"url": bad}]}));
        let options = LoadOptions::default();
        let found =
            Servers::new(&document, &options).operation_server(&[], &mut Findings::default());
        assert!(found.is_none(), "{bad}");
    }
    check(json!("https://a.example"), "invalid-server");
    check(json!([{"description": "none"}]), "invalid-server");
}

#[test]
fn the_operator_overrides_every_server() {
    let options = LoadOptions {
        server: Some("http://localhost:8000/v2/".to_owned()),
        ..LoadOptions::default()
    };
    let servers = json!([{"url": "https://a.example"}]);
    check_with(&options, servers, "http://localhost:8000/v2 Operator");
}

#[test]
fn the_servers_of_the_innermost_level_are_used() {
    let document = document(json!({
        "servers": [{"url": "https://root.example"}],
        "item": {"servers": [{"url": "https://item.example"}]},
        "operation": {"servers": []},
    }));
    let level = |name: &str| {
        let node = document.root().get(name).unwrap();
        LocatedNode { node, pointer: format!("/{name}").into() }
    };
    let options = LoadOptions::default();
    let servers = Servers::new(&document, &options);
    let levels = [&level("operation"), &level("item")];
    let found = servers.operation_server(&levels, &mut Findings::default()).unwrap();
    assert_eq!(found.url.as_str(), "https://item.example/");
}
