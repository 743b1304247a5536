//! Calls that wait for a person's approval, in the form for a store: the requested call and the session in the request.
//! Only the principal who asked can reach one. The approval middleware judges whether an approval holds.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use callgate_dialect::Dialect;
use callgate_executor::{Execution, put_record_with_retries};
use callgate_policy::APPROVAL_TIME;
use callgate_secret::Secret;
use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store,
};
use callgate_tool::{Object, Pending, Principal, Session, ToolCall, Value, json};
use tokio::time::Instant;

#[derive(Clone, Debug)]
pub(crate) struct WaitingCalls {
    store: Arc<dyn Store>,
}

#[derive(Clone)]
pub(crate) struct WaitingCall {
    pub(crate) call: ToolCall,
    pub(crate) timeout: Option<Duration>,
    pub(crate) execution: Execution,
    pub(crate) session: Object,
    /// The idempotency key under which the result is kept.
    pub(crate) key: Option<String>,
    /// The model's message that the call is part of, if any: its format, and its other members.
    pub(crate) origin: Option<(Dialect, Object)>,
}

impl WaitingCalls {
    /// Calls in a store, or in memory.
    pub(crate) fn new(state: Option<&Arc<dyn Store>>) -> Self {
        let bounds = Bounds { records: MOST_CALLS, bytes: MOST_BYTES };
        Self { store: state.map_or_else(|| Arc::new(Memory::new(bounds)) as _, Arc::clone) }
    }

    /// Keeps a call once, until its approval expires: a repeated decision gets a report, too. The call of a program is kept for each
    /// of its calls that wait.
    pub(crate) async fn keep_call(
        &self,
        principal: Option<&Principal>,
        pending: &Pending,
        waiting: WaitingCall,
    ) -> Result<(), Error> {
        let (value, session) = waiting.into_values();
        let record = Record::new("application/json", Bytes::from(value.to_string()));
        // The store may take a while, and the call may be large.
        drop(value);
        let session = Secret::new(session.to_string());
        let record = record.with_credential(SESSION, session);
        let left = pending.expires.and_then(|at| at.duration_since(SystemTime::now()).ok());
        let record = record.with_time_to_live(left.unwrap_or(APPROVAL_TIME));
        let space = if record.size() <= MOST_LISTED { Space::Approval } else { Space::Detail };
        // A program has made calls, which nobody knows of without it.
        let patience = if pending.is_of_program() { PATIENCE } else { Duration::ZERO };
        for approval in pending.waiting_ids() {
            let key = approval_key(space, principal, approval);
            let (store, record) = (&*self.store, record.clone());
            match put_record_with_retries(store, &key, record, Expected::Absent, patience).await {
                // Another request has kept it.
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                kept => {
                    kept?;
                }
            }
        }
        Ok(())
    }

    pub(crate) async fn get(
        &self,
        principal: Option<&Principal>,
        approval: &str,
    ) -> Result<Option<WaitingCall>, Error> {
        let mut stored =
            self.store.get(&approval_key(Space::Approval, principal, approval), now()).await?;
        if stored.is_none() {
            stored =
                self.store.get(&approval_key(Space::Detail, principal, approval), now()).await?;
        }
        let Some(stored) = stored else { return Ok(None) };
        let unreadable = || Error::new(ErrorKind::Unreadable, "a waiting call cannot be read");
        let session = stored.record.credentials().get(SESSION).ok_or_else(unreadable)?;
        let session = Value::parse(session.expose()).ok();
        let waiting = Value::from_slice(stored.record.bytes()).ok();
        let waiting = waiting
            .zip(session)
            .and_then(|(call, session)| WaitingCall::from_values(&call, session));
        waiting.ok_or_else(unreadable).map(Some)
    }
}

impl WaitingCall {
    /// The call, and its session.
    fn into_values(self) -> (Value, Value) {
        let timeout = self.timeout.map(|timeout| timeout.as_millis());
        let timeout = timeout.and_then(|timeout| u64::try_from(timeout).ok());
        let (dialect, origin) = self.origin.unzip();
        let value = json!({
            "id": &*self.call.id,
            "tool": &*self.call.tool,
            "arguments": Value::Object(self.call.arguments),
            "timeout": timeout.map_or(Value::Null, Value::from),
            "by_client": self.execution == Execution::Client,
            "key": self.key.map_or(Value::Null, Value::from),
            "dialect": dialect.map_or(Value::Null, |dialect| dialect.as_str().into()),
            "origin": origin.map_or(Value::Null, Value::Object),
        });
        (value, Value::Object(self.session))
    }

    fn from_values(value: &Value, session: Value) -> Option<Self> {
        let Value::Object(session) = session else { return None };
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let arguments = value.get("arguments").and_then(Value::as_object)?.clone();
        let is_clients = value.get("by_client").and_then(Value::as_bool)?;
        let dialect = text("dialect").and_then(|dialect| dialect.parse().ok());
        let origin = value.get("origin").and_then(Value::as_object).cloned();
        Some(Self {
            key: text("key").map(ToOwned::to_owned),
            origin: dialect.zip(origin),
            call: ToolCall::new(text("id")?, text("tool")?, arguments),
            timeout: value.get("timeout").and_then(Value::as_u64).map(Duration::from_millis),
            execution: if is_clients { Execution::Client } else { Execution::Server },
            session,
        })
    }
}

// Leaves out the session, which may hold credentials.
callgate_secret::opaque!(WaitingCall { call });

fn approval_key(space: Space, principal: Option<&Principal>, approval: &str) -> Key {
    Key::new(space, Owner::new(principal, &Session::default()), approval)
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The name of the stored session beside the call.
const SESSION: &str = "session";
/// The time for which the call of a program is tried to be kept in a store that does not answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of a call that lies with the approvals, whose listing reads it.
const MOST_LISTED: usize = 4096;
/// The number of calls that wait at once in a busy office; a new one replaces the oldest of the principal that holds most.
const MOST_CALLS: usize = 10_000;
/// The most bytes of all calls, with their arguments.
const MOST_BYTES: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use callgate_tool::PendingKind;

    use super::*;

    #[tokio::test]
    async fn a_waiting_call_is_found_by_its_owner_only_and_shows_no_session() {
        let (calls, kim, lee) =
            (WaitingCalls::new(None), Principal::new("kim"), Principal::new("lee"));
        let secret = json!({"credentials": {"token": "canary"}});
        let waiting = WaitingCall {
            call: ToolCall::new("a", "getPet", Object::new()),
            timeout: Some(Duration::from_secs(3)),
            execution: Execution::Client,
            session: secret.as_object().unwrap().clone(),
            key: Some("order-17".to_owned()),
            origin: Some((Dialect::OpenAi, Object::new())),
        };
        let pending = Pending::new(PendingKind::Approval, "approval_1", Value::Null);
        calls.keep_call(Some(&kim), &pending, waiting.clone()).await.unwrap();
        for stranger in [None, Some(&lee)] {
            assert!(calls.get(stranger, "approval_1").await.unwrap().is_none());
        }
        let found = calls.get(Some(&kim), "approval_1").await.unwrap().unwrap();
        assert_eq!((&found.call, found.timeout), (&waiting.call, waiting.timeout));
        assert_eq!((found.execution, &found.session), (Execution::Client, &waiting.session));
        assert_eq!((&found.key, &found.origin), (&waiting.key, &waiting.origin));
        assert!(!format!("{calls:?} {found:?}").contains("canary"), "{calls:?}");
    }
}
