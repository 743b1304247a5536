//! The parts of the name of an argument.

use std::sync::Arc;

use callgate_tool::ArgumentName;

use crate::input::InputLocation;

/// The parts of an argument's name. The body as one argument has the name `body`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Slot<'a> {
    pub(crate) name: &'a str,
    pub(crate) place: InputLocation,
    /// The name, if the description holds it: then it is not copied.
    held: Option<&'a Arc<str>>,
}

impl<'a> Slot<'a> {
    pub(crate) const fn new(name: &'a str, place: InputLocation) -> Self {
        Self { name, place, held: None }
    }

    pub(crate) fn from_shared_name(name: &'a Arc<str>, place: InputLocation) -> Self {
        Self { held: Some(name), ..Self::new(name, place) }
    }

    pub(super) fn legal_argument_name(&self) -> Option<ArgumentName> {
        let name =
            self.held.map_or_else(|| ArgumentName::new(self.name), ArgumentName::from_shared);
        name.ok()
    }
}
