//! Values that a verified claim binds: they come from the claim alone, as a parameter and as a variable of the context,
//! under every spelling. `session` looks values up; the caller knows the claims.

use crate::{Object, Value};

use super::{Session, SessionName, name::VARIABLES};

impl Session {
    /// Binds a name to the value of a verified claim. Parameters and variables of the context of that name, above it and
    /// below it by path, come from this value alone: what the session had there is removed. Call it last.
    ///
    /// ```
    /// use callgate_tool::{Object, Session, Value};
    ///
    /// let session = Session::new("s-1")
    ///     .with_parameters(Object::from([("customer", "a".into()), ("Customer.id", "b".into())]))
    ///     .with_bound("customer", "of-the-claim".into());
    /// assert_eq!(session.parameter("CUSTOMER").and_then(Value::as_str), Some("of-the-claim"));
    /// assert!(session.parameter("customer.id").is_none());
    /// assert_eq!(session.context("variables.customer"), Some("of-the-claim".into()));
    /// ```
    #[must_use]
    pub fn with_bound(mut self, name: &str, value: Value) -> Self {
        let bound = SessionName::new(name);
        self.parameters
            .retain(|member, value| keep_without_bound_path(member, value, bound.as_str()));
        let path = format!("{VARIABLES}.{}", bound.as_str());
        self.context.retain(|member, value| keep_without_bound_path(member, value, &path));
        let variables = self.context.entry(VARIABLES).or_insert(Value::Object(Object::new()));
        if !variables.is_object() {
            *variables = Value::Object(Object::new());
        }
        if let Some(variables) = variables.as_object_mut() {
            variables.insert(name, value.clone());
        }
        self.parameters.insert(bound.as_str().to_owned(), value);
        self.bound.insert(bound);
        self
    }

    /// The bound value behind a path of the context; the outer `None` if no claim binds the path.
    #[expect(clippy::option_option, reason = "no claim binds it, or the claim has no such member")]
    pub(super) fn bound_variable(&self, path: &str) -> Option<Option<Value>> {
        let name = path.split_once('.').filter(|(head, _)| *head == VARIABLES)?.1;
        let name = SessionName::new(name);
        let is_bound = self.bound.iter().any(|bound| bound.holds(&name));
        is_bound.then(|| self.parameter(name.as_str()).cloned())
    }
}

/// Reports whether a member stays beside a bound path. Removes what is at the path or below it, however the path is cut
/// into names. The number of dots in the path bounds the recursion.
fn keep_without_bound_path(member: &str, value: &mut Value, path: &str) -> bool {
    let member = SessionName::new(member);
    let path = SessionName::new(path);
    if path.holds(&member) {
        return false;
    }
    if member.holds(&path)
        && let Some(rest) = path.as_str().get(member.as_str().len().saturating_add(1)..)
        && let Value::Object(members) = value
    {
        members.retain(|member, value| keep_without_bound_path(member, value, rest));
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json;

    fn map(value: Value) -> Object {
        let Value::Object(members) = value else { panic!("not an object: {value}") };
        members
    }

    /// The value that a reference finds if the claim binds `profile` to an object with `tenant`.
    #[track_caller]
    fn check(parameters: Value, context: Value, asked: &str, expected: impl Into<Option<Value>>) {
        let expected = expected.into();
        let session =
            Session::default().with_parameters(map(parameters)).with_context(map(context));
        let session = session.with_bound("profile", json!({"Tenant": "claim", "n": null}));
        let found = match asked.strip_prefix("$context.") {
            Some(path) => session.context(path),
            None => session.parameter(asked).cloned(),
        };
        assert_eq!(found, expected, "{asked}");
    }

    #[test]
    fn a_value_bound_by_a_claim_wins_under_every_spelling() {
        let none = || json!({});
        for own in [
            json!({"profile": {"tenant": "own"}}),
            json!({"profile.tenant": "own"}),
            json!({"PROFILE.Tenant": "own", "Profile": "own"}),
            json!({"profile.tenant.x": "own"}),
        ] {
            for asked in ["profile.tenant", "PROFILE.TENANT"] {
                check(own.clone(), none(), asked, Some("claim".into()));
            }
            check(own.clone(), none(), "profile.other", None);
            check(own.clone(), none(), "profile.tenant.x", None);
            check(own, none(), "profile.n", None);
        }
        for context in [
            json!({"variables": {"profile": {"tenant": "own"}}}),
            json!({"variables": {"Profile": {"Tenant": "own"}, "profile.tenant": "own"}}),
            json!({"variables.profile": {"tenant": "own"}, "variables.profile.tenant": "own"}),
            json!({"variables": "own"}),
        ] {
            for asked in ["tenant", "Tenant", "TENANT"] {
                let asked = format!("$context.variables.profile.{asked}");
                check(none(), context.clone(), &asked, Some("claim".into()));
            }
            let asked = "$context.variables.PROFILE.tenant";
            check(none(), context, asked, Some("claim".into()));
        }
        check(json!({"profiles": 1}), none(), "profiles", Some(json!(1)));
        let others = json!({"variables": {"x": 1, "profile": 2}});
        let left = json!({"x": 1, "profile": {"Tenant": "claim", "n": null}});
        check(none(), others, "$context.variables", Some(left));
    }

    #[test]
    fn a_withheld_value_that_a_claim_binds_is_withheld_under_both_spellings() {
        let session = Session::default().with_bound("token", "t".into());
        let left = session.without(&[SessionName::new("token")]);
        assert_eq!((left.parameter("token"), left.context("variables.token")), (None, None));
    }

    /// Names of one to three parts, so that they meet.
    fn path() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "A", "profile", "Profile"]), 1..4)
            .prop_map(|parts| parts.join("."))
    }

    fn object() -> impl Strategy<Value = Object> {
        let tree = Just(Value::from("own")).prop_recursive(3, 32, 4, |inner| {
            prop::collection::btree_map(path(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
        });
        prop::collection::btree_map(path(), tree, 0..4)
            .prop_map(|members| members.into_iter().collect())
    }

    proptest! {
        #[test]
        fn no_value_of_the_caller_is_found_at_or_below_a_name_that_a_claim_binds(
            (parameters, variables, dotted, below) in (object(), object(), object(), path()),
        ) {
            let dotted = dotted.into_iter().map(|(name, value)| (format!("variables.{name}"), value));
            let mut context: Object = dotted.collect();
            context.insert("variables", Value::Object(variables));
            let session = Session::default().with_parameters(parameters).with_context(context);
            let session = session.with_bound("profile", json!({"a": {"b": "claim"}}));
            for asked in ["profile".to_owned(), format!("Profile.{below}"), format!("profile.{below}")] {
                let shown = format!("{:?}", session.parameter(&asked));
                prop_assert!(!shown.contains("own"), "{} {}", asked, shown);
                let shown = format!("{:?}", session.context(&format!("variables.{asked}")));
                prop_assert!(!shown.contains("own"), "{} {}", asked, shown);
            }
        }
    }
}
