//! The decision whether a call may be made. Every way to a backend leads through it: a first call, one that waited, one that is
//! repeated, and the answer of a client.

use super::{Catalog, Entry};
use crate::{backend::Backend, rights::CallRights};

/// The permission to make a call. Only the decision makes one, and nothing else leads to the backend of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permit<'e>(Entry<'e>);

impl Catalog {
    /// Decides about a call of the tool that a name means; `None` if there is no such tool or its caller may not use it now.
    pub(crate) fn permit(&self, name: &str, rights: &CallRights) -> Option<Permit<'_>> {
        self.find(name).map(Permit)?.rechecked_permit(rights)
    }
}

impl<'e> Permit<'e> {
    /// Decides again, after the call has waited.
    pub(crate) fn rechecked_permit(self, rights: &CallRights) -> Option<Self> {
        self.0.is_permitted(rights).then_some(self)
    }

    pub(crate) fn entry(self) -> Entry<'e> {
        self.0
    }

    pub(crate) fn backend(self) -> &'e dyn Backend {
        &*self.0.0.backend
    }
}
