//! The terminal that results are shown on: whether there is one, how wide it is.

use std::io::{self, IsTerminal};

/// True if somebody watches standard output.
pub(crate) fn is_shown() -> bool {
    io::stdout().is_terminal()
}

/// The columns of the terminal on standard output; `None` where there is none.
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

/// As wide as terminals are when they do not say.
const USUAL: usize = 80;
