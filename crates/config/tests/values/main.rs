//! A configuration as values: read from texts or made by a program, built again, and nothing of it shown that is secret.

#![cfg(test)]

mod addresses;
mod around;
mod observe;
mod prelude;
mod sources;

use crate::prelude::*;

use callgate_auth::AuthConfig;
use callgate_config::{SchemeChoice, ServerUrl, ToolsetConfig};
use callgate_secret::SecretStore;
use callgate_tool::ToolsetName;
use callgate_transport::Refuse;

const DESCRIPTION: &str = "openapi: 3.0.3
info: {title: t, version: '1'}
paths: {/a: {get: {operationId: a, summary: s, security: [{key: []}], responses: {200: {description: ok}}}}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
";

#[tokio::test]
async fn a_toolset_of_a_program_is_built_like_one_of_a_file() {
    let toolset = ToolsetConfig::new(Description::text(DESCRIPTION))
        .with_name(ToolsetName::new("pets").unwrap())
        .with_server(ServerUrl::new("https://api.example.com").unwrap())
        .with_credential("key", SchemeChoice::ApiKey("env:KEY".parse().unwrap()));
    let config = Config::new().with_toolset(toolset);
    let built = config.build(&Environment::new(), None).await.unwrap();
    assert!(built.executor.find("pets-a").is_some());
    assert_eq!(built.toolsets[0].report.diagnostics, []);
}

#[tokio::test]
async fn faults_of_values_are_reported_at_the_position_of_their_key() {
    let toolset = ToolsetConfig::new(Description::file("missing.yaml"))
        .with_name(ToolsetName::new("pets").unwrap());
    let config = Config::new().with_base("nowhere").with_toolset(toolset);
    let error = config.build(&Environment::new(), None).await.unwrap_err();
    let [finding] = error.findings() else { panic!("{error}") };
    assert_eq!(
        (finding.code, finding.pointer.as_str()),
        ("unreadable-file", "/toolsets/pets/openapi")
    );
    assert!(finding.message.contains("nowhere/missing.yaml"), "{error}");
}

#[test]
fn every_fault_of_a_text_is_reported_at_once_with_its_position() {
    let text = "toolsets:\n  pets:\n    openap: a.yaml\n    limits: {timeout: 1d}\n  a-b: {}\n";
    let error = Config::from_text(text, "").unwrap_err();
    let found = error.findings().iter().map(|finding| {
        let at = finding.position.map(|at| (at.line, at.column)).unwrap();
        (finding.code, finding.pointer.as_str(), at)
    });
    let expected = [
        ("unknown-key", "/toolsets/pets/openap", (3, 5)),
        ("wrong-value", "/toolsets/pets/limits/timeout", (4, 14)),
        ("toolset-name", "/toolsets/a-b", (5, 3)),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_wait_inside_a_runtime_is_refused_and_outside_it_builds() {
    let config = Config::new().with_toolset(ToolsetConfig::new(Description::text(DESCRIPTION)));
    let error = config.build_blocking(&Environment::new(), None).unwrap_err();
    assert!(error.to_string().contains("await `Config::build`"), "{error}");
    let outside = std::thread::spawn(move || config.build_blocking(&Environment::new(), None));
    assert!(outside.join().unwrap().is_ok());
}

/// What a build keeps is told by its authenticators: one that goes on is the very same.
#[tokio::test]
async fn unchanged_parts_are_reused_in_the_next_build() {
    let text = |token: &str, more: &str| {
        format!(
            "toolsets:\n  a: {{openapi: a.yaml, server: 'https://a.example', auth: {{bearer: {{token: '{token}'}}}}{more}}}\n"
        )
    };
    let config = |token: &str, more: &str| {
        let mut config = Config::from_text(text(token, more), "").unwrap();
        config.toolsets[0].description = Description::text(DESCRIPTION);
        config
    };
    let first = config("env:A", "").build(&Environment::new(), None).await.unwrap();
    let rows = [
        (config("env:A", ""), true),
        (config("env:A", ", limits: {timeout: 1s}"), true),
        (config("env:B", ""), false),
        (config("env:A", ", egress: {allow: [10.0.0.0/8]}"), false),
    ];
    for (config, goes_on) in rows {
        let next = config.build(&Environment::new(), Some(&first)).await.unwrap();
        assert_eq!(next.shares_credentials_with(&first), goes_on, "{:?}", config.toolsets);
    }
    let store: Arc<dyn SecretStore> = Arc::new(MemoryStore::default());
    let other = Environment::new().with_store("corp", store);
    let next = config("env:A", "").build(&other, Some(&first)).await.unwrap();
    assert!(!next.shares_credentials_with(&first), "another store of secrets");
    let again = config("env:A", "").build(&other, Some(&next)).await.unwrap();
    assert!(again.shares_credentials_with(&next));
}

#[tokio::test]
async fn the_transport_of_the_program_sends_every_call() {
    let toolset = ToolsetConfig::new(Description::text(DESCRIPTION))
        .with_server(ServerUrl::new("https://a.example").unwrap());
    let environment = Environment::new().with_transport(Arc::new(Refuse::new()));
    let built = Config::new().with_toolset(toolset).build(&environment, None).await.unwrap();
    let call = callgate_tool::ToolCall::new("1", "a", callgate_tool::Arguments::default());
    let result = built.executor.call(&call, &callgate_tool::Session::default()).await;
    assert!(format!("{:?}", result.outcome).contains("Failed"), "{:?}", result.outcome);
}

#[test]
fn literals_are_shown_nowhere() {
    let text =
        "toolsets:\n  a: {openapi: a, auth: {basic: {username: u, password: 'literal:canary'}}}\n";
    let config = Config::from_text(text, "").unwrap();
    let shown = format!("{config:?} {config:#?}");
    assert!(!shown.contains("canary") && !shown.contains("99, 97, 110"), "{shown}");
    let auth = AuthConfig::Basic {
        username: "literal:u".parse().unwrap(),
        password: "literal:canary".parse().unwrap(),
    };
    let made = Config::new().with_toolset(ToolsetConfig::new(Description::none()).with_auth(auth));
    assert!(!format!("{made:?} {made:#?}").contains("canary"));
}
