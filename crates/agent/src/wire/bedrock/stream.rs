//! Amazon Bedrock: blocks grow by pieces, distinguished by their index. Members: `ConverseStreamOutput` of the
//! `bedrock-runtime` model in <https://github.com/boto/botocore>.

use std::collections::BTreeMap;

use callgate_tool::{Object, Value, json};

use super::frames::{Frame, Frames};
use crate::wire::{
    fault::{ReplyFault, provider_fault},
    stream::{StreamedReply, show_words, unreadable_event},
};

/// A reply that comes in binary events.
#[derive(Debug, Default)]
pub(super) struct FrameStream {
    frames: Frames,
    parts: PartialReply,
}

impl StreamedReply for FrameStream {
    fn push(&mut self, bytes: &[u8], words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault> {
        self.frames.push(bytes);
        while let Some(frame) = self.frames.next()? {
            show_words(&self.parts.add(&frame)?, words);
        }
        Ok(())
    }

    fn end(&mut self, _words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault> {
        Ok(())
    }

    fn body(self: Box<Self>) -> Option<String> {
        self.parts.body()
    }
}

#[derive(Debug, Default)]
struct PartialReply {
    /// The blocks in the order in which they begin.
    blocks: Vec<Block>,
    positions: BTreeMap<u64, usize>,
    stop: Option<Value>,
    usage: Value,
}

#[derive(Debug, Default)]
enum Block {
    Call {
        members: Object,
        /// The input, in pieces of JSON.
        input: String,
    },
    /// Nothing of it has come.
    #[default]
    Nothing,
    Redacted(String),
    Text {
        text: String,
        citations: Vec<Value>,
    },
    Thought(Object),
}

/// The input of a call is no JSON.
struct NoJson;

impl PartialReply {
    fn add(&mut self, frame: &Frame) -> Result<String, ReplyFault> {
        let payload = || {
            let text = std::str::from_utf8(&frame.payload).map_err(unreadable_event)?;
            Value::parse(text).map_err(unreadable_event)
        };
        match &*frame.message_type {
            "event" => {}
            "exception" => {
                let said = payload().unwrap_or_default();
                let said = said.get("message").and_then(Value::as_str).unwrap_or_default();
                return Err(exception(&frame.name, said));
            }
            _ => return Err(exception(&frame.name, &frame.error)),
        }
        match &*frame.name {
            "contentBlockDelta" => return self.grow(payload()?),
            "contentBlockStart" => {
                let mut event = payload()?;
                let begun = Block::begin(take_member(&mut event, "start"))?;
                let block = self.beginning(&event, &begun)?;
                *block = begun;
            }
            "contentBlockStop" => drop(self.block(&payload()?)?),
            "messageStop" => self.stop = Some(take_member(&mut payload()?, "stopReason")),
            "metadata" => self.usage = take_member(&mut payload()?, "usage"),
            _ => {}
        }
        Ok(String::new())
    }

    /// The block that an event names. Texts begin without an event that says so.
    fn block(&mut self, event: &Value) -> Result<&mut Block, ReplyFault> {
        let index = event.get("contentBlockIndex").and_then(Value::as_u64);
        let index = index.ok_or_else(|| unreadable_event("a block has no index"))?;
        let at = *self.positions.entry(index).or_insert(self.blocks.len());
        if at == self.blocks.len() {
            self.blocks.push(Block::Nothing);
        }
        self.blocks.get_mut(at).ok_or_else(|| unreadable_event("a piece of no block"))
    }

    /// The block that begins with an event. Servers that resemble Bedrock give one number to several.
    fn beginning(&mut self, event: &Value, begun: &Block) -> Result<&mut Block, ReplyFault> {
        let earlier = self.block(event)?;
        if matches!(earlier, Block::Nothing) {
            return self.block(event);
        }
        if earlier.id().is_some() && earlier.id() == begun.id() {
            return Err(unreadable_event("a block begins twice"));
        }
        if let Some(index) = event.get("contentBlockIndex").and_then(Value::as_u64) {
            self.positions.remove(&index);
        }
        self.block(event)
    }

    fn grow(&mut self, mut event: Value) -> Result<String, ReplyFault> {
        let delta = take_member(&mut event, "delta");
        self.block(&event)?.grow(delta)
    }

    fn body(self) -> Option<String> {
        let stop = self.stop?;
        // The calls of a reply that was cut are not made; in another one, arguments that are no JSON are no reply.
        let is_cut = matches!(
            stop.as_str().unwrap_or_default(),
            "max_tokens" | "model_context_window_exceeded"
        );
        let blocks = self.blocks.into_iter().filter_map(|block| block.whole(is_cut).transpose());
        let blocks = blocks.collect::<Result<Vec<Value>, NoJson>>().ok()?;
        let message = json!({"role": "assistant", "content": blocks});
        let body = json!({"output": {"message": message}, "stopReason": stop, "usage": self.usage});
        Some(body.to_string())
    }
}

impl Block {
    /// A block as it begins.
    fn begin(mut start: Value) -> Result<Self, ReplyFault> {
        if let Value::Object(members) = take_member(&mut start, "toolUse") {
            return Ok(Self::Call { members, input: String::new() });
        }
        match start.as_object().and_then(|start| start.keys().next()) {
            None => Ok(Self::Nothing),
            Some(other) => Err(unreadable_event(format!("a block of the kind `{other}`"))),
        }
    }

    /// The id of a call.
    fn id(&self) -> Option<&Value> {
        let Self::Call { members, .. } = self else { return None };
        members.get("toolUseId")
    }

    /// Adds a piece. Returns the words in it for the user.
    fn grow(&mut self, mut delta: Value) -> Result<String, ReplyFault> {
        if let Value::String(piece) = take_member(&mut delta, "text") {
            self.text()?.0.push_str(&piece);
            return Ok(piece);
        }
        let piece = take_member(&mut delta, "toolUse");
        if let (Some(piece), Self::Call { input, .. }) = (piece.get("input"), &mut *self) {
            match piece {
                Value::String(piece) => input.push_str(piece),
                whole => *input = whole.to_string(),
            }
            return Ok(String::new());
        }
        let citation = take_member(&mut delta, "citation");
        if citation.is_object() {
            self.text()?.1.push(citation);
            return Ok(String::new());
        }
        let piece = take_member(&mut delta, "reasoningContent");
        if piece.is_object() {
            self.think(&piece)?;
            return Ok(String::new());
        }
        // What cannot be kept cannot be sent again.
        let names = delta.as_object().into_iter().flat_map(Object::keys);
        let names = names.map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Err(unreadable_event(format!("a piece of the kind `{names}` for another block")))
    }

    fn text(&mut self) -> Result<(&mut String, &mut Vec<Value>), ReplyFault> {
        if matches!(self, Self::Nothing) {
            *self = Self::Text { text: String::new(), citations: Vec::new() };
        }
        match self {
            Self::Text { text, citations } => Ok((text, citations)),
            _ => Err(unreadable_event("a piece of text for another block")),
        }
    }

    fn think(&mut self, piece: &Value) -> Result<(), ReplyFault> {
        if let Some(redacted) = text(piece, "redactedContent") {
            return match self {
                Self::Nothing => {
                    *self = Self::Redacted(redacted.to_owned());
                    Ok(())
                }
                // Texts of base64 without padding can be joined.
                Self::Redacted(collected_base64)
                    if !collected_base64.ends_with('=')
                        && collected_base64.len().is_multiple_of(4) =>
                {
                    collected_base64.push_str(redacted);
                    Ok(())
                }
                _ => Err(unreadable_event("a piece of redacted thoughts for another block")),
            };
        }
        if matches!(self, Self::Nothing) {
            *self = Self::Thought(Object::from([("text", "".into())]));
        }
        let Self::Thought(members) = self else {
            return Err(unreadable_event("a piece of thoughts for another block"));
        };
        for name in ["text", "signature"] {
            let Some(piece) = text(piece, name) else { continue };
            match members.get_mut(name) {
                Some(Value::String(collected_text)) => collected_text.push_str(piece),
                _ => drop(members.insert(name, piece.into())),
            }
        }
        Ok(())
    }

    /// The block as it stands in a reply that does not come as a stream; `None` if there is nothing in it.
    fn whole(self, is_cut: bool) -> Result<Option<Value>, NoJson> {
        Ok(Some(match self {
            Self::Nothing => return Ok(None),
            Self::Text { text, citations } if citations.is_empty() => {
                if text.is_empty() {
                    return Ok(None);
                }
                json!({"text": text})
            }
            Self::Text { text, citations } => {
                json!({"citationsContent": {"content": [{"text": text}], "citations": citations}})
            }
            Self::Redacted(redacted) => json!({"reasoningContent": {"redactedContent": redacted}}),
            Self::Thought(members) => {
                json!({"reasoningContent": {"reasoningText": Value::Object(members)}})
            }
            Self::Call { mut members, input } => {
                let input = if input.is_empty() { "{}" } else { &*input };
                let input =
                    Value::parse(input).or_else(|_| is_cut.then(|| json!({})).ok_or(NoJson))?;
                members.insert("input", input);
                json!({"toolUse": Value::Object(members)})
            }
        }))
    }
}

fn take_member(value: &mut Value, name: &str) -> Value {
    value.get_mut(name).map(Value::take).unwrap_or_default()
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

fn exception(name: &str, said: &str) -> ReplyFault {
    provider_fault(json!({"type": name, "message": format!("`{name}`: {said}")}))
}
