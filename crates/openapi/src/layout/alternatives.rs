//! Groups the media types of a body by their values: each schema in one representation is one alternative. A body with
//! several alternatives is one argument, whose value must match the alternative of its media type.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{
    blueprint::{AlternativeOrigin, Origin},
    body::{
        BodyKind,
        media::{DescribedBody, DescribedMedia},
    },
    reference::LocatedNode,
};

#[derive(Clone, Debug)]
pub(super) struct Alternative<'d> {
    pub(super) schema: Option<LocatedNode<'d>>,
    pub(super) is_item: bool,
    kind: BodyKind,
    given: BytesForm,
    media_types: Vec<Arc<str>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum BytesForm {
    Files,
    /// The value contains no bytes, or contains them as texts.
    Text,
    Whole,
}

/// The alternatives of a body, in the order of its media types; only media types that can be written count. Empty if
/// all are equal.
pub(super) fn body_alternatives<'d>(body: &DescribedBody<'d>) -> Vec<Alternative<'d>> {
    let mut merged_alternatives: Vec<Alternative<'d>> = Vec::new();
    for media in body.media.iter().filter(|media| media.is_written) {
        match merged_alternatives
            .iter_mut()
            .find(|alternative| alternative.is_equal_to_media(media))
        {
            Some(alternative) => alternative.media_types.push(Arc::clone(&media.media_type)),
            None => merged_alternatives.push(Alternative::new(media)),
        }
    }
    if merged_alternatives.len() > 1 { merged_alternatives } else { Vec::new() }
}

impl<'d> Alternative<'d> {
    fn new(media: &DescribedMedia<'d>) -> Self {
        Self {
            schema: media.schema.clone(),
            is_item: media.is_item,
            kind: media.kind,
            given: bytes_form(media),
            media_types: vec![Arc::clone(&media.media_type)],
        }
    }

    fn is_equal_to_media(&self, media: &DescribedMedia<'_>) -> bool {
        let node = |schema: &Option<LocatedNode<'d>>| schema.as_ref().map(|schema| schema.node);
        let own: Option<&Node> = media.schema.as_ref().map(|schema| schema.node);
        self.given == bytes_form(media)
            && self.is_item == media.is_item
            && (self.given == BytesForm::Whole || node(&self.schema) == own)
    }

    pub(super) fn has_media_type(&self, media_type: &str) -> bool {
        self.media_types.iter().any(|own_type| **own_type == *media_type)
    }

    pub(super) fn alternative_origin(&self) -> AlternativeOrigin {
        AlternativeOrigin {
            schema: self.schema.as_ref().map(Origin::from_located),
            is_item: self.is_item,
            kind: self.kind,
            media_types: self.media_types.clone().into(),
        }
    }
}

fn bytes_form(media: &DescribedMedia<'_>) -> BytesForm {
    let has_named_files = media.encodings.iter().any(|encoding| encoding.is_binary);
    let has_files = has_named_files || media.open_files.is_some();
    match media.kind {
        BodyKind::Binary => BytesForm::Whole,
        BodyKind::Multipart if has_files => BytesForm::Files,
        _ => BytesForm::Text,
    }
}
