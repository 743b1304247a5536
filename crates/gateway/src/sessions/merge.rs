//! The session of a request: merges the stored values of its id, the values in the request, configured headers and verified
//! claims. The precedence is fixed: a claim over a header, a header over the request, the request over the store. The caller's
//! token goes with the session, and into no store.

#[cfg(feature = "agents")]
use std::collections::BTreeSet;
use std::collections::{BTreeMap, HashSet};

use callgate_config::SessionsConfig;
use callgate_dialect::check_distinct_ignoring_case;
use callgate_secret::Secret;
use callgate_tool::{Object, Session, Value, from_value};
use http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    caller::Caller,
    problem::{Problem, ProblemKind},
    stored_sessions::Sessions,
};

/// The values of a session that a request brings.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Option<Object>")]
pub struct SessionInput {
    members: Object,
    /// Changes of the stored parameters that the request makes.
    changes: Object,
    /// True if the values are not only those of the store: the request has its own, or opens the session.
    brings: bool,
}

/// The values that the runtime knows and the model must not choose; they win over those stored under the id
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InlineSession {
    /// The session's id
    id: Option<String>,
    /// Session parameters; their names are case-insensitive
    #[schema(value_type = Option<Object>, additional_properties)]
    parameters: Option<Object>,
    /// The payload of the current request
    #[schema(value_type = Option<Object>, additional_properties)]
    payload: Option<Object>,
    /// The values that `$context` reads: `project_id`, `location`, `app_id`, `turn_index`, `variables`
    #[schema(value_type = Option<Object>, additional_properties)]
    context: Option<Object>,
    /// Credentials that `$session.credentials` of the configuration reads; texts as they are
    credentials: Option<BTreeMap<String, String>>,
}

impl From<Option<Object>> for SessionInput {
    fn from(members: Option<Object>) -> Self {
        Self::from_members(members.unwrap_or_default())
    }
}

impl SessionInput {
    /// Reads `session` of a body; errors in it are reported when it is completed.
    ///
    /// # Errors
    /// Returns a [`Problem`] if the value is not an object.
    pub fn read(value: Option<Value>) -> Result<Self, Problem> {
        let members = from_value::<Option<Object>>(value.unwrap_or_default());
        let members = members.map_err(|error| error.under_segment("session"))?;
        Ok(Self::from_members(members.unwrap_or_default()))
    }

    pub(crate) fn members(&self) -> &Object {
        &self.members
    }

    /// The values that the request brings, beside the id.
    #[cfg(feature = "agents")]
    pub(crate) fn values_without_id(&self) -> Object {
        let mut values = self.members.clone();
        values.retain(|name, value| {
            name != "id" && value.as_object().is_some_and(|it| !it.is_empty())
        });
        values
    }

    /// Adds values that the request leaves out; its own ones win.
    #[cfg(feature = "agents")]
    #[must_use]
    pub(crate) fn with_defaults(self, values: Object) -> Self {
        let mut members = self.members;
        for (name, values) in values {
            let own = members.entry(name).or_insert(Value::Null);
            if own.is_null() {
                *own = Value::Object(Object::new());
            }
            let (Some(own), Value::Object(values)) = (own.as_object_mut(), values) else {
                continue;
            };
            let names: BTreeSet<String> = own.keys().map(|name| name.to_lowercase()).collect();
            let is_left_out = |(name, _): &(String, Value)| !names.contains(&name.to_lowercase());
            own.extend(values.into_iter().filter(is_left_out));
        }
        Self { changes: self.changes, ..Self::from_members(members) }
    }

    /// The session with these members.
    pub fn from_members(members: Object) -> Self {
        let is_given = |name: &&str| match members.get(name) {
            Some(Value::Object(values)) => values.values().any(|value| !value.is_null()),
            _ => false,
        };
        let brings = ["parameters", "payload", "context", "credentials"].iter().any(is_given);
        Self { members, changes: Object::new(), brings }
    }

    /// Reads the stored parameters as they are once the request has made these changes.
    #[must_use]
    pub fn with_parameter_changes(self, changes: Object) -> Self {
        Self { changes, ..self }
    }

    /// Records that the request opens the session, which need not be stored.
    #[must_use]
    pub fn as_opening_session(self) -> Self {
        Self { brings: true, ..self }
    }

    /// Sets the id of the session.
    #[must_use]
    pub fn with_id(mut self, id: &str) -> Self {
        self.members.insert("id", Value::from(id));
        self
    }

    /// Adds the path's context; the request's own values win.
    #[must_use]
    pub fn with_context_defaults(mut self, context: &Object) -> Self {
        if context.is_empty() {
            return self;
        }
        let context_member = self.members.entry("context").or_insert(Value::Object(Object::new()));
        if let Some(members) = context_member.as_object_mut() {
            for (name, value) in context {
                members.entry(name.as_str()).or_insert(value.clone());
            }
        }
        self
    }

    /// The session for the calls of a request. None of it is stored.
    pub(crate) async fn into_session(
        self,
        sessions: &Sessions,
        config: &SessionsConfig,
        caller: &Caller,
        headers: &HeaderMap,
    ) -> Result<Session, Problem> {
        let (stored, is_named) = match self.members.get("id") {
            Some(Value::String(id)) => (sessions.get(caller.principal.as_ref(), id).await?, true),
            _ => (None, false),
        };
        let is_unknown = is_named && stored.is_none() && !self.brings;
        let stored = stored.map(|(state, _)| state).unwrap_or_default();
        let own = from_value::<InlineSession>(Value::Object(self.members));
        let own = own.map_err(|error| error.under_segment("session"))?;
        let credentials = own.credentials.unwrap_or_default();
        check_distinct_ignoring_case("session.credentials", credentials.keys())?;
        let mut parameters = with_changes(stored.parameters, &self.changes);
        let own_parameters = own.parameters.unwrap_or_default();
        check_distinct_ignoring_case("session.parameters", own_parameters.keys())?;
        put_ignoring_case(
            &mut parameters,
            own_parameters.into_iter().chain(header_parameters(config, headers)?),
        );
        let claims = claim_parameters(config, caller)?;
        let session = own.id.map_or_else(Session::default, Session::new);
        let session = session.with_parameters(parameters);
        let session = session.with_payload(own.payload.unwrap_or_default());
        let session = session.with_context(own.context.unwrap_or_default());
        let session = credentials.into_iter().fold(session, |session, (name, text)| {
            session.with_credential(&name, Secret::new(text))
        });
        let session = stored.credentials.add_missing_to(session);
        let bind =
            |session: Session, (name, value): (String, Value)| session.with_bound(&name, value);
        let session = claims.into_iter().fold(session, bind);
        let session = if is_unknown { session.with_nothing_stored() } else { session };
        Ok(match &caller.token {
            Some(token) => session.with_caller_token(token.clone()),
            None => session,
        })
    }
}

/// Parameters with these changes made; one that is `null` is removed.
pub(crate) fn with_changes(mut parameters: Object, changes: &Object) -> Object {
    let changed = changes.iter().map(|(name, value)| (name.clone(), value.clone()));
    put_ignoring_case(&mut parameters, changed);
    parameters.retain(|name, value| !(value.is_null() && changes.contains_key(name)));
    parameters
}

/// Adds parameters; the last one with a name counts, in any case. Each name is folded once: a request may bring tens of thousands.
pub(crate) fn put_ignoring_case(
    parameters: &mut Object,
    added: impl IntoIterator<Item = (String, Value)>,
) {
    let all: Vec<_> = std::mem::take(parameters).into_iter().chain(added).collect();
    let mut names = HashSet::new();
    let last_ones = all.into_iter().rev().filter(|(name, _)| names.insert(name.to_lowercase()));
    let mut kept: Vec<_> = last_ones.collect();
    kept.reverse();
    parameters.extend(kept);
}

/// The session values that the headers and the claims of a request bind, by name.
pub(crate) fn header_and_claim_values(
    config: &SessionsConfig,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Vec<(String, Value)>, Problem> {
    let mut bound = header_parameters(config, headers)?;
    bound.extend(claim_parameters(config, caller)?);
    Ok(bound)
}

fn header_parameters(
    config: &SessionsConfig,
    headers: &HeaderMap,
) -> Result<Vec<(String, Value)>, Problem> {
    let mut header_values = Vec::new();
    for (parameter, header) in &config.headers {
        let mut values = headers.get_all(header).iter();
        let Some(value) = values.next() else { continue };
        let text = value.to_str().ok().filter(|_| values.next().is_none());
        let Some(text) = text else {
            let detail = format!("`{header}`: expected one text of printable ASCII");
            return Err(Problem::new(ProblemKind::MALFORMED_HEADER, detail));
        };
        header_values.push((parameter.clone(), Value::String(text.to_owned())));
    }
    Ok(header_values)
}

/// A parameter bound to a claim has no other source: a token without the claim is refused.
fn claim_parameters(
    config: &SessionsConfig,
    caller: &Caller,
) -> Result<Vec<(String, Value)>, Problem> {
    let of = |(parameter, claim): &(String, String)| {
        let value = caller.principal.as_ref().and_then(|principal| principal.claim(claim));
        let value = value.ok_or_else(|| {
            let detail = format!("expected a token with the claim `{claim}`");
            Problem::new(ProblemKind::MISSING_CLAIM, detail)
        })?;
        Ok((parameter.clone(), value.clone()))
    };
    config.claims.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn the_last_parameter_with_a_name_counts_however_many_there_are() {
        let changes = Object::from([("A", 1.into()), ("b", Value::Null), ("C", 3.into())]);
        let stored = Object::from([("a", 0.into()), ("B", 2.into()), ("d", 4.into())]);
        assert_eq!(Value::from(with_changes(stored, &changes)), json!({"d": 4, "A": 1, "C": 3}));
        let many = |case: fn(String) -> String| {
            (0..200_000).map(move |number| (case(format!("p{number}")), Value::from(number)))
        };
        let mut parameters = Object::new();
        put_ignoring_case(
            &mut parameters,
            many(|name| name).chain(many(|name| name.to_uppercase())),
        );
        assert_eq!(parameters.len(), 200_000);
        assert!(parameters.keys().all(|name| name.starts_with('P')));
    }
}
