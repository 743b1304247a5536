//! Where the credentials of a toolset may go: to the origin of its server, and to those the operator lists. A server that
//! a description names for single operations may be anyone's.

use std::collections::BTreeSet;

use callgate_openapi::{Loaded, Operation};
use url::{Origin, Url};

/// The origins credentials may go to.
#[derive(Debug)]
pub(super) struct Origins {
    home: Option<Origin>,
    listed: BTreeSet<String>,
}

impl Origins {
    /// The origin of the description's own server, else the one that all its operations share, and those that are
    /// listed.
    pub(super) fn of(loaded: &Loaded, listed: &[Url]) -> Self {
        let home = loaded.server.as_ref().map(|server| server.url.origin());
        let home = home.or_else(|| {
            let mut origins = loaded.operations.iter().map(|known| known.server.url.origin());
            let first = origins.next()?;
            origins.all(|other| other == first).then_some(first)
        });
        Self {
            home,
            listed: listed
                .iter()
                .map(Url::origin)
                .map(|origin| origin.ascii_serialization())
                .collect(),
        }
    }

    /// Whether credentials may go where the operation is sent.
    pub(super) fn allow(&self, operation: &Operation) -> bool {
        let origin = operation.server.url.origin();
        self.home.as_ref() == Some(&origin) || self.listed.contains(&origin.ascii_serialization())
    }
}
