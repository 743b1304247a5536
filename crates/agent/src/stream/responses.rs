//! OpenAI Responses: the last event has the whole response.

use callgate_tool::Value;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{StreamFault, failed, unreadable};

#[derive(Debug, Default)]
pub(crate) struct Parts {
    whole: Option<String>,
}

#[derive(Deserialize)]
struct Event<'r> {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(borrow, default)]
    response: Option<&'r RawValue>,
    #[serde(default)]
    delta: Option<serde_json::Value>,
}

impl Parts {
    pub(super) fn add(&mut self, data: &str) -> Result<String, StreamFault> {
        let event: Event<'_> = serde_json::from_str(data).map_err(unreadable)?;
        match &*event.kind {
            "response.completed" | "response.failed" | "response.incomplete" => {
                if event.kind == "response.failed" {
                    failure_in(event.response.map_or(data, RawValue::get))?;
                }
                self.whole = event.response.map(|response| response.get().to_owned());
                Ok(String::new())
            }
            "response.output_text.delta" => {
                let delta = event.delta.as_ref().and_then(serde_json::Value::as_str);
                Ok(delta.unwrap_or_default().to_owned())
            }
            "error" => {
                failure_in(data)?;
                Err(failed(Value::parse(data).map_err(unreadable)?))
            }
            _ => Ok(String::new()),
        }
    }

    pub(super) fn body(self) -> Option<String> {
        self.whole
    }
}

/// The `error` of an object is the fault of its stream.
fn failure_in(text: &str) -> Result<(), StreamFault> {
    let mut object = Value::parse(text).map_err(unreadable)?;
    match object.get_mut("error").filter(|error| !error.is_null()) {
        Some(error) => Err(failed(error.take())),
        None => Ok(()),
    }
}
