//! Gemini: each event is a response with some of the parts, which `parts` keeps.

mod argument_path;
mod parts;

use callgate_tool::Value;
use serde::Deserialize;
use serde_json::value::RawValue;

use self::parts::Parts;
use crate::wire::{
    fault::{ReplyFault, provider_fault},
    stream::{EventParts, Events, unreadable_event},
};

#[derive(Debug, Default)]
pub(super) struct PartialReply {
    parts: Parts,
    finish: Option<String>,
    finish_message: Option<String>,
    usage: Option<String>,
    feedback: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'r> {
    #[serde(borrow, default)]
    candidates: Option<Vec<Candidate<'r>>>,
    #[serde(borrow, default)]
    usage_metadata: Option<&'r RawValue>,
    #[serde(borrow, default)]
    prompt_feedback: Option<&'r RawValue>,
    #[serde(borrow, default)]
    error: Option<&'r RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'r> {
    #[serde(borrow, default)]
    content: Option<Content<'r>>,
    #[serde(borrow, default)]
    finish_reason: Option<&'r RawValue>,
    #[serde(borrow, default)]
    finish_message: Option<&'r RawValue>,
    #[serde(default)]
    index: Option<u64>,
}

#[derive(Deserialize)]
struct Content<'r> {
    #[serde(borrow, default)]
    parts: Option<Vec<&'r RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'r> {
    text: Option<String>,
    thought: Option<bool>,
    #[serde(borrow, alias = "function_call", rename = "functionCall")]
    call: Option<&'r RawValue>,
}

impl EventParts for PartialReply {
    fn add_event(&mut self, data: &str) -> Result<String, ReplyFault> {
        let event: Event<'_> = serde_json::from_str(data).map_err(unreadable_event)?;
        if let Some(error) = event.error {
            return Err(provider_fault(Value::parse(error.get()).map_err(unreadable_event)?));
        }
        let own = |raw: &RawValue| raw.get().to_owned();
        self.usage = event.usage_metadata.map(own).or_else(|| self.usage.take());
        self.feedback = event.prompt_feedback.map(own).or_else(|| self.feedback.take());
        let mut candidates = event.candidates.into_iter().flatten();
        let Some(first) = candidates.find(|it| it.index.unwrap_or_default() == 0) else {
            return Ok(String::new());
        };
        self.finish = first.finish_reason.map(own).or_else(|| self.finish.take());
        self.finish_message = first.finish_message.map(own).or_else(|| self.finish_message.take());
        let mut said = String::new();
        let parts = first.content.and_then(|content| content.parts).unwrap_or_default();
        for part in parts {
            let Part { text, thought, call } =
                serde_json::from_str(part.get()).map_err(unreadable_event)?;
            if thought != Some(true) {
                said += &text.unwrap_or_default();
            }
            match call {
                Some(_) => self.parts.add_call(part.get())?,
                None => self.parts.add_text_part(part.get()),
            }
        }
        Ok(said)
    }

    fn finished_reply_body(self, _events: &Events) -> Option<String> {
        let Some(finish) = self.finish else {
            // A prompt that was blocked has no candidates.
            return self.feedback.map(|feedback| format!(r#"{{"promptFeedback":{feedback}}}"#));
        };
        // A call that was to continue is none, unless the reply was cut, which is said of it.
        if !self.parts.are_whole() && matches!(&*finish, STOP | UNSPECIFIED) {
            return None;
        }
        let parts = self.parts.into_list();
        let said = self.finish_message.map(|said| format!(r#","finishMessage":{said}"#));
        let usage = self.usage.map(|usage| format!(r#","usageMetadata":{usage}"#));
        Some(format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":{parts}}},"finishReason":{finish}{}}}]{}}}"#,
            said.unwrap_or_default(),
            usage.unwrap_or_default()
        ))
    }
}

/// The reasons of a reply that is whole.
const STOP: &str = r#""STOP""#;
const UNSPECIFIED: &str = r#""FINISH_REASON_UNSPECIFIED""#;
