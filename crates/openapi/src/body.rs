//! The body of an operation: its media types, in order of preference, and how it is offered to the model.

mod bytes;
mod encoding;
mod kind;
pub(crate) mod media;
mod position;
mod root;
pub(crate) mod swagger;
pub(crate) mod withheld;

use std::sync::Arc;

use callgate_tool::{ArgumentName, Value};

use crate::input::Styled;

/// The way a body's bytes are made from its value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes bodies must handle a new one")]
pub enum BodyKind {
    /// Bytes as they are.
    Binary,
    /// `application/x-www-form-urlencoded`
    Form,
    /// `application/json` and `+json`
    Json,
    /// JSON values one a line, or another sequence of them.
    JsonLines,
    /// `multipart/*`
    Multipart,
    /// `text/*`
    Text,
    /// `application/xml`, `text/xml` and `+xml`
    Xml,
}

/// The way the body is offered to the model. It is flat only where some property of a plain object must come from the
/// model: otherwise no body and an empty one could not be told apart, and services tell them apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes bodies must handle a new one")]
pub enum BodyLayout {
    /// Its members are the arguments, whatever they are: its schema is that of all arguments.
    Arguments,
    /// Its properties are arguments side by side with the parameters.
    Flat,
    /// It is the one argument `body`.
    Whole,
}

/// One media type a body may have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyMedia {
    /// The media type as it is sent in `Content-Type`.
    pub media_type: Arc<str>,
    /// The way its bytes are made.
    pub kind: BodyKind,
    /// True if [`Body::content_type`] may choose it: there are several, and it is written.
    pub is_selectable: bool,
    /// The schema its value meets, counted from 0, where the media types of the body have different ones: the body is one
    /// argument then, and its schema is `anyOf` of these. `None` where one schema is that of all.
    pub alternative: Option<usize>,
    /// The way properties of a form or a multipart body are written; those that are not here are written by the kind of
    /// their value (OpenAPI 3.0.4 §4.7.15.1.1: an object as JSON, each item of a list by itself, else as text).
    pub encodings: Box<[PropertyEncoding]>,
    /// The way the items of a list are written that is a multipart body whose parts have no names.
    pub positions: PositionEncodings,
    /// The root element of an XML body, where the description names it.
    pub root: Option<XmlName>,
}

/// The name of an XML element.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct XmlName {
    /// The local name.
    pub name: Arc<str>,
    /// The namespace it is in.
    pub namespace: Option<Arc<str>>,
    /// The prefix that stands for the namespace.
    pub prefix: Option<Arc<str>>,
    /// True if the only property of the value is this element, and not an element in it.
    pub is_wrapper: bool,
}

/// The way one property of a form or a multipart body is written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PropertyEncoding {
    /// The name of the property.
    pub name: Arc<str>,
    /// The media types its value may have, the first one preferred; one may be a range, `image/*`. Empty when the
    /// description names none.
    pub content_types: Box<[Arc<str>]>,
    /// The style of a query parameter that its value is written by, whatever the content types are; without one it is
    /// written by content type.
    pub styled: Option<Styled>,
    /// Headers of its part.
    pub headers: Box<[PartHeader]>,
    /// True if its value, or each item of it, stands for the bytes of a file.
    pub is_binary: bool,
}

/// The way parts are written that are told apart by their position (OpenAPI 3.2.0 §4.14.5, Encoding By Position). Their
/// names are empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PositionEncodings {
    /// Those of the first parts, in their order.
    pub prefix: Box<[PropertyEncoding]>,
    /// That of all parts after them; none where nothing is said of them.
    pub rest: Option<Box<PropertyEncoding>>,
}

impl PositionEncodings {
    /// The one of the part at `index`, counted from 0.
    pub fn at(&self, index: usize) -> Option<&PropertyEncoding> {
        self.prefix.get(index).or(self.rest.as_deref())
    }
}

/// A header of one part of a multipart body.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct PartHeader {
    /// Its name.
    pub name: Arc<str>,
    /// Its only legal value: printable ASCII.
    pub value: Arc<str>,
}

/// Returns true if a media type is that of a JSON merge patch, or is called like one (RFC 7396).
pub(crate) fn is_merge_patch(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.to_ascii_lowercase().ends_with("merge-patch+json")
}

impl BodyMedia {
    /// Returns true if the body is a JSON merge patch, in which `null` removes a member (RFC 7396).
    pub fn is_merge_patch(&self) -> bool {
        is_merge_patch(&self.media_type)
    }

    /// The part of the schema of a whole body that its value meets in this media type.
    pub fn schema_in<'a>(&self, whole: &'a Value) -> Option<&'a Value> {
        match self.alternative {
            Some(at) => whole.get("anyOf")?.as_array()?.get(at),
            None => Some(whole),
        }
    }
}

impl XmlName {
    /// A name, in a namespace or in none.
    pub fn new(name: Arc<str>, namespace: Option<Arc<str>>, prefix: Option<Arc<str>>) -> Self {
        Self { name, namespace, prefix, is_wrapper: false }
    }
}

/// The body of an operation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Body {
    /// True if a request without a body is wrong.
    pub required: bool,
    /// The way it is offered to the model.
    pub layout: BodyLayout,
    /// The media types it may have, the preferred one first; never empty. Those this build writes come before the
    /// others (XML whose root element the description does not name is not).
    pub media: Box<[BodyMedia]>,
    /// The argument that chooses among the selectable media types, where there are several: its value is one
    /// of them, as written in [`BodyMedia::media_type`]. It is no input.
    pub content_type: Option<ArgumentName>,
}
