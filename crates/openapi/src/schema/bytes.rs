//! Says what stands for bytes in an argument: base64, a `data:` URL or an object that holds either, or text, or the
//! handle of an earlier result. `call` reads exactly these; what a description says about the text of the bytes (lengths, patterns) is left out.

use serde_json::{Map, Value, json};

use crate::node::Node;

/// Whether the values of a body that say they are binary are given as bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Bytes {
    /// They are, as files with a name and a type of their own.
    Files,
    /// They are; the body is nothing else.
    Whole,
    /// They are texts like any other.
    Texts,
}

impl Bytes {
    /// The schema of a value that stands for bytes, with the annotations of the one it takes the place of.
    pub(crate) fn schema(self, described: &Node) -> Value {
        let base64 = json!({"type": "string", "contentEncoding": "base64",
            "description": "Bytes as base64 or as a `data:` URL."});
        let data = json!({"type": "string", "contentEncoding": "base64"});
        let text = json!({"type": "string", "description": "Instead of `data`: text as it is."});
        let handle = json!({"type": "string",
            "description": "Instead of `data`: the handle of an earlier result."});
        let plain = json!({"type": "string"});
        let filename = (self == Self::Files).then(|| ("filename", plain.clone()));
        let members = [("data", data), ("text", text), ("handle", handle)].into_iter();
        let members = members.chain(filename).chain([("content_type", plain)]);
        let members: Map<_, _> = members.map(|(name, schema)| (name.to_owned(), schema)).collect();
        let object =
            json!({"type": "object", "additionalProperties": false, "properties": members});
        let mut schema = Map::new();
        for name in ANNOTATIONS {
            if let Some(value @ (Node::Bool(_) | Node::String(_))) = described.get(name) {
                schema.insert(name.to_owned(), value.to_value());
            }
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
    let kinds = schema.get("type").and_then(Node::as_array).unwrap_or_default();
    schema.get("nullable").and_then(Node::as_bool) == Some(true)
        || kinds.iter().any(|kind| kind.as_str() == Some("null"))
}

/// Whether a schema by itself says that its value is bytes (OpenAPI 3.0.4 §4.7.14.1, 3.1.1 §4.7.14.2): `format:
/// binary`, 2.0's `file`, or content of a media type that is not text and is not encoded.
pub(crate) fn is_bytes(schema: &Node) -> bool {
    let text = |name: &str| schema.get(name).and_then(Node::as_str);
    let is_binary_content = schema.get("contentEncoding").is_none()
        && text("contentMediaType")
            .is_some_and(|media_type| schema.get("type").is_none() || !reads_as_text(media_type));
    text("format") == Some("binary")
        || text("contentEncoding") == Some("binary")
        || text("type") == Some("file")
        || is_binary_content
}

fn reads_as_text(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    media_type.starts_with("text/")
        || ["json", "xml"].iter().any(|name| media_type.trim_end().ends_with(name))
}

/// What describes a value without restricting it.
const ANNOTATIONS: [&str; 4] = ["title", "description", "deprecated", "writeOnly"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::node;

    #[test]
    fn bytes_are_told_from_text_that_stands_for_bytes() {
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
    fn lengths_of_the_bytes_are_not_lengths_of_their_text() {
        let described = json!({"type": ["string", "null"], "format": "binary", "maxLength": 3, "title": "Photo"});
        let schema = Bytes::Whole.schema(&node(&described));
        assert_eq!(schema.as_object().unwrap().keys().collect::<Vec<_>>(), ["title", "anyOf"]);
        assert_eq!(schema["anyOf"][2], json!({"type": "null"}));
        assert_eq!(schema["anyOf"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn bytes_may_be_an_earlier_result() {
        for (bytes, expected) in [
            (Bytes::Files, &["data", "text", "handle", "filename", "content_type"][..]),
            (Bytes::Whole, &["data", "text", "handle", "content_type"]),
        ] {
            let schema = bytes.schema(&Node::Null);
            let object = &schema["anyOf"][1]["properties"];
            assert!(object.as_object().unwrap().keys().eq(expected), "{object}");
            assert_eq!(object["handle"]["type"], "string");
        }
    }
}
