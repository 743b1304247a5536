//! The files of a recorded conversation. They may show what the user and the services said, so that only their user may read
//! what is recorded; credentials are masked.

use std::path::Path;

use callgate_agent::recording::{
    Exchange, SESSION, TRANSCRIPT, TURN, TurnFiles, TurnForm, model_request_filename,
    model_response_filename, service_request_filename, service_response_filename,
};
use callgate_tool::Value;
use callgate_transport::canonical_request;

use crate::{
    exit::Failure,
    partial_file::{Readers, read_below_refusing_links, write_below_refusing_links},
};

/// Reads the files in a folder. A request that is missing is empty.
pub(crate) fn read_turn_files(folder: &Path) -> Result<TurnFiles, Failure> {
    let form = folder.join(TURN);
    let turn = read_turn_file(folder, TURN)?;
    let form = TurnForm::parse(&turn).map_err(|error| file_failure(&form, &error))?;
    let optional = |name: &str| {
        if folder.join(name).is_file() { read_turn_file(folder, name).map(Some) } else { Ok(None) }
    };
    let session = optional(SESSION)?.map(|text| {
        Value::from_slice(&text).map_err(|error| file_failure(&folder.join(SESSION), &error))
    });
    let transcript = optional(TRANSCRIPT)?.map(|text| {
        String::from_utf8(text).map_err(|error| file_failure(&folder.join(TRANSCRIPT), &error))
    });
    let mut services = read_exchanges(folder, service_request_filename, service_response_filename)?;
    for exchange in &mut services {
        exchange.request = canonical_request(&exchange.request);
    }
    Ok(TurnFiles {
        form,
        session: session.transpose()?,
        transcript: transcript.transpose()?,
        model: read_exchanges(folder, model_request_filename, model_response_filename)?,
        services,
    })
}

/// Writes the files of a recording.
pub(crate) fn write_turn_files(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Failure> {
    let put = |(name, bytes): &(String, Vec<u8>)| {
        write_below_refusing_links(folder, name, bytes, Readers::Owner)
    };
    files.iter().try_for_each(put).map_err(|error| {
        let message = format!("cannot write into `{}`: {error}", folder.display());
        Failure::with_help(&message, "name a folder that you may write to")
    })
}

/// The exchanges with the numbers 1, 2 and so on, up to the first number without a response.
fn read_exchanges(
    folder: &Path,
    request: fn(usize) -> String,
    response: fn(usize) -> String,
) -> Result<Vec<Exchange>, Failure> {
    let is_there = |name: &String| folder.join(name).is_file();
    let numbers =
        (1..).map_while(|number| Some((number, Some(response(number)).filter(is_there)?)));
    let exchange = |(number, response): (usize, String)| {
        let request = Some(request(number)).filter(is_there);
        let request = request.map_or(Ok(Vec::new()), |name| read_turn_file(folder, &name))?;
        Ok(Exchange { request, response: read_turn_file(folder, &response)? })
    };
    numbers.map(exchange).collect()
}

fn read_turn_file(folder: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    read_below_refusing_links(folder, name)
        .map_err(|error| file_failure(&folder.join(name), &error))
}

pub(super) fn file_failure(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("error: in `{}`: {error}", file.display()))
}
