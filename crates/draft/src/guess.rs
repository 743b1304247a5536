//! Guesses, each with its evidence.

use callgate_tool::pointer_segment;

/// Something that the description says and no exchange proves.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Guess {
    /// Where it stands in the description (RFC 6901).
    pub pointer: String,
    /// The guess.
    pub text: String,
    /// The number of samples that show it.
    pub seen: usize,
    /// The number of samples that could show it.
    pub total: usize,
    /// How a person settles it.
    pub settle: &'static str,
}

/// The number of samples that show something, of those that could.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence(pub(crate) usize, pub(crate) usize);

/// The side that wrote what is guessed about.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Side {
    /// A client chose the values: what none sent is better not sent.
    #[default]
    Request,
    /// A service chose them: a schema that is too narrow refuses what a caller needs.
    Response {
        /// True where the service writes `null` for what is absent.
        writes_null: bool,
    },
}

impl Side {
    /// The fewest objects that all have a member which is called required.
    pub(crate) fn n_objects_for_required(self) -> usize {
        match self {
            Self::Request => 2,
            Self::Response { .. } => 5,
        }
    }

    /// The fewest texts that are called all values of an enumeration. Services add values.
    pub(crate) fn n_texts_for_enum(self) -> usize {
        match self {
            Self::Request => 5,
            Self::Response { .. } => ENOUGH_SAMPLES,
        }
    }
}

/// What is not in as many samples is, with 95 %, in less than 15 of 100 (the rule of three: 3 / n).
pub(crate) const ENOUGH_SAMPLES: usize = 20;

/// The guesses about one part of a description.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    pub(crate) all: Vec<Guess>,
    /// The number of exchanges of the operation: what is always there has been there as often.
    pub(crate) n_exchanges: usize,
    pub(crate) side: Side,
}

impl Guesses {
    pub(crate) fn add(
        &mut self,
        pointer: &str,
        text: String,
        evidence: Evidence,
        settle: &'static str,
    ) {
        let Evidence(seen, total) = evidence;
        self.all.push(Guess { pointer: pointer.to_owned(), text, seen, total, settle });
    }
}

/// The pointer to a member.
pub(crate) fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", pointer_segment(name))
}
