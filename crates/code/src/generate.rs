//! A program by a model, where the text of a call is none: its task, and one repair. The text is given to the interpreter first, so that
//! what is a program runs as it stands.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use callgate_call::wording;
use callgate_kind::{TextModel, TextReply, TextRequest};
use callgate_tool::{Event, Fault, Journal};
use tokio::time::{Instant, timeout_at};

/// The way from a task in words to a program.
#[derive(Debug)]
pub(crate) struct Generator<'a> {
    model: &'a TextModel,
    instructions: String,
    task: &'a str,
    deadline: Instant,
    spent: &'a SpentTokens,
}

/// The tokens that a model took for one call.
#[derive(Debug, Default)]
pub(crate) struct SpentTokens {
    input: AtomicU64,
    output: AtomicU64,
}

/// A program that ended with an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt<'a> {
    pub(crate) code: &'a str,
    pub(crate) error: &'a str,
}

impl<'a> Generator<'a> {
    /// `language` says in sentences what programs have here.
    pub(crate) fn new(
        model: &'a TextModel,
        language: &str,
        task: &'a str,
        deadline: Instant,
        spent: &'a SpentTokens,
    ) -> Self {
        Self { model, instructions: format!("{INSTRUCTIONS} {language}"), task, deadline, spent }
    }

    /// A program for the task, in place of one that ended with an error, if there is one.
    ///
    /// # Errors
    /// The model gave none.
    pub(crate) async fn request_program(
        &self,
        earlier: Option<Attempt<'_>>,
    ) -> Result<String, Box<Fault>> {
        let task = self.task;
        let text = match earlier {
            None => task.to_owned(),
            Some(Attempt { code, error }) => {
                // The exception stands last.
                let start = error.len().saturating_sub(LONGEST_ERROR);
                let error = error.get(error.ceil_char_boundary(start)..).unwrap_or_default();
                format!("{task}\n\n{REPAIR}\n```python\n{code}\n```\n\n{error}")
            }
        };
        let time = self.deadline.saturating_duration_since(Instant::now()).min(MOST_TIME);
        let request = TextRequest { instructions: self.instructions.clone(), text, time };
        let answer = timeout_at(Instant::now() + time, self.model.answer(request)).await;
        let answer = answer.map_or_else(
            |_| Err("it did not answer in time".to_owned()),
            |reply| self.spent.count_and_take_text(reply),
        );
        let answer = answer.map_err(|why| wording::code::no_program(&why))?;
        match first_code_block(&answer) {
            "" => Err(wording::code::no_program("its answer is empty")),
            code if code.len() > MOST_CODE => {
                Err(wording::code::no_program("its program is too long"))
            }
            code => Ok(code.to_owned()),
        }
    }
}

impl SpentTokens {
    /// Counts the tokens of a reply. Returns its text.
    fn count_and_take_text(&self, reply: TextReply) -> Result<String, String> {
        self.input.fetch_add(reply.input_tokens, Ordering::Relaxed);
        self.output.fetch_add(reply.output_tokens, Ordering::Relaxed);
        reply.text
    }

    /// Notes the tokens, if a model was asked: they count in the turn that made the call.
    pub(crate) fn record_spent_tokens(&self, journal: &mut Journal) {
        let [input, output] = [&self.input, &self.output].map(|it| it.load(Ordering::Relaxed));
        if input > 0 || output > 0 {
            journal.note(Event::ModelAsked { input, output });
        }
    }
}

/// The program in an answer: its first block of code, or all of it.
fn first_code_block(answer: &str) -> &str {
    let block = answer.split_once("```").and_then(|(_, rest)| rest.split_once('\n'));
    let code = block.map(|(_, rest)| rest.split_once("\n```").map_or(rest, |(code, _)| code));
    code.map_or(answer, |code| code.trim_end_matches('`')).trim()
}

/// True for words that an interpreter takes as names: `total`, `Berlin, Paris`.
pub(crate) fn could_be_names(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || matches!(c, ',' | '_'))
}

const INSTRUCTIONS: &str = "You write one program in Python for the task of the user, and answer with the program alone, in one block of code. The value of its \
last expression is the result: end with an expression, and do not print it. The program gets no input and can ask nobody. If the user's text is a program with a \
mistake, answer with the corrected program.";
const REPAIR: &str = "This program for it ended with the error below. Answer with a corrected one:";
/// The bytes of an error that the model gets.
const LONGEST_ERROR: usize = 4000;
/// The bytes of a program.
const MOST_CODE: usize = 100_000;
/// The time of one answer, also where nothing else bounds it.
const MOST_TIME: Duration = Duration::from_mins(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_of_an_answer_is_the_program() {
        for (answer, program) in [
            ("4 + 4", "4 + 4"),
            ("```python\n4 + 4\n```", "4 + 4"),
            ("Here:\n\n```\nx = 1\nx\n```\nIt returns 1.\n```\nno\n```", "x = 1\nx"),
            ("```py\nx = 1", "x = 1"),
            ("```python\n```", ""),
            ("  \n", ""),
        ] {
            assert_eq!(first_code_block(answer), program, "{answer}");
        }
    }

    #[test]
    fn words_are_names_while_calls_and_sums_are_not() {
        for text in ["total", "Berlin, Paris", "price and total", "größe"] {
            assert!(could_be_names(text), "{text}");
        }
        for text in ["f(total)", "a + b", "x = y", "a.b", "'a'"] {
            assert!(!could_be_names(text), "{text}");
        }
    }
}
