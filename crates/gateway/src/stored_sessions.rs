//! Sessions in the form for a store: parameters as JSON, and credentials, each for one principal.

#[cfg(feature = "agents")]
mod turn_values;

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use callgate_config::SessionsConfig;
use callgate_secret::Secret;
use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Group, Key, Memory, Owner, Record, Space, Store, Version,
};
use callgate_tool::{Object, Principal, Session, Value};
use tokio::time::Instant;

#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    store: Arc<dyn Store>,
    time_to_live: Duration,
    /// The start of this process, by its monotonic clock and by the calendar.
    began: (Instant, SystemTime),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The parameters by their names as given; case does not count.
    pub(crate) parameters: Object,
    pub(crate) credentials: Credentials,
}

/// The credentials of a session, by their names in lower case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials(BTreeMap<String, Secret>);

impl Sessions {
    /// Sessions in a store, or in memory within the limits of a configuration.
    pub(crate) fn new(config: &SessionsConfig, state: Option<&Arc<dyn Store>>) -> Self {
        let bounds = Bounds { records: config.records, bytes: config.bytes };
        let store = state.map_or_else(|| Arc::new(Memory::new(bounds)) as _, Arc::clone);
        let time_to_live = config.time_to_live.max(config.client_time.saturating_mul(2));
        Self { store, time_to_live, began: (Instant::now(), SystemTime::now()) }
    }

    /// The number of stored sessions; `None` where the store does not count them, or does not answer.
    pub(crate) async fn n_sessions(&self) -> Option<usize> {
        self.store.count(Space::Session, now()).await.ok().flatten()
    }

    pub(crate) async fn get(
        &self,
        principal: Option<&Principal>,
        id: &str,
    ) -> Result<Option<(State, Version)>, Error> {
        let key = session_key(principal, id);
        let Some(stored) = self.store.get(&key, now()).await? else { return Ok(None) };
        let parameters = Value::from_slice(stored.record.bytes());
        let parameters = parameters.ok().and_then(|value| value.as_object().cloned());
        let unreadable = || Error::new(ErrorKind::Unreadable, "a stored session cannot be read");
        let parameters = parameters.ok_or_else(unreadable)?;
        let credentials = Credentials(stored.record.credentials().clone());
        Ok(Some((State { parameters, credentials }, stored.version)))
    }

    /// Stores a session; its lifetime starts again.
    pub(crate) async fn put_session(
        &self,
        principal: Option<&Principal>,
        id: &str,
        state: &State,
        expected: Expected,
    ) -> Result<Version, Error> {
        let key = session_key(principal, id);
        let text = Value::Object(state.parameters.clone()).to_string();
        let mut record = self.expiring_record(text);
        for (name, secret) in &state.credentials.0 {
            record = record.with_credential(name, secret.clone());
        }
        self.store.put(&key, record, expected, now()).await
    }

    pub(crate) async fn get_route_state(
        &self,
        principal: Option<&Principal>,
        id: &str,
    ) -> Result<Option<(Value, Version)>, Error> {
        let stored = self.store.get(&owner_key(Space::Call, principal, id), now()).await?;
        let Some(stored) = stored else { return Ok(None) };
        let value = Value::from_slice(stored.record.bytes());
        let unreadable =
            |_| Error::new(ErrorKind::Unreadable, "what is kept of a session cannot be read");
        Ok(Some((value.map_err(unreadable)?, stored.version)))
    }

    pub(crate) async fn put_route_state(
        &self,
        principal: Option<&Principal>,
        id: &str,
        state: String,
        expected: Expected,
    ) -> Result<Version, Error> {
        let record = self.expiring_record(state);
        let key = owner_key(Space::Call, principal, id);
        self.store.put(&key, record, expected, now()).await
    }

    fn expiring_record(&self, json: String) -> Record {
        let record = Record::new("application/json", Bytes::from(json));
        record.with_time_to_live(self.time_to_live)
    }

    /// The time in milliseconds since 1970, for values that several processes share. It never goes back.
    pub(crate) fn monotonic_milliseconds(&self) -> u64 {
        let (began, calendar) = self.began;
        let since = calendar.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from((since + began.elapsed()).as_millis()).unwrap_or(u64::MAX)
    }

    /// Forgets a session and its waiting calls. Returns true if there was one.
    pub(crate) async fn remove_with_waiting_calls(
        &self,
        principal: Option<&Principal>,
        id: &str,
        expected: Expected,
    ) -> Result<bool, Error> {
        let mut was_there = self.store.remove(&session_key(principal, id), expected, now()).await?;
        let session = Session::new(id);
        let waiting = Group::of_owner(Space::Call, Owner::new(principal, &session));
        let waiting = self.store.list(&waiting, None, MOST_WAITING, now()).await?;
        for (key, _) in waiting {
            was_there |= self.store.remove(&key, Expected::Any, now()).await?;
        }
        Ok(was_there)
    }
}

impl Credentials {
    pub(crate) fn set_or_remove(&mut self, name: &str, text: Option<&str>) {
        let name = name.to_lowercase();
        match text {
            Some(text) => self.0.insert(name, Secret::new(text.to_owned())),
            None => self.0.remove(&name),
        };
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Adds the credentials that the session does not have itself.
    pub(crate) fn add_missing_to(self, session: Session) -> Session {
        self.0.into_iter().fold(session, |session, (name, secret)| {
            if session.credential(&name).is_some() {
                return session;
            }
            session.with_credential(&name, secret)
        })
    }
}

fn session_key(principal: Option<&Principal>, id: &str) -> Key {
    owner_key(Space::Session, principal, id)
}

fn owner_key(space: Space, principal: Option<&Principal>, id: &str) -> Key {
    Key::new(space, Owner::new(principal, &Session::new(id)), "")
}

/// One record for the routes of a session, and one for each agent.
const MOST_WAITING: usize = 64;

fn now() -> std::time::Instant {
    Instant::now().into_std()
}
