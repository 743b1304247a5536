//! The parameters that a model may never fill, whatever a description declares: headers that control the connection,
//! the message or the proxies on the way, and places that belong to credentials.

use crate::{
    input::InputLocation,
    security::{
        argument_header::ArgumentHeader,
        header::{folded, is_forbidden, is_reserved},
        taken::{Asked, TakenPlaces, Taker},
    },
};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Withheld {
    Credential(Taker),
    Forbidden,
    /// OpenAPI 3.0.3 §4.7.12.2: described elsewhere, a parameter with this name is ignored.
    Reserved,
}

/// The rules that decide if a parameter is offered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) taken: &'a TakenPlaces<'a>,
    pub(crate) let_through: &'a [&'a ArgumentHeader],
}

/// The reason why a parameter is not offered; `None` if it is offered.
pub(crate) fn withheld(asked: Asked<'_>, rules: Rules<'_>) -> Option<Withheld> {
    if asked.place != InputLocation::Header {
        return rules.taken.taker(asked).map(Withheld::Credential);
    }
    let folded = folded(asked.name);
    if is_reserved(&folded) {
        return Some(Withheld::Reserved);
    }
    let is_let_through = rules.let_through.iter().any(|header| header.is_folded(&folded));
    // A whole cookie header would contain the credential's cookie too.
    if is_let_through && folded == "cookie" && rules.taken.has_cookie() {
        return Some(Withheld::Credential(Taker::Credential));
    }
    if let Some(taker) = rules.taken.taker(asked) {
        return Some(Withheld::Credential(taker));
    }
    (is_forbidden(&folded) && !is_let_through).then_some(Withheld::Forbidden)
}

#[cfg(test)]
mod tests;
