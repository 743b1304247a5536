//! The reason why a sidecar did not start, or stopped early.

use std::{fmt, io};

use callgate_config::Error;

/// The reason why a sidecar did not start, or stopped early.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Failure {
    /// An address cannot be listened on.
    Address {
        /// The address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// The certificate of a listener cannot be used.
    Certificate {
        /// The listener's address.
        address: String,
        /// The reason.
        message: String,
    },
    /// The first configuration has faults.
    Configuration(Error),
    /// Two signals asked the sidecar to stop: running calls were ended.
    Interrupted,
    /// A text on the command line is not an address.
    NotAnAddress {
        /// The text.
        address: String,
    },
    /// The process cannot listen for signals of the operating system.
    Signals(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { address, source } => {
                write!(f, "cannot listen on `{address}`: {source}")
            }
            Self::Certificate { address, message } => {
                write!(f, "cannot listen on `{address}`: {message}")
            }
            Self::Configuration(error) => error.fmt(f),
            Self::Interrupted => f.write_str("stopped at once: calls that ran were ended"),
            Self::NotAnAddress { address } => {
                write!(f, "expected `HOST:PORT`, `unix:PATH` or `systemd`, got: `{address}`")
            }
            Self::Signals(error) => write!(f, "cannot listen for signals: {error}"),
        }
    }
}

impl std::error::Error for Failure {}
