//! A login on another device (RFC 8628): the code to show to the person, and polling for the result, no more often than
//! the server allows.

use std::time::Duration;

use callgate_secret::Secret;
use callgate_tool::clamped_duration;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, sleep};
use url::Url;

use crate::{
    error::{self, Error},
    oauth2::{
        failure::EndpointFailure,
        request::TokenRequest,
        server::{Client, Server, TOKEN_TIME, TokenRequestError},
        stored_grant::StoredGrant,
    },
};

/// A login on another device that has begun.
pub struct DeviceLogin {
    device_code: Secret,
    user_code: String,
    page: Url,
    page_with_code: Option<Url>,
    interval: Duration,
    ends_at: Instant,
}

/// The response of the endpoint (RFC 8628 §3.2).
#[derive(Deserialize)]
struct Answer {
    device_code: String,
    user_code: String,
    // Google used this name before the standard existed.
    #[serde(alias = "verification_url")]
    verification_uri: String,
    verification_uri_complete: Option<String>,
    #[serde(default)]
    expires_in: Value,
    #[serde(default)]
    interval: Value,
}

impl DeviceLogin {
    /// The code that the person types.
    pub fn user_code(&self) -> &str {
        &self.user_code
    }

    /// The page to open on any device.
    pub fn page(&self) -> &Url {
        &self.page
    }

    /// The page with the code in it, if the server has one.
    pub fn page_with_code(&self) -> Option<&Url> {
        self.page_with_code.as_ref()
    }
}

callgate_secret::opaque!(DeviceLogin { interval });

pub(super) async fn begin_device_login(
    server: &Server,
    client: &Client,
    url: &str,
) -> Result<DeviceLogin, Error> {
    let config = &server.config;
    let scopes = config.scopes.join(" ");
    let mut form = Vec::new();
    if !scopes.is_empty() {
        form.push(("scope", &*scopes));
    }
    form.extend(config.audiences.iter().map(|audience| ("audience", &**audience)));
    form.extend(config.resources.iter().map(|resource| ("resource", &**resource)));
    form.extend(config.parameters.iter().map(|(name, value)| (&**name, &**value)));
    let body = server.post_form(client, url, &form, TOKEN_TIME).await;
    let body = body.map_err(|asking| server.token_request_error(&asking))?;
    device_login_from_body(&body).ok_or_else(|| {
        let why = "the authorization server says nothing that a person could type";
        error::failed_login(&config.name, why)
    })
}

/// Reads a server's response. It is shown to a person, so it must be a plain code and a web page.
fn device_login_from_body(body: &[u8]) -> Option<DeviceLogin> {
    let answer: Answer = serde_json::from_slice(body).ok()?;
    let page = |text: &str| {
        let url = text.parse::<Url>().ok();
        url.filter(|url| matches!(url.scheme(), "http" | "https"))
    };
    let is_plain = |code: &str| {
        !code.is_empty()
            && code.len() <= LONGEST_CODE
            && code.bytes().all(|c| (b' '..=b'~').contains(&c))
    };
    let lasts = parse_seconds(&answer.expires_in).unwrap_or(LONGEST_TIME).min(LONGEST_TIME);
    Some(DeviceLogin {
        user_code: Some(answer.user_code).filter(|code| is_plain(code))?,
        page: page(&answer.verification_uri)?,
        page_with_code: answer.verification_uri_complete.as_deref().and_then(page),
        device_code: Secret::new(answer.device_code),
        // RFC 8628 §3.2: five seconds if the server does not say.
        interval: parse_seconds(&answer.interval).unwrap_or(STEP).max(SHORTEST_INTERVAL),
        ends_at: Instant::now() + lasts,
    })
}

fn parse_seconds(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (seconds >= 0.0).then(|| clamped_duration(seconds))
}

pub(super) async fn poll_for_grant(
    server: &Server,
    client: &Client,
    begun: DeviceLogin,
) -> Result<StoredGrant, Error> {
    let name = &server.config.name;
    let mut interval = begun.interval;
    loop {
        if Instant::now() + interval >= begun.ends_at {
            return Err(error::login_denied(name, "expired_token"));
        }
        sleep(interval).await;
        let asked_at = server.context.clock.now();
        let parameters = vec![("device_code", begun.device_code.expose())];
        let asked = TokenRequest { grant_type: DEVICE_CODE, scopes: &[], parameters };
        match server.request_token(client, asked, TOKEN_TIME).await {
            Ok(answered) => {
                return Ok(StoredGrant::new(answered, asked_at, None, &server.config.scopes));
            }
            Err(TokenRequestError::Failed(EndpointFailure::Refused {
                code: "authorization_pending",
                ..
            })) => {}
            // RFC 8628 §3.5: the longer interval applies to this and all later requests.
            Err(TokenRequestError::Failed(EndpointFailure::Refused {
                code: "slow_down", ..
            })) => {
                interval += STEP;
            }
            Err(TokenRequestError::Failed(EndpointFailure::Refused { code, said })) => {
                return Err(error::login_denied(name, code)
                    .with_asked_server(server.endpoint.server_origin(), said));
            }
            // A server that is temporarily unavailable is polled less often.
            Err(TokenRequestError::Failed(EndpointFailure::Unavailable { .. })) => {
                interval = interval.saturating_mul(2);
            }
            Err(asking) => return Err(server.token_request_error(&asking)),
        }
    }
}

const DEVICE_CODE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// The default interval, and the step by which it grows: RFC 8628 §3.5.
const STEP: Duration = Duration::from_secs(5);

/// The shortest interval: a server that sends zero would be polled without a pause.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// The time limit of a login; after it the person must begin again.
const LONGEST_TIME: Duration = Duration::from_mins(30);

/// The longest code: longer than any that a person types.
const LONGEST_CODE: usize = 64;

#[cfg(test)]
mod tests;
