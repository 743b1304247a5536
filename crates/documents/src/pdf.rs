//! The text of PDF files, which a program of its own extracts: libraries that read PDF fail on malformed files, and what happens then
//! ends with that process. It has little memory, little time, no environment and two pipes.

#[cfg(all(feature = "pdf", unix))]
mod child;
#[cfg(all(feature = "pdf", unix))]
mod parent;

use std::path::Path;

#[cfg(all(feature = "pdf", unix))]
pub use child::extract;

use crate::read::Problem;

/// The text of a PDF with a form feed between its pages, by the program that extracts it. At most `most` bytes.
#[cfg(all(feature = "pdf", unix))]
pub(crate) fn extract_text(
    program: Option<&Path>,
    bytes: &[u8],
    most: usize,
) -> Result<String, Problem> {
    let Some(program) = program else {
        let message = "expected a program that extracts the text of PDF files, got none";
        return Err(Problem::new(None, message, "set `extractor` of `DocumentsSettings`"));
    };
    let text = parent::extract_with_program(program, bytes, most).map_err(|got| {
        let message = format!("expected a PDF whose text can be extracted, got {got}");
        Problem::new(None, message, INSTEAD)
    })?;
    if text.trim().is_empty() {
        let message = "expected a PDF with text, got one of images alone";
        return Err(Problem::new(
            None,
            message,
            "recognize its text first, or leave it out by `exclude`",
        ));
    }
    Ok(text)
}

/// No text: PDF files are read by builds with the feature `pdf`, on Unix.
#[cfg(not(all(feature = "pdf", unix)))]
pub(crate) fn extract_text(_: Option<&Path>, _: &[u8], _: usize) -> Result<String, Problem> {
    let message = "expected a text, got a PDF: the feature `pdf` reads them on Unix, and this build is without it";
    Err(Problem::new(None, message, INSTEAD))
}

const INSTEAD: &str = "store the text beside it, or leave the file out by `exclude`";
