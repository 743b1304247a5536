//! Reads recorded exchanges from a directory of cases: every folder with a `request.http` and a `response.http`, in the
//! order of their names.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_transport::{Recording, Replay, Transport};

use crate::{code::ConfigCode, reader::Reader};

use crate::file::{MAX_FILE_BYTES, read_file};

/// The file of a case that holds the request.
const REQUEST: &str = "request.http";
/// The file of a case that holds the response.
const RESPONSE: &str = "response.http";

/// A transport that replays the recordings of a directory, which the configuration names at `pointer`.
pub(super) fn transport(
    reader: &mut Reader,
    pointer: String,
    directory: &Path,
) -> Option<Arc<dyn Transport>> {
    let recorded = match read(directory, &mut reader.files) {
        Ok(recorded) => recorded,
        Err((file, error)) => {
            let message = format!("cannot read `{}`: {error}", file.display());
            reader.complain(
                ConfigCode::UnreadableFile,
                pointer,
                message,
                "name a directory of cases",
            );
            return None;
        }
    };
    match Replay::new(recorded) {
        Ok(replay) => Some(Arc::new(replay)),
        Err(error) => {
            let message = format!("cannot replay: {error}");
            reader.complain(ConfigCode::UnreadableFile, pointer, message, "correct the recording");
            None
        }
    }
}

/// Every recorded exchange below `directory`, one level deep; adds the files that were read to `files`.
fn read(
    directory: &Path,
    files: &mut BTreeSet<PathBuf>,
) -> Result<Vec<Recording>, (PathBuf, io::Error)> {
    files.insert(directory.to_owned());
    let failed = |source| (directory.to_owned(), source);
    let mut cases = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        cases.push(entry.map_err(failed)?.path());
    }
    cases.sort();
    let mut recordings = Vec::new();
    for case in cases {
        let (request, response) = (case.join(REQUEST), case.join(RESPONSE));
        if !request.is_file() || !response.is_file() {
            continue;
        }
        let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.extend([request.clone(), response.clone()]);
        let request = read_file(&request, MAX_FILE_BYTES).map_err(|source| (request, source))?;
        let response = read_file(&response, MAX_FILE_BYTES).map_err(|source| (response, source))?;
        recordings.push(Recording { name, request, response });
    }
    Ok(recordings)
}
