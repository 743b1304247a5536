//! The signature of a webhook's request, in the form of Standard Webhooks (standardwebhooks.com): `v1,` and the HMAC-SHA256
//! of `ID.TIMESTAMP.BODY` in base64, one for each key.

use base64::{Engine, prelude::BASE64_STANDARD};
use callgate_secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::{self, Error};

/// A key that signs what a webhook sends.
///
/// ```
/// use callgate_policy::WebhookKey;
/// use callgate_secret::Secret;
///
/// let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
/// assert!(WebhookKey::new(&secret).is_ok());
/// assert!(WebhookKey::new(&Secret::new("a password".to_owned())).is_err());
/// ```
#[derive(Clone)]
pub struct WebhookKey(Hmac<Sha256>);

callgate_secret::opaque!(WebhookKey = "WebhookKey");

impl WebhookKey {
    /// Reads a key: `whsec_` and 24 to 64 bytes in base64.
    ///
    /// # Errors
    /// [`ErrorKind::ShortKey`](crate::ErrorKind::ShortKey) for another text.
    pub fn new(secret: &Secret) -> Result<Self, Error> {
        let text = secret.expose().trim();
        let bytes = text.strip_prefix("whsec_").and_then(|key| BASE64_STANDARD.decode(key).ok());
        let bytes = bytes.filter(|bytes| (LEAST..=MOST).contains(&bytes.len()));
        let bytes = bytes.ok_or_else(error::not_a_webhook_key)?;
        Hmac::new_from_slice(&bytes).map(Self).map_err(|_| error::not_a_webhook_key())
    }
}

pub(super) fn signature(keys: &[WebhookKey], id: &str, timestamp: u64, body: &str) -> String {
    let content = format!("{id}.{timestamp}.{body}");
    let signed = keys.iter().map(|WebhookKey(key)| {
        let code = key.clone().chain_update(&content).finalize().into_bytes();
        format!("v1,{}", BASE64_STANDARD.encode(code))
    });
    signed.collect::<Vec<_>>().join(" ")
}

/// The bytes of a key in Standard Webhooks.
const LEAST: usize = 24;
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Result<WebhookKey, Error> {
        WebhookKey::new(&Secret::new(text.to_owned()))
    }

    #[test]
    fn signatures_are_those_of_the_examples_of_standard_webhooks() {
        let key = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let signed = signature(&[key.clone(), key], id, 1_614_265_330, r#"{"test": 2432232314}"#);
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signed, format!("{expected} {expected}"));
    }

    #[test]
    fn a_text_that_is_no_key_is_refused_and_not_shown() {
        for text in ["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%"]
        {
            let told = format!("{:?}", key(text).unwrap_err());
            assert!(text.len() < 7 || !told.contains(text), "{told}");
        }
        assert!(key(&format!("whsec_{}", BASE64_STANDARD.encode([7; 65]))).is_err());
        assert_eq!(
            format!("{:?}", key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").unwrap()),
            "WebhookKey"
        );
    }
}
