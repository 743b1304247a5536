//! The result of a call as the code gets it, and as the result of the program lists it.

use callgate_tool::{Content, Fault, Json, Object, Outcome, ToolResult, Value, json};

use crate::message::Raised;

/// A call of a program, as its result lists it.
#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    pub(crate) tool: String,
    pub(crate) ended: Ended,
    /// The facts that the caller has to know of the request.
    pub(crate) notes: Vec<String>,
}

/// The end of a call.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    Answered,
    /// It failed, with the code of the fault and how far it got.
    Failed(&'static str, &'static str),
    /// The program ended first: the call may have been executed.
    Left,
}

impl CallRecord {
    pub(crate) fn to_value(&self) -> Value {
        let ended = match self.ended {
            Ended::Answered => ("answered", None),
            Ended::Failed(code, reached) => ("failed", Some((Some(code), reached))),
            Ended::Left => ("left", Some((None, "maybe"))),
        };
        let (ended, failure) = ended;
        let mut members =
            Object::from([("tool", self.tool.as_str().into()), ("ended", ended.into())]);
        if let Some((code, reached)) = failure {
            if let Some(code) = code {
                members.insert("code", code.into());
            }
            members.insert("reached", reached.into());
        }
        if !self.notes.is_empty() {
            members.insert("notes", json!(self.notes));
        }
        Value::Object(members)
    }
}

/// The value of a call for the code, or the exception, and how the call ended.
pub(crate) fn code_value(result: &ToolResult) -> (Result<Value, Raised>, Ended) {
    match &result.outcome {
        Outcome::Answered(answer) => {
            let value = match &answer.content {
                Content::Empty => Value::Null,
                Content::Json(json) => json.value().clone(),
                Content::Text { text, .. } => Value::from(text.as_str()),
                Content::File { .. } | Content::Media { .. } | Content::Parts(_) => {
                    without_names(result)
                }
            };
            (Ok(value), Ended::Answered)
        }
        Outcome::Failed(fault) => {
            let ended = Ended::Failed(fault.code.as_str(), fault.reached.as_str());
            (Err(raised_fault(fault)), ended)
        }
        Outcome::Pending(_) | Outcome::Planned(_) => {
            let fault = callgate_call::wording::approval::asked_by_code();
            let ended = Ended::Failed(fault.code.as_str(), fault.reached.as_str());
            (Err(raised_fault(&fault)), ended)
        }
    }
}

/// The result of a call that is no JSON and no text, as its callers see it: a handle, a name, a size.
fn without_names(result: &ToolResult) -> Value {
    let mut value = Json::from_serializable(result).into_value();
    if let Value::Object(members) = &mut value {
        members.retain(|name, _| !matches!(name.as_str(), "id" | "tool"));
    }
    value
}

fn raised_fault(fault: &Fault) -> Raised {
    let text = format!("{}: {}", fault.code.as_str(), fault.message);
    Raised { text, fault: Json::from_serializable(fault).into_value() }
}

/// An exception of a call that reaches no tool.
pub(crate) fn raised(code: &str, message: &str) -> Raised {
    let fault = json!({"code": code, "message": message, "reached": "no"});
    Raised { text: format!("{code}: {message}"), fault }
}
