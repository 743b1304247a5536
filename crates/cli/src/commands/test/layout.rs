//! The file names of a fixture and of a case.

use std::path::Path;

use callgate_transport::canonical_request;

use crate::{exit::Failure, open::read};

/// The file that makes a folder a fixture.
pub(super) const TOOLSET: &str = "toolset.yaml";
/// The folder of a fixture that holds its cases.
pub(super) const CASES: &str = "cases";
/// The file that makes a folder a case.
pub(super) const CALL: &str = "call.json";
pub(super) const SESSION: &str = "session.json";
pub(super) const REQUEST: &str = "request.http";
pub(super) const RESPONSE: &str = "response.http";
pub(super) const RESULT: &str = "result.json";
pub(super) const ANSWER: &str = "answer.json";

pub(super) fn request(folder: &Path) -> Result<Option<Vec<u8>>, Failure> {
    Ok(optional(&folder.join(REQUEST))?.map(|text| canonical_request(&text)))
}

pub(super) fn optional(file: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if file.is_file() { read(file).map(Some) } else { Ok(None) }
}
