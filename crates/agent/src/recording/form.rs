//! `turn.json`: the configuration, the agent and the inputs of a conversation, in the words of the sidecar's turns.

use std::path::PathBuf;

use callgate_call::StoredResults;
use callgate_executor::Decision;
use callgate_tool::Value;
use serde::{Deserialize, Serialize};

use crate::input::{Answer, Given, Input, InputPart};

/// The content of `turn.json`.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "the file has these members")]
pub struct TurnForm {
    /// The configuration, as a path from the folder of the fixture.
    pub configuration: PathBuf,
    /// The name of the agent.
    pub agent: String,
    /// The input of each turn.
    pub inputs: Vec<Input>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct TurnFile {
    configuration: PathBuf,
    agent: String,
    inputs: Vec<InputForm>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct InputForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_results: Vec<ResultForm>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    approvals: Vec<ApprovalForm>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ResultForm {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ApprovalForm {
    id: String,
    decision: String,
}

impl TurnForm {
    /// Reads the file.
    ///
    /// # Errors
    /// The error says which member is malformed.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let form: TurnFile = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let TurnFile { configuration, agent, inputs } = form;
        let inputs = inputs.into_iter().map(InputForm::into_input).collect::<Result<_, _>>()?;
        Ok(Self { configuration, agent, inputs })
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let inputs = self.inputs.iter().map(InputForm::from_input).collect();
        let Self { configuration, agent, .. } = self.clone();
        let text = serde_json::to_string_pretty(&TurnFile { configuration, agent, inputs });
        text.unwrap_or_default() + "\n"
    }
}

impl InputForm {
    fn from_input(input: &Input) -> Self {
        let mut form = Self::default();
        match input {
            Input::Text(text) => form.input = Some(text.as_str().into()),
            Input::Parts(parts) => {
                form.input = Some(parts.iter().map(InputPart::to_value).collect());
            }
            Input::Answers(answers) => {
                for Answer { call, given } in answers {
                    form.add_answer(call.clone(), given.clone());
                }
            }
        }
        form
    }

    fn add_answer(&mut self, id: String, given: Given) {
        match given {
            Given::Decision(Decision::Approve) => {
                self.approvals.push(ApprovalForm { id, decision: "approve".to_owned() });
            }
            Given::Decision(Decision::Reject) => {
                self.approvals.push(ApprovalForm { id, decision: "reject".to_owned() });
            }
            Given::Failed(error) => {
                self.tool_results.push(ResultForm { id, output: None, error: Some(error) });
            }
            Given::Output(output) => {
                self.tool_results.push(ResultForm { id, output: Some(output), error: None });
            }
        }
    }

    fn into_input(self) -> Result<Input, String> {
        let mut answers = Vec::new();
        for ResultForm { id, output, error } in self.tool_results {
            answers.push(Answer::new(
                id,
                match error {
                    Some(error) => Given::Failed(error),
                    None => Given::Output(output.unwrap_or_default()),
                },
            ));
        }
        for ApprovalForm { id, decision } in self.approvals {
            let read = Decision::from_text(&decision);
            let decision = read.ok_or_else(|| {
                format!("`approvals`: expected `approve` or `reject`, got: `{decision}`")
            })?;
            answers.push(Answer::new(id, Given::Decision(decision)));
        }
        match (self.input, answers.is_empty()) {
            (Some(input), true) => {
                Input::from_value(&input, StoredResults::NONE).map_err(|error| error.to_string())
            }
            (None, false) => Ok(Input::Answers(answers)),
            _ => {
                Err("`inputs`: expected `input`, or `toolResults` and `approvals`, in each of them"
                    .to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{StoredResult, json};

    use super::*;

    #[test]
    fn every_input_is_read_as_it_was_written() {
        let answer = |id: &str, given| Answer::new(id, given);
        let file = |media_type: &str, name: Option<&str>| {
            let file = StoredResult::new(media_type, vec![0x89, b'P', 0].into());
            file.with_filename(name.map(str::to_owned))
        };
        let inputs = vec![
            Input::text("One pizza."),
            Input::Parts(vec![
                InputPart::Text("What is this?".to_owned()),
                InputPart::File(file("image/png", Some("p.png"))),
                InputPart::File(file("", None)),
            ]),
            Input::Answers(vec![
                answer("a", Given::Output(json!({"n": 1}))),
                answer("b", Given::Failed(json!("no"))),
                answer("c", Given::Decision(Decision::Approve)),
                answer("d", Given::Decision(Decision::Reject)),
            ]),
        ];
        let form = TurnForm { configuration: "../c.yaml".into(), agent: "a".into(), inputs };
        let read = TurnForm::parse(form.to_text().as_bytes()).unwrap();
        assert_eq!((read.inputs, read.configuration), (form.inputs, form.configuration));
    }

    #[test]
    fn a_value_that_is_no_input_is_refused() {
        for inputs in [
            r"{}",
            r#"{"input": "a", "approvals": [{"id": "a", "decision": "approve"}]}"#,
            r#"{"approvals": [{"id": "a", "decision": "yes"}]}"#,
        ] {
            let text = format!(r#"{{"configuration": "c", "agent": "a", "inputs": [{inputs}]}}"#);
            assert!(TurnForm::parse(text.as_bytes()).unwrap_err().contains("expected"), "{inputs}");
        }
    }
}
