//! Reads recorded exchanges from a directory of cases: every folder with a `request.http` and a `response.http`, in the
//! order of their names.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_settings::{MAX_FILE_BYTES, Reader, SettingCode, read_file};
use callgate_transport::{Recording, Replay, Transport};

/// The file of a case that holds the request.
const REQUEST: &str = "request.http";
/// The file of a case that holds the response.
const RESPONSE: &str = "response.http";

/// A transport that replays the recordings of a directory, which the configuration names at `pointer`.
pub(super) fn replaying_transport(
    reader: &mut Reader,
    pointer: String,
    directory: &Path,
) -> Option<Arc<dyn Transport>> {
    let admitted =
        reader.check_file_allowed(directory).map_err(|error| (directory.to_owned(), error));
    let recorded = match admitted.and_then(|()| read_recordings(directory, reader)) {
        Ok(recorded) => recorded,
        Err((file, error)) => {
            let message = format!("cannot read `{}`: {error}", file.display());
            reader.report_fault(
                SettingCode::UnreadableFile,
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
            reader.report_fault(
                SettingCode::UnreadableFile,
                pointer,
                message,
                "correct the recording",
            );
            None
        }
    }
}

/// Every recorded exchange below `directory`, one level deep; notes the files that were read.
fn read_recordings(
    directory: &Path,
    reader: &mut Reader,
) -> Result<Vec<Recording>, (PathBuf, io::Error)> {
    reader.files.insert(directory.to_owned());
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
        reader.files.extend([request.clone(), response.clone()]);
        let text = |file: PathBuf| match reader.check_file_allowed(&file) {
            Ok(()) => read_file(&file, MAX_FILE_BYTES).map_err(|source| (file, source)),
            Err(source) => Err((file, source)),
        };
        let (request, response) = (text(request)?, text(response)?);
        recordings.push(Recording { name, request, response });
    }
    Ok(recordings)
}
