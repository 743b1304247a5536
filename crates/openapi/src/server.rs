//! Where an operation is sent: an absolute origin and base path, fixed when the description is loaded.

use url::Url;

/// Who named a server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever guards origins must handle a new one")]
pub enum NamedBy {
    /// The description: its origin must be public https.
    Description,
    /// The operator, in the configuration or on the command line: trusted.
    Operator,
}

/// One server, its variables filled in.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Server {
    /// The absolute URL without query, fragment and user information; its path never ends in a slash.
    pub url: Url,
    /// Who named it.
    pub named_by: NamedBy,
}
