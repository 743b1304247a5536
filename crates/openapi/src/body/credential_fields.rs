//! Finds the properties of forms from which services read credentials. They are not arguments; `call` refuses a call
//! that supplies one inside a whole body.

use std::sync::Arc;

use crate::{
    body::{BodyKind, media::DescribedBody},
    code::Code,
    cursor::Cursor,
    input::InputLocation,
    security::credential_places::{CredentialPlaces, DeclaredParameter, PlaceOwner},
};

pub(crate) fn withhold_credential_fields<'d>(
    body: &mut DescribedBody<'d>,
    cursor: Cursor<'d, '_>,
    places: &CredentialPlaces<'_>,
) {
    let Some(first) = body.media.first() else { return };
    let is_form = matches!(first.kind, BodyKind::Form | BodyKind::Multipart);
    let Some(schema) = first.schema.as_ref().filter(|_| is_form) else { return };
    let Ok(target) = cursor.at_node(schema).target_without_report() else { return };
    let root = cursor.at_node(&target);
    let required = root.node.list("required");
    let Some(properties) = root.unresolved_member("properties") else { return };
    let mut withheld = Vec::new();
    for (name, property) in properties.members_at_flat_cost(1) {
        let declared = DeclaredParameter {
            place: InputLocation::Body,
            name,
            required: required.iter().any(|required_name| required_name.as_str() == Some(&**name)),
            description: property.text_without_report("description").unwrap_or_default(),
        };
        let Some(taker) = places.place_owner(declared) else { continue };
        let message = format!(
            "expected the credential `{name}` from the configuration alone, got a field of that name"
        );
        if taker == PlaceOwner::Demanded {
            let help = format!(
                "list `{name}` under `credential_arguments` of the toolset if it is none; it is not sent"
            );
            property.warning(Code::CredentialParameter, message, &help);
        } else if taker == PlaceOwner::Described {
            let help = format!(
                "list `{name}` under `credential_arguments` of the toolset if it is none; it is not offered"
            );
            property.note(Code::CredentialParameter, message, &help);
        } else {
            let help = "no change is needed: it is not offered";
            property.note(Code::CredentialParameter, message, help);
        }
        withheld.push(Arc::clone(name));
    }
    body.withheld = withheld;
}
