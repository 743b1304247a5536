//! Finds the properties of forms that services read credentials from. They are no arguments; a call that gives one inside a
//! whole body is refused by `call`.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{
    body::{BodyKind, media::DescribedBody},
    code::Code,
    document::Document,
    findings::Findings,
    input::Place,
    reference::follow,
    security::taken::{Asked, TakenPlaces, Taker},
};

/// Notes the properties of a form that belong to credentials, and reports them.
pub(crate) fn withhold<'d>(
    document: &'d Document,
    body: &mut DescribedBody<'d>,
    taken: &TakenPlaces<'_>,
    findings: &mut Findings,
) {
    let Some(first) = body.media.first() else { return };
    let is_form = matches!(first.kind, BodyKind::Form | BodyKind::Multipart);
    let Some(schema) = first.schema.as_ref().filter(|_| is_form) else { return };
    let path = schema.path();
    let Ok(root) = follow(document, schema.node, &path) else { return };
    let properties = root.node.get("properties").and_then(Node::as_object);
    let required = root.node.get("required").and_then(Node::as_array).unwrap_or_default();
    let path = root.path();
    let above = path.name("properties");
    let mut withheld = Vec::new();
    for (name, node) in properties.into_iter().flat_map(callgate_tree::Object::iter) {
        let asked = Asked {
            place: Place::Body,
            name,
            required: required.iter().any(|known| known.as_str() == Some(&**name)),
            description: node.get("description").and_then(Node::as_str).unwrap_or_default(),
        };
        if !document.spend(1) {
            break;
        }
        let Some(taker) = taken.taker(asked) else { continue };
        let message = format!(
            "expected the credential `{name}` from the configuration alone, got a field of that name"
        );
        if taker == Taker::Demanded {
            let help = format!(
                "list `{name}` under `credential_arguments` of the toolset if it is none; it is not sent"
            );
            findings.warning(Code::CredentialParameter, above.name(name), message, &help);
        } else {
            let help = "nothing; it is not offered";
            findings.note(Code::CredentialParameter, above.name(name), message, help);
        }
        withheld.push(Arc::clone(name));
    }
    body.withheld = withheld;
}
