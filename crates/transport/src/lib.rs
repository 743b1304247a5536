//! Sends one request safely, or replays a recorded response. Only this crate uses the HTTP client. It knows neither tools
//! nor descriptions: it takes a finished [`http::Request`] and returns the response within its limits.

mod address;
mod attempt;
mod client;
mod clock;
mod coding;
mod connect_failure;
mod connection_info;
mod connector;
mod credentials;
mod dial;
mod difference;
mod egress;
mod error;
mod guard;
mod limits;
mod network;
mod proxy;
mod recording;
mod refuse;
mod repeat;
mod replay;
mod resolve;
mod response_body;
#[cfg(test)]
mod test_tls;
mod tls;
mod tls_fault;
mod transport;

pub use address::{is_public, is_this_machine};
pub use attempt::SentAgain;
pub use client::{Client, ClientSettings};
pub use clock::Clock;
pub use connect_failure::ConnectFailure;
pub use connection_info::ConnectionInfo;
pub use credentials::{
    CredentialPlaces, CredentialValues, decoded_cookie_name, decoded_query_name,
};
pub use egress::{AddressRange, Denial, Listeners, NotARange};
pub use error::{Error, ErrorKind};
pub use guard::{MAX_HEADER_BYTES, MAX_HEADERS_BYTES, MAX_URL_BYTES};
pub use limits::{DEFAULT_RESPONSE_BYTES, DEFAULT_TIMEOUT, Limits};
pub use network::Network;
pub use proxy::{NotAProxy, Proxy};
pub use recording::{
    canonical_request, masked_headers, masked_url, parse_response, render_request, render_response,
};
pub use refuse::Refuse;
pub use repeat::{
    AttemptEnd, Repeat, RequestKind, is_key_free_after, overrides_method, repetition_after,
};
pub use replay::{MAX_REMEMBERED_REQUESTS, Recording, Replay};
pub use resolve::{Resolver, SystemResolver};
pub use response_body::{MAX_EXPANSION, ResponseBody};
pub use tls::{CaCertificates, ClientIdentity, ServerTls, SubjectName, TlsSettings, subject_names};
pub use tls_fault::TlsFault;
pub use transport::Transport;
