//! The terminal that shows results: its presence and its width.

use std::io::{self, IsTerminal};

pub(crate) fn is_shown() -> bool {
    io::stdout().is_terminal()
}

/// The columns of the terminal on standard output; `None` without a terminal.
pub(crate) fn width() -> Option<usize> {
    if !is_shown() {
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
