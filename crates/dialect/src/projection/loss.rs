//! Losses: parts of a schema that a provider's form cannot express. Each is reported; the gateway still checks the original
//! schema.

use std::collections::BTreeSet;

/// A part of a schema that a provider's form lacks. Annotations, and members that a schema neither declares nor forbids, do
/// not count as losses.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Loss {
    /// The JSON pointer of the schema that has the keyword.
    pub at: String,
    /// The keyword.
    pub keyword: &'static str,
    /// The effect of the loss.
    pub what: Lost,
}

callgate_tool::named! {
    /// The effect of a keyword that a provider does not support.
    #[derive(Ord, PartialOrd)]
    #[non_exhaustive]
    pub enum Lost {
        /// A part was too large or too deep: its members are described in words.
        Cut = "shown as an object in words",
        /// The model cannot give some legal values.
        Narrower = "some legal values cannot be given",
        /// A member has another name in the provider's form; its own name is restored in the arguments.
        Renamed = "has another name there",
        /// The description has the keyword in words.
        Described = "told in words",
        /// The provider allows more values than the gateway.
        Wider = "checked by the gateway alone",
    }
}

callgate_secret::text!(Loss: Self { at, keyword, what } => "`{keyword}` at `{at}`: {}", what.as_str());

#[derive(Debug, Default)]
pub(super) struct Losses {
    pub(super) list: Vec<Loss>,
    losses: BTreeSet<Loss>,
}

impl Losses {
    pub(super) fn add(&mut self, at: &str, keyword: &'static str, what: Lost) {
        let loss = Loss { at: at.to_owned(), keyword, what };
        if self.losses.insert(loss.clone()) {
            self.list.push(loss);
        }
    }
}
