//! The ways in which a service refuses a credential, as far as a fresh one could help. The sender derives them from a
//! response.

/// The statement of a response with status 401 about the credential.
///
/// ```
/// # use std::sync::Mutex;
/// # use bytes::Bytes;
/// # use callgate_auth::{Authenticator, Authorization, CredentialPlace, Error, CredentialRefusal};
/// # use callgate_secret::Secret;
/// # use callgate_tool::Session;
/// # use http::Request;
/// # #[derive(Debug)]
/// # struct Own { token: Mutex<Option<Secret>> }
/// # #[async_trait::async_trait]
/// # impl Authenticator for Own {
/// #     async fn authorize(&self, _: &mut Request<Bytes>, _: &Session) -> Result<Authorization, Error> {
/// #         Ok(Authorization::default())
/// #     }
/// #     fn places(&self) -> Vec<CredentialPlace> {
/// #         Vec::new()
/// #     }
/// // In an authenticator that keeps a token:
/// async fn handle_refusal(&self, _: &Authorization, refusal: CredentialRefusal, _: &Session) -> bool {
///     // A request whose token was named is made again, with a fresh one.
///     refusal == CredentialRefusal::Token && self.token.lock().is_ok_and(|mut token| token.take().is_some())
/// }
/// # }
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// # let own = Own { token: Mutex::new(Some(Secret::new("t0k3n".to_owned()))) };
/// # let (authorization, session) = (Authorization::default(), Session::default());
/// # assert!(!own.handle_refusal(&authorization, CredentialRefusal::Unnamed, &session).await);
/// # assert!(own.handle_refusal(&authorization, CredentialRefusal::Token, &session).await);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CredentialRefusal {
    /// The response names the token: a challenge for a token with the error `invalid_token` or without an error (RFC
    /// 6750 §3).
    Token,
    /// The response gives no reason. The token may be invalid; the request is not sent again.
    Unnamed,
}
