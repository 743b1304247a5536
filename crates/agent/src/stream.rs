//! A reply that comes as a stream of events, put together to what the provider sends without a stream. A stream that ends
//! before its reply does is no reply. Members of the events are those of the providers' own pages, as in `wire`.

mod anthropic;
mod bedrock;
mod crc32;
mod events;
mod frames;
mod gemini;
mod openai;
mod responses;

use std::fmt::Display;

use callgate_dialect::Dialect;
use callgate_tool::{Json, Value};
use serde_json::value::RawValue;

use self::{events::Events, frames::Frames};
use crate::wire::{Reply, ReplyFault, Wire, error_of, provider_fault};

/// The parts of a reply that have come.
#[derive(Debug)]
pub(crate) enum StreamedReply {
    Anthropic(Events, anthropic::PartialReply),
    Bedrock(Frames, bedrock::PartialReply),
    Gemini(Events, gemini::PartialReply),
    OpenAi(Events, openai::PartialReply),
    Responses(Events, responses::PartialReply),
}

impl StreamedReply {
    /// Nothing yet.
    pub(crate) fn new(wire: Wire) -> Self {
        let events = Events::default();
        match wire {
            Wire::Anthropic => Self::Anthropic(events, anthropic::PartialReply::default()),
            Wire::Bedrock => Self::Bedrock(Frames::default(), bedrock::PartialReply::default()),
            Wire::Gemini => Self::Gemini(events, gemini::PartialReply::default()),
            Wire::OpenAi => Self::OpenAi(events, openai::PartialReply::default()),
            Wire::Responses => Self::Responses(events, responses::PartialReply::default()),
        }
    }

    /// Adds bytes as they come, and shows the words in them for the user.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        words: &mut dyn FnMut(&str),
    ) -> Result<(), ReplyFault> {
        match self {
            Self::Anthropic(events, parts) => {
                push_events(events, bytes, words, |data| parts.add(data))
            }
            Self::Bedrock(frames, parts) => {
                frames.push(bytes);
                while let Some(frame) = frames.next()? {
                    show_words(&parts.add(&frame)?, words);
                }
                Ok(())
            }
            Self::Gemini(events, parts) => {
                push_events(events, bytes, words, |data| parts.add(data))
            }
            Self::OpenAi(events, parts) => {
                push_events(events, bytes, words, |data| parts.add(data))
            }
            Self::Responses(events, parts) => {
                push_events(events, bytes, words, |data| parts.add(data))
            }
        }
    }

    /// Takes the end of the bytes: an event without its last line break counts if it is whole.
    pub(crate) fn end(&mut self, words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault> {
        match self {
            Self::Anthropic(events, parts) => finish_events(events, words, |data| parts.add(data)),
            Self::Bedrock(..) => Ok(()),
            Self::Gemini(events, parts) => finish_events(events, words, |data| parts.add(data)),
            Self::OpenAi(events, parts) => finish_events(events, words, |data| parts.add(data)),
            Self::Responses(events, parts) => finish_events(events, words, |data| parts.add(data)),
        }
    }

    /// The body of the whole reply; `None` if its end has not come.
    pub(crate) fn body(self) -> Option<String> {
        match self {
            Self::Anthropic(_, parts) => parts.body(),
            Self::Bedrock(_, parts) => parts.body(),
            Self::Gemini(_, parts) => parts.body(),
            Self::OpenAi(events, parts) => parts.body(events.is_done()),
            Self::Responses(_, parts) => parts.body(),
        }
    }
}

/// Reads the body of a response that is no stream. Gemini answers with a list of responses to whom it does not stream events.
pub(crate) fn whole_reply(wire: Wire, text: &str) -> Result<Reply, ReplyFault> {
    if wire != Wire::Gemini || !text.trim_start().starts_with('[') {
        return wire.reply(text);
    }
    let responses: Vec<&RawValue> = serde_json::from_str(text).map_err(unreadable)?;
    let mut parts = gemini::PartialReply::default();
    for response in responses {
        parts.add(response.get())?;
    }
    let whole = parts.body().ok_or("the reply of the model ended before it was whole")?;
    wire.reply(&whole)
}

/// The words in the bytes of a stream, and the messages of its reply, if that is whole. For fuzzers.
///
/// # Errors
/// The fault of a stream or its reply, in words.
#[doc(hidden)]
pub fn streamed_reply<'b>(
    dialect: Dialect,
    pieces: impl IntoIterator<Item = &'b [u8]>,
) -> Result<(String, Option<Vec<Json>>), String> {
    let wire = Wire::from_dialect(dialect).ok_or("no provider speaks this dialect")?;
    let (mut reply, mut said) = (StreamedReply::new(wire), String::new());
    for piece in pieces {
        let pushed = reply.push(piece, &mut |words| said.push_str(words));
        pushed.map_err(|fault| fault.message)?;
    }
    reply.end(&mut |words| said.push_str(words)).map_err(|fault| fault.message)?;
    let read = reply.body().map(|body| wire.reply(&body)).transpose();
    let read = read.map_err(|fault| fault.message)?;
    Ok((said, read.map(|reply| reply.messages)))
}

fn push_events(
    events: &mut Events,
    bytes: &[u8],
    words: &mut dyn FnMut(&str),
    mut add: impl FnMut(&str) -> Result<String, ReplyFault>,
) -> Result<(), ReplyFault> {
    events.push(bytes);
    while let Some(data) = events.next() {
        show_words(&add(&data)?, words);
    }
    Ok(())
}

fn finish_events(
    events: &mut Events,
    words: &mut dyn FnMut(&str),
    mut add: impl FnMut(&str) -> Result<String, ReplyFault>,
) -> Result<(), ReplyFault> {
    events.end();
    while let Some(data) = events.next().filter(|data| Value::parse(data).is_ok()) {
        show_words(&add(&data)?, words);
    }
    Ok(())
}

fn unreadable(error: impl Display) -> ReplyFault {
    format!("an event of the model has another form: {error}").into()
}

fn show_words(said: &str, words: &mut dyn FnMut(&str)) {
    if !said.is_empty() {
        words(said);
    }
}

#[cfg(test)]
mod tests;
