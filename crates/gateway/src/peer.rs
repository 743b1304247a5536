//! The connection that a request came on: through which door, from how near, and with which certificate. Found out once a
//! connection.

use std::net::IpAddr;

use callgate_transport::SubjectName;

/// The place where a request came in.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) door: Door,
    /// True where TLS ends here.
    pub(crate) is_encrypted: bool,
    /// The address of ours that was dialled; none for a socket file.
    pub(crate) dialled: Option<IpAddr>,
    /// The names of the certificate that was shown and is of a listed authority.
    pub(crate) names: Vec<SubjectName>,
}

/// Stands among the extensions of a request that came over TLS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encrypted;

/// The purpose of a listener.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Door {
    /// The operator: `/v1/admin/*`, `/metrics`.
    Admin,
    /// Whoever calls.
    Calls,
}

impl Peer {
    /// Returns true if only processes of this machine come in here.
    pub(crate) fn is_local(&self) -> bool {
        self.dialled.is_none_or(|address| address.to_canonical().is_loopback())
    }
}
