//! Finds parameters with equal name and location. Few parameters, as most operations have, are compared pair by pair;
//! the names of many are looked up.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::{input::InputLocation, parameter::Parameter};

/// The names in a list of parameters, if the list is long.
#[derive(Debug, Default)]
pub(super) struct SeenParameters {
    identities: HashSet<(InputLocation, Arc<str>)>,
}

impl SeenParameters {
    /// Returns true if no earlier parameter of the list has an equal name and location.
    pub(super) fn is_new(&mut self, parameter: &Parameter<'_>, before: &[Parameter<'_>]) -> bool {
        if before.len() < COMPARED_PARAMETERS {
            return !before
                .iter()
                .any(|earlier_parameter| earlier_parameter.has_same_identity(parameter));
        }
        if self.identities.is_empty() {
            self.identities.extend(before.iter().map(Parameter::identity));
        }
        self.identities.insert(parameter.identity())
    }
}

pub(super) fn replaced_positions(
    parameters: &[Parameter<'_>],
    own: &[Parameter<'_>],
) -> Vec<Option<usize>> {
    if parameters.len() < COMPARED_PARAMETERS {
        let place = |own: &Parameter<'_>| {
            parameters.iter().position(|parameter| parameter.has_same_identity(own))
        };
        return own.iter().map(place).collect();
    }
    let identities = parameters.iter().enumerate().map(|(at, shared)| (shared.identity(), at));
    let index_by_identity: HashMap<_, _> = identities.collect();
    own.iter().map(|own| index_by_identity.get(&own.identity()).copied()).collect()
}

impl Parameter<'_> {
    /// Returns true if name and location are equal: for headers without regard to case.
    fn has_same_identity(&self, other: &Self) -> bool {
        let is_named_alike = || match self.location() {
            InputLocation::Header => self.name.eq_ignore_ascii_case(&other.name),
            _ => self.name == other.name,
        };
        self.location() == other.location() && is_named_alike()
    }

    fn identity(&self) -> (InputLocation, Arc<str>) {
        let name = match self.location() {
            InputLocation::Header => self.name.to_ascii_lowercase().into(),
            _ => Arc::clone(&self.name),
        };
        (self.location(), name)
    }
}

/// Up to this many parameters are compared pair by pair.
const COMPARED_PARAMETERS: usize = 16;
