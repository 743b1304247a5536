//! Sends one request safely, or answers it from a recording. The only crate that sees the HTTP client; it knows neither
//! tools nor descriptions: a finished [`http::Request`] comes in, the answer within its bounds goes out.

mod body;
mod client;
mod credentials;
mod difference;
mod error;
mod guard;
mod limits;
mod recording;
mod refuse;
mod replay;
mod resolve;
#[cfg(test)]
mod test_server;
mod transport;

pub use client::Client;
pub use credentials::{CredentialPlaces, decoded_query_name};
pub use error::{Error, ErrorKind, Reached};
pub use guard::{MAX_HEADER_BYTES, MAX_HEADERS_BYTES, MAX_URL_BYTES, is_framing_header};
pub use limits::{DEFAULT_RESPONSE_BYTES, DEFAULT_TIMEOUT, Limits};
pub use recording::{
    canonical_request, masked_headers, masked_url, parse_response, render_request,
};
pub use refuse::Refuse;
pub use replay::{MAX_REMEMBERED_REQUESTS, Recording, Replay};
pub use transport::Transport;
