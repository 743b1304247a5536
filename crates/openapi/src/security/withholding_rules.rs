//! The parameters that a model may never fill, whatever a description declares: headers that control the connection,
//! the message or the proxies on the way, and places that belong to credentials.

use crate::{
    input::InputLocation,
    security::{
        argument_header::ArgumentHeader,
        credential_places::{CredentialPlaces, DeclaredParameter, PlaceOwner},
        header::{folded_name, is_connection_header, is_openapi_reserved},
    },
};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum WithholdingReason {
    Credential(PlaceOwner),
    Forbidden,
    /// OpenAPI 3.0.3 §4.7.12.2: described elsewhere, a parameter with this name is ignored.
    Reserved,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WithholdingRules<'a> {
    pub(crate) places: &'a CredentialPlaces<'a>,
    pub(crate) let_through: &'a [&'a ArgumentHeader],
}

/// The reason why a parameter is not offered; `None` if it is offered.
pub(crate) fn withholding_reason(
    declared: DeclaredParameter<'_>,
    rules: WithholdingRules<'_>,
) -> Option<WithholdingReason> {
    if declared.place != InputLocation::Header {
        return rules.places.place_owner(declared).map(WithholdingReason::Credential);
    }
    let folded = folded_name(declared.name);
    if is_openapi_reserved(&folded) {
        return Some(WithholdingReason::Reserved);
    }
    let is_let_through = rules.let_through.iter().any(|header| header.has_folded_name(&folded));
    // A whole cookie header would contain the credential's cookie too.
    if is_let_through && folded == "cookie" && rules.places.has_required_cookie() {
        return Some(WithholdingReason::Credential(PlaceOwner::Credential));
    }
    if let Some(owner) = rules.places.place_owner(declared) {
        return Some(WithholdingReason::Credential(owner));
    }
    (is_connection_header(&folded) && !is_let_through).then_some(WithholdingReason::Forbidden)
}

#[cfg(test)]
mod tests;
