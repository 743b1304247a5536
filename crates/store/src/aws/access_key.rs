//! An access key: what a request is signed with. Where it comes from is not known here.

use callgate_secret::Secret;

/// An access key.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "the three parts AWS hands out")]
pub struct AwsKeys {
    /// Its id, which is no secret and treated as one.
    pub access_key_id: Secret,
    /// The key.
    pub secret_access_key: Secret,
    /// The condition that makes a temporary key valid.
    pub session_token: Option<Secret>,
}

impl AwsKeys {
    /// Returns true if these are the same keys.
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
