//! Anthropic Messages: blocks begin, grow by pieces and end, distinguished by their index. Servers that resemble Anthropic's
//! leave numbers out, or give one to several blocks: blocks stand in the order in which they begin.

use std::collections::BTreeMap;

use callgate_tool::{Object, Value, json};

use crate::wire::{
    Stop,
    fault::{ReplyFault, provider_fault, take_error},
    stream::{EventParts, Events, unreadable_event},
};

#[derive(Debug, Default)]
pub(super) struct PartialReply {
    blocks: Vec<Block>,
    /// The position of the last block of each index.
    positions: BTreeMap<Option<u64>, usize>,
    stop: Value,
    stop_details: Value,
    usage: Object,
    is_ended: bool,
}

#[derive(Debug, Default)]
struct Block {
    members: Object,
    /// The input of a call, in pieces of JSON.
    input: String,
}

impl EventParts for PartialReply {
    fn add_event(&mut self, data: &str) -> Result<String, ReplyFault> {
        let mut event = Value::parse(data).map_err(unreadable_event)?;
        if let Some(error) = take_error(&mut event) {
            return Err(provider_fault(error));
        }
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let index = event.get("index").and_then(Value::as_u64);
        let mut taken = |name: &str| event.get_mut(name).map(Value::take).unwrap_or_default();
        match &*kind {
            "message_start" => {
                let message = taken("message");
                self.replace_stated_usage(message.get("usage"));
            }
            "content_block_start" => {
                let members = taken("content_block");
                if !members.is_object() {
                    return Err(unreadable_event("a block is none"));
                }
                self.begin_block(index, members);
            }
            "content_block_delta" => {
                let delta = taken("delta");
                return self.block_of_delta(index, &delta)?.add_delta(&delta);
            }
            "message_delta" => {
                let mut delta = taken("delta");
                let mut stated = |name: &str| delta.get_mut(name).map(Value::take);
                if let Some(stop) = stated("stop_reason").filter(|stop| !stop.is_null()) {
                    self.stop = stop;
                    self.stop_details = stated("stop_details").unwrap_or_default();
                }
                self.replace_stated_usage(Some(&taken("usage")));
            }
            "message_stop" => self.is_ended = true,
            _ => {}
        }
        Ok(String::new())
    }

    fn finished_reply_body(self, _events: &Events) -> Option<String> {
        // Some servers end with the reason, and leave out the event after it.
        if !self.is_ended && self.stop.is_null() {
            return None;
        }
        // The calls of a reply that was cut or refused are not made; in another one, arguments that are no JSON are no reply.
        let is_cut = Stop::is_incomplete_end(self.stop.as_str().unwrap_or_default());
        let whole =
            |block: Block| block.into_value().or_else(|cut| is_cut.then_some(cut).ok_or(()));
        let blocks = self.blocks.into_iter().map(whole).collect::<Result<Vec<Value>, ()>>().ok()?;
        let mut body =
            Object::from([("content", Value::Array(blocks)), ("stop_reason", self.stop)]);
        if !self.stop_details.is_null() {
            body.insert("stop_details", self.stop_details);
        }
        body.insert("usage", Value::Object(self.usage));
        Some(Value::Object(body).to_string())
    }
}

impl PartialReply {
    /// The block of a piece. Some servers leave out the beginning of words and thoughts, which says nothing more than their kind.
    fn block_of_delta(
        &mut self,
        index: Option<u64>,
        delta: &Value,
    ) -> Result<&mut Block, ReplyFault> {
        let position = self.positions.get(&index).copied();
        let at = match (position, delta.get("type").and_then(Value::as_str)) {
            (Some(at), _) => at,
            (None, Some("text_delta")) => {
                self.begin_block(index, json!({"type": "text", "text": ""}))
            }
            (None, Some("thinking_delta")) => {
                self.begin_block(index, json!({"type": "thinking", "thinking": ""}))
            }
            _ => return Err(unreadable_event("a piece of no block")),
        };
        self.blocks.get_mut(at).ok_or_else(|| unreadable_event("a piece of no block"))
    }

    /// Begins a block with these members. Returns its position.
    fn begin_block(&mut self, index: Option<u64>, members: Value) -> usize {
        let Value::Object(members) = members else { return self.blocks.len() };
        let at = self.blocks.len();
        self.positions.insert(index, at);
        self.blocks.push(Block { members, input: String::new() });
        at
    }

    fn replace_stated_usage(&mut self, usage: Option<&Value>) {
        if let Some(usage) = usage.and_then(Value::as_object) {
            let stated = usage.iter().filter(|(_, tokens)| !tokens.is_null());
            self.usage.extend(stated.map(|(name, tokens)| (name.clone(), tokens.clone())));
        }
    }
}

impl Block {
    fn add_delta(&mut self, delta: &Value) -> Result<String, ReplyFault> {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = text("type");
        let member = match kind {
            "citations_delta" => {
                let citation = delta.get("citation").cloned().unwrap_or_default();
                let citations = self.members.entry("citations").or_insert(json!([]));
                match citations.as_array_mut() {
                    Some(citations) => citations.push(citation),
                    None => *citations = json!([citation]),
                }
                return Ok(String::new());
            }
            "input_json_delta" => {
                // Some servers begin with `{}` for an input that has not come.
                if self.input.trim() == "{}" {
                    self.input.clear();
                }
                match delta.get("partial_json") {
                    Some(Value::String(piece)) => self.input.push_str(piece),
                    Some(whole @ Value::Object(_)) => self.input = whole.to_string(),
                    _ => {}
                }
                return Ok(String::new());
            }
            "signature_delta" => "signature",
            "text_delta" => "text",
            "thinking_delta" => "thinking",
            // What cannot be kept cannot be sent again.
            other => return Err(unreadable_event(format!("a piece of the kind `{other}`"))),
        };
        let piece = text(member);
        match self.members.get_mut(member) {
            Some(Value::String(collected_text)) => collected_text.push_str(piece),
            _ => drop(self.members.insert(member, piece.into())),
        }
        Ok(if kind == "text_delta" { piece.to_owned() } else { String::new() })
    }

    /// The block; the error is a block without its input, which is no JSON.
    fn into_value(mut self) -> Result<Value, Value> {
        if self.input.is_empty() {
            return Ok(self.members.into());
        }
        let input = Value::parse(&self.input);
        let is_whole = input.is_ok();
        self.members.insert("input", input.unwrap_or_else(|_| json!({})));
        if is_whole { Ok(self.members.into()) } else { Err(self.members.into()) }
    }
}
