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

/// The guesses about one part of a description.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    pub(crate) all: Vec<Guess>,
    /// The number of exchanges of the operation: what is always there has been there as often.
    pub(crate) n_exchanges: usize,
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
