//! Reads the media types of a request body and decides how each is written. `call` encodes the bytes.

use std::sync::Arc;

use callgate_tree::{Node, Severity};

use crate::{
    body::{
        BodyKind, OpenFiles, PositionEncodings, PropertyEncoding, XmlName,
        bytes::{carries_bytes, holds_encoded_bytes},
        encoding,
        kind::{
            body_kind, is_bytes_only_type, is_unwritable_structure, kind_with_schema,
            report_non_bytes_schema, report_object_under_bytes,
        },
        position,
        root::{substitute_root_name, xml_root_name},
        untyped_part::is_untyped_bytes,
    },
    code::Code,
    cursor::Cursor,
    document::Document,
    meter::KEPT,
    options::LoadOptions,
    parameter::Parameter,
    reference::{LocatedNode, reference_chain},
    schema::bytes::is_bytes,
};

#[derive(Clone, Debug)]
pub(crate) struct DescribedBody<'d> {
    pub(crate) object: LocatedNode<'d>,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) required: bool,
    /// The media types, in order of preference; never empty.
    pub(crate) media: Vec<DescribedMedia<'d>>,
    /// The fields of a Swagger 2.0 form; none for any other body.
    pub(crate) fields: Vec<Parameter<'d>>,
    /// The properties that are not arguments, because services read credentials from them.
    pub(crate) withheld: Vec<Arc<str>>,
}

impl DescribedBody<'_> {
    /// A copy for another operation, if enough steps remain: each operation pays in full for a shared body.
    pub(crate) fn copy_within_budget(&self, document: &Document) -> Option<Self> {
        let media: Vec<_> = document.while_affordable(&self.media, MEDIA).cloned().collect();
        let is_whole = media.len() == self.media.len();
        is_whole.then(|| Self {
            object: self.object.clone(),
            description: self.description.clone(),
            required: self.required,
            media,
            fields: self.fields.clone(),
            withheld: self.withheld.clone(),
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct DescribedMedia<'d> {
    pub(crate) media_type: Arc<str>,
    pub(crate) kind: BodyKind,
    pub(crate) schema: Option<LocatedNode<'d>>,
    /// True if the schema is that of each item of a sequence (OpenAPI 3.2.0 §4.14.1, `itemSchema`).
    pub(crate) is_item: bool,
    pub(crate) object: LocatedNode<'d>,
    /// True if the description names a range of media types, and this one was selected from it.
    is_range: bool,
    pub(crate) root: Option<XmlName>,
    pub(crate) is_written: bool,
    /// The encoding of properties; read for request bodies only.
    pub(crate) encodings: Box<[PropertyEncoding]>,
    pub(crate) open_files: Option<OpenFiles>,
    pub(crate) positions: PositionEncodings,
}

pub(crate) fn read_body<'d>(operation: Cursor<'d, '_>) -> Option<DescribedBody<'d>> {
    let body = operation
        .unresolved_member("requestBody")
        .filter(|body| !matches!(body.node, Node::Null))?;
    let target = body.target_or_report()?;
    let object = body.at_node(&target);
    let mut media = content_media(object);
    if media.is_empty() {
        object.warning(
            Code::MalformedNode,
            "expected a request body with `content`, got none".to_owned(),
            "list the media types of the body under `content`",
        );
        return None;
    }
    for media in &mut media {
        let at = object.at_node(&media.object);
        (media.encodings, media.open_files) = encoding::read_encodings(at, media.kind);
        if media.kind == BodyKind::Multipart {
            media.positions = position::read_position_encodings(at, &media.media_type);
        }
    }
    let required = object.flag("required").unwrap_or_default();
    let description = body.text_beside_reference("description");
    let (fields, withheld) = (Vec::new(), Vec::new());
    Some(DescribedBody { object: target, description, required, media, fields, withheld })
}

/// Sorts the media types by preference, and reports if none of them can be written. `cursor` is at the operation.
pub(crate) fn sort_by_preference(
    body: &mut DescribedBody<'_>,
    cursor: Cursor<'_, '_>,
    options: &LoadOptions,
) {
    let document = cursor.document;
    for media in &mut body.media {
        media.kind = kind_with_schema(document, media.kind, media.schema.as_ref());
        let is_of_bytes = media.schema.as_ref().is_some_and(|schema| {
            report_object_under_bytes(cursor, &media.media_type, media.kind, schema)
                || report_text_under_bytes(cursor, media, schema)
        });
        if is_of_bytes {
            media.kind = BodyKind::Binary;
            media.schema = None;
        }
        let lacks_form = |schema| is_unwritable_structure(document, &media.media_type, schema);
        if media.kind == BodyKind::Text && media.schema.as_ref().is_some_and(lacks_form) {
            media.is_written = false;
        }
        set_xml_root_name(media, cursor);
    }
    // Unchanged bytes are a third smaller than base64, and need no model that writes base64.
    let carries = |media: &DescribedMedia<'_>| {
        media.open_files.is_some() || carries_bytes(media.kind, &media.encodings)
    };
    let holds_encoded = |media: &DescribedMedia<'_>| {
        holds_encoded_bytes(document, media.kind, media.schema.as_ref())
    };
    let is_encoded = body.media.iter().any(carries) && body.media.iter().any(holds_encoded);
    body.media.sort_by_key(|media| {
        let rank = options.body_media.iter().position(|wanted| media.is_in_media_range(wanted));
        // An exact media type is more specific than a range that contains it.
        let (rank, bytes) = (rank.unwrap_or(usize::MAX), is_encoded && carries(media));
        (!media.is_written, media.is_range, rank, !bytes, preference_sort_key(media))
    });
    if body.media.iter().any(|media| media.essence() == JSON && !media.is_range) {
        body.media.retain(|media| !media.is_range);
    }
    report_unwritable_media(body, cursor);
    let holds_file = |media: &&DescribedMedia<'_>| {
        media.kind == BodyKind::Form && media.encodings.iter().any(|property| property.is_binary)
    };
    if let Some(form) = body.media.first().filter(holds_file) {
        let message =
            format!("expected files in `multipart/form-data`, got: `{}`", form.media_type);
        let help = "offer the body as `multipart/form-data` too; a form holds a file's text as it is given";
        cursor.with_report_pointer(&form.object.pointer).note(Code::UndefinedForm, message, help);
    }
}

/// True if the schema allows any text although the media type holds only bytes, which are no text. This is reported, and
/// bytes are sent, as in a part of a multipart body.
fn report_text_under_bytes<'d>(
    cursor: Cursor<'d, '_>,
    media: &DescribedMedia<'_>,
    schema: &LocatedNode<'d>,
) -> bool {
    let bare = media.essence();
    let is_free = media.kind == BodyKind::Text && !cursor.document.has_session_inputs();
    // Any bytes may be a text.
    let holds_only_bytes = is_bytes_only_type(&bare) && bare != "application/octet-stream";
    // The references of a schema are followed for these media types alone.
    if !is_free || !holds_only_bytes {
        return false;
    }
    let is_list = reference_chain(cursor.document, schema.node, &schema.path())
        .any(|node| node.get("items").is_some());
    if is_list {
        return false;
    }
    let is_text = is_untyped_bytes(cursor.document, schema.clone(), &[bare.as_str().into()]);
    if is_text {
        report_non_bytes_schema(cursor, schema, &bare, "a text");
    }
    is_text
}

fn report_unwritable_media(body: &DescribedBody<'_>, cursor: Cursor<'_, '_>) {
    let message = |media: &DescribedMedia<'_>| {
        let expected = match media.kind {
            BodyKind::Xml => "XML with a named root element",
            _ => "a media type of JSON for an object or a list",
        };
        format!("expected {expected}, got: `{}`", media.media_type)
    };
    for media in body.media.iter().skip(1).filter(|media| !media.is_written) {
        let help = match media.kind {
            BodyKind::Xml => {
                "name the element by `xml: {name: …}`; the other media types are offered"
            }
            _ => {
                "nothing, if the other media types suffice: they are offered; for bytes write `type: string, format: binary`"
            }
        };
        cursor.with_report_pointer(&media.object.pointer).note(
            Code::BodyMediaNotWritten,
            message(media),
            help,
        );
    }
    let Some(first) = body.media.first().filter(|first| !first.is_written) else { return };
    let severity = if body.required { Severity::Error } else { Severity::Warning };
    let help = match first.kind {
        BodyKind::Xml => {
            "name the element by `xml: {name: …}`, or offer the body as `application/json` too"
        }
        _ => {
            "offer the body as `application/json` too, or write `type: string, format: binary` and send finished bytes"
        }
    };
    let object = cursor.with_report_pointer(&body.object.pointer);
    object.with_report_member("content").add_finding(
        Code::BodyMediaNotWritten,
        severity,
        message(first),
        help,
    );
}

/// The media types of a `content` object, in the order they are written.
pub(crate) fn content_media<'d>(holder: Cursor<'d, '_>) -> Vec<DescribedMedia<'d>> {
    let Some(content) = holder.unresolved_member("content") else { return Vec::new() };
    let Some(target) = content.target_or_report() else { return Vec::new() };
    let content = content.at_node(&target);
    let one = |(media_type, at): (&Arc<str>, Cursor<'d, '_>)| {
        described_media(media_type, at.target_or_report()?, at)
    };
    content.affordable_members(MEDIA).filter_map(one).collect()
}

/// The media type with this name, which is at the cursor; its description is in `object`.
pub(super) fn described_media<'d>(
    media_type: &Arc<str>,
    object: LocatedNode<'d>,
    cursor: Cursor<'d, '_>,
) -> Option<DescribedMedia<'d>> {
    let trimmed = media_type.trim();
    let bare = trimmed.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_legal = trimmed.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
        && bare.split_once('/').is_some_and(|(kind, name)| !kind.is_empty() && !name.is_empty());
    if !is_legal {
        let message = format!("expected a media type, got: `{media_type}`");
        cursor.warning(Code::MalformedNode, message, "write `type/subtype`");
        return None;
    }
    // RFC 6839 §3.1: any type of this suffix is JSON, too.
    let is_range_of = |suffix: &str| bare.contains('*') && bare.ends_with(suffix);
    if matches!(&*bare, "*/*" | "application/*") || is_range_of("+json") {
        let message = format!("expected a media type, got a range: `{media_type}`");
        let taken = DescribedMedia::new("application/json".into(), BodyKind::Json, object);
        let is_bytes = bare.ends_with("/*") && taken.has_bytes_schema(cursor.document);
        let (help, taken) = if is_bytes {
            let taken =
                DescribedMedia { media_type: trimmed.into(), kind: BodyKind::Binary, ..taken };
            ("name one; bytes are sent as what they are, or as `application/octet-stream`", taken)
        } else {
            ("name one; JSON is taken", taken)
        };
        cursor.note(Code::MediaRange, message, help);
        return Some(DescribedMedia { is_range: true, ..taken });
    }
    // RFC 7303 §4.2: so it is with XML.
    if is_range_of("+xml") {
        let message = format!("expected a media type, got a range: `{media_type}`");
        cursor.note(Code::MediaRange, message, "name one; XML is taken");
        let taken = DescribedMedia::new("application/xml".into(), BodyKind::Xml, object);
        return Some(DescribedMedia { is_range: true, ..taken });
    }
    Some(DescribedMedia::new(trimmed.into(), body_kind(&bare), object))
}

impl<'d> DescribedMedia<'d> {
    pub(super) fn new(media_type: Arc<str>, kind: BodyKind, object: LocatedNode<'d>) -> Self {
        let whole = object.member("schema");
        let item = object.member("itemSchema").filter(|_| whole.is_none());
        let is_item = item.is_some();
        let schema = whole.or(item);
        Self {
            media_type,
            kind,
            schema,
            is_item,
            object,
            is_range: false,
            root: None,
            is_written: true,
            encodings: Box::default(),
            open_files: None,
            positions: PositionEncodings::default(),
        }
    }

    fn essence(&self) -> String {
        essence(&self.media_type)
    }

    fn has_bytes_schema(&self, document: &Document) -> bool {
        self.schema.as_ref().is_some_and(|schema| {
            reference_chain(document, schema.node, &schema.path()).any(is_bytes)
        })
    }

    /// True if the media type equals this one, or is in this range (`text/*`); parameters are ignored.
    fn is_in_media_range(&self, wanted: &str) -> bool {
        let (own, wanted) = (self.essence(), essence(wanted));
        let of_range = wanted.strip_suffix('*').filter(|range| range.ends_with('/'));
        own == wanted || of_range.is_some_and(|range| own.starts_with(range))
    }
}

/// Names the root element of XML; without a name only a ready text can be sent. `cursor` is at the operation.
fn set_xml_root_name(media: &mut DescribedMedia<'_>, cursor: Cursor<'_, '_>) {
    let Some(schema) = media.schema.as_ref().filter(|_| media.kind == BodyKind::Xml) else {
        return;
    };
    media.root = xml_root_name(cursor.document, schema);
    let is_text = reference_chain(cursor.document, schema.node, &schema.path())
        .any(|node| node.text("type") == Some("string"));
    if media.root.is_none() && !is_text {
        media.root = substitute_root_name(schema, cursor.shared_text("operationId"));
        if let Some(XmlName { name, .. }) = &media.root {
            let message =
                format!("expected XML with a named root element, got none; it is called: `{name}`");
            let help = "name the element by `xml: {name: …}` if the service expects another";
            cursor.with_report_pointer(&schema.pointer).note(Code::XmlRootName, message, help);
        }
    }
    media.is_written = media.root.is_some() || is_text;
}

/// The default order: formats that keep the types of values before others, simple before complex, the plain media type
/// before special ones, else the order of the description.
fn preference_sort_key(media: &DescribedMedia<'_>) -> (usize, usize) {
    let bare = media.essence();
    let special = bare.split_once('/').map_or("", |(_, special)| special);
    let kind = match media.kind {
        BodyKind::Json if bare == JSON => 0,
        // A list of operations (RFC 6902), where the other formats take the value itself.
        BodyKind::Json if special.ends_with("json-patch+json") => 3,
        BodyKind::Json if special.ends_with("merge-patch+json") => 2,
        BodyKind::Json => 1,
        BodyKind::Form => 4,
        BodyKind::Multipart => 5,
        BodyKind::Text => 6,
        BodyKind::Xml if special == "xml" => 7,
        BodyKind::Xml => 8,
        BodyKind::JsonLines => 9,
        BodyKind::Binary => 10,
    };
    let is_own = |parameter: &&str| !parameter.trim().to_ascii_lowercase().starts_with("charset=");
    (kind, media.media_type.split(';').skip(1).filter(is_own).count())
}

/// A media type in lower case, without parameters.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The media type that is selected from a range that contains it.
const JSON: &str = "application/json";

/// The cost to read and keep a media type, in steps.
pub(crate) const MEDIA: usize = KEPT;

#[cfg(test)]
mod tests;
