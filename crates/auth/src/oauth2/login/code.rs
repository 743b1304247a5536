//! The authorization code: the page to show, and the exchange of the code that the browser comes back with (RFC 6749
//! §4.1, with RFC 7636, RFC 8252 and RFC 9207). The secrets of one login are random and used once.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use callgate_secret::{Masker, Secret};
use sha2::{Digest, Sha256};
use url::{Url, form_urlencoded};

use crate::{
    error::{self, Error},
    oauth2::{
        codes::{ITS_OWN, standard_code},
        failure::shortened_visible_line,
        request::TokenRequest,
        server::{Client, Server, TOKEN_TIME},
        settings::OAuth2Config,
        stored_grant::StoredGrant,
    },
};

/// A login in a browser that has begun.
pub struct BegunLogin {
    url: Url,
    redirect_url: String,
    state: Secret,
    verifier: Secret,
    /// The server's name, and true if it promises to name itself.
    issuer: Option<(String, bool)>,
}

impl BegunLogin {
    /// The page to show to the person.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns true if a query is a response to this login: the redirect URL also receives other requests.
    pub fn is_answered_by(&self, query: &str) -> bool {
        let state = single_parameter(query, "state").map(Secret::new);
        state.is_some_and(|state| state.is_same_value(&self.state))
    }
}

callgate_secret::opaque!(BegunLogin { issuer });

pub(super) fn begin_browser_login(
    config: &OAuth2Config,
    client_id: &str,
    page: &str,
    redirect_url: &str,
    issuer: Option<(String, bool)>,
) -> Result<BegunLogin, Error> {
    let url = page.parse::<Url>().ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let mut url = url.ok_or_else(|| error::no_login_page(&config.name))?;
    let (state, verifier) = (random_verifier()?, random_verifier()?);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose()));
    let scopes = config.scopes.join(" ");
    let mut query = url.query_pairs_mut();
    query
        .append_pair("response_type", "code")
        .append_pair("client_id", client_id)
        .append_pair("redirect_uri", redirect_url)
        .append_pair("state", state.expose())
        .append_pair("code_challenge", &challenge)
        .append_pair("code_challenge_method", "S256");
    if !scopes.is_empty() {
        query.append_pair("scope", &scopes);
    }
    query.extend_pairs(config.audiences.iter().map(|audience| ("audience", audience)));
    query.extend_pairs(config.resources.iter().map(|resource| ("resource", resource)));
    query.extend_pairs(&config.parameters);
    drop(query);
    Ok(BegunLogin { url, redirect_url: redirect_url.to_owned(), state, verifier, issuer })
}

pub(super) async fn exchange_code(
    server: &Server,
    client: &Client,
    begun: BegunLogin,
    query: &str,
) -> Result<StoredGrant, Error> {
    let config = &server.config;
    let code = code_from_query(&begun, &config.name, query)?;
    let mut parameters = vec![
        ("code", code.expose()),
        ("redirect_uri", &*begun.redirect_url),
        ("code_verifier", begun.verifier.expose()),
    ];
    parameters.extend(config.resources.iter().map(|resource| ("resource", &**resource)));
    let asked = TokenRequest { grant_type: "authorization_code", scopes: &[], parameters };
    let asked_at = server.context.clock.now();
    let answered = server.request_token(client, asked, TOKEN_TIME).await;
    let answered = answered.map_err(|asking| server.token_request_error(&asking))?;
    Ok(StoredGrant::new(answered, asked_at, None, &config.scopes))
}

/// The code in a query, which must belong to this login and this server.
fn code_from_query(begun: &BegunLogin, credential: &str, query: &str) -> Result<Secret, Error> {
    if !begun.is_answered_by(query) {
        return Err(error::failed_login(credential, "the browser came back from another login"));
    }
    if let Some((issuer, names_itself)) = &begun.issuer {
        // RFC 9207 §2.4: another server's code must not be shown to this one.
        let is_same = match single_parameter(query, "iss") {
            Some(named) => named == *issuer,
            None => !names_itself && !has_parameter(query, "iss"),
        };
        if !is_same {
            return Err(error::failed_login(
                credential,
                "the browser came back from another server",
            ));
        }
    }
    if let Some(code) = single_parameter(query, "error") {
        let standard = standard_code(&code);
        let said = single_parameter(query, "error_description");
        let said = said.or_else(|| standard.is_none().then(|| code.clone()));
        // A server may repeat each part of a request in its reasons.
        let masker = Masker::new(vec![begun.state.clone()]);
        let said = said.map(|said| shortened_visible_line(&masker.mask_text(&said)));
        let server = begun.url.origin().ascii_serialization();
        let denied = error::login_denied(credential, standard.unwrap_or(ITS_OWN));
        return Err(denied.with_asked_server(Some(server), said));
    }
    let code = single_parameter(query, "code").filter(|code| !code.is_empty()).map(Secret::new);
    code.ok_or_else(|| error::failed_login(credential, "the browser came back without a code"))
}

/// The value of a parameter that occurs once in a query (RFC 6749 §3.1).
fn single_parameter(query: &str, name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(entry, _)| entry == name);
    let value = values.next().map(|(_, value)| value.into_owned());
    value.filter(|_| values.next().is_none())
}

fn has_parameter(query: &str, name: &str) -> bool {
    form_urlencoded::parse(query.as_bytes()).any(|(entry, _)| entry == name)
}

/// RFC 7636 §4.1: 32 random bytes make a verifier of 43 characters.
fn random_verifier() -> Result<Secret, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| error::no_random_number())?;
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
}

#[cfg(test)]
mod tests;
