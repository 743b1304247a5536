//! What a token request says: how the client shows who it is, and what it asks for.

use crate::prelude::*;

use super::{call, executor, is_answered};

/// One call with these settings; answers the token request.
async fn asked(settings: Value) -> Asked {
    let provider = Provider::start().await;
    let mut all = json!({"token_url": provider.url("/token"), "client_id": "me"});
    all.as_object_mut().unwrap().extend(settings.as_object().cloned().unwrap());
    let executor = executor(&provider, &json!({ "oauth2_client_credentials": all }));
    is_answered(&call(&executor, &Session::default()).await);
    assert_eq!(provider.n_asked(), 1);
    provider.last()
}

#[tokio::test]
async fn a_client_sends_its_secret_in_the_header() {
    for settings in [
        json!({"client_secret": "literal:a b:c"}),
        json!({"client_secret": "literal:a b:c", "client_authentication": "basic"}),
    ] {
        let asked = asked(settings).await;
        // RFC 6749 §2.3.1: both are encoded as in a form first. `me:a+b%3Ac`
        assert_eq!(asked.authorization.as_deref(), Some("Basic bWU6YStiJTNBYw=="));
        assert_eq!(asked.form, form(&json!({"grant_type": "client_credentials"})));
    }
}

#[tokio::test]
async fn a_client_sends_its_secret_in_the_body() {
    let settings = json!({"client_secret": "literal:canary", "client_authentication": "body"});
    let asked = asked(settings).await;
    assert_eq!(asked.authorization, None);
    let expected = json!({
        "grant_type": "client_credentials", "client_id": "me", "client_secret": "canary",
    });
    assert_eq!(asked.form, form(&expected));
}

#[tokio::test]
async fn a_token_request_has_scopes_audience_and_configured_parameters() {
    let asked = asked(json!({
        "scopes": ["read", "write"],
        "audience": "https://api.example.com",
        "resource": ["https://api.example.com/v1"],
        "parameters": {"organization": "acme"},
    }))
    .await;
    let expected = json!({
        "grant_type": "client_credentials",
        "client_id": "me",
        "scope": "read write",
        "audience": "https://api.example.com",
        "resource": "https://api.example.com/v1",
        "organization": "acme",
    });
    assert_eq!(asked.form, form(&expected));
}

#[tokio::test]
async fn a_client_signs_a_jwt_with_each_kind_of_key() {
    for (key, algorithm) in [
        (pem(&rcgen::PKCS_RSA_SHA256), "RS256"),
        (pem(&rcgen::PKCS_ECDSA_P256_SHA256), "ES256"),
        (pem(&rcgen::PKCS_ED25519), "EdDSA"),
    ] {
        let asked = asked(json!({"private_key": format!("literal:{key}"), "private_key_id": "k1"}));
        let asked = asked.await;
        assert_eq!(asked.authorization, None);
        let jwt = &asked.form["client_assertion"];
        let parts: Vec<Value> = jwt.split('.').take(2).map(decoded).collect();
        let [header, claims] = &parts[..] else { panic!("{jwt}") };
        assert_eq!(header, &json!({"typ": "JWT", "alg": algorithm, "kid": "k1"}));
        assert_eq!((&claims["iss"], &claims["sub"]), (&json!("me"), &json!("me")));
        assert!(claims["aud"].as_str().unwrap().ends_with("/token"), "{claims}");
        let life = claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap();
        assert!((200..=300).contains(&life), "{claims}");
        assert_eq!(claims["jti"].as_str().unwrap().len(), 32);
        let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        assert_eq!(asked.form["client_assertion_type"], kind);
    }
}

#[tokio::test]
async fn a_jwt_is_for_the_audience_that_is_named() {
    let key = pem(&rcgen::PKCS_ED25519);
    let settings =
        json!({"private_key": format!("literal:{key}"), "jwt_audience": "https://idp.example"});
    let asked = asked(settings).await;
    let claims = asked.form["client_assertion"].split('.').nth(1).map(decoded).unwrap();
    assert_eq!(claims["aud"], json!("https://idp.example"));
}

#[tokio::test]
async fn the_endpoint_is_found_in_the_issuers_metadata() {
    let provider = Provider::start().await;
    let settings = json!({"issuer": provider.url(""), "client_id": "me"});
    let executor = executor(&provider, &json!({ "oauth2_client_credentials": settings }));
    is_answered(&call(&executor, &Session::default()).await);
    assert_eq!(provider.n_asked(), 1);
}

#[tokio::test]
async fn metadata_of_another_issuer_are_refused() {
    let provider = Provider::start().await;
    let issuer = provider.url("/");
    let settings = json!({"issuer": issuer, "client_id": "me"});
    let executor = executor(&provider, &json!({ "oauth2_client_credentials": settings }));
    let fault = super::fault(call(&executor, &Session::default()).await);
    assert!(fault.message.contains("those of another issuer"), "{fault:?}");
    assert_eq!(provider.n_asked(), 0);
}

#[test]
fn contradictory_settings_are_reported_together() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let provider = runtime.block_on(Provider::start());
    for [settings, expected] in rows(
        r#"
            {"token_url": "https://x"} => expected the key `client_id`
            {"client_id": "me"} => name `token_url` or `issuer`
            {"client_id": "me", "token_url": "idp"} => begins with `https://`
            {"client_id": "me", "token_url": "https://x", "issuer": "https://x"} => got both
            {"client_id": "me", "token_url": "https://x", "client_authentication": "post"} => got: `post`
            {"client_id": "me", "token_url": "https://x", "client_secret": "env:A", "private_key": "env:B"} => `client_secret` is of no use
            {"client_id": "me", "token_url": "https://x", "private_key": "env:B", "private_key_algorithm": "HS256"} => got: `HS256`
            {"client_id": "me", "token_url": "https://x", "parameters": {"scope": "x"}} => got: `scope`
            "#,
    ) {
        let settings = Value::parse(settings).unwrap();
        let auth = json!({ "oauth2_client_credentials": settings });
        let error = super::built(&provider, &auth).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

fn pem(algorithm: &'static rcgen::SignatureAlgorithm) -> String {
    rcgen::KeyPair::generate_for(algorithm).unwrap().serialize_pem()
}

fn decoded(part: &str) -> Value {
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

fn form(value: &Value) -> BTreeMap<String, String> {
    let pairs = value.as_object().unwrap().iter();
    pairs.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
}
