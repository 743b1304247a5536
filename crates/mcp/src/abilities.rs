//! The way to ask the client of a call, and the client's declared abilities.

use callgate_tool::Value;
use http::request::Parts;
use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ProtocolVersion},
    service::RequestContext,
};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Channel {
    /// A request of the server asks the client (revisions before 2026-07-28).
    Live,
    Nobody,
    /// The result of the call asks the client, which calls again with the answer.
    Rounds,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Abilities {
    pub(crate) channel: Channel,
    pub(crate) has_forms: bool,
    pub(crate) has_model: bool,
}

impl Abilities {
    pub(crate) fn from_context(context: &RequestContext<RoleServer>) -> Self {
        let ClientCapabilities { elicitation, sampling, .. } =
            context.client_capabilities().unwrap_or_default();
        // Neither word means the form that clients have always had.
        let has_forms = elicitation
            .is_some_and(|capability| capability.form.is_some() || capability.url.is_none());
        let version = context.protocol_version();
        let is_modern = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        // A request of the server needs a connection to send it over.
        let has_connection = context.extensions.get::<Parts>().is_none();
        let channel = match (is_modern, has_connection) {
            (true, _) => Channel::Rounds,
            (false, true) => Channel::Live,
            (false, false) => Channel::Nobody,
        };
        Self { channel, has_forms, has_model: sampling.is_some() }
    }

    /// The abilities of a client of 2026-07-28 that declares these capabilities; `None` if they have wrong types.
    pub(crate) fn from_declared(capabilities: &Value) -> Option<Self> {
        let declared = capabilities.as_object()?;
        if !declared.values().all(|one| one.as_object().is_some()) {
            return None;
        }
        let has_forms = declared.get("elicitation").is_some_and(|capability| {
            capability.get("form").is_some() || capability.get("url").is_none()
        });
        let has_model = declared.get("sampling").is_some();
        Some(Self { channel: Channel::Rounds, has_forms, has_model })
    }

    /// The abilities of a client of an earlier revision over HTTP.
    pub(crate) fn none() -> Self {
        Self { channel: Channel::Nobody, has_forms: false, has_model: false }
    }
}
