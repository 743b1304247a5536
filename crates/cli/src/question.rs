//! Reads lines that a person types, and answers to questions. An answer is typed after its question was shown: what was typed or
//! pasted before is discarded, so that a line of a pasted text never approves a call.

use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
};

use crate::output;

/// True if a person can be asked: standard input and standard error are a terminal.
pub(crate) fn can_ask_person() -> bool {
    io::stdin().is_terminal() && output::is_stderr_terminal()
}

/// Shows a question and reads its answer; `None` at the end of input.
pub(crate) fn ask_line(question: &str) -> Option<String> {
    discard_typed_input();
    output::print_message(question);
    read_input_line()
}

/// Asks a question that only `y` and `yes` answer with yes.
pub(crate) fn ask_for_confirmation(question: &str) -> bool {
    let answer = ask_line(question).unwrap_or_default();
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// The next line of standard input; `None` at its end.
pub(crate) fn read_input_line() -> Option<String> {
    io::stderr().flush().ok();
    let mut line = Vec::new();
    let mut typed = TYPED.lock().unwrap_or_else(PoisonError::into_inner);
    if typed.is_none() {
        *typed = Some(io::BufReader::new(standard_input().ok()?));
    }
    let n_bytes = typed.as_mut()?.read_until(b'\n', &mut line).ok()?;
    (n_bytes > 0).then(|| String::from_utf8_lossy(&line).into_owned())
}

/// Drops the lines that were typed and not read: those that this process holds, and those that the terminal does.
fn discard_typed_input() {
    if let Some(typed) = &mut *TYPED.lock().unwrap_or_else(PoisonError::into_inner) {
        let n_bytes = typed.buffer().len();
        typed.consume(n_bytes);
    }
    #[cfg(unix)]
    if io::stdin().is_terminal() {
        let queue = rustix::termios::QueueSelector::IFlush;
        rustix::termios::tcflush(io::stdin(), queue).unwrap_or_default();
    }
}

/// The bytes of standard input that are no part of a line yet. Standard input of the library has no buffer that can be dropped.
static TYPED: Mutex<Option<io::BufReader<Input>>> = Mutex::new(None);

#[cfg(unix)]
type Input = std::fs::File;

#[cfg(unix)]
fn standard_input() -> io::Result<Input> {
    use std::os::fd::AsFd as _;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
type Input = io::Stdin;

#[cfg(not(unix))]
fn standard_input() -> io::Result<Input> {
    Ok(io::stdin())
}
