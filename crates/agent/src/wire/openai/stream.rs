//! OpenAI Chat Completions and the servers that resemble it: texts come in pieces, and so do calls, which `calls` puts
//! together. Members that are not known are kept: texts are joined, lists too.

mod calls;
mod details;
mod names;
mod object_end;

use std::collections::BTreeSet;

use callgate_tool::{Object, Value, json};

use self::{calls::Calls, names::DeclaredNames};
use crate::wire::{
    fault::{ReplyFault, provider_fault, take_error},
    stream::{EventParts, Events, unreadable_event},
};

#[derive(Debug, Default)]
pub(super) struct PartialReply {
    message: Object,
    calls: Calls,
    finish: Option<Value>,
    usage: Option<Value>,
    /// The members of which pieces have come: a whole message after them, as of `MiniMax`, says the same again.
    in_pieces: BTreeSet<String>,
}

impl EventParts for PartialReply {
    fn add_event(&mut self, data: &str) -> Result<String, ReplyFault> {
        let mut event = Value::parse(data).map_err(unreadable_event)?;
        if let Some(error) = take_error(&mut event) {
            return Err(provider_fault(error));
        }
        self.take_usage(&event);
        let choices = event.get_mut("choices").and_then(Value::as_array_mut);
        let mut words = String::new();
        // Nobody asks for several replies: further choices are parts of one.
        for choice in choices.into_iter().flatten() {
            words += &self.add_choice(choice)?;
        }
        Ok(words)
    }

    /// The body of the whole reply. A mark of the end stands for a reason that the server left out.
    fn finished_reply_body(mut self, events: &Events) -> Option<String> {
        // The calls that the reason promises may not have come, and without a reason nothing may have.
        let promises = self
            .finish
            .as_ref()
            .is_none_or(|finish| matches!(finish.as_str(), Some("function_call" | "tool_calls")));
        let finish = self.finish.or_else(|| events.is_done().then(|| "stop".into()))?;
        self.message.entry("role").or_insert("assistant".into());
        self.message.entry("content").or_insert(Value::Null);
        if let Some(collected) = self.message.get_mut(DETAILS).and_then(Value::as_array_mut) {
            details::remove_piece_numbers(collected);
        }
        let calls = self.calls.into_values();
        let says_nothing =
            self.message.get("content").is_none_or(|said| content_text(said).is_empty());
        if promises && calls.is_empty() && says_nothing {
            return None;
        }
        self.message.insert_unless_empty("tool_calls", calls);
        let message = Value::Object(self.message);
        let mut body = Object::new();
        body.insert("choices", json!([{"message": message, "finish_reason": finish}]));
        body.insert_if_some("usage", self.usage);
        Some(Value::Object(body).to_string())
    }
}

impl PartialReply {
    /// The reply to a request that declares tools of these names.
    pub(super) fn with_names<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let names: DeclaredNames = names.map(str::to_owned).collect();
        Self { calls: Calls::new(names), ..Self::default() }
    }

    /// Adds what a choice brings. Returns the words in it for the user.
    fn add_choice(&mut self, choice: &mut Value) -> Result<String, ReplyFault> {
        if let Some(error) = take_error(choice) {
            return Err(provider_fault(error));
        }
        // Moonshot counts in the choice.
        self.take_usage(choice);
        // Some servers name an empty reason in every event but the last.
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !is_null_or_empty(reason))
        {
            self.finish = Some(reason.clone());
        }
        let mut taken = |name: &str| choice.get_mut(name).map(Value::take);
        let piece = taken("delta").filter(Value::is_object);
        let is_piece = piece.is_some();
        let Some(Value::Object(mut delta)) = piece.or_else(|| taken("message")) else {
            return Ok(String::new());
        };
        if is_piece {
            let is_said = |value: &Value| {
                !is_null_or_empty(value) && value.as_array().is_none_or(|list| !list.is_empty())
            };
            let said = delta.iter().filter(|(_, value)| is_said(value));
            self.in_pieces.extend(said.map(|(name, _)| name.clone()));
        } else {
            delta.retain(|name, _| !self.in_pieces.contains(name));
        }
        let said = delta.get("content").map(content_text).unwrap_or_default();
        for (name, value) in delta {
            match (&*name, value) {
                (_, Value::Null) => {}
                ("tool_calls", Value::Array(calls)) => self.calls.add_pieces(calls),
                ("tool_calls", call @ Value::Object(_)) => self.calls.add_pieces(vec![call]),
                // The only call of a message, as it was written before there were several.
                ("function_call", function @ Value::Object(_)) => {
                    self.calls.add_pieces(vec![json!({"index": 0, "function": function})]);
                }
                (DETAILS, Value::Array(pieces)) => self.add_details(pieces),
                ("role", value) if is_null_or_empty(&value) => {}
                ("role", value) => drop(self.message.insert(name, value)),
                (_, value) => append_member(&mut self.message, name, value),
            }
        }
        Ok(said)
    }

    fn add_details(&mut self, pieces: Vec<Value>) {
        let collected = self.message.entry(DETAILS).or_insert(json!([]));
        if let Some(collected) = collected.as_array_mut() {
            details::add_details(collected, pieces);
        }
    }

    fn take_usage(&mut self, holder: &Value) {
        if let Some(usage) = holder.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
    }
}

/// The words in a content: a text, or the texts of its parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

fn is_null_or_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

/// Adds a piece of a member to what has come of it. A content may be a text first and parts later.
fn append_member(members: &mut Object, name: String, piece: Value) {
    let part = |text: &str| json!({"type": "text", "text": text});
    match (members.get_mut(&name), piece) {
        (Some(_), Value::Null) => {}
        (Some(Value::String(collected_text)), Value::String(piece)) => {
            collected_text.push_str(&piece);
        }
        (Some(Value::Array(collected_parts)), Value::Array(pieces)) => {
            collected_parts.extend(pieces);
        }
        (Some(Value::Array(collected_parts)), Value::String(piece)) if name == "content" => {
            collected_parts
                .extend(Some(piece).filter(|piece| !piece.is_empty()).map(|piece| part(&piece)));
        }
        (Some(content), Value::Array(mut pieces)) if name == "content" => {
            let text = content.as_str().filter(|text| !text.is_empty()).map(part);
            pieces.splice(0..0, text);
            *content = Value::Array(pieces);
        }
        (_, piece) => drop(members.insert(name, piece)),
    }
}

/// The member with the details of thoughts.
const DETAILS: &str = "reasoning_details";
