//! Names of session values that credentials read. The module withholds those values from inputs and gathers the secrets to
//! mask. The configuration decides which toolset reads which value.

use std::borrow::Cow;

use crate::{Object, Value};
use callgate_secret::{MASK, Secret};

use super::Session;

/// The name of a session value, or the dotted path to it: `token`, `user.token`. It stands for the parameter and for the
/// context variable of that name, because runtimes pass either as the other; case does not count.
///
/// ```
/// use callgate_tool::{Object, Session, SessionName};
///
/// let parameters = Object::from([("Token", "s3cr3t".into()), ("language", "en".into())]);
/// let session = Session::new("s-1").with_parameters(parameters);
/// let token = [SessionName::new("token")];
/// assert_eq!(session.secrets(&token).len(), 1);
/// let left = session.without(&token);
/// assert!(left.parameter("token").is_none() && left.parameter("language").is_some());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SessionName(String);

impl SessionName {
    /// The name of a parameter or a context variable.
    ///
    /// ```
    /// use callgate_tool::SessionName;
    ///
    /// let token = SessionName::new("User.Token");
    /// assert_eq!(token.as_str(), "user.token");
    /// assert!(SessionName::new("user").holds(&token));
    /// ```
    pub fn new(name: &str) -> Self {
        Self(name.to_lowercase())
    }

    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports whether `other` names this value or one inside it.
    pub fn holds(&self, other: &Self) -> bool {
        let rest = other.0.strip_prefix(&self.0);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl Session {
    /// The session without the values of these names: parameters, members of object parameters, and context variables.
    #[must_use]
    pub fn without(&self, names: &[SessionName]) -> Cow<'_, Self> {
        if !names.iter().any(|name| self.has(name)) {
            return Cow::Borrowed(self);
        }
        let mut left = self.clone();
        for name in names {
            left.parameters.retain(|key, value| keep_without_path(key, value, &name.0));
            remove_at_path(&mut left.context, &variable_path(name));
        }
        Cow::Owned(left)
    }

    /// Reports whether the session has a value of this name, as a parameter or as a context variable.
    pub fn has(&self, name: &SessionName) -> bool {
        let mut has_value = false;
        self.visit_named_values(name, &mut |_| has_value = true);
        has_value
    }

    /// The secrets of the session: its credentials, and the texts with these names.
    pub fn secrets(&self, names: &[SessionName]) -> Vec<Secret> {
        let mut secrets: Vec<Secret> = self.credentials.values().cloned().collect();
        for name in names {
            self.visit_named_values(name, &mut |value| {
                let text = value.as_str().filter(|text| !text.is_empty());
                secrets.extend(text.map(|text| Secret::new(text.to_owned())));
            });
        }
        secrets
    }

    fn visit_named_values(&self, name: &SessionName, visitor: &mut dyn FnMut(&Value)) {
        visit_values_at_path(self.parameters.iter(), &name.0, visitor);
        visit_values_at_path(self.context.iter(), &variable_path(name), visitor);
    }
}

/// Masks what credentials read in a session as its caller wrote it: parameters, members of object parameters, and variables of
/// the context. Its credentials are left to whoever writes it down.
#[doc(hidden)]
pub fn mask_session(session: &mut Value, names: &[SessionName]) {
    for name in names {
        if let Some(Value::Object(parameters)) = session.get_mut("parameters") {
            mask_at_path(parameters, &name.0);
        }
        if let Some(Value::Object(context)) = session.get_mut("context") {
            mask_at_path(context, &variable_path(name));
        }
    }
}

fn mask_at_path(members: &mut Object, path: &str) {
    for (member, value) in members.iter_mut() {
        match (path_after_member(path, member), value) {
            (Some(""), value) => *value = MASK.into(),
            (Some(rest), Value::Object(members)) => mask_at_path(members, rest),
            _ => {}
        }
    }
}

/// The part of a path after a member's name; `Some("")` if the path ends with the member.
fn path_after_member<'n>(path: &'n str, member: &str) -> Option<&'n str> {
    let rest = path.strip_prefix(&*member.to_lowercase())?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// Calls `found` with every value at the end of the path. The number of dots in the path bounds the recursion.
fn visit_values_at_path<'v>(
    members: impl Iterator<Item = (&'v String, &'v Value)>,
    path: &str,
    visitor: &mut dyn FnMut(&Value),
) {
    for (member, value) in members {
        match (path_after_member(path, member), value) {
            (Some(""), value) => visitor(value),
            (Some(rest), Value::Object(members)) => {
                visit_values_at_path(members.iter(), rest, visitor);
            }
            _ => {}
        }
    }
}

fn remove_at_path(members: &mut Object, path: &str) {
    members.retain(|member, value| keep_without_path(member, value, path));
}

/// Reports whether a member stays; removes the value at the end of the path inside it.
fn keep_without_path(member: &str, value: &mut Value, path: &str) -> bool {
    match (path_after_member(path, member), value) {
        (Some(""), _) => false,
        (Some(rest), Value::Object(members)) => {
            remove_at_path(members, rest);
            true
        }
        _ => true,
    }
}

fn variable_path(name: &SessionName) -> String {
    format!("{VARIABLES}.{}", name.0)
}

/// The member of the context whose members are variables.
pub(super) const VARIABLES: &str = "variables";

#[cfg(test)]
mod tests {
    use crate::json;
    use proptest::prelude::*;

    use super::*;

    fn session(parameters: Value, context: Value) -> Session {
        let map = |value| match value {
            Value::Object(members) => members,
            other => panic!("not an object: {other}"),
        };
        Session::default().with_parameters(map(parameters)).with_context(map(context))
    }

    /// Checks the value that an input finds under the reference `asked` once `name` is withheld.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check((name, asked): (&str, &str), values: (Value, Value), expected: Option<Value>) {
        let session = session(values.0, values.1);
        let left = session.without(&[SessionName::new(name)]);
        let found = match asked.strip_prefix("$context.") {
            Some(path) => left.context(path),
            None => left.parameter(asked).cloned(),
        };
        assert_eq!(found, expected, "{name} withheld, {asked} asked for");
    }

    #[test]
    fn a_withheld_parameter_is_absent_under_every_spelling() {
        let values = || (json!({"Token": "t", "tokens": 1}), json!({}));
        for asked in ["token", "TOKEN", "Token"] {
            check(("tOKEN", asked), values(), None);
        }
        check(("token", "tokens"), values(), Some(json!(1)));
    }

    #[test]
    fn an_object_loses_only_its_withheld_member() {
        let user = || json!({"User": {"TOKEN": "t", "token": "u", "name": "n"}});
        check(("user.token", "user"), (user(), json!({})), Some(json!({"name": "n"})));
        check(("user.token", "user.token"), (user(), json!({})), None);
        check(("user.token", "user.name"), (user(), json!({})), Some(json!("n")));
        check(("user", "user.name"), (user(), json!({})), None);
        let deep = json!({"a": {"b": {"c": "t", "d": 1}}});
        check(("a.b.c", "a"), (deep, json!({})), Some(json!({"b": {"d": 1}})));
    }

    #[test]
    fn a_dotted_name_is_withheld_as_a_name_and_as_a_path() {
        let values = || (json!({"user.token": "t", "user": {"token": "u"}}), json!({}));
        check(("user.token", "user.token"), values(), None);
        check(("user.token", "user"), values(), Some(json!({})));
        let joined = json!({"a.b": {"c": "t", "d": 1}});
        check(("a.b.c", "a.b"), (joined, json!({})), Some(json!({"d": 1})));
    }

    #[test]
    fn a_variable_of_the_context_is_withheld_like_the_parameter() {
        let context = || json!({"variables": {"token": "t", "user": {"Token": "u"}, "x": 1}});
        let values = || (json!({}), context());
        check(("token", "$context.variables.token"), values(), None);
        let left = json!({"user": {"Token": "u"}, "x": 1});
        check(("token", "$context.variables"), values(), Some(left));
        check(("user.token", "$context.variables.user"), values(), Some(json!({})));
        let dotted = json!({"variables.token": "t", "token": 1});
        check(("token", "$context.variables.token"), (json!({}), dotted.clone()), None);
        check(("token", "$context.token"), (json!({}), dotted), Some(json!(1)));
    }

    #[test]
    fn a_session_as_it_was_written_is_masked_wherever_a_credential_reads_it() {
        let mut session = json!({
            "parameters": {"Token": "s3cr3t", "user": {"Key": ["s3cr3t"], "id": 7}, "user.key": 1},
            "context": {"token": "t", "variables": {"token": "s3cr3t", "User": {"key": "s3cr3t"}},
                "variables.token": "s3cr3t"},
        });
        mask_session(&mut session, &["token", "user.key"].map(SessionName::new));
        let expected = json!({
            "parameters": {"Token": "****", "user": {"Key": "****", "id": 7}, "user.key": "****"},
            "context": {"token": "t", "variables": {"token": "****", "User": {"key": "****"}},
                "variables.token": "****"},
        });
        assert_eq!(session, expected);
    }

    #[test]
    fn a_session_without_the_withheld_value_is_not_copied() {
        let session = session(json!({"a": 1}), json!({"variables": {"b": 2}}));
        let names = [SessionName::new("token"), SessionName::new("a.b")];
        assert!(matches!(session.without(&names), Cow::Borrowed(_)));
    }

    #[test]
    fn the_secrets_of_a_session_are_its_credentials_and_the_texts_of_the_listed_names() {
        let session = session(json!({"Token": "a", "n": 7}), json!({"variables": {"token": "b"}}))
            .with_credential("c", Secret::new("c".to_owned()));
        let names = ["token", "n", "gone"].map(SessionName::new);
        let secrets = session.secrets(&names);
        let shown: Vec<_> = secrets.iter().map(Secret::expose).collect();
        assert_eq!(shown, ["c", "a", "b"]);
    }

    /// Names of one to three parts, so that they meet.
    fn path() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "A", "token"]), 1..4)
            .prop_map(|parts| parts.join("."))
    }

    /// Objects whose texts are all different, with dotted names among the members.
    fn tree() -> impl Strategy<Value = Value> {
        let leaf = any::<u32>().prop_map(|number| Value::String(format!("text-{number}")));
        leaf.prop_recursive(3, 32, 4, |inner| {
            prop::collection::btree_map(path(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
        })
    }

    fn object() -> impl Strategy<Value = Object> {
        prop::collection::btree_map(path(), tree(), 0..4)
            .prop_map(|members| members.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_value_that_a_credential_reads_is_withheld_everywhere(
            (parameters, variables, name) in (object(), object(), path()),
        ) {
            let context = Object::from_iter([("variables".to_owned(), Value::Object(variables))]);
            let session = Session::default().with_parameters(parameters).with_context(context);
            let name = SessionName::new(&name);
            let left = session.without(std::slice::from_ref(&name));
            prop_assert!(!left.has(&name));
            prop_assert_eq!(left.parameter(name.as_str()), None);
            let path = format!("variables.{}", name.as_str());
            prop_assert_eq!(left.context(&path), None);
            let shown = format!("{:?} {:?}", left.parameters, left.context);
            for secret in session.secrets(std::slice::from_ref(&name)) {
                let text = format!("\"{}\"", secret.expose());
                prop_assert!(!shown.contains(&text), "{} in {}", text, shown);
            }
        }
    }
}
