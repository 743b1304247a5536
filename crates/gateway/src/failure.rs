//! The reason why a sidecar did not start, or ended before its work was done.

use std::{fmt, io};

use callgate_config::Error;

/// The reason why a sidecar did not start, or ended.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "whoever starts a sidecar must handle a new reason")]
pub enum Failure {
    /// An address cannot be listened on.
    Address {
        /// The address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// The certificate of a listener cannot be shown.
    Certificate {
        /// The listener's address.
        address: String,
        /// The reason.
        message: String,
    },
    /// The first configuration has faults.
    Configuration(Error),
    /// It was told twice to stop: calls that ran were ended.
    Interrupted,
    /// A text on the command line is no address.
    NotAnAddress {
        /// The text.
        address: String,
    },
    /// An address can be reached from other machines, and nothing says who may call.
    Open {
        /// The address.
        address: String,
    },
    /// Signals of the operating system cannot be listened for.
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
            Self::Open { address } => write!(
                f,
                "`{address}` can be reached from other machines, and nothing says who may call\n\
                 help: listen on 127.0.0.1, or write into the configuration: access: {{bearer: env:CALLGATE_TOKEN}}"
            ),
        }
    }
}

impl std::error::Error for Failure {}
