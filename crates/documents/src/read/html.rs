//! The text of a page of HTML, which `openapi` reads. A page that nests like an attack is refused.

mod encoding;

use callgate_openapi::{PageText, main_content_text};

use super::{Document, Problem};

pub(super) fn read(bytes: &[u8]) -> Result<Document<'static>, Problem> {
    let PageText { title, text, depth } = main_content_text(&encoding::page_text(bytes)?);
    if depth > MOST_DEPTH {
        let message = format!("expected at most {MOST_DEPTH} elements in each other, got more");
        return Err(Problem::new(None, message, "leave the file out by `exclude`"));
    }
    Ok(Document { title, text: text.into(), ..Document::default() })
}

/// The most elements in each other. Pages of people stay below 100.
const MOST_DEPTH: usize = 2000;

#[cfg(test)]
mod tests;
