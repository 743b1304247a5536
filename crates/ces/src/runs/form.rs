//! The format of a request and of its response: that of Customer Engagement Suite, or that of Dialogflow CX, whose calls
//! have no id.

use callgate_dialect::Dialect;
use callgate_tool::{Object, Value, json};

/// The product whose format a request has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum RequestForm {
    /// Customer Engagement Suite: `inputs` and `outputs`.
    Ces,
    /// Dialogflow CX: `queryInput` and `queryResult`.
    Dialogflow,
}

pub(crate) fn is_of_dialogflow(body: &Value) -> bool {
    let names = ["queryInput", "query_input", "queryResult", "query_result"];
    names.iter().any(|name| body.get(name).is_some())
}

impl RequestForm {
    pub(super) fn from_body(body: &Value) -> Self {
        if is_of_dialogflow(body) { Self::Dialogflow } else { Self::Ces }
    }

    pub(super) fn dialect(self) -> Dialect {
        match self {
            Self::Ces => Dialect::Ces,
            Self::Dialogflow => Dialect::Dialogflow,
        }
    }

    pub(super) fn calls_message(self, calls: &[Value]) -> Value {
        match self {
            Self::Ces => json!({"toolCalls": {"toolCalls": calls}}),
            Self::Dialogflow => calls.iter().map(|call| json!({"toolCall": call})).collect(),
        }
    }

    /// The responses in messages of the dialect, one for each call, with the members that name the call.
    pub(super) fn tool_responses(self, messages: Vec<Value>) -> Vec<Value> {
        let listed = |message: Value| match self {
            Self::Ces => message.pointer("/toolResponses/toolResponses")?.as_array().cloned(),
            Self::Dialogflow => Some(vec![message.get("toolCallResult")?.clone()]),
        };
        messages.into_iter().filter_map(listed).flatten().collect()
    }

    /// The response body. Outputs in the other format, from a turn that was given up, go under `outputs`.
    pub(super) fn response_body(self, outputs: Vec<Value>) -> Value {
        if self == Self::Ces {
            return json!({"outputs": outputs});
        }
        let mut body = Object::new();
        let mut others = Vec::new();
        for output in outputs {
            match output {
                Value::Object(members) if !members.contains_key("turnIndex") => {
                    body.extend(members);
                }
                other => others.push(other),
            }
        }
        body.insert_unless_empty("outputs", others);
        Value::Object(body)
    }
}
