//! The body of an operation: its media types, in order of preference, and its presentation to the model.

mod bytes;
pub(crate) mod credential_fields;
mod encoding;
mod files;
mod kind;
pub(crate) mod media;
mod position;
mod root;
pub(crate) mod swagger;
mod untyped_part;

use std::sync::Arc;

use callgate_tool::{ArgumentName, Value};

use crate::input::Styled;

/// The way a body's value becomes bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum BodyKind {
    /// Unchanged bytes.
    Binary,
    /// `application/x-www-form-urlencoded`
    Form,
    /// `application/json` and `+json`
    Json,
    /// JSON values, one per line or in another sequence format.
    JsonLines,
    /// `multipart/*`
    Multipart,
    /// `text/*`
    Text,
    /// `application/xml`, `text/xml` and `+xml`
    Xml,
}

/// The presentation of the body to the model. The body is flat only if some property of a plain object must come from
/// the model: otherwise "no body" and an empty body could not be distinguished, and services distinguish them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum BodyLayout {
    /// The body's members are the arguments, whatever they are: its schema is that of all arguments.
    Arguments,
    /// The body's properties are arguments beside the parameters.
    Flat,
    /// The body is the single argument `body`.
    Whole,
}

/// One media type a body may have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyMedia {
    /// The media type as it is sent in `Content-Type`.
    pub media_type: Arc<str>,
    /// The way the body's value becomes bytes.
    pub kind: BodyKind,
    /// True if [`Body::content_type`] may select this media type: there are several, and callgate can write this one.
    pub is_selectable: bool,
    /// The index of the schema for this media type, counted from 0, if the media types of the body have different
    /// schemas: then the body is one argument, and its schema is `anyOf` of these. `None` if one schema applies to all.
    pub alternative: Option<usize>,
    /// The encodings of properties of a form or a multipart body. Other properties are written by the type of their
    /// value (OpenAPI 3.0.4 §4.7.15.1.1: an object as JSON, each item of a list separately, else as text).
    pub encodings: Box<[PropertyEncoding]>,
    /// The files of a form or a multipart body that have no name in the description; `None` if there are none.
    pub open_files: Option<OpenFiles>,
    /// The encodings of a list's items, for a multipart body whose parts have no names.
    pub positions: PositionEncodings,
    /// The root element of an XML body, if the description names it.
    pub root: Option<XmlName>,
}

/// The name of an XML element.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct XmlName {
    /// The local name.
    pub name: Arc<str>,
    /// The namespace of the name.
    pub namespace: Option<Arc<str>>,
    /// The prefix of the namespace.
    pub prefix: Option<Arc<str>>,
    /// True if the value's only property is this element itself, and not a child element.
    pub is_wrapper: bool,
}

/// The encoding of one property of a form or a multipart body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PropertyEncoding {
    /// The name of the property.
    pub name: Arc<str>,
    /// The media types that the value may have, in order of preference; a range such as `image/*` is possible. Empty if
    /// the description names none.
    pub content_types: Box<[Arc<str>]>,
    /// The style of a query parameter in which the value is written, whatever its content types are; `None` if it is
    /// written by content type.
    pub styled: Option<Styled>,
    /// The headers of the part.
    pub headers: Box<[PartHeader]>,
    /// True if the value, or each item of it, represents the bytes of a file.
    pub is_binary: bool,
    /// True if the media type alone says that: the schema states no type, or a text.
    pub is_untyped: bool,
}

/// The files of a body whose names the description states only by a pattern, or not at all. Members in
/// [`BodyMedia::encodings`] are not among them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OpenFiles {
    /// The patterns of names, those of other members too.
    pub patterns: Box<[NamePattern]>,
    /// True if members whose names match no pattern are files.
    pub is_rest_binary: bool,
    /// The encoding of each file.
    pub encoding: PropertyEncoding,
}

/// A pattern of the names of members.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct NamePattern {
    /// A regular expression of ECMA-262 that a part of the name matches.
    pub pattern: Arc<str>,
    /// True if the members are files.
    pub is_binary: bool,
}

/// The encodings of parts that are identified by position (OpenAPI 3.2.0 §4.14.5, Encoding By Position). Their names
/// are empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PositionEncodings {
    /// The encodings of the first parts, in order.
    pub prefix: Box<[PropertyEncoding]>,
    /// The encoding of all further parts; `None` if the description states none.
    pub rest: Option<Box<PropertyEncoding>>,
}

impl PositionEncodings {
    /// The encoding of the part at `index`, counted from 0.
    pub fn at(&self, index: usize) -> Option<&PropertyEncoding> {
        self.prefix.get(index).or(self.rest.as_deref())
    }
}

/// A header of one part of a multipart body.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct PartHeader {
    /// The name of the header.
    pub name: Arc<str>,
    /// The only legal value of the header: printable ASCII.
    pub value: Arc<str>,
}

/// Returns true if a media type is that of a JSON merge patch, or is named like one (RFC 7396).
pub(crate) fn is_merge_patch(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.to_ascii_lowercase().ends_with("merge-patch+json")
}

impl BodyMedia {
    /// Returns true if the body is a JSON merge patch, in which `null` removes a member (RFC 7396).
    pub fn is_merge_patch(&self) -> bool {
        is_merge_patch(&self.media_type)
    }

    /// The part of a whole body's schema that applies in this media type.
    pub fn schema_in<'a>(&self, whole: &'a Value) -> Option<&'a Value> {
        match self.alternative {
            Some(at) => whole.get("anyOf")?.as_array()?.get(at),
            None => Some(whole),
        }
    }
}

impl XmlName {
    /// A name with an optional namespace.
    pub fn new(name: Arc<str>, namespace: Option<Arc<str>>, prefix: Option<Arc<str>>) -> Self {
        Self { name, namespace, prefix, is_wrapper: false }
    }
}

/// The body of an operation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Body {
    /// True if a request without a body is invalid.
    pub required: bool,
    /// The presentation of the body to the model.
    pub layout: BodyLayout,
    /// The possible media types, in order of preference; never empty. Media types that this build can write come before
    /// the others (XML whose root element has no name in the description cannot be written).
    pub media: Box<[BodyMedia]>,
    /// The argument that selects a media type, if several are selectable: its value is one of them, as written in
    /// [`BodyMedia::media_type`]. It is not an input.
    pub content_type: Option<ArgumentName>,
    /// True if defaults alone may make the body: it changes nothing, or the operator wants all defaults.
    pub may_be_of_defaults: bool,
}
