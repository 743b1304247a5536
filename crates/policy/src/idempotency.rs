//! Gives a call that is repeated under its idempotency key the first result instead of making it again. `records` keeps
//! the results by key; `audit` knows the calls of an earlier process.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::wording::around as wording;
use callgate_executor::{
    Backend, Call, Ended, Ending, Middleware, RepeatKey, Resumption, Stage, fingerprint,
    preview_call, sign_in_fingerprint,
};
use callgate_session::Store;
use callgate_tool::{Event, FaultCode, Journal, Outcome, Pending, PendingKind};
use callgate_transport::is_key_free_after;

use crate::{
    approval_record::AskedApproval,
    digest::Digest,
    records::{Begun, Guard, IdempotencyKey, RecordBounds, Records},
};

/// Makes each call that has an [`IdempotencyKey`] among its extensions at most once while its key is kept.
///
/// A repeated call under its key gets the first result. A call with another [fingerprint] is a fault:
/// another tool, other arguments, another session, other values that its inputs read, or another person's credential. So is
/// a call whose first one still runs. A call that reached nothing frees its key. For a stream, the head is
/// kept. A call that waits for an approval is made under its key when it comes with the decision, or is repeated after
/// somebody else has decided; from then on, its result is the one given. Calls without a key go through.
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
    records: Arc<Records>,
}

struct HeldGuard {
    guard: Mutex<Option<Guard>>,
    digests: Digests,
    /// The earlier result of a program that waits, and still does where the decision about it does not count.
    earlier: Option<Vec<u8>>,
}

/// The digests of the calls that are the same.
struct Digests {
    whole: Digest,
    /// That of a program while it waits for a sign-in, in a session that says whose it is: its user then has another credential.
    waiting: Option<Digest>,
}

impl Digests {
    fn from_call(call: &Call<'_>, backend: &dyn Backend) -> Self {
        let may_wait = backend.is_resumable() && call.session().id().is_some();
        Self {
            whole: *fingerprint(call, Some(backend)).as_bytes(),
            waiting: may_wait.then(|| *sign_in_fingerprint(call, backend).as_bytes()),
        }
    }

    /// The digest of the calls that repeat one with this outcome.
    fn digest_for_repeats(&self, outcome: &Outcome) -> Digest {
        let is_sign_in = |id: &&str| id.starts_with(Pending::SIGN_IN);
        match (outcome, self.waiting) {
            (Outcome::Pending(pending), Some(waiting))
                if pending.waiting_ids().iter().any(is_sign_in) =>
            {
                waiting
            }
            _ => self.whole,
        }
    }
}

impl Idempotency {
    /// Keeps results in memory.
    pub fn new(bounds: RecordBounds) -> Self {
        Self { records: Records::new(bounds) }
    }

    /// Keeps results in a store, under [`Space::Idempotency`](callgate_session::Space::Idempotency), each for this time
    /// after its call has ended. A call costs two requests to the store, and a call that the store cannot keep is refused
    /// before anything is sent. In a store that processes share, a running call renews its lease every ten
    /// seconds; a call whose lease has not been renewed for thirty seconds has an unknown end.
    ///
    /// ```
    /// use std::{sync::Arc, time::Duration};
    ///
    /// use callgate_executor::Executor;
    /// use callgate_policy::Idempotency;
    /// use callgate_session::{Bounds, Memory, Store};
    ///
    /// let store: Arc<dyn Store> = Arc::new(Memory::refusing(Bounds { records: 1_000, bytes: 1 << 20 }));
    /// let idempotency = Idempotency::over(store, Duration::from_secs(3600));
    /// let executor = Executor::builder().middleware(idempotency).build()?;
    /// # Ok::<(), callgate_executor::Error>(())
    /// ```
    pub fn over(store: Arc<dyn Store>, time_to_live: Duration) -> Self {
        Self { records: Records::over(store, time_to_live) }
    }

    /// The records of calls by their keys.
    #[doc(hidden)]
    pub fn records(&self) -> &Arc<Records> {
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
        let key = call.extensions().get::<IdempotencyKey>();
        // A call that its caller may not make, or of no tool, repeats none.
        let (Some(key), Some(backend)) = (key, backend) else { return ControlFlow::Continue(()) };
        let digests = Digests::from_call(call, backend);
        let decided = call.decision().map(|decided| decided.approval.as_str());
        let answered = call.extensions().get::<Resumption>().map(|it| it.pending.as_str());
        let brought = decided.or_else(|| call.approval()).or(answered);
        let waits = Mutex::new(None);
        // A program that has waited knows which of its calls were made, also after the end of its process.
        let is_of_program = backend.is_resumable();
        let brings_decision = brought.is_some();
        let may_go_on = |first: Option<&[u8]>| {
            let Some(first) = first else { return is_of_program && brings_decision };
            let Some(Outcome::Pending(pending)) = Outcome::from_bytes(first) else {
                return false;
            };
            let is_meant = (pending.kind == PendingKind::Approval || pending.is_of_program())
                && brought.is_none_or(|brought| pending.waiting_ids().contains(&brought));
            let earlier = is_of_program.then(|| first.to_vec());
            *waits.lock().unwrap_or_else(PoisonError::into_inner) = Some((pending.id, earlier));
            is_meant
        };
        let (records, principal) = (&self.records, call.principal());
        let mut begun = records.begin(principal, key, digests.whole, &may_go_on).await;
        if let Some(waiting) = digests.waiting.filter(|_| matches!(begun, Begun::Different)) {
            begun = records.begin(principal, key, waiting, &may_go_on).await;
        }
        let program = is_of_program.then(|| RepeatKey(key.0.clone()));
        let fault = match begun {
            Begun::Fresh(guard) => {
                let waits = waits.into_inner().unwrap_or_else(PoisonError::into_inner);
                let mut earlier = None;
                if let Some((approval, outcome)) = waits {
                    // Somebody may have decided meanwhile.
                    call.extensions_mut().insert(AskedApproval(approval));
                    earlier = outcome;
                }
                if let Some(key) = program {
                    call.extensions_mut().insert(key);
                }
                let guard = Mutex::new(Some(guard));
                call.extensions_mut().insert(HeldGuard { guard, digests, earlier });
                return ControlFlow::Continue(());
            }
            Begun::Replay(first) => match Outcome::from_bytes(&first) {
                Some(first) => {
                    journal.note(Event::Replayed);
                    // The same call leaves the same values out; the first one's journal is not kept.
                    drop(preview_call(backend, call, journal).await);
                    return ControlFlow::Break(first);
                }
                // Another release wrote it.
                None => wording::outcome_unknown(),
            },
            Begun::Different => wording::key_reused(),
            Begun::Full(wait) => wording::too_many_keys(wait),
            Begun::Running => wording::still_running(SOON),
            Begun::Unavailable => wording::keys_unavailable(SOON),
            Begun::Unknown => wording::outcome_unknown(),
        };
        ControlFlow::Break(Outcome::Failed(fault))
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        let Some(HeldGuard { guard, digests, earlier }) = call.extensions().get() else { return };
        let guard = guard.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(guard) = guard else { return };
        let is_resumed = call.extensions().get::<Resumption>().is_some();
        match ended.ending {
            Ending::Outcome(Outcome::Failed(fault))
                if is_resumed && fault.code != FaultCode::OutcomeUnknown =>
            {
                // The program goes on by a later decision, and does not begin anew.
                match earlier {
                    Some(earlier) => guard.finish(earlier).await,
                    None => drop(guard),
                }
            }
            Ending::Outcome(outcome @ Outcome::Pending(_)) => {
                guard
                    .finish_with_digest(&outcome.to_bytes(), digests.digest_for_repeats(outcome))
                    .await;
            }
            // A person's decision stays valid.
            Ending::Outcome(outcome @ Outcome::Failed(fault))
                if fault.code == FaultCode::Rejected =>
            {
                guard
                    .finish_with_digest(&outcome.to_bytes(), digests.digest_for_repeats(outcome))
                    .await;
            }
            _ if is_key_free_after(ended.reached) => guard.free_key().await,
            Ending::Outcome(outcome) => {
                guard
                    .finish_with_digest(&outcome.to_bytes(), digests.digest_for_repeats(outcome))
                    .await;
            }
            // The caller left after the request was sent: the result is unknown.
            Ending::Dropped => drop(guard),
        }
    }
}

/// The wait before a retry while the first call runs.
const SOON: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
