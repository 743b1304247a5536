//! The remedy for a failure as data: the next step of whoever runs the program. It is shown in the words of a configuration;
//! a program with other means, such as the flags of a command line, words each step by them.

use std::fmt;

/// A step that mends a failure. [`Display`](fmt::Display) writes it in the words of a configuration.
///
/// ```
/// use callgate_tool::Remedy;
///
/// let remedy = Remedy::NameServer { url: "https://api.example.com".to_owned() };
/// assert_eq!(remedy.to_string(), "name the server: `server: https://api.example.com`");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// Allow calls to an address that no description may lead to.
    AllowAddress {
        /// The address.
        address: String,
    },
    /// Take an archive apart, or import it where it is the export of an agent.
    ImportExport,
    /// Name several credentials, each for its security scheme.
    NameCredentials,
    /// Name the server that calls go to.
    NameServer {
        /// Its URL, with `HOST` in place of a part that nobody knows.
        url: String,
    },
    /// Send a header with every request.
    SetHeader {
        /// The header and its value: `X-Api-Key: env:NAME`.
        header: String,
    },
    /// Name a description, and a document that corrects it beside it.
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
