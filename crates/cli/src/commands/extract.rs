//! `callgate extract`: the text of one PDF, from standard input to standard output, in a process that gave up memory, time and files.

use std::io::{stdin, stdout};

use crate::exit::{Failure, Verdict};

pub(crate) fn run() -> Result<Verdict, Failure> {
    let extracted = callgate_documents::extract(&mut stdin().lock(), &mut stdout().lock());
    extracted.map(|()| Verdict::Fine).map_err(|error| {
        Failure(format!("expected a PDF with text on standard input, got none: {error}"))
    })
}
