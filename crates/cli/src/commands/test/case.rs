//! One case: `call.json` with `session.json` is run against `response.http`. The request must equal `request.http` byte
//! for byte (without that file, nothing may be sent), and the result must equal `result.json`. A tool that the client
//! runs gets `answer.json` as its answer if that file exists.

use std::{fs, path::Path};

use callgate_config::Kinds;

use super::{
    Check, Mode,
    case_run::{Answering, run_case},
    difference::request_difference,
    fixtures::{REQUEST, RESPONSE, RESULT, expected_request, read_optional},
    record,
};
use crate::exit::Failure;

pub(super) fn check_or_record_case(
    api: &Path,
    folder: &Path,
    mode: Mode,
    kinds: &Kinds,
) -> Result<Vec<Check>, Failure> {
    if let Mode::Record(over) = mode
        && record::needs_recording(folder, over)
    {
        return record::record_case(api, folder, over, kinds);
    }
    if mode == Mode::Compare
        && [REQUEST, RESPONSE, RESULT].iter().all(|name| !folder.join(name).exists())
    {
        return Ok(vec![Check::Broken(NEW.to_owned())]);
    }
    let (expected, response) = (expected_request(folder)?, read_optional(folder, RESPONSE)?);
    let recorded = |request: Option<&[u8]>| match (request, response.as_deref()) {
        (Some(request), Some(response)) => {
            run_case(api, folder, Answering::Recording(Some((request, response))), kinds)
        }
        _ => run_case(api, folder, Answering::Recording(None), kinds),
    };
    let mut ended = recorded(expected.as_deref())?;
    let mut checks = Vec::new();
    if ended.request == expected {
        checks.push(Check::Held);
    } else if mode == Mode::Update {
        checks.push(write_or_remove_request(folder, ended.request.as_deref())?);
        let request = ended.request.clone();
        ended = recorded(request.as_deref())?;
    } else {
        checks
            .push(Check::Broken(request_difference(expected.as_deref(), ended.request.as_deref())));
    }
    checks.push(Check::compare_or_update_file(folder, RESULT, &ended.result_text(), mode)?);
    Ok(checks)
}

fn write_or_remove_request(folder: &Path, request: Option<&[u8]>) -> Result<Check, Failure> {
    let Some(request) = request else {
        let file = folder.join(REQUEST);
        fs::remove_file(&file).map_err(|error| {
            Failure(format!("error: cannot remove `{}`: {error}", file.display()))
        })?;
        return Ok(Check::Written(file));
    };
    Check::write(folder, REQUEST, request)
}

/// The message for a new case that has only a call.
const NEW: &str = "it is new: `--record` sends its call and writes down what is answered, `--update` what the call makes of no answer";
