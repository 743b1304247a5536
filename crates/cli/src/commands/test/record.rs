//! `--record`: writes the request and the response of a case from the service, with credentials masked, and the result. The
//! recording is first run once, so that it passes later; an existing file stays unless `--force` is given.

use std::path::Path;

use callgate::{FaultCode, Outcome};
use callgate_config::Kinds;
use callgate_executor::RecordedAnswer;

use super::{
    Check, Over,
    case_run::{Answering, CaseRun, run_case},
    difference::request_difference,
    files::NewFiles,
    fixtures::{REQUEST, RESPONSE, RESULT, expected_request},
};
use crate::{commands::call::failure_text, exit::Failure};

/// True if the case in `folder` is to be recorded: it has no files to compare with, or they may be overwritten.
pub(super) fn needs_recording(folder: &Path, over: Over) -> bool {
    let is_there = |name: &str| folder.join(name).exists();
    over == Over::All || !(is_there(RESPONSE) || is_there(RESULT))
}

pub(super) fn record_case(
    api: &Path,
    folder: &Path,
    over: Over,
    kinds: &Kinds,
) -> Result<Vec<Check>, Failure> {
    let run_case = |by: Answering<'_>| run_case(api, folder, by, kinds);
    // First run without a service and without a secret, to see what the case sends.
    let planned = run_case(Answering::Recording(None))?;
    let expected = expected_request(folder)?;
    if over == Over::Nothing && expected.is_some() && planned.request != expected {
        let differ = request_difference(expected.as_deref(), planned.request.as_deref());
        let help = "nothing was sent; correct the call, or write over it with `--force`";
        return Ok(vec![Check::Broken(format!("{differ}{help}"))]);
    }
    let Some(request) = planned.request.clone() else {
        return record_silent_case(folder, &planned);
    };
    NewFiles::check_folder_is_writable(folder)?;
    let live = run_case(Answering::Service)?;
    let answer = match &live.answer {
        Some(RecordedAnswer::Text(answer)) => answer,
        Some(RecordedAnswer::Unmasked) => return Ok(vec![Check::Broken(UNMASKED.to_owned())]),
        None => return Ok(vec![Check::Broken(no_answer_text(&live))]),
    };
    let replayed = run_case(Answering::Recording(Some((&request, answer))))?;
    if replayed.request.as_ref() != Some(&request) {
        let differ = request_difference(Some(&request), replayed.request.as_deref());
        let why = "the case sends another request each time, which no recording can answer";
        return Ok(vec![Check::Broken(format!("{why}: {differ}"))]);
    }
    if matches!(live.result.outcome, Outcome::Answered(_))
        && !matches!(replayed.result.outcome, Outcome::Answered(_))
    {
        return Ok(vec![Check::Broken(UNREADABLE.to_owned())]);
    }
    let mut files = NewFiles::in_folder(folder);
    files.write_partial(RESPONSE, answer)?;
    files.write_partial(REQUEST, &request)?;
    files.write_partial(RESULT, replayed.result_text().as_bytes())?;
    files.put_in_place()?;
    Ok(vec![Check::Recorded(status_text(answer))])
}

/// A case that sends nothing: its arguments are refused, its session lacks a value, or another side runs its tool.
fn record_silent_case(folder: &Path, planned: &CaseRun) -> Result<Vec<Check>, Failure> {
    if let Outcome::Failed(fault) = &planned.result.outcome
        && fault.code == FaultCode::UnknownTool
    {
        return Ok(vec![Check::Broken(format!(
            "nothing is recorded\n{}",
            indented_failure(planned)
        ))]);
    }
    let mut files = NewFiles::in_folder(folder);
    files.write_partial(RESULT, planned.result_text().as_bytes())?;
    files.remove_later(REQUEST);
    files.remove_later(RESPONSE);
    files.put_in_place()?;
    let why = match &planned.result.outcome {
        Outcome::Failed(fault) => format!("nothing is sent: {}", fault.code.as_str()),
        _ => "nothing is sent".to_owned(),
    };
    Ok(vec![Check::Recorded(why)])
}

fn no_answer_text(live: &CaseRun) -> String {
    format!("nothing is recorded, for there was no answer\n{}", indented_failure(live))
}

/// The failure, indented below the line that names its case.
fn indented_failure(played: &CaseRun) -> String {
    let failure = failure_text(&played.result, &played.description, &played.settings);
    failure.lines().map(|line| format!("  {line}\n")).collect()
}

fn status_text(answer: &[u8]) -> String {
    let line = answer.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.split_once(' ').map(|(_, status)| status.to_owned()).unwrap_or_default()
}

const UNMASKED: &str =
    "nothing is recorded: the answer holds the credential in a form that cannot be masked";
const UNREADABLE: &str =
    "nothing is recorded: without the credential in it the answer cannot be read any more";
