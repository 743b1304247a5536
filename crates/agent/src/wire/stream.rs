//! A reply that comes as a stream of events, put together to what the provider sends without a stream. A stream that ends
//! before its reply does is no reply. Members of the events are those of the providers' own pages, as in their formats.

mod events;

use std::fmt::{Debug, Display};

use callgate_dialect::Dialect;
use callgate_tool::{Json, Value};

pub(super) use self::events::Events;
use super::{ReplyFault, wire};

/// The parts of a reply that have come.
pub(crate) trait StreamedReply: Debug + Send {
    /// Adds bytes as they come, and shows the words in them for the user.
    fn push_bytes(&mut self, bytes: &[u8], words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault>;

    /// Takes the end of the bytes: an event without its last line break counts if it is whole.
    fn finish_last_event(&mut self, words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault>;

    /// The last text that came in place of an event; empty if none came.
    fn stray_text(&self) -> &str {
        Default::default()
    }

    /// The body of the whole reply; `None` if its end has not come.
    fn whole_reply_body(self: Box<Self>) -> Option<String>;
}

/// The parts of a reply that comes as server-sent events.
pub(super) trait EventParts: Debug + Default + Send {
    /// Adds the data of an event. Returns the words in it for the user.
    fn add_event(&mut self, data: &str) -> Result<String, ReplyFault>;

    /// The body of the whole reply; `None` if its end has not come.
    fn finished_reply_body(self, events: &Events) -> Option<String>;
}

/// A reply that comes as server-sent events.
#[derive(Debug, Default)]
pub(super) struct EventStream<P> {
    events: Events,
    parts: P,
    stray_text: String,
}

impl<P> EventStream<P> {
    /// A stream of which nothing has come, whose parts are put together by these.
    pub(super) fn of_parts(parts: P) -> Self {
        Self { events: Events::default(), parts, stray_text: String::new() }
    }
}

impl<P: EventParts> EventStream<P> {
    fn add_event_data(
        &mut self,
        data: String,
        words: &mut dyn FnMut(&str),
    ) -> Result<(), ReplyFault> {
        if is_stray_text(&data) {
            self.stray_text = data;
            return Ok(());
        }
        show_words(&self.parts.add_event(&data)?, words);
        Ok(())
    }
}

impl<P: EventParts> StreamedReply for EventStream<P> {
    fn push_bytes(&mut self, bytes: &[u8], words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault> {
        self.events.push(bytes);
        while let Some(data) = self.events.next_event_data() {
            self.add_event_data(data, words)?;
        }
        Ok(())
    }

    fn finish_last_event(&mut self, words: &mut dyn FnMut(&str)) -> Result<(), ReplyFault> {
        self.events.end_last_event();
        let is_whole = |data: &String| is_stray_text(data) || Value::parse(data).is_ok();
        while let Some(data) = self.events.next_event_data().filter(is_whole) {
            self.add_event_data(data, words)?;
        }
        Ok(())
    }

    fn stray_text(&self) -> &str {
        &self.stray_text
    }

    fn whole_reply_body(self: Box<Self>) -> Option<String> {
        self.parts.finished_reply_body(&self.events)
    }
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
    let wire = wire(dialect).ok_or("no provider speaks this dialect")?;
    let (mut reply, mut said) = ((wire.stream)(&[]), String::new());
    for piece in pieces {
        let pushed = reply.push_bytes(piece, &mut |words| said.push_str(words));
        pushed.map_err(|fault| fault.message)?;
    }
    reply.finish_last_event(&mut |words| said.push_str(words)).map_err(|fault| fault.message)?;
    let read = reply.whole_reply_body().map(|body| wire.parse_reply(&body)).transpose();
    let read = read.map_err(|fault| fault.message)?;
    Ok((said, read.map(|reply| reply.messages)))
}

/// True for the data of an event in which there is no object: some servers keep the connection with such a text, and a proxy may
/// say by one why it ends.
fn is_stray_text(data: &str) -> bool {
    !data.contains(['{', '}'])
}

/// The fault of an event in another form.
pub(super) fn unreadable_event(error: impl Display) -> ReplyFault {
    format!("an event of the model has another form: {error}").into()
}

pub(super) fn show_words(said: &str, words: &mut dyn FnMut(&str)) {
    if !said.is_empty() {
        words(said);
    }
}

#[cfg(test)]
pub(super) mod tests;
