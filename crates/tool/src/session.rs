//! The session: values that the runtime knows and the model must not choose, namely id, parameters, request payload,
//! context, credentials and the caller's token. Values may be tokens, so nothing here prints them.

mod bound;
mod name;
mod source;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use crate::{CallerToken, Object, Value};
use callgate_secret::{MASK, Secret};

pub use name::{SessionName, mask_session};
pub use source::{SessionSource, StatementInput};

/// The state in which a call runs.
///
/// ```
/// use callgate_tool::{Object, Session, Value};
///
/// let session = Session::new("s-1")
///     .with_parameters(Object::from([("Customer", "c-7".into())]))
///     .with_payload(Object::from([("cart", Object::from([("items", 3.into())]).into())]));
/// assert_eq!(session.parameter("customer").and_then(Value::as_str), Some("c-7"));
/// assert_eq!(session.payload("cart.items").and_then(Value::as_u64), Some(3));
/// assert!(!format!("{session:?}").contains("c-7"), "a value may be a token");
/// ```
#[derive(Clone, Default)]
pub struct Session {
    id: Option<String>,
    /// By their names, which are in small letters.
    pub(crate) parameters: BTreeMap<String, Value>,
    payload: Object,
    context: Object,
    credentials: BTreeMap<String, Secret>,
    caller_token: Option<CallerToken>,
    bound: BTreeSet<SessionName>,
    is_unknown: bool,
}

impl Session {
    /// A session with an id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..Self::default() }
    }

    /// Sets the parameters. Their names are case-insensitive (Dialogflow CX); the last of two equal names wins.
    #[must_use]
    pub fn with_parameters(mut self, parameters: Object) -> Self {
        let folded = parameters.into_iter().map(|(name, value)| (name.to_lowercase(), value));
        self.parameters.extend(folded);
        self
    }

    crate::setters! {
        /// Sets the payload of the current request.
        pub fn with_payload(payload: Object) = payload;
        /// Sets the values that `$context.*` reads: `project_id`, `location`, `app_id`, `turn_index`, `variables`.
        pub fn with_context(context: Object) = context;
    }

    /// Adds a credential that `$session.credentials.name` of a configuration reads; its name is case-insensitive. No input
    /// takes a credential, and no dry run, journal or answer shows one.
    ///
    /// ```
    /// use callgate_secret::Secret;
    /// use callgate_tool::Session;
    ///
    /// let session = Session::new("s-1").with_credential("github", Secret::new("t0k3n".to_owned()));
    /// assert!(session.credential("GitHub").is_some());
    /// assert!(session.parameter("github").is_none());
    /// ```
    #[must_use]
    pub fn with_credential(mut self, name: &str, credential: Secret) -> Self {
        self.credentials.insert(name.to_lowercase(), credential);
        self
    }

    /// The session as it is before its user has signed in.
    #[doc(hidden)]
    #[must_use]
    pub fn without_credentials(&self) -> Self {
        Self { credentials: BTreeMap::new(), ..self.clone() }
    }

    /// The session with those credentials alone that have these names, in small letters: as it was before its user signed in for
    /// others.
    #[doc(hidden)]
    #[must_use]
    pub fn with_only_credentials(&self, names: &BTreeSet<String>) -> Self {
        let mut session = self.clone();
        session.credentials.retain(|name, _| names.contains(name));
        session
    }

    /// The names of the credentials, in small letters.
    #[doc(hidden)]
    pub fn credential_names(&self) -> impl Iterator<Item = &str> {
        self.credentials.keys().map(String::as_str)
    }

    /// Adds the caller's verified token, which a configured `token_exchange` may exchange for another one. The token is
    /// sent nowhere else.
    #[must_use]
    pub fn with_caller_token(mut self, token: CallerToken) -> Self {
        self.caller_token = Some(token);
        self
    }

    /// Records that nothing is stored under the session's id, and that its caller brings no values either. The id remains a
    /// value; an input or a credential that reads a stored value fails the call.
    ///
    /// ```
    /// use callgate_tool::Session;
    ///
    /// assert!(Session::new("s-1").with_nothing_stored().is_unknown());
    /// assert!(!Session::new("s-1").is_unknown());
    /// ```
    #[must_use]
    pub fn with_nothing_stored(mut self) -> Self {
        self.is_unknown = true;
        self
    }

    /// Returns true if nothing is stored under the session's id and its caller brings no values.
    pub fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    pub(crate) fn payload_and_context(&self) -> [&Object; 2] {
        [&self.payload, &self.context]
    }

    pub(crate) fn credentials(&self) -> &BTreeMap<String, Secret> {
        &self.credentials
    }

    /// The session's id.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The parameter `name`, or the value below it if `name` is a dotted path. `null` counts as absent.
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        let name = name.to_lowercase();
        if let Some(value) = self.parameters.get(&name) {
            return non_null(value);
        }
        let (head, rest) = name.split_once('.')?;
        let member = rest.split('.').try_fold(self.parameters.get(head)?, |value, part| {
            member_ignoring_case(value, part)
        })?;
        non_null(member)
    }

    /// The credential `name`.
    pub fn credential(&self, name: &str) -> Option<&Secret> {
        self.credentials.get(&name.to_lowercase())
    }

    /// The caller's verified token.
    pub fn caller_token(&self) -> Option<&CallerToken> {
        self.caller_token.as_ref()
    }

    /// The value at a dotted path of the request payload. `null` counts as absent.
    pub fn payload(&self, path: &str) -> Option<&Value> {
        non_null_member_at(&self.payload, path)
    }

    /// The value at a dotted path of the context. `session_id` is the session's id unless the context has its own. `null`
    /// counts as absent.
    pub fn context(&self, path: &str) -> Option<Value> {
        if let Some(bound) = self.bound_variable(path) {
            return bound;
        }
        if let Some(value) = non_null_member_at(&self.context, path) {
            return Some(value.clone());
        }
        (path == "session_id").then(|| self.id.clone().map(Value::String)).flatten()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id.as_ref().map(|_| MASK))
            .field("parameters", &self.parameters.keys())
            .field("payload", &self.payload.keys().collect::<Vec<_>>())
            .field("context", &self.context.keys().collect::<Vec<_>>())
            .field("credentials", &self.credentials.keys())
            .field("caller_token", &self.caller_token.is_some())
            .field("bound", &self.bound)
            .field("is_unknown", &self.is_unknown)
            .finish()
    }
}

fn non_null_member_at<'a>(map: &'a Object, path: &str) -> Option<&'a Value> {
    if let Some(value) = map.get(path) {
        return non_null(value);
    }
    let (head, rest) = path.split_once('.')?;
    let member = rest.split('.').try_fold(map.get(head)?, |value, part| value.get(part))?;
    non_null(member)
}

fn member_ignoring_case<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    let members = value.as_object()?;
    members.iter().find(|(name, _)| name.to_lowercase() == part).map(|(_, member)| member)
}

fn non_null(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

#[cfg(test)]
mod tests {
    use crate::json;

    use super::*;

    fn map(value: Value) -> Object {
        match value {
            Value::Object(members) => members,
            other => panic!("not an object: {other}"),
        }
    }

    #[test]
    fn parameter_names_are_case_insensitive() {
        let session = Session::default().with_parameters(map(json!({"PetId": 7})));
        assert_eq!(session.parameter("petid"), Some(&json!(7)));
        assert_eq!(session.parameter("PETID"), Some(&json!(7)));
    }

    #[test]
    fn a_null_value_of_a_session_is_absent() {
        let session = Session::default()
            .with_parameters(map(json!({"a": null})))
            .with_payload(map(json!({"b": null})))
            .with_context(map(json!({"c": null})));
        assert_eq!(session.parameter("a"), None);
        assert_eq!(session.payload("b"), None);
        assert_eq!(session.context("c"), None);
    }

    #[test]
    fn false_zero_and_an_empty_text_of_a_session_are_present() {
        let session = Session::default().with_parameters(map(json!({"a": false, "b": "", "c": 0})));
        assert_eq!(session.parameter("a"), Some(&json!(false)));
        assert_eq!(session.parameter("b"), Some(&json!("")));
        assert_eq!(session.parameter("c"), Some(&json!(0)));
    }

    #[test]
    fn a_dotted_name_of_a_session_is_looked_up_as_a_name_and_then_as_a_path() {
        let session = Session::default().with_parameters(map(json!({"a.b": 1, "c": {"D": 2}})));
        assert_eq!(session.parameter("a.b"), Some(&json!(1)));
        assert_eq!(session.parameter("C.d"), Some(&json!(2)));
    }

    #[test]
    fn the_context_of_a_session_has_its_id() {
        assert_eq!(Session::new("s-1").context("session_id"), Some(json!("s-1")));
        let session = Session::new("s-1").with_context(map(json!({"variables": {"x": 1}})));
        assert_eq!(session.context("variables.x"), Some(json!(1)));
    }

    #[test]
    fn debug_output_of_a_session_shows_no_value() {
        let session = Session::new("id-secret")
            .with_parameters(map(json!({"token": "secret"})))
            .with_credential("token", Secret::new("secret".to_owned()));
        let shown = format!("{session:?}");
        assert!(shown.contains("token"), "{shown}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
