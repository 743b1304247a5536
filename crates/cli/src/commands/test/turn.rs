//! One recorded conversation: its turns run again, and each request to the model, each request to a service and the ends of the
//! turns must be those of the recording.

use std::path::Path;

use callgate_agent::recording::{ENDS, Exchange, model_request_filename, service_request_filename};
use callgate_config::Kinds;
use callgate_tool::Value;

use super::{Check, Mode};
use crate::{
    commands::turns::{
        RecordingTrust, ReplayedTurn, first_difference, read_turn_files, replay_turns,
    },
    exit::Failure,
};

pub(super) fn check_or_update_turn(
    folder: &Path,
    mode: Mode,
    kinds: &Kinds,
) -> Result<Vec<Check>, Failure> {
    let mut files = read_turn_files(folder)?;
    let mut replayed = replay_turns(folder, &files, RecordingTrust::Foreign, kinds)?;
    let mut checks = Vec::new();
    if mode == Mode::Update {
        for (at, request) in changed_requests(&files.services, &replayed.sent) {
            checks.push(Check::write(folder, &service_request_filename(at + 1), &request)?);
            if let Some(exchange) = files.services.get_mut(at) {
                exchange.request = request;
            }
        }
        // What services answer to the new requests changes the rest.
        replayed = replay_turns(folder, &files, RecordingTrust::Foreign, kinds)?;
        for (number, asked) in (1..=files.model.len()).zip(&replayed.asked) {
            let name = model_request_filename(number);
            checks.push(Check::compare_or_update_file(
                folder,
                &name,
                &format!("{asked:#}\n"),
                mode,
            )?);
        }
    }
    let ReplayedTurn { asked, sent, ends } = &replayed;
    checks.extend(
        (mode != Mode::Update)
            .then(|| first_model_difference(&files.model, asked))
            .flatten()
            .map(Check::Broken),
    );
    checks.extend(request_count_mismatch(files.model.len(), asked.len()).map(Check::Broken));
    checks.extend(service_differences(&files.services, sent).into_iter().map(Check::Broken));
    checks.push(Check::compare_or_update_file(folder, ENDS, &format!("{ends:#}\n"), mode)?);
    Ok(checks)
}

/// The first request to the model that differs: those after it differ because of it.
fn first_model_difference(recorded: &[Exchange], asked: &[Value]) -> Option<String> {
    (1..).zip(recorded.iter().zip(asked)).find_map(|(number, (exchange, asked))| {
        let file = model_request_filename(number);
        if exchange.request.is_empty() {
            return Some(format!("`{file}` is missing; `callgate test FOLDER --update` writes it"));
        }
        let expected = match Value::from_slice(&exchange.request) {
            Ok(expected) => expected,
            Err(error) => return Some(format!("`{file}` is no JSON: {error}")),
        };
        let differs = first_difference(&expected, asked)?;
        Some(format!("the request to the model differs from `{file}` at {differs}"))
    })
}

fn request_count_mismatch(n_recorded: usize, n_asked: usize) -> Option<String> {
    (n_recorded != n_asked).then(|| {
        format!("the model was asked {n_asked} times, and {n_recorded} of its replies are recorded")
    })
}

/// The requests to services that were not recorded, and those that were not sent.
fn service_differences(recorded: &[Exchange], sent: &[Vec<u8>]) -> Vec<String> {
    let (missing, unknown) = unmatched_requests(recorded, sent);
    let missing =
        missing.iter().map(|at| format!("`{}` was not sent", service_request_filename(at + 1)));
    let unknown = unknown.iter().map(|request| {
        format!("this was sent, and is not recorded:\n{}", String::from_utf8_lossy(request))
    });
    missing.chain(unknown).collect()
}

/// The recorded requests to replace, each with the one that was sent in its place.
fn changed_requests(recorded: &[Exchange], sent: &[Vec<u8>]) -> Vec<(usize, Vec<u8>)> {
    let (missing, unknown) = unmatched_requests(recorded, sent);
    missing.into_iter().zip(unknown).collect()
}

/// The positions of recorded requests that were not sent, and the sent requests that were not recorded.
fn unmatched_requests(recorded: &[Exchange], sent: &[Vec<u8>]) -> (Vec<usize>, Vec<Vec<u8>>) {
    let mut missing: Vec<usize> = (0..recorded.len()).collect();
    let mut unknown = Vec::new();
    for request in sent {
        let is_it =
            |at: &usize| recorded.get(*at).is_some_and(|exchange| exchange.request == *request);
        match missing.iter().position(is_it) {
            Some(index) => drop(missing.remove(index)),
            None => unknown.push(request.clone()),
        }
    }
    (missing, unknown)
}
