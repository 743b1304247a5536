//! Losses: parts of a schema that a provider's form cannot say. Each is told; none is looser at the gateway, which checks the original.

use std::{collections::BTreeSet, fmt};

/// A part of a schema that a provider's form of it does not have. Annotations, and members that a schema neither declares nor
/// forbids, are no losses.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Loss {
    /// The JSON pointer of the schema it stands in.
    pub at: String,
    /// The keyword.
    pub keyword: &'static str,
    /// Its fate.
    pub what: Lost,
}

/// The fate of a keyword that a provider does not take.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Lost {
    /// A part was too large or too deep: its members are told in words.
    Cut,
    /// Some legal values cannot be given.
    Narrower,
    /// A member has another name there, and its own again when the arguments come back.
    Renamed,
    /// The keyword is told in the description.
    Described,
    /// The provider allows more; the gateway does not.
    Wider,
}

impl Lost {
    /// Its meaning, in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cut => "shown as an object in words",
            Self::Narrower => "some legal values cannot be given",
            Self::Renamed => "has another name there",
            Self::Described => "told in words",
            Self::Wider => "checked by the gateway alone",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, keyword, what } = self;
        write!(f, "`{keyword}` at `{at}`: {}", what.as_str())
    }
}

/// The losses so far, each once, in their order.
#[derive(Debug, Default)]
pub(super) struct Losses {
    list: Vec<Loss>,
    known: BTreeSet<Loss>,
}

impl Losses {
    pub(super) fn add(&mut self, at: &str, keyword: &'static str, what: Lost) {
        let loss = Loss { at: at.to_owned(), keyword, what };
        if self.known.insert(loss.clone()) {
            self.list.push(loss);
        }
    }

    pub(super) fn into_list(self) -> Vec<Loss> {
        self.list
    }
}
