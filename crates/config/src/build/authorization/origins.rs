//! The origins that the credentials of a toolset may go to: its server's origin, and those that the operator lists. A
//! server that a description names for single operations may belong to anyone.

use std::collections::BTreeSet;

use callgate_openapi::{Loaded, Operation};
use callgate_tool::NamedBy;
use url::{Origin, Url};

/// A service as its description declares it, and the origins that its credentials may go to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Service<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) origins: &'a Origins,
}

/// The origins that credentials may go to.
#[derive(Debug)]
pub(super) struct Origins {
    home: Option<(Origin, NamedBy)>,
    listed: BTreeSet<String>,
}

impl Origins {
    /// The origin of the description's own server, or else the one that all its operations share, and the listed origins.
    pub(super) fn new(loaded: &Loaded, listed: &[Url]) -> Self {
        let home = loaded.server.as_ref().map(|server| (server.url.origin(), server.named_by));
        let home = home.or_else(|| {
            let mut origins =
                loaded.operations.iter().map(|operation| operation.server.url.origin());
            let first = origins.next()?;
            origins.all(|other| other == first).then_some((first, NamedBy::Description))
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

    /// Returns true if credentials may go to the operation's server.
    pub(super) fn allows_credentials(&self, operation: &Operation) -> bool {
        self.allowing_party(&operation.server.url).is_some()
    }

    /// The party that allowed the origin of a URL for credentials; `None` if it is not allowed.
    pub(super) fn allowing_party(&self, url: &Url) -> Option<NamedBy> {
        let origin = url.origin();
        if self.listed.contains(&origin.ascii_serialization()) {
            return Some(NamedBy::Operator);
        }
        self.home.as_ref().filter(|(home, _)| *home == origin).map(|(_, named_by)| *named_by)
    }

    /// All origins that credentials may go to.
    pub(super) fn allowed_origins(&self) -> Vec<String> {
        let home = self.home.as_ref().map(|(home, _)| home.ascii_serialization());
        home.into_iter().chain(self.listed.iter().cloned()).collect()
    }
}
