//! The party that asks for a call, as far as it is known. The receiver of the call verified it; this module verifies
//! nothing.

use std::{fmt, sync::Arc};

use crate::{Object, Value};

/// A party whose identity was verified.
///
/// ```
/// use callgate_tool::Principal;
///
/// assert_eq!(Principal::new("kim@example.com").id(), "kim@example.com");
/// ```
#[derive(Clone)]
pub struct Principal {
    id: Arc<str>,
    claims: Arc<Object>,
}

impl Principal {
    /// A principal with a unique id.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self { id: id.into(), claims: Arc::default() }
    }

    /// Adds the claims of a verified token.
    #[must_use]
    pub fn with_claims(mut self, claims: Object) -> Self {
        self.claims = Arc::new(claims);
        self
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn shared_id(&self) -> Arc<str> {
        Arc::clone(&self.id)
    }

    /// The claim `name`. `null` counts as absent.
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.claims.get(name).filter(|value| !value.is_null())
    }
}

/// Prints the principal without the values of its claims.
impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claims: Vec<_> = self.claims.keys().collect();
        f.debug_struct("Principal").field("id", &self.id).field("claims", &claims).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn debug_output_of_a_principal_shows_no_claim() {
        let claims = json!({"email": "canary", "phone": null}).as_object().cloned().unwrap();
        let principal = Principal::new("kim").with_claims(claims);
        assert_eq!(principal.claim("email"), Some(&json!("canary")));
        assert_eq!(principal.claim("phone"), None);
        let shown = format!("{principal:?}");
        assert!(shown.contains("email") && !shown.contains("canary"), "{shown}");
    }
}
