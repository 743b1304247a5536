//! Several credentials on one request, for services that require more than one at once. Each authenticator places its
//! own credential, in the given order; a signer comes last, so that it signs the other credentials.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::{FingerprintHasher, Session};
use http::{Request, Response};

use crate::{
    authenticator::{Authenticator, Authorization},
    error::Error,
    none::NoCredential,
    place::{ApiKeyLocation, CredentialPlace},
    refusal::CredentialRefusal,
};

/// One authenticator that runs all of these in their order. A single authenticator is returned as it is; an empty list
/// leaves requests unchanged. A place holds one credential: if several go to one place, the first is placed.
pub fn combined_authenticator(parts: Vec<Arc<dyn Authenticator>>) -> Arc<dyn Authenticator> {
    let mut taken: Vec<(ApiKeyLocation, String)> = Vec::new();
    let mut kept: Vec<Arc<dyn Authenticator>> = Vec::new();
    for part in parts {
        let places = part.places();
        let places = places
            .iter()
            .map(|credential_place| (credential_place.place(), credential_place.name().to_owned()));
        let places: Vec<_> = places.collect();
        if !places.iter().any(|place| taken.contains(place)) {
            taken.extend(places);
            kept.push(part);
        }
    }
    match (kept.pop(), kept.is_empty()) {
        (None, _) => Arc::new(NoCredential),
        (Some(only), true) => only,
        (Some(last), false) => {
            kept.push(last);
            Arc::new(All { parts: kept })
        }
    }
}

#[derive(Debug)]
struct All {
    parts: Vec<Arc<dyn Authenticator>>,
}

#[async_trait]
impl Authenticator for All {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let mut whole = Authorization::default();
        for part in &self.parts {
            let Authorization { placed, secrets } = part.authorize(request, session).await?;
            whole.placed.extend(placed);
            whole.secrets.extend(secrets);
        }
        Ok(whole)
    }

    fn places(&self) -> Vec<CredentialPlace> {
        self.parts.iter().flat_map(|part| part.places()).collect()
    }

    fn shown_places(&self, session: &Session) -> Result<Vec<CredentialPlace>, Error> {
        let places = self.parts.iter().map(|part| part.shown_places(session));
        Ok(places.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The service refuses the credentials as a whole, so each authenticator is informed.
    async fn handle_refusal(
        &self,
        authorization: &Authorization,
        refusal: CredentialRefusal,
        session: &Session,
    ) -> bool {
        let mut may_help = false;
        for part in &self.parts {
            may_help |= part.handle_refusal(authorization, refusal, session).await;
        }
        may_help
    }

    fn explain(&self, answer: &Response<Bytes>) -> Option<String> {
        self.parts.iter().find_map(|part| part.explain(answer))
    }

    fn credential_reference_description(&self) -> Option<String> {
        let all: Vec<String> =
            self.parts.iter().filter_map(|part| part.credential_reference_description()).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }

    fn session_parameter(&self) -> Option<String> {
        self.parts.iter().find_map(|part| part.session_parameter())
    }

    fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.parts.iter().for_each(|part| part.add_credential_owner(session, hasher));
    }

    fn obstacle(&self) -> Option<&Error> {
        self.parts.iter().find_map(|part| part.obstacle())
    }
}

#[cfg(test)]
mod tests {
    use callgate_secret::{MemoryStore, SecretReference};
    use callgate_transport::{Refuse, render_request};

    use super::*;
    use crate::{AuthConfig, AuthContext, ErrorKind};

    fn key(place: ApiKeyLocation, name: &str, value: &str) -> Arc<dyn Authenticator> {
        let value: SecretReference = value.parse().unwrap();
        let config = AuthConfig::ApiKey { place, name: name.to_owned(), value };
        let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Refuse::new()));
        config.build(&context).unwrap()
    }

    fn request() -> Request<Bytes> {
        Request::get("http://h/p").body(Bytes::new()).unwrap()
    }

    #[tokio::test]
    async fn every_credential_of_several_is_sent_and_masked() {
        let parts = [
            (ApiKeyLocation::Header, "x-key"),
            (ApiKeyLocation::Query, "key"),
            (ApiKeyLocation::Cookie, "a"),
            (ApiKeyLocation::Cookie, "b"),
        ];
        let together = combined_authenticator(
            parts.map(|(place, name)| key(place, name, "literal:canary")).to_vec(),
        );
        let mut request = request();
        let put = together.authorize(&mut request, &Session::default()).await.unwrap();
        assert_eq!((put.placed, put.secrets.len()), (together.places(), 4));
        assert_eq!(request.uri(), "http://h/p?key=canary");
        assert_eq!(request.headers()["x-key"], "canary");
        assert_eq!(request.headers()["cookie"], "a=canary; b=canary");
        assert!(!String::from_utf8(render_request(&request)).unwrap().contains("canary"));
    }

    #[tokio::test]
    async fn of_two_credentials_for_one_location_the_first_is_sent() {
        let parts = vec![
            key(ApiKeyLocation::Header, "x", "literal:first"),
            key(ApiKeyLocation::Header, "X", "literal:second"),
            key(ApiKeyLocation::Query, "x", "literal:third"),
        ];
        let (mut request, together) = (request(), combined_authenticator(parts));
        together.authorize(&mut request, &Session::default()).await.unwrap();
        assert_eq!(request.headers()["x"], "first");
        assert_eq!(request.uri(), "http://h/p?x=third");
    }

    #[tokio::test]
    async fn a_missing_secret_of_one_credential_fails_all() {
        let together = combined_authenticator(vec![
            key(ApiKeyLocation::Header, "x", "literal:a"),
            key(ApiKeyLocation::Query, "k", "env:NONE"),
        ]);
        let put = together.authorize(&mut request(), &Session::default()).await;
        assert_eq!(put.unwrap_err().kind(), ErrorKind::MissingSecret);
    }

    #[tokio::test]
    async fn no_credential_leaves_the_request_unchanged() {
        let mut left = request();
        combined_authenticator(Vec::new()).authorize(&mut left, &Session::default()).await.unwrap();
        assert_eq!(render_request(&left), render_request(&request()));
    }
}
