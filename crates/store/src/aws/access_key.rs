//! The access key that signs a request. This module does not know its source.

use callgate_secret::Secret;

/// An access key.
#[derive(Clone, Debug)]
pub struct AwsKeys {
    /// The id of the key. It is not secret but is treated as a secret.
    pub access_key_id: Secret,
    /// The secret key.
    pub secret_access_key: Secret,
    /// The session token that makes a temporary key valid.
    pub session_token: Option<Secret>,
}

impl AwsKeys {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.access_key_id.is_same_value(&other.access_key_id)
            && self.secret_access_key.is_same_value(&other.secret_access_key)
            && match (&self.session_token, &other.session_token) {
                (Some(token), Some(other)) => token.is_same_value(other),
                (None, None) => true,
                _ => false,
            }
    }
}
