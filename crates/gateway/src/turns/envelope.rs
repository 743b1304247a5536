//! The body of a turn: words and files of the user, or answers to the calls that wait. Unknown keys are refused, never dropped.

use callgate_agent::{Answer, Given, Input};
use callgate_call::StoredResults;
use callgate_executor::Decision;
use callgate_tool::Value;
use serde::Deserialize;

use super::UNFIT_INPUT;
use crate::{problem::Problem, sessions::SessionInput};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct TurnForm {
    #[serde(default)]
    pub(super) session: SessionInput,
    #[serde(default)]
    pub(super) input: Option<Value>,
    #[serde(default)]
    tool_results: Vec<ResultForm>,
    #[serde(default)]
    approvals: Vec<ApprovalForm>,
    /// A conversation of another program. Its messages are text: no call in it is made.
    #[serde(default)]
    pub(super) transcript: Option<Vec<Value>>,
    /// True if the turn is to be recorded as a fixture.
    #[serde(default)]
    pub(super) record: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultForm {
    id: String,
    #[serde(default)]
    output: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalForm {
    id: String,
    decision: String,
}

impl TurnForm {
    /// True if the turn answers calls that wait.
    pub(super) fn is_answer_to_calls(&self) -> bool {
        self.input.is_none()
    }

    /// The input of the turn. Its handles name files of `kept`.
    pub(super) fn input(&mut self, kept: StoredResults<'_>) -> Result<Input, Problem> {
        let mut answers = Vec::new();
        for ResultForm { id, output, error } in self.tool_results.drain(..) {
            let given = match (output, error) {
                (Some(output), None) => Given::Output(output),
                (None, Some(error)) => Given::Failed(error),
                _ => {
                    let detail = format!("`toolResults`: expected `output` or `error` for `{id}`");
                    return Err(Problem::malformed_body(detail));
                }
            };
            answers.push(Answer { call: id, given });
        }
        for ApprovalForm { id, decision } in self.approvals.drain(..) {
            let decision = Decision::from_text(&decision).ok_or_else(|| {
                let detail =
                    format!("`approvals`: expected `approve` or `reject`, got: `{decision}`");
                Problem::malformed_body(detail)
            })?;
            answers.push(Answer { call: id, given: Given::Decision(decision) });
        }
        match (self.input.take(), answers.is_empty()) {
            (Some(input), true) => Input::from_value(&input, kept).map_err(|error| match input {
                Value::Array(_) => Problem::new(UNFIT_INPUT, error.to_string()),
                _ => Problem::malformed_body(error.to_string()),
            }),
            (None, false) if self.transcript.is_none() => Ok(Input::Answers(answers)),
            (None, false) => {
                let detail =
                    "expected `input` with a `transcript`: no call in it waits for an answer";
                Err(Problem::malformed_body(detail))
            }
            _ => Err(Problem::malformed_body(
                "expected either `input`, or `toolResults` and `approvals` for calls that wait",
            )),
        }
    }
}
