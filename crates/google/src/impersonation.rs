//! Tokens of a service account that the own account impersonates: IAM Credentials v1 `generateAccessToken` and
//! `generateIdToken`. The service account must grant `roles/iam.serviceAccountTokenCreator` to the own account.

use std::time::{Duration, SystemTime};

use callgate_secret::Secret;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    account::Impersonation,
    endpoints::Endpoints,
    error::{self, Error},
    id_token::remaining_jwt_lifetime,
    rest::{Rest, ServiceRequest},
    token::Token,
};

#[derive(Debug)]
pub(crate) struct Principal<'a> {
    pub(crate) rest: &'a Rest,
    pub(crate) endpoints: &'a Endpoints,
    pub(crate) impersonation: &'a Impersonation,
    pub(crate) own_token: &'a Secret,
}

impl Principal<'_> {
    pub(crate) async fn request_access_token(&self, scopes: &[String]) -> Result<Token, Error> {
        let body = json!({
            "scope": scopes,
            "delegates": self.delegate_resource_names(),
            "lifetime": "3600s",
        });
        let answer = self.ask_credentials_service("generateAccessToken", &body).await?;
        let token = answer.get("accessToken").and_then(Value::as_str);
        let token = token.ok_or_else(|| error::unexpected_answer(SERVICE))?;
        let expires = answer.get("expireTime").and_then(Value::as_str);
        Token::new(
            token.to_owned(),
            expires.map_or(Duration::ZERO, |text| time_until_or_zero(text, self.rest.now())),
        )
    }

    pub(crate) async fn request_id_token(&self, audience: &str) -> Result<Token, Error> {
        let body = json!({
            "audience": audience,
            "delegates": self.delegate_resource_names(),
            "includeEmail": true,
        });
        let answer = self.ask_credentials_service("generateIdToken", &body).await?;
        let token = answer.get("token").and_then(Value::as_str);
        let token = token.ok_or_else(|| error::unexpected_answer(SERVICE))?;
        Token::new(token.to_owned(), remaining_jwt_lifetime(token, self.rest.now())?)
    }

    async fn ask_credentials_service(&self, method: &str, body: &Value) -> Result<Value, Error> {
        let principal = utf8_percent_encode(&self.impersonation.principal, SEGMENT).to_string();
        let account = account_resource_name(&principal);
        let url = self.endpoints.iam_credentials_url(&format!("/v1/{account}:{method}"));
        let body = Some(("application/json", body.to_string()));
        let token = Some(self.own_token);
        self.rest.send_request(ServiceRequest { service: SERVICE, url: &url, token, body }).await
    }

    fn delegate_resource_names(&self) -> Vec<String> {
        self.impersonation.delegates.iter().map(|email| account_resource_name(email)).collect()
    }
}

/// The resource name of an account. Its project must be a wildcard; the e-mail address names the account.
fn account_resource_name(email: &str) -> String {
    format!("projects/-/serviceAccounts/{email}")
}

fn time_until_or_zero(text: &str, now: SystemTime) -> Duration {
    let expires = OffsetDateTime::parse(text, &Rfc3339).ok().map(SystemTime::from);
    let left = expires.and_then(|time| time.duration_since(now).ok());
    left.unwrap_or_default()
}

/// The characters that percent-encoding leaves unchanged in one segment of a path, of those in e-mail addresses.
const SEGMENT: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'@').remove(b'+');

const SERVICE: &str = "IAM Credentials";
