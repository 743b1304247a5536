//! The reloads of a sidecar: their causes, the endings of the last ones, and the changes for agents. `live` does the reloads.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use callgate_executor::{Change, Changes};
use callgate_tool::Value;
use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::sync::watch;
use utoipa::ToSchema;

use crate::bodies;

/// The requests for reloads and the last reloads. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Reloads(Arc<Shared>);

#[derive(Debug)]
struct Shared {
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

/// The end of a reload, and its changes
#[derive(Serialize, ToSchema)]
#[schema(as = Reload)]
pub(crate) struct ReloadBody<'r> {
    #[schema(format = DateTime)]
    at: String,
    #[schema(inline)]
    cause: Cause,
    #[serde(flatten)]
    #[schema(inline)]
    end: EndBody<'r>,
}

#[derive(Serialize, ToSchema)]
#[serde(tag = "outcome", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum EndBody<'r> {
    Refused {
        /// The reasons why the last good configuration stays
        faults: &'r [String],
    },
    Replaced {
        /// True if an agent that knows the old tools may fail with the new ones
        breaking: bool,
        #[schema(value_type = Vec<bodies::ChangedTool>, inline)]
        changes: Vec<Value>,
        /// The number of changes that are not shown
        more: usize,
        /// Keys that were changed since the start and hold after a restart only
        needs_restart: &'r [&'static str],
    },
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
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
    pub(crate) async fn request_reload(&self) -> Option<Arc<Reload>> {
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
    pub(crate) fn request_counter(&self) -> watch::Receiver<u64> {
        self.0.asked.subscribe()
    }

    /// Records the end of a reload that answers the first `n_answered` requests.
    pub(crate) fn record_end(&self, n_answered: u64, reload: Reload) {
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
    pub(crate) fn last_reloads(&self) -> Vec<Arc<Reload>> {
        let history = self.0.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.iter().rev().cloned().collect()
    }
}

impl Reload {
    pub(crate) fn reload_body(&self) -> ReloadBody<'_> {
        let at = OffsetDateTime::from(self.at).format(&Rfc3339).unwrap_or_default();
        let end = match &self.end {
            End::Refused(faults) => EndBody::Refused { faults },
            End::Replaced(changes, needs_restart) => EndBody::Replaced {
                breaking: changes.is_breaking(),
                changes: changes.list().iter().take(MOST_SHOWN).map(Change::to_value).collect(),
                more: changes.list().len().saturating_sub(MOST_SHOWN),
                needs_restart,
            },
        };
        ReloadBody { at, cause: self.cause, end }
    }
}

impl End {
    pub(crate) const NAMES: [&'static str; 2] = ["refused", "replaced"];

    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Replaced(..) => "replaced",
        }
    }
}

impl Cause {
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

const MOST_SHOWN: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_for_a_reload_ends_when_its_handler_has_ended() {
        let reloads = Reloads::default();
        assert!(reloads.request_reload().await.is_none(), "there is none");
        let askings = reloads.request_counter();
        let asked = reloads.clone();
        let asking = tokio::spawn(async move { asked.request_reload().await });
        askings.clone().changed().await.unwrap();
        drop(askings);
        assert!(asking.await.unwrap().is_none());
    }
}
