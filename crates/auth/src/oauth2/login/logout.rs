//! Revokes tokens (RFC 7009): first the refresh token, then the access token.

use callgate_secret::Secret;

use crate::oauth2::{
    server::{Client, Server, TOKEN_TIME},
    stored_grant::StoredGrant,
};

/// The result of a logout: the grant is no longer kept.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LoggedOut {
    /// True if somebody had logged in.
    pub was_there: bool,
    /// The reason why the server may still accept the tokens; `None` if it revoked them.
    pub unrevoked: Option<String>,
}

pub(super) async fn revoke_tokens(
    server: &Server,
    client: &Client,
    held: &StoredGrant,
    url: Option<&str>,
) -> Result<(), String> {
    let Some(url) = url else {
        return Err(
            "the authorization server names no place where tokens are given back".to_owned()
        );
    };
    let tokens = [
        ("refresh_token", held.refresh_token.as_ref()),
        ("access_token", Some(&held.access_token)),
    ];
    let mut failed = Ok(());
    for (kind, token) in tokens {
        let Some(token) = token.map(Secret::expose) else { continue };
        let form = [("token", token), ("token_type_hint", kind)];
        if let Err(asking) = server.post_form(client, url, &form, TOKEN_TIME).await {
            let error = server.token_request_error(&asking);
            failed = failed.and_then(|()| Err(format!("`{kind}`: {error}")));
        }
    }
    failed
}
