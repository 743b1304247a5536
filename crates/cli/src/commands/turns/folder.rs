//! The files of a recorded conversation. They may show what the user and the services said, so that only their user may read
//! what is recorded; credentials are masked.

use std::{io, path::Path};

use callgate_tool::Value;
use callgate_transport::canonical_request;

use super::form::TurnForm;
use crate::{
    exit::Failure,
    partial_file::{Readers, read_below, write_below},
};

/// A request, which is a body of JSON to a model or a text to a service, and the text of its response.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Exchange {
    pub(crate) request: Vec<u8>,
    pub(crate) response: Vec<u8>,
}

/// The files of a conversation, apart from the ends of its turns.
#[derive(Clone, Debug)]
pub(crate) struct TurnFiles {
    pub(crate) form: TurnForm,
    pub(crate) session: Option<Value>,
    /// The conversation before.
    pub(crate) transcript: Option<String>,
    pub(crate) model: Vec<Exchange>,
    pub(crate) services: Vec<Exchange>,
}

impl TurnFiles {
    /// Reads the files in a folder. A request that is missing is empty.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let form = folder.join(TURN);
        let turn = read_text(folder, TURN)?;
        let form = TurnForm::parse(&turn).map_err(|error| file_failure(&form, &error))?;
        let optional = |name: &str| {
            if folder.join(name).is_file() { read_text(folder, name).map(Some) } else { Ok(None) }
        };
        let session = optional(SESSION)?.map(|text| {
            Value::from_slice(&text).map_err(|error| file_failure(&folder.join(SESSION), &error))
        });
        let transcript = optional(TRANSCRIPT)?.map(|text| {
            String::from_utf8(text).map_err(|error| file_failure(&folder.join(TRANSCRIPT), &error))
        });
        let mut services = read_exchanges(folder, service_request, service_response)?;
        for exchange in &mut services {
            exchange.request = canonical_request(&exchange.request);
        }
        Ok(Self {
            form,
            session: session.transpose()?,
            transcript: transcript.transpose()?,
            model: read_exchanges(folder, model_request, model_response)?,
            services,
        })
    }

    /// Writes the files of a recording.
    pub(crate) fn write(&self, folder: &Path, ends: &Value) -> Result<(), Failure> {
        self.write_files(folder, ends).map_err(|error| {
            let message = format!("cannot write into `{}`: {error}", folder.display());
            Failure::with_help(&message, "name a folder that you may write to")
        })
    }

    fn write_files(&self, folder: &Path, ends: &Value) -> io::Result<()> {
        let put = |name: &str, bytes: &[u8]| write_below(folder, name, bytes, Readers::Owner);
        put(TURN, self.form.to_text().as_bytes())?;
        if let Some(session) = &self.session {
            put(SESSION, format!("{session:#}\n").as_bytes())?;
        }
        if let Some(transcript) = &self.transcript {
            put(TRANSCRIPT, transcript.as_bytes())?;
        }
        for (number, exchange) in (1..).zip(&self.model) {
            let request = Value::from_slice(&exchange.request).unwrap_or_default();
            put(&model_request(number), format!("{request:#}\n").as_bytes())?;
            put(&model_response(number), &exchange.response)?;
        }
        for (number, exchange) in (1..).zip(&self.services) {
            put(&service_request(number), &exchange.request)?;
            put(&service_response(number), &exchange.response)?;
        }
        put(ENDS, format!("{ends:#}\n").as_bytes())
    }
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
        let request = request.map_or(Ok(Vec::new()), |name| read_text(folder, &name))?;
        Ok(Exchange { request, response: read_text(folder, &response)? })
    };
    numbers.map(exchange).collect()
}

fn read_text(folder: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    read_below(folder, name).map_err(|error| file_failure(&folder.join(name), &error))
}

pub(crate) fn model_request(number: usize) -> String {
    format!("model/{number:02}.request.json")
}

fn model_response(number: usize) -> String {
    format!("model/{number:02}.response.http")
}

pub(crate) fn service_request(number: usize) -> String {
    format!("services/{number:02}.request.http")
}

fn service_response(number: usize) -> String {
    format!("services/{number:02}.response.http")
}

pub(super) fn file_failure(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("error: in `{}`: {error}", file.display()))
}

/// The file that makes a folder a recorded conversation.
pub(crate) const TURN: &str = "turn.json";
pub(crate) const ENDS: &str = "ends.json";
pub(super) const SESSION: &str = "session.json";
pub(super) const TRANSCRIPT: &str = "transcript.json";
