//! The address of a database, and all else that a driver needs in order to connect to it.

use std::path::PathBuf;

use callgate_secret::Secret;
use callgate_transport::{Network, TlsSettings};

use crate::settings::DatabaseLimits;

/// The settings that a driver needs in order to connect.
#[derive(Clone, Debug)]
pub(crate) struct Connecting {
    /// The address with the login.
    pub(crate) url: Secret,
    /// The folder that a relative path of a file starts from.
    pub(crate) base: PathBuf,
    pub(crate) limits: DatabaseLimits,
    /// True if no tool writes.
    pub(crate) is_read_only: bool,
    pub(crate) network: Network,
    pub(crate) tls: TlsSettings,
}
