//! Asks a person before a call is made. The person sees the request that the call would send, built by the code that
//! sends it, and approves only that request. Putting the question to the person is up to the ways in.

mod equal;
mod grant;
mod listing;
mod others;
mod request;
mod rules;
mod usage;

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use callgate_call::wording::approval as wording;
use callgate_executor::{
    Backend, Call, Ended, Middleware, OuterCall, PausableCall, Resumption, Reviewed, Stage,
    review_call,
};
use callgate_session::{Bounds, Error, Expected, Key, Memory, Owner, Record, Space, Store};
use callgate_tool::{
    Approvers, Effect, Event, Fault, Journal, Outcome, Pending, PendingKind, ToolName, Value,
};
use metrics::counter;
use tokio::time::Instant;

use self::{grant::Grant, request::Shown, usage::Usage};
use crate::{
    approval_record::{Approval, ApprovalState, MOST_LISTED},
    digest::Digest,
    webhook::{Notice, Webhook},
};

pub use self::listing::{ApprovalPage, Extent, Listing};
pub use self::others::Marked;
pub use self::request::approval_text;
pub use self::rules::{APPROVAL_TIME, ApprovalRules, AskAtLeast, Confirm};

/// Ends a call that needs a person's approval as [`Outcome::Pending`], with the request it would send and without
/// credentials, or with what [`Backend::review`] shows. The call is made when it comes again with the decision: [`Call::with_decision`].
///
/// An approval is valid once, for a limited time, for the principal, the session and the tool it was asked for, and for
/// the request that was shown. If the call would now send another request, because of other arguments, other session
/// values or another configuration, send it with another person's credential, or change something that is not as it was
/// shown, the person is asked again.
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
    webhook: Option<Webhook>,
}

impl Approvals {
    /// Asks by these rules. Keeps pending approvals in memory.
    pub fn new(rules: ApprovalRules) -> Self {
        let bounds = Bounds { records: MAX_RECORDS, bytes: MAX_BYTES };
        Self::over(rules, Arc::new(Memory::new(bounds)))
    }

    /// Asks by these rules. Keeps pending approvals in a store, under [`Space::Approval`](callgate_session::Space::Approval).
    pub fn over(rules: ApprovalRules, store: Arc<dyn Store>) -> Self {
        Self { rules, store, webhook: None }
    }

    /// Asks by other rules. Calls that already wait can still be decided.
    #[must_use]
    pub fn with_rules(&self, rules: ApprovalRules) -> Self {
        Self { rules, ..self.clone() }
    }

    /// Reports each call that begins to wait to a webhook.
    #[doc(hidden)]
    #[must_use]
    pub fn with_webhook(&self, webhook: &Webhook) -> Self {
        Self { webhook: Some(webhook.clone()), ..self.clone() }
    }

    /// The time that a person has to decide.
    pub fn time(&self) -> Duration {
        self.rules.time
    }

    /// True if the operator's rules may ask a person about a call of this tool; some rules decide by its request.
    #[doc(hidden)]
    pub fn may_ask(&self, tool: &ToolName, toolset: &str, effect: Effect) -> bool {
        self.rules.confirm_rule(tool, toolset).may_ask(effect)
    }

    async fn ask_for_approval(
        &self,
        call: &Call<'_>,
        backend: &dyn Backend,
        shown: Shown,
        digest: Digest,
    ) -> Result<Outcome, Box<Fault>> {
        if self.rules.approvers == Approvers::Others && call.principal().is_none() {
            return Err(wording::nameless());
        }
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| wording::not_kept(Duration::ZERO))?;
        let asked = SystemTime::now();
        let is_listed = shown.json.len() <= MOST_LISTED;
        let approval = Approval {
            id: format!("approval_{:032x}", u128::from_ne_bytes(random)),
            tool: backend.name().to_string(),
            toolset: backend.toolset().to_owned(),
            effect: backend.effect(),
            request: if is_listed { shown.request.clone() } else { Value::Null },
            caller: call.principal().map(|principal| principal.id().to_owned()),
            asked,
            expires: asked.checked_add(self.rules.time).unwrap_or(asked),
            state: ApprovalState::Waiting,
            digest,
            used: None,
        };
        let detail = (!is_listed).then(|| Record::new("application/json", shown.json.into()));
        self.list_for_equal_calls(call, &digest, &approval.id).await?;
        let kept = self.keep_approval(&approval_key(call, &approval.id), &approval, detail).await;
        kept.map_err(|error| {
            tracing::debug!(%error, "a call that needs approval is not kept");
            wording::not_kept(error.retry_after().unwrap_or_default())
        })?;
        if let Some(webhook) = &self.webhook {
            let Approval { id, tool, caller, expires, .. } = approval.clone();
            webhook.queue_notice(Notice { id, tool, caller, expires });
        }
        count_decision("asked");
        Ok(self.pending_outcome(approval, shown.request))
    }

    /// Keeps an approval, and its request beside it if that is too large to be listed.
    async fn keep_approval(
        &self,
        key: &Key,
        approval: &Approval,
        request: Option<Record>,
    ) -> Result<(), Error> {
        let (detail, has_detail) = (key.in_space(Space::Detail), request.is_some());
        if let Some(request) = request {
            let record = request.with_time_to_live(self.rules.time);
            self.store.put(&detail, record, Expected::Absent, now()).await?;
        }
        let record = Record::json(approval)?.with_time_to_live(self.rules.time);
        let kept = self.store.put(key, record, Expected::Absent, now()).await.map(drop);
        if kept.is_err() && has_detail {
            self.store.remove(&detail, Expected::Any, now()).await.ok();
        }
        kept
    }

    fn pending_outcome(&self, approval: Approval, request: Value) -> Outcome {
        let mut pending = Pending::new(PendingKind::Approval, approval.id, request);
        pending.expires = Some(approval.expires);
        pending.approvers = self.rules.approvers;
        Outcome::Pending(Box::new(pending))
    }

    /// The approval of an equal call, in place of one that was given for another request.
    async fn replace_by_equal_approval(
        &self,
        call: &mut Call<'_>,
        digest: &Digest,
        journal: &mut Journal,
    ) -> Result<Option<Grant>, Box<Fault>> {
        Usage::delete_stored_approval(call.extensions().get()).await;
        journal.note(Event::ApprovalOutdated);
        count_decision("outdated");
        self.use_equal_approval(call, digest).await
    }

    async fn ask_unless_approved(
        &self,
        call: &mut Call<'_>,
        backend: &dyn Backend,
        journal: &mut Journal,
    ) -> Result<Option<Outcome>, Box<Fault>> {
        let is_answered = call.extensions().get::<Resumption>().is_some();
        if backend.is_resumable() && (is_answered || self.mark_program_resumption(call).await?) {
            // The program was begun under the rules of its tool; those of its call are asked when it comes to it.
            return Ok(None);
        }
        let brought = self.use_named_approval(call).await?;
        let outer = call.extensions().get::<OuterCall>();
        let of_maker = call.extensions().get().or_else(|| outer?.0.get::<AskAtLeast>());
        let of_maker = of_maker.map_or(Confirm::Never, |rule| rule.0);
        let can_wait = outer.is_none() || call.extensions().get::<PausableCall>().is_some();
        let (rules, effect) = ([self.rules.backend_rule(backend), of_maker], backend.effect());
        if !rules.iter().any(|rule| rule.may_ask(effect)) {
            return Ok(None);
        }
        // A person does not decide about the trace headers of a request.
        let previewed = call.clone().without_trace();
        let noted = &mut Journal::default();
        let review = review_call(backend, &previewed, noted).await;
        let asks = |review: &callgate_executor::Review| {
            rules.iter().any(|rule| rule.needs_approval(&review.preview, effect))
        };
        if review.as_ref().is_ok_and(|review| !asks(review)) {
            return Ok(None);
        }
        if !can_wait && review.is_ok() {
            return Err(wording::asked_by_code());
        }
        let noted = |journal: &mut Journal| {
            // The call ends here, so the journal gets the events of the review, as from the call itself.
            noted.events().iter().for_each(|event| journal.note(event.clone()));
        };
        let review = review.inspect_err(|_| noted(journal))?;
        let shown = Shown::new(&review.preview);
        let digest = request::approval_digest(call, backend, &review, &shown);
        let pausable = call.extensions().get::<PausableCall>().cloned();
        let shown = shown.with_program(pausable, &digest, self.rules.approvers);
        let state = review.state;
        // The store may take a while, and the preview is as large as the request.
        drop(review.preview);
        let grant = match brought {
            Some(grant) if *grant.digest() == digest => Some(grant),
            Some(_) => self.replace_by_equal_approval(call, &digest, journal).await?,
            None => self.use_equal_approval(call, &digest).await?,
        };
        let pending = match grant {
            Some(Grant::Given { permit, is_decided_now, .. }) => {
                if is_decided_now {
                    count_decision("approved");
                }
                call.extensions_mut().insert(permit);
                if let Some(state) = state {
                    call.extensions_mut().insert(Reviewed(state));
                }
                journal.note(Event::Approved);
                return Ok(None);
            }
            Some(Grant::Waiting(approval)) => self.pending_outcome(*approval, shown.request),
            None => self.ask_for_approval(call, backend, shown, digest).await?,
        };
        noted(journal);
        Ok(Some(pending))
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
        match self.ask_unless_approved(call, backend, journal).await {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(outcome)) => ControlFlow::Break(outcome),
            Err(fault) => ControlFlow::Break(Outcome::Failed(fault)),
        }
    }

    async fn after(&self, call: &Call<'_>, _: &Ended<'_>) {
        if let Some(usage) = call.extensions().get::<Usage>() {
            usage.end_use().await;
        }
    }
}

fn approvals_unavailable_fault(error: &Error) -> Box<Fault> {
    tracing::debug!(%error, "approvals cannot be read");
    wording::not_read(error.retry_after().unwrap_or_default())
}

/// The key of an approval: it binds a call to its tool, session and principal.
fn approval_key(call: &Call<'_>, id: &str) -> Key {
    let owner = Owner::new(call.principal(), call.session());
    Key::new(Space::Approval, owner, &format!("{id} {}", call.tool()))
}

fn count_decision(decision: &'static str) {
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
