//! What exchanges are read from: recordings of a browser, commands, collections, messages as they were sent.

mod curl;
mod har;
mod http;
mod postman;
mod shell;

pub use self::{
    curl::read_curl_commands, har::read_har, http::read_http_messages,
    postman::read_postman_collection,
};
use crate::exchange::Exchange;

/// The exchanges of a source, and what it had besides.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Source {
    /// In the order of the source.
    pub exchanges: Vec<Exchange>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

impl Source {
    fn record_left_out(&mut self, place: &str, why: &str) {
        self.notes.push(format!("{place} is left out: {why}"));
    }
}
