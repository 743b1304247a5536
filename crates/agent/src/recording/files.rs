//! The files of a recorded conversation, by their names below its folder.

use callgate_tool::Value;

use super::form::TurnForm;

/// A request, which is a body of JSON to a model or a text to a service, and the text of its response.
#[doc(hidden)]
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an exchange has two sides")]
pub struct Exchange {
    /// The request.
    pub request: Vec<u8>,
    /// The response.
    pub response: Vec<u8>,
}

/// The files of a conversation, apart from the ends of its turns.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "the folder has these files")]
pub struct TurnFiles {
    /// The inputs.
    pub form: TurnForm,
    /// The session.
    pub session: Option<Value>,
    /// The conversation before.
    pub transcript: Option<String>,
    /// The exchanges with the model.
    pub model: Vec<Exchange>,
    /// The exchanges with services.
    pub services: Vec<Exchange>,
}

impl TurnFiles {
    /// The name and the content of each file of a recording.
    pub fn named_file_contents(&self, ends: &Value) -> Vec<(String, Vec<u8>)> {
        let own = |name: &str, text: String| (name.to_owned(), text.into_bytes());
        let mut files = vec![own(TURN, self.form.to_text())];
        files.extend(self.session.iter().map(|session| own(SESSION, format!("{session:#}\n"))));
        files.extend(self.transcript.iter().map(|text| own(TRANSCRIPT, text.clone())));
        for (number, exchange) in (1..).zip(&self.model) {
            let request = Value::from_slice(&exchange.request).unwrap_or_default();
            files.push((model_request_filename(number), format!("{request:#}\n").into_bytes()));
            files.push((model_response_filename(number), exchange.response.clone()));
        }
        for (number, exchange) in (1..).zip(&self.services) {
            files.push((service_request_filename(number), exchange.request.clone()));
            files.push((service_response_filename(number), exchange.response.clone()));
        }
        files.push(own(ENDS, format!("{ends:#}\n")));
        files
    }
}

/// The name of a request to a model, from 1.
#[doc(hidden)]
pub fn model_request_filename(number: usize) -> String {
    format!("model/{number:02}.request.json")
}

/// The name of a reply of a model.
#[doc(hidden)]
pub fn model_response_filename(number: usize) -> String {
    format!("model/{number:02}.response.http")
}

/// The name of a request to a service, from 1.
#[doc(hidden)]
pub fn service_request_filename(number: usize) -> String {
    format!("services/{number:02}.request.http")
}

/// The name of a response of a service.
#[doc(hidden)]
pub fn service_response_filename(number: usize) -> String {
    format!("services/{number:02}.response.http")
}

/// The file that makes a folder a recorded conversation.
#[doc(hidden)]
pub const TURN: &str = "turn.json";
#[doc(hidden)]
pub const ENDS: &str = "ends.json";
#[doc(hidden)]
pub const SESSION: &str = "session.json";
#[doc(hidden)]
pub const TRANSCRIPT: &str = "transcript.json";
