//! Groups of records that a store can list: those of one purpose, or those of one owner among them.

use std::fmt;

use callgate_tool::Principal;

use crate::key::{Key, Owner, Space};

/// The records of one purpose, or those of one owner among them, for [`Store::list`](crate::Store::list).
///
/// ```
/// use callgate_session::{Group, Key, Owner, Space};
/// use callgate_tool::{Principal, Session};
///
/// let (kim, lee, session) = (Principal::new("kim"), Principal::new("lee"), Session::new("s-1"));
/// let of_kim = Owner::new(Some(&kim), &session);
/// let approval = Key::new(Space::Approval, of_kim, "approval-1");
/// assert!(Group::of_space(Space::Approval).contains(&approval));
/// assert!(Group::of_owner(Space::Approval, of_kim).contains(&approval));
/// assert!(!Group::of_owner(Space::Approval, Owner::new(Some(&lee), &session)).contains(&approval));
/// ```
#[derive(Clone, Eq, PartialEq)]
pub struct Group(String);

impl Group {
    /// All records of a purpose, whoever owns them.
    pub fn of_space(space: Space) -> Self {
        Self(format!("{}/", space.as_str()))
    }

    /// The records of a purpose that an owner has: a principal's session.
    pub fn of_owner(space: Space, owner: Owner<'_>) -> Self {
        let unnamed = Key::new(space, owner, "");
        let text = unnamed.as_str();
        // The name is the last part, and empty.
        Self(text.strip_suffix('=').unwrap_or(text).to_owned())
    }

    /// The records of a purpose that a principal has in all its sessions. Callers without a principal are one.
    pub fn of_principal(space: Space, principal: Option<&Principal>) -> Self {
        let principal = Self::of_owner(space, Owner::without_session(principal)).0;
        // The session is the part before the name, and empty.
        Self(principal.strip_suffix('/').unwrap_or(&principal).to_owned())
    }

    /// True if the record of this key is part of the group.
    pub fn contains(&self, key: &Key) -> bool {
        key.as_str().starts_with(&self.0)
    }

    /// The part of its keys that says the principal; empty for all callers without one, and for the records of everybody.
    #[doc(hidden)]
    pub fn escaped_principal_part(&self) -> &str {
        self.0.split('/').nth(1).unwrap_or_default()
    }

    /// The text that all keys of the group begin with, and no other keys.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Prints only the purpose: the owner may be confidential.
impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = self.0.split('/').next().unwrap_or_default();
        write!(f, "Group({space}/****)")
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::Session;

    use super::*;

    #[test]
    fn a_group_holds_the_keys_of_its_owner_and_of_no_other() {
        let principals = [None, Some(""), Some("kim"), Some("kim/=s"), Some("=")];
        let sessions = [None, Some(""), Some("s"), Some("s/=x"), Some("=")];
        let mut owners = Vec::new();
        for principal in principals.map(|id| id.map(Principal::new)) {
            for session in sessions {
                let session = session.map_or_else(Session::default, Session::new);
                owners.push((principal.clone(), session));
            }
        }
        let of = |(principal, session): &(Option<Principal>, Session), name: &str| {
            Key::new(Space::Approval, Owner::new(principal.as_ref(), session), name)
        };
        for (at, owner) in owners.iter().enumerate() {
            let group = Group::of_owner(Space::Approval, Owner::new(owner.0.as_ref(), &owner.1));
            let names = ["", "a", "=", "/=", "=/=s/=a"];
            let others = owners.iter().enumerate();
            for (other, key, name) in
                others.flat_map(|(other, it)| names.map(|name| (other, it, name)))
            {
                let key = of(key, name);
                assert_eq!(group.contains(&key), at == other, "{} {}", group.0, key.as_str());
                assert!(Group::of_space(Space::Approval).contains(&key));
                assert!(!Group::of_space(Space::Call).contains(&key));
            }
        }
        for (principal, _) in &owners {
            let group = Group::of_principal(Space::Approval, principal.as_ref());
            for owner in &owners {
                let id = |it: &Option<Principal>| it.as_ref().map(|it| it.id().to_owned());
                let is_own = id(&owner.0) == id(principal);
                assert_eq!(group.contains(&of(owner, "a")), is_own, "{}", group.0);
            }
        }
        let owner = Owner::new(None, &owners[2].1);
        assert_eq!(format!("{:?}", Group::of_owner(Space::Call, owner)), "Group(call/****)");
    }
}
