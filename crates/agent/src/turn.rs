//! One turn: rounds of a request to the model and the calls of its reply, until one of them is the last.

mod answers;
mod audit;
mod calls;
mod round;
mod tokens;

use std::time::Duration;

use callgate_policy::TurnId;
use callgate_tool::{SessionSource, Value};
use tokio::time::Instant;

use self::tokens::DeliveredWords;
use crate::{
    agent::Agent,
    budget::Spending,
    context::{TurnContext, TurnEvent},
    end::{End, EndReason, PendingCall},
    error::{self, Error},
    input::Input,
    keeper::TranscriptKeeper,
    offer::ToolOffer,
    repetition::Repetition,
    rounds::Round,
    transcript::{EarlierResults, Transcript},
    usage::Usage,
    wire::user_message,
};

impl Agent {
    /// Runs a turn to its end. The transcript can be sent at any time, also if the future is dropped: then each call that
    /// was begun has a result that says so.
    ///
    /// # Errors
    /// [`ErrorKind::Dialect`](crate::ErrorKind::Dialect) for a transcript of another dialect,
    /// [`ErrorKind::Session`](crate::ErrorKind::Session) without a value that the instructions need,
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a file that the model does not take, and
    /// [`ErrorKind::Answer`](crate::ErrorKind::Answer) for an answer to a call that does not wait; nothing was done then.
    pub async fn turn(
        &self,
        transcript: &mut Transcript,
        input: Input,
        context: &TurnContext,
    ) -> Result<End, Error> {
        if transcript.dialect() != self.dialect() {
            let (expected, got) = (self.dialect(), transcript.dialect());
            return Err(error::other_dialect(expected.as_str(), got.as_str()));
        }
        Box::pin(RunningTurn::new(self, transcript, context).run(input)).await
    }
}

/// A turn that runs.
#[derive(Debug)]
pub(crate) struct RunningTurn<'t> {
    agent: &'t Agent,
    transcript: &'t mut Transcript,
    context: &'t TurnContext,
    /// The instructions of the agent with the values of the session.
    instructions: String,
    id: TurnId,
    since: Instant,
    /// True from the beginning of the turn until its end is recorded.
    is_begun: bool,
    keeper: Option<&'t mut TranscriptKeeper>,
    spending: Option<Spending>,
    offered: ToolOffer,
    earlier: EarlierResults,
    repetition: Repetition,
    deadline: Instant,
    /// The messages before the input, while the model has not replied to it.
    before_input: Option<usize>,
    /// True until the model has replied in this turn to words of the user.
    is_first: bool,
    closing: Option<Closing>,
    n_rounds: usize,
    /// The replies in a row that ended within a call.
    n_cut: usize,
    n_calls: usize,
    usage: Usage,
    is_estimated: bool,
    /// The words of the reply that the turn waits for, as far as the caller was shown them.
    delivered: DeliveredWords,
    retry_after: Option<Duration>,
}

/// Why the next round is the last one.
#[derive(Clone, Debug)]
struct Closing {
    reason: EndReason,
    detail: String,
    /// True once the model was told.
    is_said: bool,
}

impl<'t> RunningTurn<'t> {
    pub(crate) fn new(
        agent: &'t Agent,
        transcript: &'t mut Transcript,
        context: &'t TurnContext,
    ) -> Self {
        let (limits, since) = (&agent.settings.limits, Instant::now());
        Self {
            id: TurnId::unique(),
            since,
            is_begun: false,
            offered: agent.turn_offer(context),
            earlier: EarlierResults::from_transcript(transcript),
            repetition: Repetition::new(limits.same),
            deadline: since + limits.time,
            agent,
            transcript,
            context,
            instructions: String::new(),
            keeper: None,
            spending: None,
            before_input: None,
            is_first: false,
            closing: None,
            n_rounds: 0,
            n_cut: 0,
            n_calls: 0,
            usage: Usage::default(),
            is_estimated: false,
            delivered: DeliveredWords::default(),
            retry_after: None,
        }
    }

    callgate_tool::setters! {
        /// Keeps the transcript before each call and after each round.
        pub(crate) fn with_keeper(keeper: &'t mut TranscriptKeeper) = Some(keeper);
        /// Counts the tokens of the turn, and ends it where no more may be used.
        pub(crate) fn with_spending(spending: Option<Spending>) = spending;
    }

    pub(crate) async fn run(mut self, input: Input) -> Result<End, Error> {
        let instructions = &self.agent.settings.instructions;
        self.instructions = SessionSource::fill_references(instructions, &self.context.session)
            .map_err(|source| error::no_session_value(&source.to_string()))?;
        match input {
            Input::Answers(answers) => {
                if let Some(error) = self.apply_answers(answers).await? {
                    let end = self.end(EndReason::Waiting, Some(error.to_string()), String::new());
                    self.record_end(&end).await;
                    return Ok(end);
                }
            }
            Input::Parts(parts) => {
                let (wire, n_before) = (self.transcript.wire, self.transcript.messages.len());
                self.add_user_message(user_message(wire, &parts, n_before)?);
            }
            Input::Text(text) => {
                self.add_user_message(self.transcript.wire.user_text_message(&text));
            }
        }
        loop {
            let end = if self.transcript.open.is_some() {
                self.run_calls().await
            } else {
                self.run_round().await
            };
            if let Some(end) = end {
                self.record_end(&end).await;
                return Ok(end);
            }
        }
    }

    /// Adds what the user says, in place of answers to calls that wait.
    fn add_user_message(&mut self, message: Value) {
        self.transcript.skip_open_calls();
        self.transcript.close_open_calls();
        self.before_input = Some(self.transcript.messages.len());
        self.is_first = true;
        self.transcript.messages.push(message.into());
        self.mark_begun();
    }

    /// Notes that the input fits, and that something is about to be done.
    fn mark_begun(&mut self) {
        self.is_begun = true;
        self.context.show_event(TurnEvent::Begun);
    }

    fn is_cancelled(&self) -> bool {
        self.context.stop.is_stopped()
    }

    /// Asks the model once more, without tools, because of a limit or a repetition.
    fn schedule_last_reply(&mut self, reason: EndReason, detail: impl Into<String>) {
        if self.closing.is_none() {
            self.closing = Some(Closing { reason, detail: detail.into(), is_said: false });
        }
    }

    fn check_limits(&mut self) {
        let limits = self.agent.settings.limits;
        if self.n_rounds >= limits.rounds {
            self.schedule_last_reply(
                EndReason::Limit,
                format!("The {} rounds of this turn are used up.", limits.rounds),
            );
        } else if self.usage.total() >= limits.tokens {
            self.schedule_last_reply(
                EndReason::Limit,
                format!("The {} tokens of this turn are used up.", limits.tokens),
            );
        } else if Instant::now() >= self.deadline {
            let seconds = limits.time.as_secs();
            self.schedule_last_reply(
                EndReason::Limit,
                format!("The {seconds} seconds of this turn are over."),
            );
        }
    }

    async fn keep_transcript(&mut self) -> Result<(), Error> {
        self.context.keep_transcript(self.transcript)?;
        match &mut self.keeper {
            Some(keeper) => keeper.keep(self.transcript).await,
            None => Ok(()),
        }
    }

    /// The end of the turn for a reason.
    fn end(&self, reason: EndReason, detail: Option<String>, text: String) -> End {
        End {
            turn: self.id.to_string(),
            reason,
            detail,
            text,
            n_rounds: self.n_rounds,
            n_calls: self.n_calls,
            usage: self.usage,
            is_estimated: self.is_estimated,
            retry_after: self.retry_after,
            pending: self.usable_pending_calls(),
            is_taken_back: self.before_input.is_some(),
        }
    }

    /// The end of a turn without words of the model. If the model has not replied at all, the input is taken out again, so
    /// that it can be sent once more.
    fn end_early(&mut self, reason: EndReason, detail: impl Into<String>) -> End {
        self.transcript.close_open_calls();
        if let Some(n_before) = self.before_input {
            self.transcript.messages.truncate(n_before);
        }
        self.end(reason, Some(detail.into()), String::new())
    }

    /// The calls that wait, of tools that the caller may use.
    fn usable_pending_calls(&self) -> Vec<PendingCall> {
        let mut pending = self.transcript.pending_calls();
        pending.retain(|call| self.offered.find_offered(&call.tool).is_some());
        pending
    }

    fn current_round(&self) -> Round {
        Round { n_rounds: self.n_rounds, n_calls: self.n_calls, usage: self.usage }
    }

    fn end_as_cancelled(&mut self) -> End {
        self.end_early(EndReason::Cancelled, "the turn was cancelled")
    }
}
