//! The remedy for a failure as data: the operator's next step. [`Display`](fmt::Display) writes it as a setting of the
//! configuration; a program with other settings, such as command-line flags, words each step itself.

use std::fmt;

/// A step that fixes a failure. [`Display`](fmt::Display) writes it as a setting of the configuration.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// Allow calls to an address that no description may name.
    AllowAddress {
        /// The address.
        address: String,
    },
    /// Unpack an archive, or import it if it is an exported agent.
    ImportExport,
    /// Name several credentials, each for its security scheme.
    NameCredentials,
    /// Name the server that calls go to.
    NameServer {
        /// The URL of the server, with `HOST` in place of an unknown part.
        url: String,
    },
    /// Send a header with every request.
    SetHeader {
        /// The header and its value: `X-Api-Key: env:NAME`.
        header: String,
    },
    /// Name the description that this document corrects, and list this document as its overlay.
    UseOverlay,
    /// Send a bearer token.
    UseToken {
        /// The reference to the token: `env:TOKEN`.
        reference: String,
    },
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllowAddress { address } => {
                write!(f, "allow the address: `egress: {{allow: [{address}]}}`")
            }
            Self::ImportExport => f.write_str(
                "unpack it and name the description in it; an exported agent is imported",
            ),
            Self::NameCredentials => f.write_str("name each under `credentials:`, by its scheme"),
            Self::NameServer { url } => write!(f, "name the server: `server: {url}`"),
            Self::SetHeader { header } => write!(f, "name the header: `headers: {{{header}}}`"),
            Self::UseOverlay => {
                f.write_str("name the description it is for, and this one under `overlays:`")
            }
            Self::UseToken { reference } => write!(
                f,
                "for a bearer token `auth: {{bearer: {{token: {reference}}}}}`; else keep the whole value there"
            ),
        }
    }
}
