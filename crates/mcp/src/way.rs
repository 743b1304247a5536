//! The way in which the client of a call can be asked for something, and what it says it can do.

use callgate_tool::Value;
use http::request::Parts;
use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ProtocolVersion},
    service::RequestContext,
};

/// The way in which a client is asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way {
    /// By a request of the server (revisions before 2026-07-28).
    Live,
    /// In none.
    Nobody,
    /// By the result of the call: the client calls again with the answer.
    Rounds,
}

/// A client as a call shows it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Abilities {
    pub(crate) way: Way,
    /// It shows forms to a person.
    pub(crate) has_forms: bool,
    /// It asks its model.
    pub(crate) has_model: bool,
}

impl Abilities {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let ClientCapabilities { elicitation, sampling, .. } =
            context.client_capabilities().unwrap_or_default();
        // Neither word is the form that clients have always had.
        let has_forms =
            elicitation.is_some_and(|known| known.form.is_some() || known.url.is_none());
        let version = context.protocol_version();
        let is_modern = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        // A request of the server needs a connection that it can be sent over.
        let has_connection = context.extensions.get::<Parts>().is_none();
        let way = match (is_modern, has_connection) {
            (true, _) => Way::Rounds,
            (false, true) => Way::Live,
            (false, false) => Way::Nobody,
        };
        Self { way, has_forms, has_model: sampling.is_some() }
    }

    /// Those of a client of 2026-07-28 that declares these capabilities; none where they are not of their types.
    pub(crate) fn of_declared(capabilities: &Value) -> Option<Self> {
        let declared = capabilities.as_object()?;
        if !declared.values().all(|one| one.as_object().is_some()) {
            return None;
        }
        let has_forms = declared
            .get("elicitation")
            .is_some_and(|known| known.get("form").is_some() || known.get("url").is_none());
        let has_model = declared.get("sampling").is_some();
        Some(Self { way: Way::Rounds, has_forms, has_model })
    }

    /// Those of a client of an earlier revision over HTTP.
    pub(crate) fn none() -> Self {
        Self { way: Way::Nobody, has_forms: false, has_model: false }
    }
}
