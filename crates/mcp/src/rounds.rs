//! The rounds of a call whose client answers with further calls. The state of a round is kept here, for its call only and
//! for one use; the client gets a sealed name of it.

use std::{collections::BTreeMap, sync::OnceLock};

use callgate_policy::APPROVAL_TIME;
use callgate_session::{Bounds, Expected, Key, Memory, Owner, Record, Space, Store};
use callgate_tool::{Arguments, Session, Value, json};
use tokio::time::Instant;

/// The answers of earlier rounds, and the approval that waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Round {
    pub(crate) approval: Option<String>,
    pub(crate) answers: BTreeMap<String, Value>,
}

impl Round {
    /// A round named by its approval.
    pub(crate) fn of_approval(approval: String) -> Self {
        Self { approval: Some(approval), answers: BTreeMap::new() }
    }

    /// Keeps a round of a call with these arguments. Returns its name, or `None` if it cannot be kept.
    pub(crate) async fn kept(self, arguments: &Arguments) -> Option<String> {
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
            "arguments": Value::Object(arguments.clone()),
            "answers": answers,
        });
        let record = Record::new("application/json", kept.to_string().into())
            .with_time_to_live(APPROVAL_TIME);
        rounds().put(&key(&name), record, Expected::Absent, now()).await.ok()?;
        Some(name)
    }

    /// The round with this name; `None` if it was used, has expired, or belongs to a call with other arguments.
    pub(crate) async fn taken(name: String, arguments: &Arguments) -> Option<Self> {
        if !name.starts_with(PREFIX) {
            return Some(Self::of_approval(name));
        }
        let key = key(&name);
        let stored = rounds().get(&key, now()).await.ok().flatten()?;
        // Of two simultaneous calls, only one removes the round.
        let expected = Expected::Version(stored.version);
        rounds().remove(&key, expected, now()).await.ok().filter(|was| *was)?;
        let kept = Value::from_slice(stored.record.bytes()).ok()?;
        kept.get("arguments")?.as_object().filter(|kept| *kept == arguments)?;
        let answers = kept.get("answers")?.as_object()?.iter();
        let answers = answers.map(|(name, answer)| (name.clone(), answer.clone())).collect();
        let approval = kept.get("approval")?.as_str().map(ToOwned::to_owned);
        Some(Self { approval, answers })
    }
}

/// The rounds of this process; the sealed name says who owns each.
fn rounds() -> &'static Memory {
    static ROUNDS: OnceLock<Memory> = OnceLock::new();
    ROUNDS.get_or_init(|| Memory::new(Bounds { records: MOST_ROUNDS, bytes: MOST_BYTES }))
}

fn key(name: &str) -> Key {
    Key::new(Space::Call, Owner::new(None, &Session::default()), name)
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The prefix of round names; no approval's id begins like this.
const PREFIX: &str = "round_";
/// The number of calls that wait at once in a busy office; a new one replaces the oldest.
const MOST_ROUNDS: usize = 10_000;
/// The most bytes of all rounds, with the arguments of their calls.
const MOST_BYTES: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_round_is_good_once_for_its_arguments_and_for_some_time() {
        let arguments = |n: u64| Arguments::from_iter([("n".to_owned(), Value::from(n))]);
        let answers = BTreeMap::from([("step1".to_owned(), json!({"action": "decline"}))]);
        let round = Round { approval: None, answers };
        let name = round.clone().kept(&arguments(1)).await.unwrap();
        assert_eq!(Round::taken(name.clone(), &arguments(1)).await.as_ref(), Some(&round));
        assert_eq!(Round::taken(name, &arguments(1)).await, None);
        let name = round.clone().kept(&arguments(1)).await.unwrap();
        assert_eq!(Round::taken(name, &arguments(2)).await, None);
        let name = round.kept(&arguments(1)).await.unwrap();
        tokio::time::advance(APPROVAL_TIME).await;
        assert_eq!(Round::taken(name, &arguments(1)).await, None);
    }
}
