//! The connection of a request: its kind of listener, its distance, and its certificate. Determined once for each connection.

use std::net::IpAddr;

use callgate_transport::SubjectName;

#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) kind: ListenerKind,
    pub(crate) is_encrypted: bool,
    /// Our address that the caller dialled; `None` for a socket file.
    pub(crate) dialled: Option<IpAddr>,
    /// The names of the caller's certificate from a listed authority.
    pub(crate) names: Vec<SubjectName>,
}

/// An extension of a request that came over TLS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encrypted;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ListenerKind {
    /// The operator: `/v1/admin/*`, `/metrics`.
    Admin,
    Calls,
}

impl Peer {
    /// Returns true if only processes of this machine can connect here.
    pub(crate) fn is_local(&self) -> bool {
        self.dialled.is_none_or(|address| address.to_canonical().is_loopback())
    }
}
