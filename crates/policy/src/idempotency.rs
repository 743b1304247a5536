//! Gives a call that is repeated under its idempotency key the first result instead of making it again. `records` keeps
//! the results by key; `audit` knows the calls of an earlier process.

use std::{
    io,
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::wording::around as wording;
use callgate_executor::{Backend, Call, Ended, Ending, Middleware, Stage, fingerprint};
use callgate_tool::{Event, FaultCode, Journal, Outcome, Reached};

use crate::records::{Begun, Guard, IdempotencyKey, RecordBounds, Records};

/// Makes each call that has an [`IdempotencyKey`] among its extensions at most once while its key is kept.
///
/// A repeated call under its key gets the first result. A call with another [fingerprint] is a fault:
/// another tool, other arguments, another session, other values that its inputs read, or another person's credential. So is
/// a call whose first one still runs. A call that reached nothing frees its key. For a stream, the head is
/// kept. A call that waits for an approval is made under its key when it comes with the decision; from then on, its
/// result is the one given. Calls without a key go through.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_policy::{Idempotency, RecordBounds};
///
/// let executor = Executor::builder().middleware(Idempotency::new(RecordBounds::default())).build()?;
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Idempotency {
    records: Arc<Records<Outcome>>,
}

/// The guard of a call while it runs.
struct Held(Mutex<Option<Guard<Outcome>>>);

impl Idempotency {
    /// Knows no key yet.
    pub fn new(bounds: RecordBounds) -> Self {
        Self { records: Records::new(bounds) }
    }

    /// The records of calls by their keys.
    #[doc(hidden)]
    pub fn records(&self) -> &Arc<Records<Outcome>> {
        &self.records
    }
}

#[async_trait]
impl Middleware for Idempotency {
    fn stage(&self) -> Stage {
        Stage::Idempotency
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        journal: &mut Journal,
    ) -> ControlFlow<Outcome> {
        let Some(key) = call.extensions().get::<IdempotencyKey>() else {
            return ControlFlow::Continue(());
        };
        let same = *fingerprint(call, backend).as_bytes();
        let decided = call.decision().cloned();
        let is_decided = |first: &Outcome| match (first, &decided) {
            (Outcome::Pending(pending), Some(decided)) => pending.id == decided.approval,
            _ => false,
        };
        let begun = self.records.begin_after(call.principal(), key, same, is_decided);
        let fault = match begun {
            Begun::Fresh(guard) => {
                call.extensions_mut().insert(Held(Mutex::new(Some(guard))));
                return ControlFlow::Continue(());
            }
            Begun::Replay(first) => {
                journal.note(Event::Replayed);
                return ControlFlow::Break(Outcome::clone(&first));
            }
            Begun::Different => wording::key_reused(),
            Begun::Full => wording::too_many_keys(self.records.wait()),
            Begun::Running => wording::still_running(SOON),
            Begun::Unknown => wording::outcome_unknown(),
        };
        ControlFlow::Break(Outcome::Failed(fault))
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        let Some(Held(held)) = call.extensions().get() else { return };
        let guard = held.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(guard) = guard else { return };
        match ended.ending {
            Ending::Outcome(outcome @ Outcome::Pending(_)) => keep(guard, outcome),
            // A person's decision stays valid.
            Ending::Outcome(outcome @ Outcome::Failed(fault))
                if fault.code == FaultCode::Rejected =>
            {
                keep(guard, outcome);
            }
            _ if ended.reached == Reached::No => guard.free(),
            Ending::Outcome(outcome) => keep(guard, outcome),
            // The caller left after the request was sent: the result is unknown.
            Ending::Dropped => drop(guard),
        }
    }
}

fn keep(guard: Guard<Outcome>, outcome: &Outcome) {
    guard.finish(outcome.clone(), size(outcome));
}

/// The approximate size of an outcome: its length as JSON.
pub(crate) fn size(outcome: &Outcome) -> usize {
    let mut length = Length(OVERHEAD);
    // An outcome is always JSON; otherwise the bytes counted so far are used.
    serde_json::to_writer(&mut length, outcome).ok();
    length.0
}

/// Counts the written bytes.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of a key, two digests, and their containers.
const OVERHEAD: usize = 256;
/// The wait before a retry while the first call runs.
const SOON: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
