//! The place of a value in a session, as filters write it: `$session.params.audience`. A model neither sees nor chooses the value.

use callgate_tool::{Session, Value};

/// The place of a value in a session.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum SessionSource {
    /// A value at a dotted path of the context: `$context.variables.tenant`.
    Context(String),
    /// A parameter of the session: `$session.params.audience`.
    Parameter(String),
    /// A value at a dotted path of the payload: `$request.payload.user`.
    Payload(String),
}

impl SessionSource {
    /// The place that a text names; `None` for another text.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let rest = |beginning| text.strip_prefix(beginning).filter(|rest: &&str| !rest.is_empty());
        let parameter = rest("$session.params.").map(|name| Self::Parameter(name.to_owned()));
        let payload = || Some(Self::Payload(rest("$request.payload.")?.to_owned()));
        let context = || Some(Self::Context(rest("$context.")?.to_owned()));
        parameter.or_else(payload).or_else(context)
    }

    /// The value in a session.
    pub(crate) fn value(&self, session: &Session) -> Option<Value> {
        match self {
            Self::Context(path) => session.context(path),
            Self::Parameter(name) => session.parameter(name).cloned(),
            Self::Payload(path) => session.payload(path).cloned(),
        }
    }

    /// The place as a filter writes it.
    pub(crate) fn reference(&self) -> String {
        match self {
            Self::Context(path) => format!("$context.{path}"),
            Self::Parameter(name) => format!("$session.params.{name}"),
            Self::Payload(path) => format!("$request.payload.{path}"),
        }
    }
}
