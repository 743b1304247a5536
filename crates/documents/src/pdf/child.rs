//! Extracts the text in the process that was started for it.

use std::io::{self, Read, Write};

use rustix::process::{Resource, Rlimit, setrlimit};

/// Reads a PDF and writes its text, with a form feed between pages and the character U+0004 behind the last. This process must
/// have been started for that alone: it gives up memory, time and the right to write files, for good.
///
/// # Errors
/// A file that is not read, or a failure of a pipe. Malformed files may also end the process by a panic or a signal.
pub fn extract(input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
    for (resource, most) in LIMITS {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let pages = pdf_extract::extract_text_from_mem_by_pages(&bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    let pages: Vec<String> = pages.iter().map(|page| cleaned_page_text(page)).collect();
    output.write_all(pages.join("\u{c}").as_bytes())?;
    output.write_all(&[END])?;
    output.flush()
}

/// The text of a page, without characters of control and without empty lines around it.
fn cleaned_page_text(page: &str) -> String {
    let is_text = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
    let page: String = page.chars().filter(is_text).collect();
    format!("{}\n", page.trim_matches('\n').trim_end())
}

/// The mark behind a text that is whole.
pub(super) const END: u8 = 4;
/// The most bytes of address space, seconds of a processor, and bytes of a file or a core dump.
const LIMITS: [(Resource, u64); 4] =
    [(Resource::As, 1 << 30), (Resource::Cpu, 20), (Resource::Fsize, 0), (Resource::Core, 0)];
