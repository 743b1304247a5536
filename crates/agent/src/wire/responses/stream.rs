//! OpenAI Responses: the last event has the whole response. Servers that resemble OpenAI's leave its items out there; those of
//! the events before count then, which `items` keeps.

mod items;

use callgate_tool::Value;
use serde::Deserialize;
use serde_json::value::RawValue;

use self::items::Items;
use crate::wire::{
    fault::{ReplyFault, provider_fault, take_error},
    stream::{EventParts, Events, unreadable_event},
};

#[derive(Debug, Default)]
pub(super) struct PartialReply {
    items: Items,
    whole: Option<String>,
}

#[derive(Deserialize)]
struct Event<'r> {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(borrow, default)]
    response: Option<&'r RawValue>,
    #[serde(borrow, default)]
    error: Option<&'r RawValue>,
}

impl EventParts for PartialReply {
    fn add_event(&mut self, data: &str) -> Result<String, ReplyFault> {
        let event: Event<'_> = serde_json::from_str(data).map_err(unreadable_event)?;
        if let Some(error) = event.error {
            return Err(provider_fault(Value::parse(error.get()).map_err(unreadable_event)?));
        }
        match &*event.kind {
            "response.completed" | "response.done" | "response.failed" | "response.incomplete" => {
                if event.kind == "response.failed" {
                    check_for_error(event.response.map_or("{}", RawValue::get))?;
                }
                self.whole = Some(event.response.map_or("{}", RawValue::get).to_owned());
                Ok(String::new())
            }
            "error" => Err(provider_fault(Value::parse(data).map_err(unreadable_event)?)),
            kind if Items::are_in_event(kind) => {
                let event = Value::parse(data).map_err(unreadable_event)?;
                Ok(self.items.add_event(kind, event))
            }
            kind if kind.starts_with("response.") => Ok(String::new()),
            _ => check_for_bare_error(data),
        }
    }

    fn finished_reply_body(self, _events: &Events) -> Option<String> {
        let whole = self.whole?;
        let Ok(Value::Object(mut response)) = Value::parse(&whole) else { return Some(whole) };
        let none = Vec::new();
        let output = response.get("output").and_then(Value::as_array).unwrap_or(&none);
        let items = self.items.into_values();
        let is_left_out = response.get("output").is_none_or(Value::is_null)
            || (output.is_empty() && !items.is_empty())
            || items::count_calls_and_arguments(output) < items::count_calls_and_arguments(&items);
        if !is_left_out {
            return Some(whole);
        }
        response.insert("output", Value::Array(items));
        Some(Value::Object(response).to_string())
    }
}

/// An event of no response may be an error of the server or of a proxy, in the form that bodies have.
fn check_for_bare_error(data: &str) -> Result<String, ReplyFault> {
    let mut event = Value::parse(data).map_err(unreadable_event)?;
    match take_error(&mut event) {
        Some(error) => Err(provider_fault(error)),
        None => Ok(String::new()),
    }
}

/// The `error` of a response is the fault of its stream.
fn check_for_error(text: &str) -> Result<(), ReplyFault> {
    let mut object = Value::parse(text).map_err(unreadable_event)?;
    match object.get_mut("error").filter(|error| !error.is_null()) {
        Some(error) => Err(provider_fault(error.take())),
        None => Ok(()),
    }
}
