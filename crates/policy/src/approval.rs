//! Asks a person before a call is made. The person sees the request that the call would send, built by the code that
//! sends it, and approves only that request. Putting the question to the person is up to the front doors.

mod request;
mod rules;

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use callgate_call::wording::approval as wording;
use callgate_executor::{Backend, Call, Decision, Middleware, Stage};
use callgate_session::{Bounds, Expected, Key, Memory, Owner, Record, Space, Store};
use callgate_tool::{Event, Fault, Journal, Outcome, Pending, PendingKind, Preview};
use metrics::counter;
use tokio::time::Instant;

use crate::digest::Digest;

pub use self::request::approval_text;
pub use self::rules::{APPROVAL_TIME, ApprovalRules, Confirm};

/// Ends a call that needs a person's approval as [`Outcome::Pending`], with the request it would send and without
/// credentials. The call is made when it comes again with the decision: [`Call::with_decision`].
///
/// An approval is valid once, for a limited time, for the principal, the session and the tool it was asked for, and for
/// the request that was shown. If the call would now send another request, because of other arguments, other session
/// values or another configuration, or send it with another person's credential, the person is asked again.
///
/// ```
/// use callgate_executor::{Call, Decision, Executor};
/// use callgate_policy::{ApprovalRules, Approvals, Confirm};
/// use callgate_tool::{Arguments, Outcome, Session, ToolCall, json};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let mut rules = ApprovalRules::default();
/// rules.toolsets.insert("shop".to_owned(), Confirm::Writes);
/// let executor = Executor::builder()
///     .function("shop", "buy", json!({"type": "object"}), |_| async { json!("bought") })
///     .middleware(Approvals::new(rules))
///     .build()?;
///
/// let (asked, session) = (ToolCall::new("1", "shop-buy", Arguments::new()), Session::default());
/// let result = executor.call(&asked, &session).await;
/// let Outcome::Pending(pending) = result.outcome else { return Err("nobody was asked".into()) };
/// println!("approve {}?", pending.request);
/// let call = Call::new(&asked, &session).with_decision(&pending.id, Decision::Approve);
/// assert_eq!(executor.call_with(call).await.text(), Some("\"bought\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Approvals {
    rules: ApprovalRules,
    store: Arc<dyn Store>,
}

impl Approvals {
    /// Asks by these rules. Keeps pending approvals in memory.
    pub fn new(rules: ApprovalRules) -> Self {
        let bounds = Bounds { records: MAX_RECORDS, bytes: MAX_BYTES };
        Self::over(rules, Arc::new(Memory::new(bounds)))
    }

    /// Asks by these rules. Keeps pending approvals in a store, under [`Space::Approval`](callgate_session::Space::Approval).
    pub fn over(rules: ApprovalRules, store: Arc<dyn Store>) -> Self {
        Self { rules, store }
    }

    /// Asks by other rules. Calls that already wait can still be decided.
    #[must_use]
    pub fn with_rules(&self, rules: ApprovalRules) -> Self {
        Self { rules, store: Arc::clone(&self.store) }
    }

    /// The time that a person has to decide.
    pub fn time(&self) -> Duration {
        self.rules.time
    }

    async fn ask(
        &self,
        call: &Call<'_>,
        backend: &dyn Backend,
        preview: &Preview,
    ) -> Result<Outcome, Box<Fault>> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| wording::not_kept())?;
        let id = format!("approval_{:032x}", u128::from_ne_bytes(random));
        let record = Record::new("", request::digest(call, backend, preview).to_vec().into())
            .with_time_to_live(self.rules.time);
        let key = key(call, &id);
        let kept = self.store.put(&key, record, Expected::Absent, now()).await;
        kept.map_err(|error| {
            tracing::debug!(%error, "a call that needs approval is not kept");
            wording::not_kept()
        })?;
        let mut pending = Pending::new(PendingKind::Approval, id, request::shown(preview));
        pending.expires = SystemTime::now().checked_add(self.rules.time);
        count("asked");
        Ok(Outcome::Pending(Box::new(pending)))
    }

    /// The digest of the request that was shown under an id. Each id works once.
    async fn taken(&self, call: &Call<'_>, id: &str) -> Option<Digest> {
        let key = key(call, id);
        let stored = self.store.get(&key, now()).await.ok().flatten()?;
        // Of two simultaneous decisions, only one removes the record.
        let expected = Expected::Version(stored.version);
        let is_taken = self.store.remove(&key, expected, now()).await.is_ok_and(|was| was);
        is_taken.then(|| Digest::try_from(&**stored.record.bytes()).ok()).flatten()
    }

    /// The digest of the request that a person approved, if a decision came with the call.
    async fn approved(&self, call: &mut Call<'_>) -> Result<Option<Digest>, Box<Fault>> {
        let Some(decided) = call.take_decision() else { return Ok(None) };
        let Some(digest) = self.taken(call, &decided.approval).await else {
            count("unknown");
            return Err(wording::unknown());
        };
        match decided.decision {
            Decision::Approve => Ok(Some(digest)),
            Decision::Reject => {
                count("rejected");
                Err(wording::rejected())
            }
        }
    }

    /// `None` if the call may be made, otherwise the outcome it ends with.
    async fn judged(
        &self,
        call: &mut Call<'_>,
        backend: &dyn Backend,
        journal: &mut Journal,
    ) -> Result<Option<Outcome>, Box<Fault>> {
        let approved = self.approved(call).await?;
        let (confirm, effect) = (self.rules.of(backend), backend.effect());
        if !confirm.may_ask(effect) {
            return Ok(None);
        }
        // A person does not decide about the trace headers of a request.
        let previewed = call.clone().without_trace();
        let noted = &mut Journal::default();
        let preview = backend.preview(&previewed, noted).await;
        if preview.as_ref().is_ok_and(|preview| !confirm.asks(preview, effect)) {
            return Ok(None);
        }
        if let (Some(digest), Ok(preview)) = (approved, &preview) {
            if digest == request::digest(call, backend, preview) {
                journal.note(Event::Approved);
                count("approved");
                return Ok(None);
            }
            journal.note(Event::ApprovalOutdated);
            count("outdated");
        }
        // The call ends here, so the journal gets the events of the preview, as from the call itself.
        noted.events().iter().for_each(|event| journal.note(event.clone()));
        self.ask(call, backend, &preview?).await.map(Some)
    }
}

#[async_trait]
impl Middleware for Approvals {
    fn stage(&self) -> Stage {
        Stage::Approval
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        journal: &mut Journal,
    ) -> ControlFlow<Outcome> {
        let Some(backend) = backend else { return ControlFlow::Continue(()) };
        match self.judged(call, backend, journal).await {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(outcome)) => ControlFlow::Break(outcome),
            Err(fault) => ControlFlow::Break(Outcome::Failed(fault)),
        }
    }
}

/// The key of an approval: it binds a call to its tool, session and principal.
fn key(call: &Call<'_>, id: &str) -> Key {
    let owner = Owner::new(call.principal(), call.session());
    Key::new(Space::Approval, owner, &format!("{id} {}", call.tool()))
}

fn count(decision: &'static str) {
    counter!("callgate_approvals_total", "decision" => decision).increment(1);
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The number of calls that wait at once in a busy office; a new one replaces the oldest of the principal that holds most.
const MAX_RECORDS: usize = 100_000;
/// The most bytes of all records; each takes a few hundred.
const MAX_BYTES: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests;
