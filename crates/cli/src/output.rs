//! Standard output for results, standard error for messages. A closed pipe ends the command quietly, like other commands.
//! All texts go through here, so that no text of others is obeyed by a terminal or hides something from a reader.

mod labels;
mod screen;

use std::io::{self, BufWriter, IsTerminal, Write};

use callgate_tool::{escape_invisible, escape_invisible_in_line};

use self::screen::{Screen, mark_own_escapes, marked_style_start, text_with_own_colours};

pub(crate) fn print_result(text: &str) {
    exit_on_error(io::stdout().lock().write_all(escape_invisible(text).as_bytes()));
}

/// Writes a part of a line at once.
pub(crate) fn print_partial_line(text: &str) {
    let mut out = io::stdout().lock();
    exit_on_error(out.write_all(escape_invisible(text).as_bytes()).and_then(|()| out.flush()));
}

pub(crate) fn print_bytes(bytes: &[u8]) {
    exit_on_error(io::stdout().lock().write_all(bytes));
}

/// Writes a result that is too long to hold in memory.
pub(crate) fn print_streamed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut out = Screen::new(BufWriter::with_capacity(BUFFER, io::stdout().lock()));
    exit_on_error(write(&mut out).and_then(|()| out.flush()));
}

const BUFFER: usize = 64 << 10;

/// Writes a message, whose lines of their own (`error: …`, `help: …`) have the colours of findings.
pub(crate) fn print_message(text: &str) {
    let text = labels::with_styled_labels(text);
    exit_on_error(anstream::stderr().lock().write_all(text_with_own_colours(&text).as_bytes()));
}

/// Writes a message of one line, whatever line breaks the names in it have.
pub(crate) fn print_message_line(text: &str) {
    print_message(&format!("{}\n", escape_invisible_in_line(text)));
}

/// Writes lines of a log. A sidecar goes on if nobody reads them.
pub(crate) fn write_log_lines(lines: &str) {
    let mut out = io::stderr().lock();
    out.write_all(format!("{}\n", escape_invisible(lines)).as_bytes()).ok();
}

/// A text in bold, as [`print_styled`] and [`print_message`] show it.
pub(crate) fn in_bold(text: &str) -> String {
    in_style("1", text)
}

/// A text in a style, by the parameters of its control sequence: `34` for blue.
pub(crate) fn in_style(parameters: &str, text: &str) -> String {
    format!("{}{text}{}", marked_style_start(parameters), marked_style_start("0"))
}

/// A text of a renderer, in which every control sequence is the renderer's own.
pub(crate) fn with_trusted_escapes(text: &str) -> String {
    mark_own_escapes(text)
}

/// A text without the styles of the command.
pub(crate) fn without_styles(text: &str) -> String {
    anstream::adapter::strip_str(&text_with_own_colours(text)).to_string()
}

pub(crate) fn print_styled(text: &str) {
    exit_on_error(anstream::stdout().lock().write_all(text_with_own_colours(text).as_bytes()));
}

pub(crate) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

pub(crate) fn is_stdout_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The columns of the terminal on standard output; `None` without a terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    if !is_stdout_terminal() {
        return None;
    }
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout()) {
        return Some(usize::from(size.ws_col)).filter(|columns| *columns > 0);
    }
    Some(USUAL)
}

/// The width of terminals that do not report it.
const USUAL: usize = 80;

#[expect(clippy::exit, reason = "nobody reads any more: there is nobody left to tell")]
fn exit_on_error(written: io::Result<()>) {
    if let Err(error) = written {
        let closed = error.kind() == io::ErrorKind::BrokenPipe;
        std::process::exit(if closed { 0 } else { 2 });
    }
}
