//! Transcripts in a store, each for its owner. One turn of a transcript runs at a time, as long as its lease is held.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use callgate_executor::Lease;
use callgate_session::{ErrorKind as StoreErrorKind, Key, Owner, Space, Store};
use callgate_tool::Json;

use crate::{
    agent::Agent,
    budget::Spending,
    context::TurnContext,
    end::End,
    error::{self, Error},
    input::Input,
    keeper::TranscriptKeeper,
    transcript::{EarlierResults, PastCall, Repair, Transcript, TranscriptForm},
    turn::RunningTurn,
};

/// Transcripts in a store of records.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use callgate_agent::{Agent, Input, Transcripts, TurnContext};
/// use callgate_session::{Bounds, Memory};
///
/// # async fn example(agent: Agent, context: TurnContext) -> Result<(), callgate_agent::Error> {
/// let store = Memory::new(Bounds { records: 1000, bytes: 64 << 20 });
/// let transcripts = Transcripts::new(Arc::new(store));
/// let kept = transcripts.turn(&agent, "pizza", Input::text("One pizza."), &context).await?;
/// println!("{}", kept.end.text);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Transcripts {
    store: Arc<dyn Store>,
    budgets: Arc<dyn Store>,
    time_to_live: Duration,
    lease: Duration,
}

/// A turn of a kept transcript.
///
/// ```
/// use callgate_agent::KeptTurn;
///
/// fn said(kept: &KeptTurn) -> String {
///     let repaired = kept.repair.to_string();
///     if repaired.is_empty() { kept.end.text.clone() } else { format!("{} ({repaired})", kept.end.text) }
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeptTurn {
    /// The end of the turn.
    pub end: End,
    /// What was wrong with the transcript when it was read.
    pub repair: Repair,
    /// The transcript after the turn, without results of tools that its caller may not use any more.
    pub transcript: Transcript,
    /// The number of messages before the turn, without the results of calls that waited.
    pub n_before: usize,
    /// The tools whose results the transcript has.
    pub tools: BTreeSet<String>,
}

impl KeptTurn {
    /// The messages that the turn added. Calls that wait have no result yet: all results of their message stand among those
    /// of the turn that ends the waiting. Those of all turns together are the transcript.
    pub fn added_messages(&self) -> &[Json] {
        self.transcript.messages.get(self.n_before..).unwrap_or_default()
    }
}

impl Transcripts {
    /// Transcripts in `store`, each for a day after its last turn, and the budgets of their agents.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { budgets: Arc::clone(&store), store, time_to_live: DAY, lease: LEASE }
    }

    callgate_tool::setters! {
        /// Counts budgets in a store of their own, which must not make room by removing them.
        pub fn with_budgets(budgets: Arc<dyn Store>) = budgets;
        /// Sets how long a transcript is kept after its last turn.
        pub fn with_time_to_live(time_to_live: Duration) = time_to_live;
        /// Sets after which time a program that renews its lease no more counts as ended. For tests.
        #[doc(hidden)]
        pub fn with_lease(lease: Duration) = lease;
    }

    /// Runs a turn of the transcript `name` of the caller and the session of `context`. If what it did cannot be kept, it ends as
    /// [`EndReason::Cancelled`](crate::EndReason::Cancelled), with its messages.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) while another turn of it runs, the errors of [`Agent::turn`], and
    /// [`ErrorKind::Store`](crate::ErrorKind::Store).
    pub async fn turn(
        &self,
        agent: &Agent,
        name: &str,
        input: Input,
        context: &TurnContext,
    ) -> Result<KeptTurn, Error> {
        let mut lease = self.acquire_lease(name, context).await?;
        let turn = Box::pin(self.run_leased_turn(agent, name, input, context));
        let kept = tokio::select! {
            biased;
            kept = turn => kept,
            never = lease.renew_forever() => match never {},
        };
        lease.release().await;
        kept
    }

    async fn run_leased_turn(
        &self,
        agent: &Agent,
        name: &str,
        input: Input,
        context: &TurnContext,
    ) -> Result<KeptTurn, Error> {
        let (mut keeper, stored) = self.load_transcript(name, context).await?;
        let (mut transcript, repair) = match stored {
            Some(form) => stored_transcript(form, agent)?,
            None => (Transcript::new(agent.dialect())?, Repair::default()),
        };
        context.show_beginning(&transcript);
        let (n_before, earlier) =
            (transcript.messages.len(), EarlierResults::from_transcript(&transcript));
        let offered = agent.turn_offer(context);
        let spending = agent.settings().budget.map(|budget| {
            Spending::new(Arc::clone(&self.budgets), name, context.principal(), budget)
        });
        let turn = RunningTurn::new(agent, &mut transcript, context).with_keeper(&mut keeper);
        let ended = turn.with_spending(spending).run(input).await;
        let kept = keeper.keep(&transcript).await;
        let end = match (ended?, kept) {
            (end, Ok(())) => end,
            // The conversation is as it was before the turn.
            (end, Err(error)) if end.is_taken_back => return Err(error),
            // Whoever called has to know what was done, above all because nothing else does.
            (end, Err(error)) => {
                transcript.close_open_calls();
                end.cancelled_as_unkept(&error)
            }
        };
        let may_read = |past: &PastCall<'_>| offered.may_read_result(past, &earlier);
        let transcript = transcript.into_readable(&may_read);
        let tools = offered.tools_with_results(&transcript);
        Ok(KeptTurn { end, repair, transcript, n_before, tools })
    }

    /// Keeps a transcript that the caller brings, in place of an earlier one. Its messages are text: no call in it is made.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) while a turn of the earlier one runs, and
    /// [`ErrorKind::Store`](crate::ErrorKind::Store).
    pub async fn replace(
        &self,
        name: &str,
        mut transcript: Transcript,
        context: &TurnContext,
    ) -> Result<(), Error> {
        transcript.close_open_calls();
        let lease = self.acquire_lease(name, context).await?;
        let kept = match self.load_transcript(name, context).await {
            Ok((mut keeper, _)) => keeper.keep(&transcript).await,
            Err(error) => Err(error),
        };
        lease.release().await;
        kept
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    async fn load_transcript(
        &self,
        name: &str,
        context: &TurnContext,
    ) -> Result<(TranscriptKeeper, Option<TranscriptForm>), Error> {
        let key = key(Space::Transcript, name, context);
        TranscriptKeeper::load_transcript(Arc::clone(&self.store), key, self.time_to_live).await
    }

    async fn acquire_lease(&self, name: &str, context: &TurnContext) -> Result<Lease, Error> {
        let key = key(Space::Lease, name, context);
        let lease = Lease::acquire(Arc::clone(&self.store), key, self.lease).await;
        lease.map_err(|error| match error.kind() {
            StoreErrorKind::Conflict => error::busy(),
            _ => error::store_error(error),
        })
    }
}

/// A conversation that was kept, in the dialect of the agent's model, which may have changed since.
fn stored_transcript(form: TranscriptForm, agent: &Agent) -> Result<(Transcript, Repair), Error> {
    let declared = |name: &str| agent.offered_tool(name);
    let (transcript, repair) = Transcript::from_form(form, declared)?;
    let (transcript, converted) = transcript.into_dialect(agent.dialect(), declared)?;
    let Repair { former, n_left_out, .. } = converted;
    Ok((transcript, Repair { former, n_left_out, ..repair }))
}

/// The key of what is kept of a transcript.
fn key(space: Space, name: &str, context: &TurnContext) -> Key {
    Key::new(space, Owner::new(context.principal(), &context.session), name)
}

const DAY: Duration = Duration::from_hours(24);
/// The time after which a program that says nothing more counts as ended: longer than a store is away for a change of its
/// primary.
const LEASE: Duration = Duration::from_secs(30);
