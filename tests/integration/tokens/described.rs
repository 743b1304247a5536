//! Token endpoints that a description names: the client secret goes to the server's origin and to those that the operator
//! lists, and nowhere else.

use crate::prelude::*;

use super::{call, fault, is_answered};

fn flow(kind: &str, url: &str) -> Value {
    json!({"type": "oauth2", "flows": {
        kind: {"tokenUrl": url, "authorizationUrl": "https://a.example/a", "scopes": {}}}})
}

/// A description with one scheme, whose credential leaves the endpoint to the description unless `settings` say more.
fn described(provider: &Provider, scheme: &Value, settings: &Value) -> Built {
    let description = json!({
        "openapi": "3.2.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {"/pets/{petId}": {"get": {
            "operationId": "getPet",
            "parameters": [{"name": "petId", "in": "path", "required": true, "schema": {"type": "integer"}}],
            "responses": {"200": {"description": "ok"}},
        }}},
        "components": {"securitySchemes": {"idp": scheme}},
        "security": [{"idp": []}],
    });
    let mut credential = json!({"client_id": "me", "client_secret": "literal:canary-secret"});
    let token_url = settings.get("token_url").map(|url| ("token_url".to_owned(), url.clone()));
    credential.as_object_mut().unwrap().extend(token_url);
    let mut toolset = json!({
        "server": provider.url(""),
        "credentials": {"idp": {"oauth2_client_credentials": credential}},
    });
    let origins = settings.get("credential_origins");
    let origins = origins.map(|origins| ("credential_origins".to_owned(), origins.clone()));
    toolset.as_object_mut().unwrap().extend(origins);
    let built = crate::built::toolset(&description.to_string(), &toolset.to_string());
    built.unwrap()
}

async fn check_refused(executor: &Executor, scheme: &Value) {
    let fault = fault(call(executor, &Session::default()).await);
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No), "{scheme}");
    assert!(fault.message.contains("`credential_origins`"), "{scheme}: {fault:?}");
    assert!(fault.message.contains("`token_url`"), "{scheme}: {fault:?}");
    assert!(!fault.message.contains("127.0.0.1"), "{scheme}: {fault:?}");
}

/// Threat 58 of `SECURITY.md`: every flow and every kind of metadata, at the server's origin and at another, listed,
/// named and neither.
#[tokio::test]
async fn row_58_another_origin_gets_the_client_secret_only_if_listed() {
    let (home, away) = (Provider::start().await, Provider::start().await);
    let schemes = |provider: &Provider| {
        let url = provider.url("/token");
        let metadata = provider.url("/.well-known/openid-configuration");
        [
            flow("clientCredentials", &url),
            flow("authorizationCode", &url),
            flow("password", &url),
            json!({"type": "oauth2", "flows": {}, "oauth2MetadataUrl": metadata}),
            json!({"type": "openIdConnect", "openIdConnectUrl": metadata}),
        ]
    };
    let listed = json!({"credential_origins": [away.url("")]});
    let named = json!({"token_url": away.url("/token")});
    for scheme in schemes(&home) {
        let before = (home.n_asked(), away.n_asked());
        // The token that the service at home knows is one that is issued at home.
        is_answered(
            &call(&described(&home, &scheme, &json!({})).executor, &Session::default()).await,
        );
        assert_eq!((home.n_asked(), away.n_asked()), (before.0 + 1, before.1), "{scheme}");
    }
    for scheme in schemes(&away) {
        let before = (home.n_asked(), away.n_asked());
        for settings in [json!({}), json!({"credential_origins": ["https://other.example"]})] {
            let built = described(&home, &scheme, &settings);
            check_refused(&built.executor, &scheme).await;
            let report = &built.toolsets[0].report;
            let told: Vec<_> = report
                .diagnostics
                .iter()
                .filter(|one| one.code == Code::ForeignTokenEndpoint)
                .collect();
            let line = format!("`credential_origins: [{}]`", away.url(""));
            assert!(told.len() == 1 && told[0].help.contains(&line), "{told:?}");
            assert_eq!(told[0].pointer, "/components/securitySchemes/idp");
        }
        assert_eq!((home.n_asked(), away.n_asked()), before, "{scheme}");
        for settings in [&listed, &named] {
            let n_asked = away.n_asked();
            let executor = described(&home, &scheme, settings).executor;
            let result = call(&executor, &Session::default()).await;
            assert!(!format!("{result:?}").contains("canary"), "{result:?}");
            assert!(away.n_asked() > n_asked, "{scheme} {settings}");
        }
        assert_eq!(home.n_asked(), before.0, "{scheme}");
    }
}

/// Threat 13 of `SECURITY.md`: addresses that nobody else may name are refused as other origins are, and relative URLs are
/// the server's.
#[tokio::test]
async fn an_endpoint_is_never_an_address_that_only_the_description_names() {
    let provider = Provider::start().await;
    let texts = "http://169.254.169.254/token https://10.0.0.1/token https://evil.example/token
        http://user@127.0.0.1:1/token javascript:alert(1)";
    for url in texts.split_whitespace() {
        let scheme = flow("clientCredentials", url);
        check_refused(&described(&provider, &scheme, &json!({})).executor, &scheme).await;
    }
    let scheme = flow("clientCredentials", "/token");
    let built = described(&provider, &scheme, &json!({}));
    is_answered(&call(&built.executor, &Session::default()).await);
    assert_eq!(provider.n_asked(), 1);
}

/// Metadata at an origin that may have the secret do not lead it on to one that may not.
#[tokio::test]
async fn a_token_endpoint_from_metadata_must_be_a_listed_origin() {
    let (home, away) = (Provider::start().await, Provider::start().await);
    home.name_endpoint(away.url("/token"));
    let metadata = home.url("/.well-known/openid-configuration");
    let scheme = json!({"type": "openIdConnect", "openIdConnectUrl": metadata});
    let listed = json!({"credential_origins": [away.url("")]});
    for (settings, is_asked) in [(json!({}), false), (listed, true)] {
        let executor = described(&home, &scheme, &settings).executor;
        let fault = fault(call(&executor, &Session::default()).await);
        assert_eq!(away.n_asked() > 0, is_asked, "{fault:?}");
        assert_eq!(fault.message.contains("credential_origins"), !is_asked, "{fault:?}");
    }
}
