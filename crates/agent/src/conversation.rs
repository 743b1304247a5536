//! The conversations that a store keeps for a principal: they are listed and removed.

use callgate_session::{Expected, Group, Key, Owner, Space};
use callgate_tool::{Principal, Session};

use crate::{
    error::{self, Error},
    keeper::now,
    store::Transcripts,
};

/// A kept conversation of a principal.
///
/// ```
/// use callgate_agent::Conversation;
///
/// let conversation = Conversation { agent: "pizza".to_owned(), session: "s-1".to_owned() };
/// assert!(conversation < Conversation { agent: "pizza".to_owned(), session: "s-2".to_owned() });
/// ```
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_structs, reason = "a conversation is that of an agent in a session")]
pub struct Conversation {
    /// The name of the agent.
    pub agent: String,
    /// The id of the session.
    pub session: String,
}

impl Transcripts {
    /// The conversations of a principal in the order of the store, at most `most` of them, after one of them. Fewer are the
    /// last ones.
    ///
    /// # Errors
    /// [`ErrorKind::Store`](crate::ErrorKind::Store) if the store cannot be reached.
    pub async fn list(
        &self,
        principal: Option<&Principal>,
        after: Option<&Conversation>,
        most: usize,
    ) -> Result<Vec<Conversation>, Error> {
        let group = Group::of_principal(Space::Transcript, principal);
        let mut last = after.map(|after| key(principal, after));
        let mut listed = Vec::new();
        while listed.len() < most {
            // Records are whole conversations: few are held at the same time.
            let n_asked = (most - listed.len()).min(AT_ONCE);
            let page = self.store().list(&group, last.as_ref(), n_asked, now()).await;
            let keys: Vec<Key> =
                page.map_err(error::store_error)?.into_iter().map(|(key, _)| key).collect();
            let is_last = keys.len() < n_asked;
            last = keys.last().cloned();
            listed.extend(keys.iter().map(|key| Conversation {
                agent: key.record_name(),
                session: key.session_id().unwrap_or_default(),
            }));
            if is_last {
                break;
            }
        }
        Ok(listed)
    }

    /// Removes a conversation, and returns whether there was one. A turn of it that runs makes no further call, and keeps
    /// nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Store`](crate::ErrorKind::Store) if the store cannot be reached.
    pub async fn remove(
        &self,
        principal: Option<&Principal>,
        conversation: &Conversation,
    ) -> Result<bool, Error> {
        let key = key(principal, conversation);
        self.store().remove(&key, Expected::Any, now()).await.map_err(error::store_error)
    }

    /// Removes all conversations of a session, and returns their number.
    ///
    /// # Errors
    /// [`ErrorKind::Store`](crate::ErrorKind::Store) if the store cannot be reached.
    pub async fn remove_session(
        &self,
        principal: Option<&Principal>,
        session: &str,
    ) -> Result<usize, Error> {
        let session = Session::new(session);
        let group = Group::of_owner(Space::Transcript, Owner::new(principal, &session));
        let mut n_removed = 0_usize;
        loop {
            let page = self
                .store()
                .list(&group, None, AT_ONCE, now())
                .await
                .map_err(error::store_error)?;
            let is_last = page.len() < AT_ONCE;
            for (key, _) in page {
                let was_there = self.store().remove(&key, Expected::Any, now()).await;
                n_removed = n_removed.saturating_add(was_there.map_err(error::store_error)?.into());
            }
            if is_last {
                return Ok(n_removed);
            }
        }
    }
}

fn key(principal: Option<&Principal>, conversation: &Conversation) -> Key {
    let session = Session::new(&conversation.session);
    Key::new(Space::Transcript, Owner::new(principal, &session), &conversation.agent)
}

/// The records of a page of the store.
const AT_ONCE: usize = 16;
