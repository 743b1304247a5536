//! Tells which parameters are the same one: those of one name at one place. Few are compared each with each, which most
//! operations have; of many, the names are looked up.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::{input::InputLocation, parameter::Parameter};

/// The names in a list of parameters, where it holds many.
#[derive(Debug, Default)]
pub(super) struct Seen {
    identities: HashSet<(InputLocation, Arc<str>)>,
}

impl Seen {
    /// Returns true if no parameter before it, of the same list, is the same one.
    pub(super) fn is_new(&mut self, parameter: &Parameter<'_>, before: &[Parameter<'_>]) -> bool {
        if before.len() < COMPARED_PARAMETERS {
            return !before.iter().any(|known| known.is_same(parameter));
        }
        if self.identities.is_empty() {
            self.identities.extend(before.iter().map(Parameter::identity));
        }
        self.identities.insert(parameter.identity())
    }
}

/// The place where those of the outer level stand that are replaced.
pub(super) fn places(parameters: &[Parameter<'_>], own: &[Parameter<'_>]) -> Vec<Option<usize>> {
    if parameters.len() < COMPARED_PARAMETERS {
        let place = |own: &Parameter<'_>| parameters.iter().position(|known| known.is_same(own));
        return own.iter().map(place).collect();
    }
    let known = parameters.iter().enumerate().map(|(at, shared)| (shared.identity(), at));
    let known: HashMap<_, _> = known.collect();
    own.iter().map(|own| known.get(&own.identity()).copied()).collect()
}

impl Parameter<'_> {
    /// Returns true if it has the same name at the same place: headers without regard to case.
    fn is_same(&self, other: &Self) -> bool {
        let is_named_alike = || match self.place() {
            InputLocation::Header => self.name.eq_ignore_ascii_case(&other.name),
            _ => self.name == other.name,
        };
        self.place() == other.place() && is_named_alike()
    }

    /// The place and the name by which parameters are the same.
    fn identity(&self) -> (InputLocation, Arc<str>) {
        let name = match self.place() {
            InputLocation::Header => self.name.to_ascii_lowercase().into(),
            _ => Arc::clone(&self.name),
        };
        (self.place(), name)
    }
}

/// So few parameters are compared each with each.
const COMPARED_PARAMETERS: usize = 16;
