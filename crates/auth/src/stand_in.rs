//! For requests that recordings answer: a credential that the operator cannot provide now is replaced by the mask in
//! the recordings, so that they are found without any secret. A session that lacks its own credential gets the error of
//! a real call.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::{FingerprintHasher, Session};
use http::{Request, Response};

use crate::{
    authenticator::{Authenticator, Authorization},
    error::Error,
    place::{CredentialPlace, place_masks},
    refusal::CredentialRefusal,
};

/// The authenticator with `****` in the places that it cannot fill because of the operator's settings.
pub fn with_masks_for_unset(authenticator: Arc<dyn Authenticator>) -> Arc<dyn Authenticator> {
    Arc::new(StandIn(authenticator))
}

#[derive(Debug)]
struct StandIn(Arc<dyn Authenticator>);

#[async_trait]
impl Authenticator for StandIn {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let bare = request.clone();
        let error = match self.0.authorize(request, session).await {
            Ok(authorization) => return Ok(authorization),
            Err(error) => error,
        };
        let places = self.0.places();
        if error.session_parameter().is_some() || places.is_empty() {
            return Err(error);
        }
        *request = bare;
        place_masks(request, &places)?;
        Ok(Authorization::from_places(places))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        self.0.places()
    }

    fn shown_places(&self, session: &Session) -> Result<Vec<CredentialPlace>, Error> {
        self.0.shown_places(session)
    }

    async fn handle_refusal(
        &self,
        authorization: &Authorization,
        refusal: CredentialRefusal,
        session: &Session,
    ) -> bool {
        self.0.handle_refusal(authorization, refusal, session).await
    }

    fn explain(&self, answer: &Response<Bytes>) -> Option<String> {
        self.0.explain(answer)
    }

    fn session_parameter(&self) -> Option<String> {
        self.0.session_parameter()
    }

    fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.0.add_credential_owner(session, hasher);
    }

    fn obstacle(&self) -> Option<&Error> {
        self.0.obstacle()
    }
}

#[cfg(test)]
mod tests {
    use callgate_secret::{MemoryStore, Secret};
    use callgate_transport::{Refuse, render_request};

    use super::*;
    use crate::{AuthConfig, AuthContext, CredentialSource, ErrorKind, unavailable_authenticator};

    async fn authorized(
        value: CredentialSource,
        secrets: MemoryStore,
    ) -> Result<(String, usize), Error> {
        let context = AuthContext::new(Arc::new(secrets), Arc::new(Refuse::new()));
        let made = with_masks_for_unset(AuthConfig::Bearer { token: value }.build(&context)?);
        let mut request = Request::get("http://h/").body(Bytes::new()).unwrap();
        let authorization = made.authorize(&mut request, &Session::default()).await?;
        let shown = String::from_utf8(render_request(&request)).unwrap();
        Ok((shown, authorization.secrets.len()))
    }

    #[tokio::test]
    async fn a_stand_in_masks_a_missing_secret_like_a_present_one() {
        let reference = || CredentialSource::Secret("env:KEY".parse().unwrap());
        let key = Secret::new("canary-key".to_owned());
        let there = MemoryStore::new().with(&"env:KEY".parse().unwrap(), key);
        let shown = "GET http://h/ HTTP/1.1\nauthorization: ****\n\n".to_owned();
        assert_eq!(authorized(reference(), there).await.unwrap(), (shown.clone(), 1));
        assert_eq!(authorized(reference(), MemoryStore::new()).await.unwrap(), (shown, 0));
    }

    #[tokio::test]
    async fn a_missing_session_value_is_reported() {
        let source = CredentialSource::SessionParameter("token".to_owned());
        let error = authorized(source, MemoryStore::new()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingSessionValue);
    }

    #[tokio::test]
    async fn an_unavailable_credential_stays_unavailable_behind_a_stand_in() {
        let mut request = Request::get("http://h/").body(Bytes::new()).unwrap();
        let unavailable = with_masks_for_unset(unavailable_authenticator("none".to_owned()));
        let error = unavailable.authorize(&mut request, &Session::default()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingCredential);
    }
}
