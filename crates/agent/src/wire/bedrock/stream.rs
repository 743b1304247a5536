//! Amazon Bedrock: blocks grow by pieces, distinguished by their index. Members: `ConverseStreamOutput` of the
//! `bedrock-runtime` model in <https://github.com/boto/botocore>.

use std::collections::BTreeMap;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_tool::{Object, Value, json};

use super::frames::{Frame, Frames};
use crate::wire::{
    Stop,
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
    fn push_bytes(&mut self, bytes: &[u8], words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault> {
        self.frames.push(bytes);
        while let Some(frame) = self.frames.next_frame()? {
            show_words(&self.parts.add(&frame)?, words);
        }
        Ok(())
    }

    fn finish_last_event(&mut self, _words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault> {
        Ok(())
    }

    fn whole_reply_body(self: Box<Self>) -> Option<String> {
        self.parts.reply_body()
    }
}

#[derive(Debug, Default)]
struct PartialReply {
    /// The blocks in the order in which they begin.
    blocks: Vec<Block>,
    /// The place of the block of an index. Events of some proxies have no index: their blocks are distinguished by their order.
    positions: BTreeMap<Option<u64>, usize>,
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
    /// The result of a call that the provider made itself.
    Result {
        members: Object,
        content: Vec<Value>,
    },
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
                return Err(exception_fault(&frame.name, said));
            }
            _ => return Err(exception_fault(&frame.name, &frame.error)),
        }
        match &*frame.name {
            "contentBlockDelta" => return self.add_delta(payload()?),
            "contentBlockStart" => {
                let mut event = payload()?;
                let begun = Block::begin(take_member(&mut event, "start"))?;
                let words = begun.words().to_owned();
                let block = self.begin_block(&event, &begun)?;
                *block = begun;
                return Ok(words);
            }
            "contentBlockStop" if block_index(&payload()?).is_none() => {
                self.positions.remove(&None);
            }
            "messageStop" => self.stop = Some(take_member(&mut payload()?, "stopReason")),
            "metadata" => {
                let usage = take_member(&mut payload()?, "usage");
                // A second event may tell of times alone.
                if usage.is_object() {
                    self.usage = usage;
                }
            }
            _ => {}
        }
        Ok(String::new())
    }

    /// The block that an event names. Texts begin without an event that says so.
    fn block_of_event(&mut self, event: &Value) -> Result<&mut Block, ReplyFault> {
        let at = *self.positions.entry(block_index(event)).or_insert(self.blocks.len());
        if at == self.blocks.len() {
            self.blocks.push(Block::Nothing);
        }
        self.blocks.get_mut(at).ok_or_else(|| unreadable_event("a piece of no block"))
    }

    /// The block that begins with an event. Servers that resemble Bedrock give one number to several.
    fn begin_block(&mut self, event: &Value, begun: &Block) -> Result<&mut Block, ReplyFault> {
        let earlier = self.block_of_event(event)?;
        if matches!(earlier, Block::Nothing) {
            return self.block_of_event(event);
        }
        if earlier.id().is_some() && earlier.id() == begun.id() {
            return Err(unreadable_event("a block begins twice"));
        }
        self.positions.remove(&block_index(event));
        self.block_of_event(event)
    }

    fn add_delta(&mut self, mut event: Value) -> Result<String, ReplyFault> {
        let delta = take_member(&mut event, "delta");
        if self.block_of_event(&event)?.is_ended_by(&delta) {
            self.positions.remove(&block_index(&event));
        }
        self.block_of_event(&event)?.add_delta(delta)
    }

    fn reply_body(self) -> Option<String> {
        let stop = self.stop?;
        // The calls of a reply that was cut or refused are not made; in another one, arguments that are no JSON are no reply.
        let is_cut = Stop::is_incomplete_end(stop.as_str().unwrap_or_default());
        let blocks =
            self.blocks.into_iter().filter_map(|block| block.into_value(is_cut).transpose());
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
        if let Value::Object(members) = take_member(&mut start, "toolResult") {
            return Ok(Self::Result { members, content: Vec::new() });
        }
        if let Value::String(text) = take_member(&mut start, "text") {
            return Ok(Self::Text { text, citations: Vec::new() });
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

    fn words(&self) -> &str {
        if let Self::Text { text, .. } = self { text } else { "" }
    }

    /// True for a piece of words or thoughts that belongs to another block. Servers that resemble Bedrock give one number to
    /// blocks of several kinds.
    fn is_ended_by(&self, delta: &Value) -> bool {
        let has = |name: &str| delta.get(name).is_some_and(|piece| !piece.is_null());
        match self {
            Self::Nothing => false,
            Self::Text { .. } => has("reasoningContent"),
            Self::Redacted(_) | Self::Thought(_) => has("text"),
            Self::Call { .. } | Self::Result { .. } => has("reasoningContent") || has("text"),
        }
    }

    /// Adds a piece. Returns the words in it for the user.
    fn add_delta(&mut self, mut delta: Value) -> Result<String, ReplyFault> {
        let has_nothing = |delta: &Object| delta.values().all(Value::is_null);
        if delta.as_object().is_none_or(has_nothing) {
            return Ok(String::new());
        }
        if let Value::String(piece) = take_member(&mut delta, "text") {
            self.text_and_citations()?.0.push_str(&piece);
            return Ok(piece);
        }
        let piece = take_member(&mut delta, "toolUse");
        if let (Some(piece), Self::Call { input, .. }) = (piece.get("input"), &mut *self) {
            match piece {
                Value::String(piece) => input.push_str(piece),
                // Some proxies begin an input with an empty object.
                Value::Object(members) if members.is_empty() => {}
                whole => *input = whole.to_string(),
            }
            return Ok(String::new());
        }
        if let (Value::Array(pieces), Self::Result { content, .. }) =
            (take_member(&mut delta, "toolResult"), &mut *self)
        {
            content.extend(pieces);
            return Ok(String::new());
        }
        let citation = take_member(&mut delta, "citation");
        if citation.is_object() {
            self.text_and_citations()?.1.push(citation);
            return Ok(String::new());
        }
        let piece = take_member(&mut delta, "reasoningContent");
        if piece.is_object() {
            self.add_reasoning(&piece)?;
            return Ok(String::new());
        }
        // What cannot be kept cannot be sent again.
        let names = delta.as_object().into_iter().flat_map(Object::keys);
        let names = names.map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Err(unreadable_event(format!("a piece of the kind `{names}` for another block")))
    }

    fn text_and_citations(&mut self) -> Result<(&mut String, &mut Vec<Value>), ReplyFault> {
        if matches!(self, Self::Nothing) {
            *self = Self::Text { text: String::new(), citations: Vec::new() };
        }
        match self {
            Self::Text { text, citations } => Ok((text, citations)),
            _ => Err(unreadable_event("a piece of text for another block")),
        }
    }

    fn add_reasoning(&mut self, piece: &Value) -> Result<(), ReplyFault> {
        // The other name is that of a library that stands between.
        if let Some(redacted) = text(piece, "redactedContent").or_else(|| text(piece, "data")) {
            return match self {
                Self::Nothing => {
                    *self = Self::Redacted(redacted.to_owned());
                    Ok(())
                }
                Self::Redacted(collected_base64) => join_base64(collected_base64, redacted),
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
            // No model takes back an empty signature.
            let Some(piece) = text(piece, name).filter(|piece| !piece.is_empty()) else { continue };
            match members.get_mut(name) {
                Some(Value::String(collected_text)) => collected_text.push_str(piece),
                _ => drop(members.insert(name, piece.into())),
            }
        }
        Ok(())
    }

    /// The block as it stands in a reply that does not come as a stream; `None` if there is nothing in it.
    fn into_value(self, is_cut: bool) -> Result<Option<Value>, NoJson> {
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
            Self::Result { mut members, content } => {
                members.insert("content", Value::Array(content));
                json!({"toolResult": Value::Object(members)})
            }
            Self::Thought(members) if members.values().all(|it| it.as_str() == Some("")) => {
                return Ok(None);
            }
            Self::Thought(members) => {
                json!({"reasoningContent": {"reasoningText": Value::Object(members)}})
            }
            // The whole input came with the beginning.
            Self::Call { members, input }
                if input.is_empty() && members.get("input").is_some_and(|it| !it.is_null()) =>
            {
                json!({"toolUse": Value::Object(members)})
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

/// The index of the block that an event is about.
fn block_index(event: &Value) -> Option<u64> {
    event.get("contentBlockIndex").and_then(Value::as_u64)
}

/// Adds bytes in base64 to others: behind padding they cannot stand.
fn join_base64(collected: &mut String, piece: &str) -> Result<(), ReplyFault> {
    if !collected.ends_with('=') && collected.len().is_multiple_of(4) {
        collected.push_str(piece);
        return Ok(());
    }
    let decoded = |text: &str| BASE64_STANDARD.decode(text).map_err(unreadable_event);
    *collected = BASE64_STANDARD.encode([decoded(collected)?, decoded(piece)?].concat());
    Ok(())
}

fn take_member(value: &mut Value, name: &str) -> Value {
    value.get_mut(name).map(Value::take).unwrap_or_default()
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

fn exception_fault(name: &str, said: &str) -> ReplyFault {
    provider_fault(json!({"type": name, "message": format!("`{name}`: {said}")}))
}
