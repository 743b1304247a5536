//! Reads the body of a Swagger 2.0 operation: the parameter that is the body, or the parameters that are fields of a
//! form (2.0 §Parameter Object), and the media types of `consumes`.

use std::sync::Arc;

use callgate_tree::Path;
use hashbrown::HashSet;

use crate::{
    body::{
        BodyKind, PropertyEncoding, encoding, files,
        media::{self, DescribedBody, DescribedMedia},
    },
    code::Code,
    cursor::Cursor,
    input::{InputLocation, Styled},
    parameter::{Parameter, collection},
    reference::LocatedNode,
};

/// Removes the parameters that form the body from the list.
pub(crate) fn take_body_parameters<'d>(
    operation: Cursor<'d, '_>,
    parameters: &mut Vec<Parameter<'d>>,
) -> Option<DescribedBody<'d>> {
    let (parts, plain): (Vec<_>, Vec<_>) = std::mem::take(parameters)
        .into_iter()
        .partition(|parameter| parameter.location() == InputLocation::Body);
    *parameters = plain;
    let (wholes, fields): (Vec<_>, Vec<_>) = parts.into_iter().partition(Parameter::is_whole_body);
    let Some(whole) = wholes.first() else {
        return (!fields.is_empty()).then(|| form_body(operation, fields));
    };
    if wholes.len() > 1 || !fields.is_empty() {
        let message = "expected one body, got several `body` and `formData` parameters".to_owned();
        let help = "describe the body by one parameter; the first `body` counts";
        operation.warning(Code::MalformedNode, message, help);
    }
    let object = whole.located_object();
    let mut media = listed_media(operation, "consumes", &object);
    if media.is_empty() {
        media.push(DescribedMedia::new("application/json".into(), BodyKind::Json, object.clone()));
    }
    Some(DescribedBody {
        object,
        description: None,
        required: whole.required,
        media,
        fields: Vec::new(),
        withheld: Vec::new(),
    })
}

/// The media types that the operation, or else the document, lists, all with the schema of `object`.
pub(crate) fn listed_media<'d>(
    operation: Cursor<'d, '_>,
    list: &str,
    object: &LocatedNode<'d>,
) -> Vec<DescribedMedia<'d>> {
    let root = operation.root();
    let own = operation.unresolved_member(list).filter(|own| own.node.as_array().is_some());
    let Some(type_list) = own.or_else(|| root.unresolved_member(list)) else { return Vec::new() };
    let named = type_list
        .affordable_items(media::MEDIA)
        .filter_map(|at| media::described_media(at.node.as_shared_str()?, object.clone(), at));
    let mut seen_types = HashSet::new();
    named.filter(|one| seen_types.insert(Arc::clone(&one.media_type))).collect()
}

fn form_body<'d>(operation: Cursor<'d, '_>, fields: Vec<Parameter<'d>>) -> DescribedBody<'d> {
    let is_file = |field: &Parameter<'_>| {
        files::is_file_or_files(operation.document, field.object, &Path::at(field.pointer()))
    };
    let has_file = fields.iter().any(is_file);
    let object = operation.located_node();
    let mut media = listed_media(operation, "consumes", &object);
    media.retain(|media| match media.kind {
        // A form cannot carry the bytes of a file.
        BodyKind::Form => !has_file,
        BodyKind::Multipart => true,
        _ => false,
    });
    if media.is_empty() {
        let (media_type, kind) = if has_file {
            ("multipart/form-data", BodyKind::Multipart)
        } else {
            ("application/x-www-form-urlencoded", BodyKind::Form)
        };
        media.push(DescribedMedia::new(media_type.into(), kind, object.clone()));
    }
    let encodings: Box<[PropertyEncoding]> = fields
        .iter()
        .map(|field| PropertyEncoding {
            // A `collectionFormat` joins texts; each file of a list is a part of its own.
            styled: field_style(operation, field).filter(|_| !is_file(field)),
            is_binary: is_file(field),
            ..encoding::plain_encoding(&field.name)
        })
        .collect();
    for media in &mut media {
        media.schema = None;
        media.encodings.clone_from(&encodings);
    }
    DescribedBody {
        object,
        description: None,
        required: fields.iter().any(|field| field.required),
        media,
        fields,
        withheld: Vec::new(),
    }
}

/// The style of a field: lists have one, any other value is a text.
fn field_style<'d>(cursor: Cursor<'d, '_>, field: &Parameter<'d>) -> Option<Styled> {
    let styled =
        collection::collection_style(cursor.at_node(&field.located_object()), InputLocation::Body);
    let is_list = field.object.text("type") == Some("array");
    is_list.then_some(styled)
}
