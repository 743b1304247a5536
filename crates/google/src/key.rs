//! The JSON of credentials: its type, and the fields of a service account's key beside the private one.

use serde_json::Value;
use url::Url;

use crate::{
    endpoints::Endpoints,
    error::{self, Error},
};

/// Credentials as they are in a file. `Debug` shows nothing of them.
#[derive(Clone)]
pub(crate) struct Credentials {
    json: Value,
}

impl Credentials {
    /// Reads the text of a file; messages name it as `place`.
    pub(crate) fn parse(text: &str, place: &str) -> Result<Self, Error> {
        if text.trim().is_empty() {
            return Err(error::not_credentials(place, "it is empty"));
        }
        // The parser's error is dropped: it may show parts of the text.
        let json: Value = serde_json::from_str(text)
            .map_err(|_| error::not_credentials(place, "it is no JSON"))?;
        let credentials = Self { json };
        let kind = credentials.nonempty_text_field("type").unwrap_or_default();
        if !TYPES.contains(&kind) {
            return Err(error::not_credentials(place, "its `type` is none that is known"));
        }
        if kind == SERVICE_ACCOUNT {
            credentials.check_service_account_fields(place)?;
        }
        Ok(credentials)
    }

    pub(crate) fn json(&self) -> Value {
        self.json.clone()
    }

    /// `service_account`, `authorized_user` and so on.
    pub(crate) fn kind(&self) -> &str {
        self.nonempty_text_field("type").unwrap_or_default()
    }

    pub(crate) fn nonempty_text_field(&self, name: &str) -> Option<&str> {
        self.json.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// The endpoint where a key is exchanged. An endpoint from the key itself is used only if it is Google's (threat 39
    /// of `SECURITY.md`).
    pub(crate) fn trusted_token_endpoint(&self, endpoints: &Endpoints) -> Result<Url, Error> {
        if let Some(url) = &endpoints.token {
            return Ok(url.clone());
        }
        let text = self.nonempty_text_field("token_uri").unwrap_or(TOKEN_URI);
        let url: Url = text.parse().map_err(|_| error::foreign_token_uri())?;
        let universe = self.nonempty_text_field("universe_domain").unwrap_or("googleapis.com");
        let is_googles = UNIVERSES.contains(&universe)
            && url.host_str().is_some_and(|host| {
                host.strip_suffix(universe).is_some_and(|rest| rest.ends_with('.'))
            });
        if url.scheme() != "https"
            || !is_googles
            || !url.username().is_empty()
            || url.port().is_some()
        {
            return Err(error::foreign_token_uri());
        }
        Ok(url)
    }

    fn check_service_account_fields(&self, place: &str) -> Result<(), Error> {
        for name in ["client_email", "private_key", "private_key_id", "project_id"] {
            if self.nonempty_text_field(name).is_none() {
                return Err(error::not_credentials(place, &format!("its `{name}` is missing")));
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("type", &self.kind()).finish_non_exhaustive()
    }
}

pub(crate) const AUTHORIZED_USER: &str = "authorized_user";
pub(crate) const EXTERNAL_ACCOUNT: &str = "external_account";
pub(crate) const IMPERSONATED: &str = "impersonated_service_account";
pub(crate) const SERVICE_ACCOUNT: &str = "service_account";

const TYPES: [&str; 4] = [AUTHORIZED_USER, EXTERNAL_ACCOUNT, IMPERSONATED, SERVICE_ACCOUNT];
const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";
/// The universes whose token services belong to Google.
const UNIVERSES: [&str; 1] = ["googleapis.com"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ErrorKind;

    fn key(changes: &Value) -> String {
        let mut key = json!({
            "type": "service_account", "client_email": "a@p.iam.gserviceaccount.com",
            "private_key": "canary", "private_key_id": "1", "project_id": "p",
        });
        for (name, value) in changes.as_object().unwrap() {
            key[name] = value.clone();
        }
        key.to_string()
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let error = Credentials::parse(text, "`file:sa.json`").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(expected) && shown.contains("file:sa.json"), "{shown}");
        assert!(!shown.contains("canary"), "{shown}");
    }

    #[test]
    fn a_file_that_is_no_key_is_refused_and_not_shown() {
        check_refused(" \n", "empty");
        check_refused("canary", "no JSON");
        check_refused("{\"type\": \"canary\"}", "`type`");
        check_refused("{}", "`type`");
        check_refused(&key(&json!({"private_key": ""})), "`private_key`");
        check_refused(&key(&json!({"client_email": null})), "`client_email`");
    }

    #[track_caller]
    fn check_endpoint(changes: &Value, expected: Option<&str>) {
        let known = Credentials::parse(&key(changes), "x").unwrap();
        let found = known.trusted_token_endpoint(&Endpoints::default()).ok();
        assert_eq!(found.as_ref().map(Url::as_str), expected);
    }

    #[test]
    fn a_key_is_exchanged_only_at_google_or_a_configured_endpoint() {
        let google = "https://oauth2.googleapis.com/token";
        check_endpoint(&json!({}), Some(google));
        check_endpoint(&json!({"token_uri": google}), Some(google));
        let texts = "http://oauth2.googleapis.com/token https://evil.example/token
            https://evilgoogleapis.com/token https://oauth2.googleapis.com.evil.example/token
            https://oauth2.googleapis.com@evil.example/token
            https://oauth2.googleapis.com:444/token token";
        for uri in texts.split_whitespace() {
            check_endpoint(&json!({"token_uri": uri}), None);
        }
        let universe =
            json!({"token_uri": "https://a.evil.example/", "universe_domain": "evil.example"});
        check_endpoint(&universe, None);
        let mine: Url = "http://127.0.0.1:1/token".parse().unwrap();
        let endpoints = Endpoints { token: Some(mine.clone()), ..Endpoints::default() };
        let known =
            Credentials::parse(&key(&json!({"token_uri": "https://evil.example"})), "x").unwrap();
        assert_eq!(known.trusted_token_endpoint(&endpoints).unwrap(), mine);
    }
}
