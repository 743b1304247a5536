//! Names of records. A key includes the record's owner, so that nobody else's request finds the record.

use std::fmt;

use callgate_tool::{Principal, Session};

/// The name of a record: its purpose, its owner and a name of its own.
///
/// ```
/// use callgate_session::{Key, Owner, Space};
/// use callgate_tool::{Principal, Session};
///
/// let (kim, session) = (Principal::new("kim"), Session::new("s-1"));
/// let of_kim = Key::new(Space::Result, Owner::new(Some(&kim), &session), "result:00ff");
/// let of_nobody = Key::new(Space::Result, Owner::new(None, &session), "result:00ff");
/// assert_ne!(of_kim, of_nobody);
/// ```
#[derive(Clone, Eq, Ord, PartialEq, PartialOrd)]
pub struct Key(String);

/// The owner of a record.
///
/// ```
/// use callgate_session::{Key, Owner, Space};
/// use callgate_tool::{Principal, Session};
///
/// let (principal, session) = (Principal::new("user-7"), Session::new("s-1"));
/// let owner = Owner::new(Some(&principal), &session);
/// let key = Key::new(Space::Session, owner, "cart");
/// assert_eq!(key.as_str(), "session/=user-7/=s-1/=cart");
/// assert_eq!(format!("{owner:?} {key:?}"), "Owner(****) Key(session/****)");
/// ```
#[derive(Clone, Copy)]
pub struct Owner<'a> {
    principal: Option<&'a str>,
    session: Option<&'a str>,
}

callgate_tool::named! {
    /// The purpose of a record.
    ///
    /// ```
    /// use callgate_session::{Key, Owner, Space};
    /// use callgate_tool::Session;
    ///
    /// let session = Session::new("s-1");
    /// let key = Key::new(Space::Approval, Owner::new(None, &session), "approval-1");
    /// // A store may have a table for each purpose.
    /// let table = key.as_str().split('/').next();
    /// assert_eq!(table, Some(Space::Approval.as_str()));
    /// ```
    #[non_exhaustive]
    pub enum Space {
        /// Calls that wait for an approval.
        Approval = "approval",
        /// The tokens that were used of budgets.
        Budget = "budget",
        /// Calls that wait for the client's answer.
        Call = "call",
        /// What is too large to lie with the records of its purpose, which are listed.
        Detail = "detail",
        /// Calls that must not be made twice.
        Idempotency = "idempotency",
        /// The leases on conversations whose turns run.
        Lease = "lease",
        /// The programs that wait for a person.
        Program = "program",
        /// The paces that all who use the store keep together.
        Rate = "rate",
        /// The sidecars that share the store.
        Replica = "replica",
        /// Whole results behind handles.
        Result = "result",
        /// Parameters and credentials of sessions.
        Session = "session",
        /// Conversations with models.
        Transcript = "transcript",
    }
}

impl Key {
    /// The key of the record `name` that belongs to `owner`.
    pub fn new(space: Space, owner: Owner<'_>, name: &str) -> Self {
        let parts = [owner.principal, owner.session, Some(name)];
        let n_bytes: usize =
            parts.iter().map(|part| 1 + part.map_or(0, |part| 1 + part.len())).sum();
        let mut text = String::with_capacity(space.as_str().len() + n_bytes);
        text.push_str(space.as_str());
        for part in parts {
            text.push('/');
            // A present part begins with `=`, so that an absent part and an empty one differ.
            let Some(part) = part else { continue };
            text.push('=');
            if part.contains(['%', '/']) {
                text.push_str(&part.replace('%', "%25").replace('/', "%2F"));
            } else {
                text.push_str(part);
            }
        }
        Self(text)
    }

    /// The part of the key that says the principal; empty for all callers without one.
    #[doc(hidden)]
    pub fn escaped_principal_part(&self) -> &str {
        self.0.split('/').nth(1).unwrap_or_default()
    }

    /// The id of the session that the record belongs to.
    #[doc(hidden)]
    pub fn session_id(&self) -> Option<String> {
        self.unescaped_part_at(2)
    }

    /// The record's own name.
    #[doc(hidden)]
    pub fn record_name(&self) -> String {
        self.unescaped_part_at(3).unwrap_or_default()
    }

    fn unescaped_part_at(&self, at: usize) -> Option<String> {
        let part = self.0.split('/').nth(at)?.strip_prefix('=')?;
        Some(part.replace("%2F", "/").replace("%25", "%"))
    }

    /// The key whose text [`Key::as_str`] returned; `None` if the text is none of a key.
    ///
    /// ```
    /// use callgate_session::{Key, Owner, Space};
    /// use callgate_tool::Session;
    ///
    /// let key = Key::new(Space::Session, Owner::new(None, &Session::new("s-1")), "cart");
    /// assert_eq!(Key::from_text(key.as_str()), Some(key));
    /// assert_eq!(Key::from_text("session/cart"), None);
    /// ```
    pub fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let is_known = Space::from_name(parts.next()?).is_some();
        let is_part = |part: &str| part.is_empty() || part.starts_with('=');
        (is_known && parts.all(is_part) && text.split('/').count() == 4)
            .then(|| Self(text.to_owned()))
    }

    /// The key of the same owner and name for another purpose.
    #[must_use]
    pub fn in_space(&self, space: Space) -> Self {
        let (_, rest) = self.0.split_once('/').unwrap_or_default();
        Self(format!("{}/{rest}", space.as_str()))
    }

    /// The least key that begins with a text.
    pub(crate) fn least_with_prefix(beginning: &str) -> Self {
        Self(beginning.to_owned())
    }

    /// The key as text: four parts between `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Prints only the purpose: owner and name may be confidential.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = self.0.split('/').next().unwrap_or_default();
        write!(f, "Key({space}/****)")
    }
}

impl<'a> Owner<'a> {
    /// A principal's session. All callers without a principal share one part of the key, and so do sessions without an id.
    pub fn new(principal: Option<&'a Principal>, session: &'a Session) -> Self {
        Self { principal: principal.map(Principal::id), session: session.id() }
    }

    /// A principal outside of any session.
    pub(crate) fn without_session(principal: Option<&'a Principal>) -> Self {
        Self { principal: principal.map(Principal::id), session: None }
    }
}

callgate_secret::opaque!(Owner<'_> = "Owner(****)");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_space_owner_and_name_has_a_key_of_its_own() {
        let named = |id: &str| (Principal::new(id), Session::new(id));
        let (empty, slash, kim) = (named(""), named("a/=b"), named("kim"));
        let none = Session::default();
        let owners = [
            Owner::new(None, &none),
            Owner::new(Some(&empty.0), &none),
            Owner::new(None, &empty.1),
            Owner::new(Some(&slash.0), &none),
            Owner::new(Some(&kim.0), &slash.1),
            Owner::new(None, &kim.1),
            Owner::new(Some(&kim.0), &none),
        ];
        let mut keys = Vec::new();
        for owner in owners {
            for name in ["", "x", "=b/x", "%2F"] {
                keys.extend([Space::Result, Space::Session].map(|it| Key::new(it, owner, name)));
            }
        }
        for key in &keys {
            let owner = owners
                .iter()
                .find(|owner| *key == Key::new(Space::Result, **owner, &key.record_name()));
            let is_read = owner.is_none_or(|owner| key.session_id().as_deref() == owner.session);
            assert!(is_read, "{}", key.as_str());
        }
        let n_keys = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), n_keys);
    }

    #[test]
    fn a_key_in_another_space_has_its_owner_and_its_name() {
        let (kim, session) = (Principal::new("kim/"), Session::new("s"));
        for owner in [Owner::new(Some(&kim), &session), Owner::new(None, &session)] {
            let key = |space| Key::new(space, owner, "a/b");
            assert_eq!(key(Space::Approval).in_space(Space::Detail), key(Space::Detail));
        }
    }

    #[test]
    fn debug_output_of_keys_and_owners_shows_no_name() {
        let session = Session::new("canary");
        let owner = Owner::new(None, &session);
        let shown = format!("{owner:?} {:?}", Key::new(Space::Session, owner, "canary"));
        assert!(shown.contains("session") && !shown.contains("canary"), "{shown}");
    }
}
