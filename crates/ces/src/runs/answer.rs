//! The client's answers to calls of a turn. Each goes through the executor, as a tool's result does.

use callgate_executor::Call;
use callgate_gateway::{Problem, ProblemKind};
use callgate_tool::{Fault, Outcome, Session, ToolCall};

use super::{
    Run, client_answers,
    inputs::ToolResponse,
    outputs::dialect_response,
    turn::{CallState, PendingCall, WaitingTurn},
};

impl Run {
    /// Ends calls of a turn with the client's answers, each with its call's position.
    pub(super) async fn end_calls(
        &self,
        session: &Session,
        turn: &mut WaitingTurn,
        answers: impl Iterator<Item = (usize, &ToolResponse)>,
    ) -> Result<(), Problem> {
        let before = turn.clone();
        for (position, response) in answers {
            let Some(call) = turn.calls.get_mut(position) else { continue };
            if let Err(fault) = self.end_call(session, call, response).await {
                let detail = format!("`{}`: {}", response.id, fault.message);
                let problem = Problem::new(UNEXPECTED_OUTPUT, detail);
                return Err(client_answers::with_waiting_calls(problem, Some(&before)));
            }
        }
        Ok(())
    }

    async fn end_call(
        &self,
        session: &Session,
        pending: &mut PendingCall,
        response: &ToolResponse,
    ) -> Result<(), Box<Fault>> {
        let requested = ToolCall::new(&*pending.id, &*pending.tool, pending.arguments.clone());
        let mut call = Call::of_caller(&requested, session, self.request.rights());
        if let Some(principal) = self.request.principal() {
            call = call.with_principal(principal.clone());
        }
        let executor = &self.request.served_build().executor;
        let mut result = executor.resume(call, response.answer.clone()).await?;
        if let Outcome::Answered(answered) = &mut result.outcome {
            answered.status = answered.status.or(response.status);
        }
        pending.state =
            CallState::Ended(dialect_response(pending, &result), Some(response.id.clone()));
        Ok(())
    }
}

const UNEXPECTED_OUTPUT: ProblemKind =
    ProblemKind::new("unexpected-output", 422, "The answer is not what the tool answers");
