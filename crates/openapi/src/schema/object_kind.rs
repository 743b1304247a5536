//! Recognises places that cannot contain a schema, by the pointer alone: a reference to such a place is a mistake, and
//! its target would be read as keywords that nobody wrote.

pub(super) fn object_kind_at(pointer: &str) -> Option<&'static str> {
    let pointer = pointer.split_once('#').map_or(pointer, |(_, pointer)| pointer);
    let mut segments = pointer.strip_prefix('/')?.split('/');
    let place = match (segments.next()?, segments.next(), segments.next(), segments.next()) {
        ("paths" | "webhooks", Some(_), None, None) => "pathItems",
        // Swagger 2.0 has these at the root.
        (kind @ ("parameters" | "responses" | "securityDefinitions"), Some(_), None, None)
        | ("components", Some(kind), Some(_), None) => kind,
        _ => return None,
    };
    KINDS.iter().find(|(named, _)| *named == place).map(|(_, kind)| *kind)
}

const KINDS: [(&str, &str); 11] = [
    ("callbacks", "a callback"),
    ("examples", "an example"),
    ("headers", "a header"),
    ("links", "a link"),
    ("mediaTypes", "a media type"),
    ("parameters", "a parameter"),
    ("pathItems", "a path item"),
    ("requestBodies", "a request body"),
    ("responses", "a response"),
    ("securityDefinitions", "a security scheme"),
    ("securitySchemes", "a security scheme"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointer_of_an_object_shows_its_kind() {
        for (pointer, expected) in [
            ("/components/schemas/a", None),
            ("/definitions/a", None),
            ("/paths/~1a", Some("a path item")),
            ("/paths/~1a/get/responses/200/content/a~1b/schema", None),
            ("/components/pathItems/a", Some("a path item")),
            ("/components/parameters/a", Some("a parameter")),
            ("/components/parameters/a/schema", None),
            ("/parameters/a", Some("a parameter")),
            ("other.yaml#/components/responses/a", Some("a response")),
            ("/components/x-own/a", None),
            ("", None),
        ] {
            assert_eq!(object_kind_at(pointer), expected, "{pointer}");
        }
    }
}
