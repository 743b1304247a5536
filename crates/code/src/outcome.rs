//! The result of a call as the code gets it, and as the result of the program lists it.

use callgate_tool::{Content, Fault, Json, Object, Outcome, Reached, ToolResult, Value, json};

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
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Ended {
    Answered,
    /// It failed, with the code of the fault and how far it got.
    Failed(String, Reached),
    /// The program ended first: the call may have been executed.
    Left,
    /// The program ended while the call waited for a person.
    Waits,
}

impl CallRecord {
    pub(crate) fn to_value(&self) -> Value {
        let mut members = Object::from([("tool", self.tool.as_str().into())]);
        if let Value::Object(ended) = self.ended.to_value() {
            members.extend(ended);
        }
        if !self.notes.is_empty() {
            members.insert("notes", json!(self.notes));
        }
        Value::Object(members)
    }
}

impl Ended {
    /// The end of a call that reaches no tool.
    pub(crate) fn unsent_failure_from(raised: &Raised) -> Self {
        let code = raised.fault.get("code").and_then(Value::as_str);
        Self::unsent(code.unwrap_or_default())
    }

    /// The end of a call that is not sent, for the reason of this code.
    pub(crate) fn unsent(code: &str) -> Self {
        Self::Failed(code.to_owned(), Reached::No)
    }

    /// True if the call may have reached its tool.
    pub(crate) fn may_have_reached(&self) -> bool {
        match self {
            Self::Answered | Self::Left => true,
            Self::Failed(_, reached) => *reached != Reached::No,
            Self::Waits => false,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        let members = match self {
            Self::Answered => vec![("ended", "answered".into())],
            Self::Failed(code, reached) => vec![
                ("ended", "failed".into()),
                ("code", code.as_str().into()),
                ("reached", reached.as_str().into()),
            ],
            Self::Left => vec![("ended", "left".into()), ("reached", "maybe".into())],
            Self::Waits => vec![("ended", "waits".into()), ("reached", "no".into())],
        };
        Value::Object(members.into_iter().collect())
    }

    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        match value["ended"].as_str()? {
            "answered" => Some(Self::Answered),
            "failed" => {
                let reached = Reached::from_name(value["reached"].as_str()?)?;
                Some(Self::Failed(value["code"].as_str()?.to_owned(), reached))
            }
            "left" => Some(Self::Left),
            "waits" => Some(Self::Waits),
            _ => None,
        }
    }
}
/// The value of a call for the code, or the exception, and how the call ended.
pub(crate) fn value_or_exception(result: &ToolResult) -> (Result<Value, Raised>, Ended) {
    match &result.outcome {
        Outcome::Answered(answer) => {
            let value = match &answer.content {
                Content::Empty => Value::Null,
                Content::Json(json) => json.value().clone(),
                Content::Text { text, .. } => Value::from(text.as_str()),
                Content::File { .. } | Content::Media { .. } | Content::Parts(_) => {
                    without_id_and_tool(result)
                }
            };
            (Ok(value), Ended::Answered)
        }
        Outcome::Failed(fault) => {
            let ended = Ended::Failed(fault.code.as_str().to_owned(), fault.reached);
            (Err(raised_fault(fault)), ended)
        }
        Outcome::Pending(_) | Outcome::Planned(_) => {
            let fault = callgate_call::wording::approval::asked_by_code();
            let ended = Ended::Failed(fault.code.as_str().to_owned(), fault.reached);
            (Err(raised_fault(&fault)), ended)
        }
    }
}

/// The result of a call that is no JSON and no text, as its callers see it: a handle, a name, a size.
fn without_id_and_tool(result: &ToolResult) -> Value {
    let mut value = Json::from_serializable(result).into_value();
    if let Value::Object(members) = &mut value {
        members.retain(|name, _| !matches!(name.as_str(), "id" | "tool"));
    }
    value
}

pub(crate) fn raised_fault(fault: &Fault) -> Raised {
    let text = format!("{}: {}", fault.code.as_str(), fault.message);
    Raised { text, fault: Json::from_serializable(fault).into_value() }
}

/// An exception of a call that reaches no tool.
pub(crate) fn call_exception(code: &str, message: &str) -> Raised {
    let fault = json!({"code": code, "message": message, "reached": "no"});
    Raised { text: format!("{code}: {message}"), fault }
}

/// The exception and the end of a write that an interrupted program had begun.
pub(crate) fn interrupted_call_exception() -> (Raised, Ended) {
    let fault = callgate_call::wording::code::interrupted_call();
    let ended = Ended::Failed(fault.code.as_str().to_owned(), fault.reached);
    (raised_fault(&fault), ended)
}
