//! A digest that tells one call from another: of everything that decides a request, or whom it is for. The holder of a
//! record compares fingerprints, so that no record answers another call. `tool` computes them; the kinds of tools and of
//! credentials say what decides.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use callgate_secret::Secret;
use sha2::{Digest as _, Sha256};

use crate::{CallerToken, Object, Session, SessionSource, Value};

/// The fingerprint of a call: SHA-256 of what decides it. Equal fingerprints are one call.
///
/// ```
/// use callgate_tool::{FingerprintHasher, json};
///
/// let of = |arguments| {
///     let mut hasher = FingerprintHasher::default();
///     hasher.add_text("shop-buy").add_value(&arguments);
///     hasher.finish()
/// };
/// assert_eq!(of(json!({"a": 1, "b": 2})), of(json!({"b": 2, "a": 1})), "the order of members");
/// assert_ne!(of(json!({"a": 1})), of(json!({"a": "1"})));
/// ```
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The bytes of the digest.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

// Leaves out the digest: whoever guesses a short value could confirm it.
callgate_secret::opaque!(Fingerprint = "Fingerprint(****)");

/// Computes a [`Fingerprint`] from one part after another. No two lists of parts have equal bytes.
///
/// ```
/// use callgate_tool::FingerprintHasher;
///
/// let (mut one, mut other) = (FingerprintHasher::default(), FingerprintHasher::default());
/// one.add_text("ab").add_text("c");
/// other.add_text("a").add_text("bc");
/// assert_ne!(one.finish(), other.finish());
/// ```
#[derive(Clone, Default)]
pub struct FingerprintHasher(Sha256);

impl FingerprintHasher {
    /// Adds a text.
    pub fn add_text(&mut self, text: &str) -> &mut Self {
        self.0.update(b"\"");
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
        self
    }

    /// Adds a text that may be absent; an absent one differs from an empty one.
    pub fn add_optional_text(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            None => {
                self.0.update(b"0");
                self
            }
            Some(text) => self.add_text(text),
        }
    }

    /// Adds a value. The order of the members of an object does not count.
    pub fn add_value(&mut self, value: &Value) -> &mut Self {
        match value {
            Value::Array(items) => {
                self.0.update(b"[");
                for item in items {
                    self.add_value(item);
                }
                self.0.update(b"]");
                self
            }
            Value::Object(members) => self.add_object(members),
            Value::String(string) => self.add_text(string),
            other => {
                self.0.update(other.to_string().as_bytes());
                self.0.update(b",");
                self
            }
        }
    }

    /// Adds the members of an object.
    pub fn add_object(&mut self, members: &Object) -> &mut Self {
        let mut members: Vec<_> = members.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        self.0.update(b"{");
        for (name, value) in members {
            self.add_text(name).add_value(value);
        }
        self.0.update(b"}");
        self
    }

    /// Adds the person that a token stands for. The subject of a JWT is its `iss` and `sub`, which a renewed token
    /// keeps; nothing verifies them here, since the service verifies the token. Any other token stands for itself.
    pub fn add_token_subject(&mut self, token: &Secret) -> &mut Self {
        match jwt_issuer_and_subject(token.expose()) {
            Some((issuer, subject)) => self.add_text("jwt").add_text(&issuer).add_text(&subject),
            None => self.add_text("token").add_text(token.expose()),
        }
    }

    /// Adds the value of a source in a session; an absent one differs from any other.
    pub fn add_source_value(&mut self, source: &SessionSource, session: &Session) -> &mut Self {
        match source.value_in_session(session) {
            Some(value) => self.add_value(&value),
            None => self.add_optional_text(None),
        }
    }

    /// Adds all values of a session, for code that may read any of them. Of the caller's token, the caller counts.
    pub fn add_session(&mut self, session: &Session) -> &mut Self {
        self.add_optional_text(session.id());
        for (name, value) in &session.parameters {
            self.add_text(name).add_value(value);
        }
        for values in session.payload_and_context() {
            self.add_object(values);
        }
        self.add_credential_owners(session)
    }

    /// Adds whose credentials a session has, and its caller, and none of its values.
    pub fn add_credential_owners(&mut self, session: &Session) -> &mut Self {
        for (name, credential) in session.credentials() {
            self.add_text(name).add_token_subject(credential);
        }
        self.add_optional_text(session.caller_token().map(CallerToken::principal))
    }

    /// The fingerprint of what was added.
    pub fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finalize().into())
    }
}

// Leaves out what was added.
callgate_secret::opaque!(FingerprintHasher = "FingerprintHasher");

/// The issuer and the subject of a JWT (RFC 7519 §4.1).
fn jwt_issuer_and_subject(token: &str) -> Option<(String, String)> {
    let mut parts = token.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let claims = Value::from_slice(&claims).ok()?;
    let claim = |name: &str| claims.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
    Some((claim("iss")?, claim("sub")?))
}

#[cfg(test)]
mod tests {
    use crate::json;

    use super::*;

    fn of(value: &Value) -> Fingerprint {
        let mut hasher = FingerprintHasher::default();
        hasher.add_value(value);
        hasher.finish()
    }

    fn of_token(token: &str) -> Fingerprint {
        let mut hasher = FingerprintHasher::default();
        hasher.add_token_subject(&Secret::new(token.to_owned()));
        hasher.finish()
    }

    #[test]
    fn a_fingerprint_ignores_the_order_of_members_and_nothing_else() {
        assert_eq!(
            of(&json!({"a": 1, "b": {"c": 2, "d": 3}})),
            of(&json!({"b": {"d": 3, "c": 2}, "a": 1}))
        );
        let rows = r#"{}|{"a": 1}|{"a": 12}|{"a": "1"}|{"a": [1, 2]}|{"a": [2, 1]}|{"a": [[1], 2]}|{"a": null}|{"a": true}|{"a": {}}|{"a": []}|{"a": "", "b": ""}|{"a": "b"}|{"ab": ""}"#;
        let rows: Vec<Value> = rows.split('|').map(|text| text.parse().unwrap()).collect();
        for (at, one) in rows.iter().enumerate() {
            for other in &rows[at + 1..] {
                assert_ne!(of(one), of(other), "{one} {other}");
            }
        }
    }

    #[test]
    fn an_absent_text_and_an_empty_one_have_different_fingerprints() {
        let of = |text: Option<&str>| {
            let mut hasher = FingerprintHasher::default();
            hasher.add_optional_text(text);
            hasher.finish()
        };
        assert_ne!(of(None), of(Some("")));
    }

    #[test]
    fn a_renewed_jwt_keeps_its_fingerprint_and_opaque_tokens_differ() {
        let jwt = |claims: Value, signature: &str| {
            format!("e30.{}.{signature}", URL_SAFE_NO_PAD.encode(claims.to_string()))
        };
        let of_ada = |at: u64| json!({"iss": "https://issuer.example", "sub": "ada", "iat": at});
        assert_eq!(of_token(&jwt(of_ada(1), "a")), of_token(&jwt(of_ada(2), "b")));
        let mut others = vec![of_token(&jwt(of_ada(1), "a"))];
        for token in [
            jwt(json!({"iss": "https://issuer.example", "sub": "bob"}), "a"),
            jwt(json!({"iss": "https://other.example", "sub": "ada"}), "a"),
            jwt(json!({"sub": "ada"}), "a"),
            jwt(json!({"sub": "ada"}), "b"),
            jwt(json!({"iss": "https://issuer.example", "sub": 7}), "a"),
            "opaque-1".to_owned(),
            "opaque-2".to_owned(),
            "a.b.c".to_owned(),
            String::new(),
        ] {
            let one = of_token(&token);
            assert!(!others.contains(&one), "{token}");
            others.push(one);
        }
    }

    #[test]
    fn every_value_of_a_session_changes_its_fingerprint() {
        let of = |session: &Session| {
            let mut hasher = FingerprintHasher::default();
            hasher.add_session(session);
            hasher.finish()
        };
        let member = || Object::from([("a", "1".into())]);
        let sessions = [
            Session::default(),
            Session::new("s"),
            Session::default().with_parameters(member()),
            Session::default().with_payload(member()),
            Session::default().with_context(member()),
            Session::default().with_credential("a", Secret::new("1".to_owned())),
        ];
        for (at, one) in sessions.iter().enumerate() {
            for other in &sessions[at + 1..] {
                assert_ne!(of(one), of(other), "{one:?} {other:?}");
            }
        }
        assert_eq!(format!("{:?}", of(&Session::new("s"))), "Fingerprint(****)");
    }
}
