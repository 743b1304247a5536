//! The reloads of a sidecar: their causes, the endings of the last ones, and the changes for agents. `live` does the reloads.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use callgate_executor::{Change, Changes};
use callgate_tool::{Object, Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::sync::watch;

/// The requests for reloads and the last reloads. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Reloads(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The number of requests for a reload.
    asked: watch::Sender<u64>,
    /// The last reload, and the number of requests that it answers.
    ended: watch::Sender<(u64, Option<Arc<Reload>>)>,
    history: Mutex<VecDeque<Arc<Reload>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Reload {
    pub(crate) at: SystemTime,
    pub(crate) cause: Cause,
    pub(crate) end: End,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Cause {
    /// A description at an address changed, or was unavailable before.
    Address,
    File,
    /// A caller asked over HTTP.
    Request,
    /// The process received SIGHUP.
    Signal,
}

#[derive(Clone, Debug)]
pub(crate) enum End {
    /// The last good build stays: the faults of the new one.
    Refused(Vec<String>),
    /// The new build is served: its changes, and the keys that apply only after a restart.
    Replaced(Changes, Vec<&'static str>),
}

impl Default for Reloads {
    fn default() -> Self {
        Self(Arc::new(Shared {
            asked: watch::Sender::new(0),
            ended: watch::Sender::new((0, None)),
            history: Mutex::default(),
        }))
    }
}

impl Reloads {
    /// Requests a reload that begins after this moment, and waits for its end. `None` if nothing does reloads, or it has ended.
    pub(crate) async fn ask(&self) -> Option<Arc<Reload>> {
        if self.0.asked.receiver_count() == 0 {
            return None;
        }
        let mut ended = self.0.ended.subscribe();
        let mut own = 0;
        self.0.asked.send_modify(|n_asked| {
            *n_asked += 1;
            own = *n_asked;
        });
        tokio::select! {
            ended = ended.wait_for(|(n_answered, _)| *n_answered >= own) => ended.ok()?.1.clone(),
            () = self.0.asked.closed() => None,
        }
    }

    /// The number of requests, for the code that does reloads.
    pub(crate) fn askings(&self) -> watch::Receiver<u64> {
        self.0.asked.subscribe()
    }

    /// Records the end of a reload that answers the first `n_answered` requests.
    pub(crate) fn end(&self, n_answered: u64, reload: Reload) {
        let reload = Arc::new(reload);
        let mut history = self.0.history.lock().unwrap_or_else(PoisonError::into_inner);
        if history.len() >= MOST_KEPT {
            history.pop_front();
        }
        history.push_back(Arc::clone(&reload));
        drop(history);
        self.0.ended.send_replace((n_answered, Some(reload)));
    }

    /// The last reloads, the newest first.
    pub(crate) fn last(&self) -> Vec<Arc<Reload>> {
        let history = self.0.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.iter().rev().cloned().collect()
    }
}

impl Reload {
    /// Writes `{"at", "cause", "outcome"}`, with `breaking`, `changes`, `more` and `needsRestart`, or with `faults`.
    pub(crate) fn to_value(&self) -> Value {
        let at = OffsetDateTime::from(self.at).format(&Rfc3339).unwrap_or_default();
        let mut members = Object::new();
        members.insert("at", at.into());
        members.insert("cause", self.cause.as_str().into());
        members.insert("outcome", self.end.as_str().into());
        match &self.end {
            End::Refused(faults) => {
                let faults = faults.iter().map(|fault| fault.as_str().into()).collect();
                members.insert("faults", Value::Array(faults));
            }
            End::Replaced(changes, waiting) => {
                members.insert("breaking", changes.is_breaking().into());
                let shown = changes.list().iter().take(MOST_SHOWN).map(Change::to_value);
                members.insert("changes", Value::Array(shown.collect()));
                let n_more = changes.list().len().saturating_sub(MOST_SHOWN);
                members.insert("more", json!(n_more));
                let waiting = waiting.iter().map(|&key| key.into()).collect();
                members.insert("needsRestart", Value::Array(waiting));
            }
        }
        Value::Object(members)
    }
}

impl End {
    /// `refused` or `replaced`.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Replaced(..) => "replaced",
        }
    }
}

impl Cause {
    /// `address`, `file`, `request` or `signal`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::File => "file",
            Self::Request => "request",
            Self::Signal => "signal",
        }
    }
}

/// The reloads that are kept: a day with one every half hour.
const MOST_KEPT: usize = 50;

/// The changes shown for one reload.
const MOST_SHOWN: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_for_a_reload_ends_when_its_handler_has_ended() {
        let reloads = Reloads::default();
        assert!(reloads.ask().await.is_none(), "there is none");
        let askings = reloads.askings();
        let asked = reloads.clone();
        let asking = tokio::spawn(async move { asked.ask().await });
        askings.clone().changed().await.unwrap();
        drop(askings);
        assert!(asking.await.unwrap().is_none());
    }
}
