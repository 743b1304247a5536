//! The security schemes that credentials of requests show.

use callgate_tool::{Value, json};

use crate::name::camel_name;

/// A way in which requests carry a credential (OpenAPI 3.1.1 §4.8.27).
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Scheme {
    Basic,
    Bearer,
    /// A key: its place (`header`, `query`, `cookie`) and its name there.
    Key(&'static str, String),
}

impl Scheme {
    /// The name among the components.
    pub(crate) fn component_name(&self) -> String {
        match self {
            Self::Basic => "basicAuth".to_owned(),
            Self::Bearer => "bearerAuth".to_owned(),
            Self::Key(place, name) => camel_name(&format!("{name} {place}")),
        }
    }

    pub(crate) fn security_scheme_object(&self) -> Value {
        match self {
            Self::Basic => json!({"type": "http", "scheme": "basic"}),
            Self::Bearer => json!({"type": "http", "scheme": "bearer"}),
            Self::Key(place, name) => json!({"type": "apiKey", "in": place, "name": name}),
        }
    }
}
