//! Tokens of every kind of account.

use std::time::Duration;

use callgate_google::{Account, ErrorKind, Impersonation};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde_json::{Value, json};

use crate::server::{Google, key};

const AUDIENCE: &str = "https://pets.example.com";

/// The claims of a token that the key signed.
fn verified(token: &str, public: &str, audience: Option<&str>) -> Value {
    let mut validation = Validation::new(Algorithm::RS256);
    validation.validate_aud = audience.is_some();
    if let Some(audience) = audience {
        validation.set_audience(&[audience]);
    }
    let key = DecodingKey::from_rsa_pem(public.as_bytes()).unwrap();
    decode::<Value>(token, &key, &validation).unwrap().claims
}

#[tokio::test]
async fn a_key_signs_its_own_access_tokens() {
    let google = Google::start().await;
    let (account, public) = key();
    let scopes = vec!["https://www.googleapis.com/auth/pubsub".to_owned()];
    let tokens = google.tokens(account).with_scopes(scopes);
    let token = tokens.access_token().await.unwrap();
    let claims = verified(token.value.expose(), &public, None);
    assert_eq!(claims["scope"], "https://www.googleapis.com/auth/pubsub");
    assert_eq!(claims["iss"], "pets@p.iam.gserviceaccount.com");
    assert!(google.asked().is_empty());
}

#[tokio::test]
async fn a_key_is_exchanged_for_an_identity_token() {
    let google = Google::start().await;
    let (account, public) = key();
    let token = google.tokens(account).request_id_token(AUDIENCE).await.unwrap();
    assert!(token.lifetime > Duration::from_secs(3500));
    let [asked] = &*google.asked() else { panic!("one request") };
    let assertion = asked.body.split('&').find_map(|pair| pair.strip_prefix("assertion=")).unwrap();
    let endpoint = format!("{}/token", google.service.origin);
    let claims = verified(assertion, &public, Some(&endpoint));
    assert_eq!(claims["target_audience"], AUDIENCE);
    assert_eq!(claims["sub"], "pets@p.iam.gserviceaccount.com");
}

#[tokio::test]
async fn the_machine_account_has_access_and_identity_tokens() {
    let google = Google::start().await;
    let tokens = google.tokens(Account::Machine);
    assert_eq!(tokens.access_token().await.unwrap().value.expose(), "machine");
    assert_eq!(tokens.access_token().await.unwrap().value.expose(), "machine");
    let token = tokens.request_id_token(AUDIENCE).await.unwrap();
    assert!(token.lifetime > Duration::from_secs(3500));
    let lines: Vec<_> = google.asked().into_iter().map(|asked| asked.line).collect();
    assert_eq!(lines.len(), 2, "an access token is kept: {lines:?}");
    assert!(lines[1].contains("audience=https") && lines[1].contains("format=full"), "{lines:?}");
}

#[tokio::test]
async fn another_account_is_impersonated_by_its_address() {
    let google = Google::start().await;
    let other = Impersonation::new("other@p.iam.gserviceaccount.com")
        .through(["via@p.iam.gserviceaccount.com".to_owned()]);
    let tokens = google.tokens_of(Account::Machine, Some(other));
    let access = tokens.access_token().await.unwrap();
    assert_eq!(access.value.expose(), "other");
    assert_eq!(access.lifetime, Duration::from_hours(1), "at most an hour is believed");
    tokens.request_id_token(AUDIENCE).await.unwrap();
    let asked = google.asked();
    let account = "/v1/projects/-/serviceAccounts/other@p.iam.gserviceaccount.com";
    assert_eq!(asked[1].line, format!("POST {account}:generateAccessToken"));
    assert_eq!(asked[1].header("authorization"), "Bearer machine");
    let body: Value = serde_json::from_str(&asked[1].body).unwrap();
    let via = "projects/-/serviceAccounts/via@p.iam.gserviceaccount.com";
    assert_eq!(body["delegates"], json!([via]));
    assert_eq!(body["scope"], json!(["https://www.googleapis.com/auth/cloud-platform"]));
    assert_eq!(asked[2].line, format!("POST {account}:generateIdToken"));
    let body: Value = serde_json::from_str(&asked[2].body).unwrap();
    assert_eq!((&body["audience"], &body["includeEmail"]), (&json!(AUDIENCE), &json!(true)));
}

#[tokio::test]
async fn a_credential_file_may_impersonate_another_account() {
    let google = Google::start().await;
    let account = "/v1/projects/-/serviceAccounts/other@p.iam.gserviceaccount.com";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("adc.json");
    let json = json!({
        "type": "impersonated_service_account",
        "service_account_impersonation_url": format!("{}{account}:generateAccessToken", google.service.origin),
        "source_credentials": {
            "type": "authorized_user", "client_id": "c", "client_secret": "canary",
            "refresh_token": "canary", "token_uri": format!("{}/token", google.service.origin),
        },
    });
    std::fs::write(&path, json.to_string()).unwrap();
    let tokens = google.tokens(Account::File(path));
    assert_eq!(tokens.access_token().await.unwrap().value.expose(), "other");
    assert_eq!(google.asked()[1].header("authorization"), "Bearer user");
}

#[tokio::test]
async fn a_person_has_no_identity_token_for_an_audience() {
    let google = Google::start().await;
    let json = json!({"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"});
    let account = Account::Key(format!("literal:{json}").parse().unwrap());
    let error = google.tokens(account).request_id_token(AUDIENCE).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("impersonate"), "{error}");
}

#[tokio::test]
async fn a_refusal_is_reported_by_its_code_and_retried_only_later() {
    let google = Google::start().await;
    let (account, _) = key();
    let tokens = google.tokens(account);
    google.refuse_next(&[403]);
    let error = tokens.request_id_token(AUDIENCE).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("403, UNAUTHENTICATED") && !shown.contains("canary"), "{shown}");
    tokens.request_id_token(AUDIENCE).await.unwrap();

    let machine = google.tokens(Account::Machine);
    google.refuse_next(&[400]);
    assert_eq!(machine.access_token().await.unwrap_err().kind(), ErrorKind::Denied);
    let count = google.asked().len();
    assert_eq!(machine.access_token().await.unwrap_err().kind(), ErrorKind::Denied);
    assert_eq!(google.asked().len(), count, "within ten seconds nothing is asked again");
}

#[tokio::test]
async fn a_missing_key_is_reported_as_a_fault_of_the_operator() {
    let google = Google::start().await;
    let account = Account::Key("file:none.json".parse().unwrap());
    let error = google.tokens(account).access_token().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingSecret);
    assert!(error.to_string().contains("`file:none.json`"), "{error}");
    let account = Account::File("/none.json".into());
    let error = google.tokens(account).access_token().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
}
