//! The first input of a chat: the words of `--once`, with the files of `--file` after them.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use callgate_agent::{Input, InputPart, MOST_FILE_BYTES};
use callgate_tool::StoredResult;

use crate::{exit::Failure, media_type::media_type_of};

pub(super) fn first_input(text: &str, files: &[PathBuf]) -> Result<Input, Failure> {
    if files.is_empty() {
        return Ok(Input::text(text));
    }
    let words = Ok(InputPart::Text(text.to_owned()));
    let files = files.iter().map(|file| read_input_file(file).map(InputPart::File));
    Ok(Input::Parts(std::iter::once(words).chain(files).collect::<Result<_, _>>()?))
}

fn read_input_file(file: &Path) -> Result<StoredResult, Failure> {
    let bytes = bounded_file_bytes(file).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", file.display());
        Failure::with_help(&message, "name a file that you may read")
    })?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let stored = StoredResult::new(media_type_of(file).unwrap_or_default(), bytes.into());
    Ok(stored.with_filename(name))
}

/// The bytes of a file, and no more than one beyond what an input may have: that is refused then.
fn bounded_file_bytes(file: &Path) -> io::Result<Vec<u8>> {
    let most = u64::try_from(MOST_FILE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(file)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
