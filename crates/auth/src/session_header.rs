//! A header whose value the session gives: a customer, a tenant. It is set like a credential, so that no argument replaces it and
//! a signer signs it, but it is no secret: it is shown, and never masked.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::{FingerprintHasher, Session, SessionSource, Value};
use http::{HeaderValue, Request};

use crate::{
    authenticator::{Authenticator, Authorization},
    error::{self, Error},
    place::{ApiKeyLocation, CredentialPlace},
};

/// The authenticator that sets a header to a value of the session.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if no header can have this name.
pub fn session_header_authenticator(
    name: &str,
    source: SessionSource,
) -> Result<Arc<dyn Authenticator>, Error> {
    let place = CredentialPlace::new(ApiKeyLocation::Header, name)?.with_plain(source.to_string());
    Ok(Arc::new(SessionHeader { name: name.to_owned(), place, source }))
}

#[derive(Debug)]
struct SessionHeader {
    name: String,
    place: CredentialPlace,
    source: SessionSource,
}

impl SessionHeader {
    /// The text of the session's value; `None` for a structure, or without a value.
    fn scalar_text(&self, session: &Session) -> Option<String> {
        match self.source.value_in_session(session)? {
            Value::String(text) => Some(text),
            value @ (Value::Bool(_) | Value::Number(_)) => Some(value.to_string()),
            Value::Array(_) | Value::Null | Value::Object(_) => None,
        }
    }

    /// The text, if a header can hold it.
    fn checked_header_text(&self, session: &Session) -> Result<String, Error> {
        let source = self.source.to_string();
        let text = self.scalar_text(session).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| error::no_header_value(&self.name, &source))?;
        match HeaderValue::try_from(&text) {
            Ok(_) => Ok(text),
            Err(_) => Err(error::unfit_header_value(&self.name, &source)),
        }
    }
}

#[async_trait]
impl Authenticator for SessionHeader {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        self.place.put_plain(request, &self.checked_header_text(session)?)?;
        // No credential was placed.
        Ok(Authorization::default())
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![self.place.clone()]
    }

    fn shown_places(&self, session: &Session) -> Result<Vec<CredentialPlace>, Error> {
        Ok(vec![self.place.clone().with_plain(self.checked_header_text(session)?)])
    }

    fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        hasher.add_text(&self.scalar_text(session).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Object, json};

    use super::*;
    use crate::error::ErrorKind;

    async fn sent(value: Value) -> Result<String, ErrorKind> {
        let source = SessionSource::parse("$session.params.customer").unwrap();
        let header = session_header_authenticator("CustomerCode", source).unwrap();
        let session = Session::new("s").with_parameters(Object::from([("customer", value)]));
        let mut request = Request::new(Bytes::new());
        header.authorize(&mut request, &session).await.map_err(|error| error.kind())?;
        Ok(request.headers()["customercode"].to_str().unwrap().to_owned())
    }

    #[tokio::test]
    async fn a_header_has_the_value_of_the_session_or_the_call_fails() {
        assert_eq!(sent(json!("c-7")).await.as_deref(), Ok("c-7"));
        assert_eq!(sent(json!(7)).await.as_deref(), Ok("7"));
        assert_eq!(sent(json!(true)).await.as_deref(), Ok("true"));
        for value in
            [json!(null), json!(""), json!([]), json!({"a": 1}), json!("a\r\nX: y"), json!("a\0")]
        {
            assert_eq!(sent(value.clone()).await, Err(ErrorKind::NoHeaderValue), "{value}");
        }
    }

    #[test]
    fn two_values_of_a_header_are_two_calls() {
        let source = SessionSource::parse("$session.params.customer").unwrap();
        let header = session_header_authenticator("CustomerCode", source).unwrap();
        let digest = |value: &str| {
            let parameters = Object::from([("customer", value.into())]);
            let mut hasher = FingerprintHasher::default();
            header
                .add_credential_owner(&Session::new("s").with_parameters(parameters), &mut hasher);
            hasher.finish().as_bytes().to_vec()
        };
        assert_ne!(digest("c-7"), digest("c-8"));
        assert_eq!(digest("c-7"), digest("c-7"));
    }
}
