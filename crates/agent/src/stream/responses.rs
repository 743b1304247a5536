//! OpenAI Responses: the last event has the whole response.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::unreadable;

#[derive(Debug, Default)]
pub(crate) struct Parts(Option<String>);

#[derive(Deserialize)]
struct Event<'r> {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(borrow, default)]
    response: Option<&'r RawValue>,
    #[serde(default)]
    delta: Option<serde_json::Value>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    message: String,
}

impl Parts {
    pub(super) fn add(&mut self, data: &str) -> Result<String, String> {
        let event: Event<'_> = serde_json::from_str(data).map_err(unreadable)?;
        match &*event.kind {
            "response.completed" | "response.failed" | "response.incomplete" => {
                self.0 = event.response.map(|response| response.get().to_owned());
                Ok(String::new())
            }
            "response.output_text.delta" => {
                let delta = event.delta.as_ref().and_then(serde_json::Value::as_str);
                Ok(delta.unwrap_or_default().to_owned())
            }
            "error" => {
                let said = event.error.map(|error| error.message).or(event.message);
                Err(format!("the model failed: {}", said.unwrap_or_default()))
            }
            _ => Ok(String::new()),
        }
    }

    pub(super) fn body(self) -> Option<String> {
        self.0
    }
}
