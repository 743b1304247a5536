//! The client's answers to calls of a turn. Each goes through the executor, as a tool's result does.

use callgate_call::wording;
use callgate_config::Built;
use callgate_executor::{Call, ClientAnswer};
use callgate_tool::{Fault, Outcome, Session, ToolCall};

use super::{
    Run,
    inputs::ToolResponse,
    judged,
    turn::{Fate, PendingCall, Turn},
    unexpected,
    written::{failed, response_of},
};
use crate::problem::Problem;

impl Run {
    /// Ends calls of a turn with the client's answers.
    pub(super) async fn taken(
        &self,
        built: &Built,
        session: &Session,
        turn: &mut Turn,
        answers: impl Iterator<Item = (usize, &ToolResponse)>,
    ) -> Result<(), Problem> {
        let asked = turn.clone();
        for (place, response) in answers {
            let Some(call) = turn.calls.get_mut(place) else { continue };
            if let Err(fault) = self.settled(built, session, call, response).await {
                let problem = unexpected(&response.id, &fault);
                return Err(judged::with_pending(problem, Some(&asked)));
            }
        }
        Ok(())
    }

    /// Ends one call with the client's answer.
    async fn settled(
        &self,
        built: &Built,
        session: &Session,
        kept: &mut PendingCall,
        response: &ToolResponse,
    ) -> Result<(), Box<Fault>> {
        let asked = ToolCall::new(&*kept.id, &*kept.tool, kept.arguments.clone());
        let mut call = Call::new(&asked, session);
        if let Some(principal) = &self.caller.principal {
            call = call.with_principal(principal.clone());
        }
        let answer: ClientAnswer = response.answer.clone();
        let mut result = if self.is_there(built, &kept.tool) {
            built.executor.resume(call, answer).await?
        } else {
            failed(kept, wording::client::tool_removed(&kept.tool))
        };
        if let Outcome::Answered(answered) = &mut result.outcome {
            answered.status = answered.status.or(response.status);
        }
        let id = Some(response.id.clone());
        kept.fate = Fate::Ended(response_of(kept, &result), id);
        Ok(())
    }
}
