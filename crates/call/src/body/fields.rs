//! Checks that no member of a form or a multipart body writes a field or part of another one: members whose own members
//! become fields claim each of these. `form` writes them; `keys` knows their owners.

use callgate_openapi::{Body, BodyKind, BodyMedia, KeySpace, Operation, Writer};
use callgate_tool::Fault;

use super::{content::Content, form};
use crate::{
    keys::{Keys, has_keys_besides_name},
    wording,
};

pub(crate) fn claim_form_fields(
    operation: &Operation,
    body: &Body,
    media: &BodyMedia,
    content: &Content<'_>,
) -> Result<(), Box<Fault>> {
    let is_form = matches!(media.kind, BodyKind::Form | BodyKind::Multipart);
    let at = body.media.iter().position(|body_media| body_media.media_type == media.media_type);
    let Some(at) = at.filter(|_| is_form) else { return Ok(()) };
    let space = KeySpace::Body(at);
    let members = content.non_null_members().unwrap_or_default();
    for member in &members {
        if operation.is_credential_field(member.name) {
            let (noun, writer) = (space.noun(), &Writer::Credential);
            return Err(wording::key::key_of_another_fault(&member.at, noun, member.name, writer));
        }
    }
    if media.encodings.is_empty() {
        return Ok(());
    }
    let encoding = |name: &str| {
        media.encodings.iter().find(|property_encoding| *property_encoding.name == *name)
    };
    let (spread, own): (Vec<_>, Vec<_>) = members.into_iter().partition(|member| {
        encoding(member.name)
            .and_then(|property_encoding| property_encoding.styled.as_ref())
            .is_some_and(|styled| has_keys_besides_name(styled, member.value))
    });
    if spread.is_empty() {
        return Ok(());
    }
    let mut keys = Keys::new(operation.key_owners());
    for member in own {
        keys.claim_key_unchecked(space, &member.at, member.name);
    }
    for member in spread {
        let mut text = String::new();
        form::write_encoded_member(&mut text, &member, encoding(member.name))
            .map_err(|why| wording::unwritable(&member.at, why))?;
        keys.claim_pair_keys(space, &member.at, &text)?;
    }
    Ok(())
}
