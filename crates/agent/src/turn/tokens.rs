//! Counts the tokens of a turn: as the model counts them, or estimated where it counts none, as of words that were shown and
//! whose reply never ended. Ends the turn where the caller may use no more.

use std::sync::atomic::{AtomicUsize, Ordering};

use callgate_tool::{Event, Json, ToolResult, Value};

use super::RunningTurn;
use crate::{
    context::TurnEvent,
    end::{End, EndReason},
    usage::Usage,
    wire::Reply,
};

/// The bytes of words that the caller of a turn was shown while the model was asked once.
#[derive(Debug, Default)]
pub(super) struct DeliveredWords {
    n_shown: AtomicUsize,
    /// Those that do not count, because the request was sent again after them.
    n_void: AtomicUsize,
}

impl DeliveredWords {
    pub(super) fn count_event(&self, event: TurnEvent<'_>) {
        let (bytes, text) = match event {
            TurnEvent::Text(text) => (&self.n_shown, text),
            TurnEvent::Retry(text) => (&self.n_void, text),
            _ => return,
        };
        bytes.fetch_add(text.len(), Ordering::Relaxed);
    }
}

impl RunningTurn<'_> {
    /// The end of the turn if the budget of its caller is used up. The model is not asked.
    pub(super) async fn end_if_over_budget(&mut self) -> Option<End> {
        let over = self.spending.as_mut()?.refusal_of_spent_budget().await;
        match over {
            Ok(None) => None,
            Ok(Some((said, wait))) => {
                self.retry_after = Some(wait);
                Some(self.end_early(EndReason::Limit, said))
            }
            Err(error) => Some(self.end_early(EndReason::Cancelled, error.to_string())),
        }
    }

    /// Counts a reply and its request, and the words that were shown before the request was sent again.
    pub(super) async fn count_reply(&mut self, reply: &Reply) {
        let mut usage = reply.usage;
        let n_void = self.delivered.n_void.load(Ordering::Relaxed);
        if usage.total() == 0 {
            let n_bytes = reply.messages.iter().map(|message| message.text().len()).sum();
            usage = Usage::estimate(self.request_bytes(), n_bytes);
            self.is_estimated = true;
        }
        if n_void > 0 {
            usage.add(Usage::estimate(0, n_void));
            self.is_estimated = true;
        }
        self.add_usage(usage).await;
    }

    /// Counts a request whose reply did not end, and the words of the reply that were shown: the provider has read the one,
    /// and the caller the others.
    pub(super) async fn count_request(&mut self) {
        let n_shown = self.delivered.n_shown.load(Ordering::Relaxed);
        let usage = Usage::estimate(self.request_bytes(), n_shown);
        self.is_estimated = true;
        self.add_usage(usage).await;
    }

    /// Counts a request that failed, if words of its reply were shown.
    pub(super) async fn count_failed_if_shown(&mut self) {
        if self.delivered.n_shown.load(Ordering::Relaxed) > 0 {
            self.count_request().await;
        }
    }

    /// Counts what tools took of models for a call.
    pub(super) async fn count_tool_tokens(&mut self, result: &ToolResult) {
        for event in result.journal.events() {
            if let Event::ModelAsked { input, output } = event {
                self.add_usage(Usage { input: *input, output: *output }).await;
            }
        }
    }

    async fn add_usage(&mut self, usage: Usage) {
        self.usage.add(usage);
        if let Some(spending) = &mut self.spending {
            spending.add_or_defer(usage.total()).await;
        }
    }

    fn request_bytes(&self) -> usize {
        let messages: usize = self.transcript.messages.iter().map(counted_bytes).sum();
        let tools = self.offered.declarations();
        let tools: usize = tools.iter().map(|it| it.text().len()).sum();
        messages + tools + self.instructions.len()
    }
}

/// The bytes of a message that count: a file in it counts as much as an image, not by its text in base64.
fn counted_bytes(message: &Json) -> usize {
    let n_bytes = message.text().len();
    if n_bytes < FILE_BYTES {
        return n_bytes;
    }
    let files = file_lengths(message.value());
    let uncounted = files.map(|length| length.saturating_sub(FILE_BYTES));
    n_bytes.saturating_sub(uncounted.sum())
}

/// The lengths of the texts in a value that are a file's: long, and without a space.
fn file_lengths(value: &Value) -> Box<dyn Iterator<Item = usize> + '_> {
    match value {
        Value::String(text) if text.len() > FILE_BYTES && !text.contains([' ', '\n']) => {
            Box::new(std::iter::once(text.len()))
        }
        Value::Array(items) => Box::new(items.iter().flat_map(file_lengths)),
        Value::Object(members) => Box::new(members.values().flat_map(file_lengths)),
        _ => Box::new(std::iter::empty()),
    }
}

/// As many bytes of text as an image of the largest size that models read: 1,600 tokens.
const FILE_BYTES: usize = 6_400;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_file_in_a_message_counts_as_an_image_and_words_by_their_length() {
        let data = "QUJD".repeat(100_000);
        let url = format!("data:image/png;base64,{data}");
        for block in [
            json!({"type": "image_url", "image_url": {"url": url}}),
            json!({"type": "image", "source": {"type": "base64", "data": data}}),
        ] {
            let message = Json::from(json!({"role": "user", "content": [block]}));
            assert!(
                (FILE_BYTES..FILE_BYTES + 200).contains(&counted_bytes(&message)),
                "{message:?}"
            );
        }
        for text in ["word ".repeat(10_000), "a".repeat(100)] {
            let message = Json::from(json!({"role": "user", "content": text}));
            assert_eq!(counted_bytes(&message), message.text().len());
        }
    }
}
