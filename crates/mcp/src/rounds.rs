//! The rounds of a call whose client answers with further calls. A round is kept in a store, for its call only and for one
//! use; the client gets a sealed name of it.

use std::collections::BTreeMap;

use callgate_executor::Call;
use callgate_policy::APPROVAL_TIME;
use callgate_session::{Error, ErrorKind, Expected, Key, Owner, Record, Space, Store};
use callgate_tool::{Value, json};
use tokio::time::Instant;

/// The answers of earlier rounds, and the approval that waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Round {
    pub(crate) approval: Option<String>,
    pub(crate) answers: BTreeMap<String, Value>,
}

impl Round {
    pub(crate) fn of_approval(approval: String) -> Self {
        Self { approval: Some(approval), answers: BTreeMap::new() }
    }

    /// Keeps a round of a call for its principal and session. Returns its name, or `None` if it cannot be kept.
    pub(crate) async fn store_round(self, call: &Call<'_>, store: &dyn Store) -> Option<String> {
        let Self { approval, answers } = self;
        match approval {
            // The approval itself belongs to its call and works once.
            Some(approval) if answers.is_empty() => return Some(approval),
            _ => {}
        }
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let name = format!("{PREFIX}{:032x}", u128::from_ne_bytes(random));
        let answers: Value = answers.into_iter().collect();
        let kept = json!({
            "approval": approval.map_or(Value::Null, Value::from),
            "arguments": Value::Object(call.arguments().clone()),
            "answers": answers,
        });
        let record = Record::new("application/json", kept.to_string().into())
            .with_time_to_live(APPROVAL_TIME);
        store.put(&round_key(call, &name), record, Expected::Absent, now()).await.ok()?;
        Some(name)
    }

    /// The round with this name; `None` if it was used, has expired, or belongs to another principal or session, or to a
    /// call with other arguments.
    pub(crate) async fn take_round(
        name: String,
        call: &Call<'_>,
        store: &dyn Store,
    ) -> Result<Option<Self>, Error> {
        if !name.starts_with(PREFIX) {
            return Ok(Some(Self::of_approval(name)));
        }
        let key = round_key(call, &name);
        let Some(stored) = store.get(&key, now()).await? else { return Ok(None) };
        // Of two simultaneous calls, only one removes the round.
        match store.remove(&key, Expected::Version(stored.version), now()).await {
            Ok(true) => Ok(Self::from_record(&stored.record, call)),
            Ok(false) => Ok(None),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn from_record(record: &Record, call: &Call<'_>) -> Option<Self> {
        let kept = Value::from_slice(record.bytes()).ok()?;
        kept.get("arguments")?.as_object().filter(|kept| *kept == call.arguments())?;
        let answers = kept.get("answers")?.as_object()?.iter();
        let answers = answers.map(|(name, answer)| (name.clone(), answer.clone())).collect();
        let approval = kept.get("approval")?.as_str().map(ToOwned::to_owned);
        Some(Self { approval, answers })
    }
}

fn round_key(call: &Call<'_>, name: &str) -> Key {
    Key::new(Space::Call, Owner::new(call.principal(), call.session()), name)
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The prefix of round names; no approval's id begins like this.
const PREFIX: &str = "round_";

#[cfg(test)]
mod tests {
    use callgate_session::{Bounds, Memory};
    use callgate_tool::{Arguments, Principal, Session, ToolCall};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_round_opens_once_for_its_own_call_and_expires() {
        let asked = |n: u64| {
            let arguments = Arguments::from_iter([("n".to_owned(), Value::from(n))]);
            ToolCall::new("1", "t", arguments)
        };
        let (asked, other) = (asked(1), asked(2));
        let memory = Memory::new(Bounds { records: 9, bytes: 9_999 });
        let take =
            async |name, call: &Call<'_>| Round::take_round(name, call, &memory).await.unwrap();
        let (session, another) = (Session::new("s"), Session::new("other"));
        let call = Call::new(&asked, &session).with_principal(Principal::new("kim"));
        let answers = BTreeMap::from([("step1".to_owned(), json!({"action": "decline"}))]);
        let round = Round { approval: None, answers };
        let name = round.clone().store_round(&call, &memory).await.unwrap();
        for stranger in [
            Call::new(&asked, &session),
            Call::new(&asked, &session).with_principal(Principal::new("lee")),
            Call::new(&asked, &another).with_principal(Principal::new("kim")),
        ] {
            assert_eq!(take(name.clone(), &stranger).await, None);
        }
        assert_eq!(take(name.clone(), &call).await.as_ref(), Some(&round));
        assert_eq!(take(name, &call).await, None);
        let name = round.clone().store_round(&call, &memory).await.unwrap();
        let changed = Call::new(&other, &session).with_principal(Principal::new("kim"));
        assert_eq!(take(name, &changed).await, None);
        let name = round.store_round(&call, &memory).await.unwrap();
        tokio::time::advance(APPROVAL_TIME).await;
        assert_eq!(take(name, &call).await, None);
    }
}
