//! The values of a session that a turn brought whose calls wait: the answers to these calls need not bring them again. They are
//! removed with the turn that ends the waiting, and with their session.

use callgate_secret::Secret;
use callgate_session::{Error, ErrorKind, Expected, Key, Owner, Space};
use callgate_tool::{Object, Principal, Session, Value};

use super::{Sessions, now};

impl Sessions {
    /// The members of the session that the waiting turn of an agent brought.
    pub(crate) async fn turn_values(
        &self,
        principal: Option<&Principal>,
        session: &str,
        agent: &str,
    ) -> Result<Object, Error> {
        let stored = self.store.get(&turn_values_key(principal, session, agent), now()).await?;
        let Some(stored) = stored else { return Ok(Object::new()) };
        let values =
            stored.record.credentials().get(VALUES).map(|text| Value::parse(text.expose()));
        let values = values.and_then(|values| values.ok()?.as_object().cloned());
        values.ok_or_else(|| {
            Error::new(ErrorKind::Unreadable, "the values of a turn that waits cannot be read")
        })
    }

    /// Keeps the members of the session that a turn brought, or none if it brought none.
    pub(crate) async fn keep_turn_values(
        &self,
        principal: Option<&Principal>,
        session: &str,
        agent: &str,
        values: &Object,
    ) -> Result<(), Error> {
        let key = turn_values_key(principal, session, agent);
        if values.is_empty() {
            return self.store.remove(&key, Expected::Any, now()).await.map(drop);
        }
        let values = Secret::new(Value::Object(values.clone()).to_string());
        let record = self.expiring_record(String::new()).with_credential(VALUES, values);
        self.store.put(&key, record, Expected::Any, now()).await.map(drop)
    }
}

fn turn_values_key(principal: Option<&Principal>, session: &str, agent: &str) -> Key {
    let session = Session::new(session);
    Key::new(Space::Call, Owner::new(principal, &session), &format!("turn/{agent}"))
}

const VALUES: &str = "session";
