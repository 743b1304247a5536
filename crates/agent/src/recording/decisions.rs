//! Decisions of others than the caller, of whom a replay has none: what they decided stands as the decision of the turn.

use callgate_executor::Decision;
use callgate_tool::{Approvers, Event, FaultCode, Outcome, ToolResult};

use crate::{
    end::End,
    input::{Answer, Given, Input},
};

/// The input with the decisions that held: others may have rejected a call with which the caller went on.
///
/// # Errors
/// The error says which call a replay would wait for.
pub(super) fn decided_input(
    mut input: Input,
    end: &End,
    results: &[ToolResult],
) -> Result<Input, String> {
    let answers = match &mut input {
        Input::Answers(answers) => answers.as_mut_slice(),
        Input::Parts(_) | Input::Text(_) => &mut [],
    };
    for Answer { call, given } in answers.iter_mut() {
        let Given::Decision(decision) = given else { continue };
        let waits = end.pending.iter().find(|pending| pending.id == *call);
        if waits.is_some_and(|pending| pending.approvers == Approvers::Others) {
            return Err(format!(
                "nobody else has decided about `{call}`: the turn that goes on after the decision is one"
            ));
        }
        if results.iter().any(|result| result.id == *call && is_rejected(result)) {
            *decision = Decision::Reject;
        }
    }
    let is_answered = |result: &&ToolResult| answers.iter().any(|it| it.call == result.id);
    let is_approved = |result: &ToolResult| result.journal.events().contains(&Event::Approved);
    let mut others = results.iter().filter(|result| !is_answered(result));
    match others.find(|result| is_rejected(result) || is_approved(result)) {
        Some(ToolResult { tool, .. }) => Err(format!(
            "somebody had decided about an equal call of `{tool}` before, and in a replay nobody has"
        )),
        None => Ok(input),
    }
}

fn is_rejected(result: &ToolResult) -> bool {
    matches!(&result.outcome, Outcome::Failed(fault) if fault.code == FaultCode::Rejected)
}
