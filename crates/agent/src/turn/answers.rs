//! Answers to calls that wait. All of them are checked before anything is done.

use callgate_executor::{ClientAnswer, Decided, Decision, Resumption};
use callgate_tool::{Fault, FaultCode, Journal, Outcome, PendingKind, ToolCall, ToolResult, Value};

use super::RunningTurn;
use crate::{
    error::{self, Error},
    input::{Answer, Given},
    transcript::{CallState, Waiting},
};

/// An answer that fits its call.
enum Fitting {
    /// The call is made, or not, as a person decided about this approval.
    Decided(String, Decision),
    /// The call has this result.
    Result(ToolResult),
    /// The call runs a program, one of whose calls waits for this answer of the client.
    Resumed(Box<Resumption>),
}

impl RunningTurn<'_> {
    /// Gives calls their answers, and makes those that were approved, in the order of their message. Returns the failure that
    /// left calls waiting after others got theirs: the caller has to know what was done.
    pub(super) async fn apply_answers(
        &mut self,
        answers: Vec<Answer>,
    ) -> Result<Option<Error>, Error> {
        if !self.transcript.is_waiting() {
            return Err(error::nothing_waits());
        }
        let (mut fitting, mut answered) = (Vec::with_capacity(answers.len()), Vec::new());
        for answer in answers {
            let fits = self.check_answer(answer, &answered).await?;
            answered.push(fits.0);
            fitting.push(fits);
        }
        fitting.sort_by_key(|(at, ..)| *at);
        self.mark_begun();
        for (n_done, (at, call, answer)) in fitting.into_iter().enumerate() {
            let done = match answer {
                Fitting::Result(result) => {
                    self.note_result(at, &call, result).await;
                    Ok(())
                }
                Fitting::Resumed(resumption) => self.resume_program(at, &call, *resumption).await,
                Fitting::Decided(approval, decision) => {
                    self.run_decided_call(at, &call, Decided::new(approval, decision)).await
                }
            };
            match done {
                Ok(()) => {}
                Err(error) if n_done > 0 => return Ok(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The call of an answer, which is none of those that have one.
    async fn check_answer(
        &self,
        answer: Answer,
        answered: &[usize],
    ) -> Result<(usize, ToolCall, Fitting), Error> {
        let Answer { call: id, given } = answer;
        let open = self.transcript.open.as_ref().ok_or_else(error::nothing_waits)?;
        let waiting_call =
            open.find_waiting_call(&id, answered).ok_or_else(|| error::no_such_call(&id))?;
        let (at, call, waiting) = (waiting_call.0, waiting_call.1.clone(), waiting_call.2.clone());
        let fitting = match (waiting, given) {
            (Waiting::Pending(pending), Given::Decision(decision))
                if pending.kind == PendingKind::Approval =>
            {
                Fitting::Decided(pending.id.clone(), decision)
            }
            (Waiting::Pending(pending), Given::Output(_) | Given::Failed(_))
                if pending.kind == PendingKind::Approval =>
            {
                return Err(error::wrong_answer(
                    &id,
                    "expected `approve` or `reject`, because it waits for an approval",
                ));
            }
            (_, Given::Decision(_)) => {
                return Err(error::wrong_answer(
                    &id,
                    "expected its result, because it waits for no approval",
                ));
            }
            (Waiting::Pending(pending), given) if pending.is_of_program() => {
                let (pending, answer) = (pending.id.clone(), Some(client_answer(given)));
                Fitting::Resumed(Box::new(Resumption { pending, decided: None, answer }))
            }
            (Waiting::Pending(_), given) => {
                Fitting::Result(self.resume_with_answer(&call, given).await?)
            }
            (Waiting::Result, Given::Failed(said)) => {
                let fault = callgate_call::wording::client::failed_call(said);
                Fitting::Result(tool_result(&call, Outcome::Failed(fault)))
            }
            (Waiting::Result, Given::Output(output)) => {
                Fitting::Result(tool_result(&call, Outcome::from(output)))
            }
        };
        Ok((at, call, fitting))
    }

    async fn resume_with_answer(&self, call: &ToolCall, given: Given) -> Result<ToolResult, Error> {
        let caller = self.caller();
        let resumed = caller.executor.resume(caller.call(call), client_answer(given)).await;
        resumed.map_err(|fault| error::wrong_answer(&call.id, &fault.message))
    }

    /// Goes on with the program of a call, one of whose calls the client has run.
    async fn resume_program(
        &mut self,
        at: usize,
        call: &ToolCall,
        resumption: Resumption,
    ) -> Result<(), Error> {
        let before = self.transcript.open.clone();
        if let Some(open) = &mut self.transcript.open {
            open.set_state(at, CallState::Begun);
        }
        if let Err(error) = self.keep_transcript().await {
            self.transcript.open = before;
            return Err(error);
        }
        let caller = self.caller();
        let made = caller.call(call).with_extension(resumption);
        let result = caller.executor.call_with(made).await;
        if let Outcome::Failed(fault) = &result.outcome
            && is_program_still_waiting(fault)
        {
            self.transcript.open = before;
            self.keep_transcript().await?;
            return Err(error::wrong_answer(&call.id, &fault.message));
        }
        self.note_result(at, call, result).await;
        Ok(())
    }

    /// Makes a call about which a person decided.
    async fn run_decided_call(
        &mut self,
        at: usize,
        call: &ToolCall,
        decided: Decided,
    ) -> Result<(), Error> {
        let caller = self.caller();
        let decided = match self.context.principal() {
            Some(principal) => decided.by(principal),
            None => decided,
        };
        let before = self.transcript.open.clone();
        let is_of_program = before.as_ref().is_some_and(|open| open.needs_program_approval(at));
        let waiting_program = is_of_program.then(|| decided.approval.clone());
        if let Some(open) = &mut self.transcript.open {
            open.set_state(at, CallState::Begun);
        }
        if let Err(error) = self.keep_transcript().await {
            self.transcript.open = before;
            return Err(error);
        }
        let made = caller.call(call).with_decided(decided);
        let mut result = caller.executor.call_with(made).await;
        if is_undecided(&result) {
            // The approval has expired, its process has ended, or somebody else has to decide: nothing was sent, and the call
            // waits again. A program that is still kept waits under its id: it does not begin again.
            let again = match &waiting_program {
                Some(approval) => caller.call(call).with_approval(approval.as_str()),
                None => caller.call(call),
            };
            result = caller.executor.call_with(again).await;
        }
        self.note_result(at, call, result).await;
        Ok(())
    }
}

/// True if a program still waits for an answer: one that fits, or again once it can be kept.
fn is_program_still_waiting(fault: &Fault) -> bool {
    !matches!(fault.code, FaultCode::OutcomeUnknown | FaultCode::UnknownApproval)
}

fn client_answer(given: Given) -> ClientAnswer {
    match given {
        Given::Failed(said) => ClientAnswer::Failed(said),
        Given::Output(output) => ClientAnswer::Output(output),
        Given::Decision(_) => ClientAnswer::Failed(Value::Null),
    }
}

/// True if the decision does not count for the call.
fn is_undecided(result: &ToolResult) -> bool {
    let Outcome::Failed(fault) = &result.outcome else { return false };
    matches!(fault.code, FaultCode::NeedsApproval | FaultCode::UnknownApproval)
}

fn tool_result(call: &ToolCall, outcome: Outcome) -> ToolResult {
    let (id, tool, journal) = (call.id.clone(), call.tool.clone(), Journal::default());
    ToolResult { id, tool, outcome, journal }
}
