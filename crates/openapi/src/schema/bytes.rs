//! Describes how an argument represents bytes: base64, a `data:` URL or an object that holds either, or text, or the
//! handle of an earlier result. `call` reads exactly these; rules of the description about the text of the bytes
//! (lengths, patterns) are left out.

use callgate_tool::{Object, Value, json};
use callgate_tree::Node;

use crate::{reference::reference_of, sanitize::text_without_markup, schema::View};

/// The representation of a value by its place: bytes or text, if its schema says that it is binary.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Bytes {
    /// Bytes: a file with its own name and type.
    File,
    /// Bytes, and so are the items of a list: a property of a multipart body.
    Part,
    /// The whole of a multipart body, whose properties or items may be files.
    Parts,
    /// An ordinary text in a JSON merge patch: optional members may be `null`, which removes them (RFC 7396 §2).
    Patch,
    /// An ordinary text. Objects in a part are JSON (OpenAPI 3.1.1 §4.8.15.1), which has no bytes.
    Text,
    /// Bytes, or a list of them, whatever the schema says: the media type of a part says it instead.
    Untyped,
    Whole,
}

impl Bytes {
    pub(crate) fn representation_below_keyword(self, keyword: &str) -> Self {
        match (self, keyword) {
            // These keywords apply to the value itself.
            (
                _,
                "allOf" | "anyOf" | "dependentSchemas" | "else" | "if" | "not" | "oneOf" | "then",
            )
            | (Self::Patch, "additionalProperties" | "patternProperties" | "properties") => self,
            (Self::Part, "items") | (Self::Parts, "items" | "prefixItems") => Self::File,
            (
                Self::Parts,
                "additionalProperties"
                | "patternProperties"
                | "properties"
                | "unevaluatedProperties",
            ) => Self::Part,
            (Self::Untyped, "items") => Self::Untyped,
            _ => Self::Text,
        }
    }

    /// The representation, as far as it affects a schema: schemas that it does not affect share one definition.
    pub(super) fn relevant_to_schema(self, schema: &Node) -> Self {
        let is_open = reference_of(schema).is_some()
            || PASSING.iter().any(|keyword| schema.get(keyword).is_some());
        match self {
            Self::Parts | Self::Text | Self::Untyped => self,
            Self::Patch if MEMBERS.iter().any(|keyword| schema.get(keyword).is_some()) => self,
            _ if is_open => self,
            _ if !is_bytes(schema) || self == Self::Patch => Self::Text,
            Self::Part => Self::File,
            Self::File | Self::Patch | Self::Whole => self,
        }
    }

    /// The schema of a value that represents bytes, with the annotations of the schema it replaces.
    pub(crate) fn schema(self, described: &Node, view: View) -> Value {
        let base64 = json!({"type": "string", "contentEncoding": "base64",
            "description": "Bytes as base64 or as a `data:` URL."});
        // A model that must name every member supplies `null` for missing ones.
        let kind = if view == View::Complete { json!(["string", "null"]) } else { "string".into() };
        let data = json!({"type": kind, "contentEncoding": "base64"});
        let text = json!({"type": kind, "description": "Instead of `data`: text as it is."});
        let handle = json!({"type": kind,
            "description": "Instead of `data`: the handle of an earlier result."});
        let plain = json!({"type": kind});
        let filename = (self != Self::Whole).then(|| ("filename", plain.clone()));
        let members = [("data", data), ("text", text), ("handle", handle)].into_iter();
        let members = members.chain(filename).chain([("content_type", plain)]);
        let members: Object = members.map(|(name, schema)| (name.to_owned(), schema)).collect();
        let object =
            json!({"type": "object", "additionalProperties": false, "properties": members});
        let mut schema = Object::new();
        for name in ANNOTATIONS {
            let value = match described.get(name) {
                Some(Node::String(text)) => text_without_markup(text).text.into(),
                Some(value @ Node::Bool(_)) => value.to_value(),
                _ => continue,
            };
            schema.insert(name.to_owned(), value);
        }
        let mut branches = vec![base64, object];
        if allows_null(described) {
            branches.push(json!({"type": "null"}));
        }
        schema.insert("anyOf".to_owned(), branches.into());
        Value::Object(schema)
    }
}

fn allows_null(schema: &Node) -> bool {
    let kinds = schema.list("type");
    schema.is_true("nullable") || kinds.iter().any(|kind| kind.as_str() == Some("null"))
}

/// Returns true if a schema itself says that its value is bytes (OpenAPI 3.0.4 §4.4.2, 3.1.1 §4.4.2): `format: binary`,
/// 2.0's `file`, or content of a media type that is not text and is not encoded.
pub(crate) fn is_bytes(schema: &Node) -> bool {
    let is_binary_content = schema.get("contentEncoding").is_none()
        && schema.text("contentMediaType").is_some_and(|media_type| {
            schema.get("type").is_none() || !is_text_media_type(media_type)
        });
    schema.text("format") == Some("binary")
        || schema.text("contentEncoding") == Some("binary")
        || schema.text("type") == Some("file")
        || is_binary_content
}

fn is_text_media_type(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    media_type.starts_with("text/")
        || ["json", "xml"].iter().any(|name| media_type.trim_end().ends_with(name))
}

/// The keywords below which bytes may occur in a schema that does not describe bytes itself.
const PASSING: [&str; 9] =
    ["allOf", "anyOf", "dependentSchemas", "else", "if", "items", "not", "oneOf", "then"];

const MEMBERS: [&str; 3] = ["additionalProperties", "patternProperties", "properties"];

/// The keywords that describe a value without restricting it.
const ANNOTATIONS: [&str; 4] = ["title", "description", "deprecated", "writeOnly"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{options::SessionInputs, sample::node};

    #[test]
    fn schemas_of_bytes_are_distinguished_from_those_of_encoded_text() {
        for (schema, expected) in [
            (json!({"type": "string", "format": "binary"}), true),
            (json!({"type": "file"}), true),
            (json!({"contentMediaType": "image/png"}), true),
            (json!({"contentMediaType": "text/csv"}), true),
            (json!({"type": "string", "contentMediaType": "application/octet-stream"}), true),
            (json!({"type": "string", "contentMediaType": "application/json"}), false),
            (
                json!({"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"}),
                false,
            ),
            (json!({"type": "string", "format": "byte"}), false),
            (json!({"type": "string"}), false),
        ] {
            assert_eq!(is_bytes(&node(&schema)), expected, "{schema}");
        }
    }

    #[test]
    fn only_parts_and_items_of_parts_are_files() {
        for (way, expected) in [
            (&["properties"][..], Bytes::Part),
            (&["allOf", "properties", "oneOf"], Bytes::Part),
            (&["properties", "items"], Bytes::File),
            (&["properties", "items", "items"], Bytes::Text),
            (&["properties", "properties"], Bytes::Text),
            (&["additionalProperties"], Bytes::Part),
            (&["then", "patternProperties", "items"], Bytes::File),
            (&["dependentSchemas", "unevaluatedProperties"], Bytes::Part),
            (&["properties", "additionalProperties"], Bytes::Text),
            (&["items"], Bytes::File),
            (&["prefixItems"], Bytes::File),
        ] {
            let found = way
                .iter()
                .fold(Bytes::Parts, |bytes, keyword| bytes.representation_below_keyword(keyword));
            assert_eq!(found, expected, "{way:?}");
        }
        let file = node(&json!({"type": "string", "format": "binary"}));
        let files = node(&json!({"type": "array", "items": {"$ref": "#/components/schemas/File"}}));
        let name = node(&json!({"type": "object", "properties": {"a": {"format": "binary"}}}));
        assert_eq!(
            [&file, &files, &name].map(|one| Bytes::Part.relevant_to_schema(one)),
            [Bytes::File, Bytes::Part, Bytes::Text]
        );
    }

    #[test]
    fn length_keywords_of_bytes_are_not_applied_to_their_text() {
        let described = json!({"type": ["string", "null"], "format": "binary", "maxLength": 3, "title": "Photo"});
        let schema = Bytes::Whole.schema(&node(&described), View::Output);
        assert_eq!(schema.as_object().unwrap().keys().collect::<Vec<_>>(), ["title", "anyOf"]);
        assert_eq!(schema["anyOf"][2], json!({"type": "null"}));
        assert_eq!(schema["anyOf"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn bytes_may_be_given_as_the_handle_of_a_result() {
        for (bytes, expected) in [
            (Bytes::File, &["data", "text", "handle", "filename", "content_type"][..]),
            (Bytes::Whole, &["data", "text", "handle", "content_type"]),
        ] {
            let declared = View::Declared(SessionInputs::Lenient);
            let [declared, complete] =
                [declared, View::Complete].map(|view| bytes.schema(&Node::Null, view));
            let object = &declared["anyOf"][1]["properties"];
            assert!(object.as_object().unwrap().keys().eq(expected), "{object}");
            assert_eq!(object["handle"]["type"], "string");
            assert_eq!(
                complete["anyOf"][1]["properties"]["handle"]["type"],
                json!(["string", "null"])
            );
        }
    }
}
