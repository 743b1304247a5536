//! The output of a turn while it runs: the words of the model as they come, and its calls.

use std::sync::{Mutex, PoisonError};

use callgate::Outcome;
use callgate_agent::TurnEvent;
use callgate_tool::Value;

use crate::output;

#[derive(Debug)]
pub(super) struct TurnOutput {
    /// True if words are written as they come, and not only at the end.
    is_live: bool,
    /// The words of the last reply that were written.
    words: Mutex<String>,
}

impl TurnOutput {
    /// Of a conversation on a terminal.
    pub(super) fn for_conversation() -> Self {
        Self { is_live: true, words: Mutex::default() }
    }

    /// Of one turn, whose answer is a result for other programs.
    pub(super) fn for_one_turn() -> Self {
        Self { is_live: false, words: Mutex::default() }
    }

    pub(super) fn show_event(&self, event: &TurnEvent<'_>) {
        match event {
            // The warning of a retry says the reason.
            TurnEvent::Begun | TurnEvent::Retry(_) => drop(self.end_line()),
            TurnEvent::Call(call) => {
                self.end_line();
                output::print_message_line(&format!(
                    "  {} {}",
                    call.tool,
                    Value::Object(call.arguments.clone())
                ));
            }
            TurnEvent::Result(result) => {
                if let Outcome::Failed(fault) = &result.outcome {
                    output::print_message_line(&format!(
                        "  {} failed: {}",
                        result.tool, fault.message
                    ));
                }
            }
            TurnEvent::Text(text) if self.is_live => {
                self.words.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
                output::print_partial_line(text);
            }
            _ => {}
        }
    }

    /// Writes the answer of a turn, unless its words were written as they came.
    pub(super) fn print_unprinted_answer(&self, answer: &str) {
        if !self.end_line().ends_with(answer) {
            output::print_result(&format!("{answer}\n"));
        }
    }

    /// Ends the line of the words that were written, and returns them.
    fn end_line(&self) -> String {
        let words = std::mem::take(&mut *self.words.lock().unwrap_or_else(PoisonError::into_inner));
        if !words.is_empty() && !words.ends_with('\n') {
            output::print_result("\n");
        }
        words
    }
}
