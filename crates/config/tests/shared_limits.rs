//! Limits that sidecars share need a store that they share.
#![cfg(test)]
#![cfg(feature = "redis")]

use std::sync::Arc;

use callgate_config::{Config, Description, Environment};
use callgate_session::{Bounds, Memory};

/// Checks the pointer and the message of the first fault of building a configuration; none where both are empty.
async fn check(keys: &str, environment: &Environment, pointer: &str, expected: &str) {
    let text = format!("toolsets: {{a: {{openapi: a.yaml}}}}\n{keys}\n");
    let mut config = Config::from_text(text, "").unwrap();
    config.toolsets[0].description = Description::text(
        "openapi: 3.1.0\ninfo: {title: A, version: '1'}\nservers: [{url: 'https://a.example'}]\npaths: {/a: {get: {operationId: a, responses: {'200': {description: ok}}}}}",
    );
    let built = config.build(environment, None).await;
    match built {
        Ok(_) => assert_eq!((pointer, expected), ("", ""), "{keys}"),
        Err(error) => {
            let finding = &error.findings()[0];
            assert_eq!(finding.pointer, pointer, "{error}");
            assert!(finding.message.contains(expected), "{error}");
        }
    }
}

#[tokio::test]
async fn shared_limits_without_a_shared_store_are_refused_with_the_reason() {
    let usual = Environment::new();
    let shared = "limits: {shared: true}";
    check(shared, &usual, "/limits/shared", "several sidecars count together, got none").await;
    let file = format!("{shared}\nstate: {{file: state.db}}");
    check(&file, &usual, "/limits/shared", "got a file, which one sidecar has").await;
    let redis = "state: {redis: {url: 'redis://r'}, key: 'env:K'}";
    for outage in ["", ", on_outage: local", ", on_outage: refuse"] {
        let keys = format!("limits: {{shared: true{outage}}}\n{redis}");
        check(&keys, &usual, "", "").await;
    }
    let alone = "limits: {on_outage: refuse}";
    check(alone, &usual, "/limits/on_outage", "`on_outage` is for `shared: true`").await;
    check("limits: {shared: false, on_outage: refuse}", &usual, "", "").await;
    // A program's own store comes before that of the configuration.
    let memory = Memory::new(Bounds { records: 9, bytes: 9999 });
    let own = Environment::new().with_state(Arc::new(memory));
    check(shared, &own, "/limits/shared", "got a store of one process").await;
}
