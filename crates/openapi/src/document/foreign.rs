//! Names the format of an input that is not a description: a web page, an archive, a description of another format.
//! Examines the beginning of a text and the members of a tree; findings repeat no part of either.

use callgate_tool::Remedy;
use callgate_tree::{Diagnostic, Node, Severity};

use self::Advice::Words;
use crate::code::Code;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreign {
    what: &'static str,
    advice: Advice,
}

#[derive(Clone, Copy, Debug)]
enum Advice {
    Import,
    Overlay,
    Words(&'static str),
}

impl Foreign {
    /// The format of a text that could not be a description.
    pub(crate) fn of_text(bytes: &[u8]) -> Option<Self> {
        let archive = SIGNATURES.iter().find(|(signature, ..)| bytes.starts_with(signature));
        if let Some((_, what, advice)) = archive {
            return Some(Self { what, advice: *advice });
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        if bytes.is_empty() {
            return Some(Self {
                what: "an empty text",
                advice: Words("name the file that has it"),
            });
        }
        let beginning = bytes.get(..BEGINNING.min(bytes.len())).unwrap_or_default();
        let beginning = String::from_utf8_lossy(beginning).to_ascii_lowercase();
        if beginning.starts_with('<') {
            return Some(foreign_markup(&beginning));
        }
        let begins = |(start, ..): &&(&str, _, _)| beginning.starts_with(start);
        BEGINNINGS.iter().find(begins).map(|(_, what, advice)| Self { what, advice: *advice })
    }

    /// The format of a tree that is not a description.
    pub(crate) fn of_tree(root: &Node) -> Option<Self> {
        if root.get("openapi").is_some() || root.get("swagger").is_some() {
            return None;
        }
        let is_postman = || {
            let info = root.get("info");
            let schema = info.and_then(|info| info.get("schema")).and_then(Node::as_str);
            let has_id = info.is_some_and(|info| info.get("_postman_id").is_some());
            has_id || schema.is_some_and(|schema| schema.contains("getpostman.com"))
        };
        if is_postman() {
            return Some(POSTMAN);
        }
        // A configuration has a member `log`, too.
        let entries = |log: &Node| log.get("entries").is_some_and(|all| all.as_array().is_some());
        let has = |(key, ..): &&(&str, _, _)| match *key {
            "log" => root.get("log").is_some_and(entries),
            key => root.get(key).is_some(),
        };
        MEMBERS.iter().find(has).map(|(_, what, advice)| Self { what, advice: *advice })
    }

    pub(crate) fn into_diagnostic(self) -> Diagnostic {
        let remedy = match self.advice {
            Advice::Import => Some(Remedy::ImportExport),
            Advice::Overlay => Some(Remedy::UseOverlay),
            Words(_) => None,
        };
        let help = match (self.advice, &remedy) {
            (Words(help), _) => help.to_owned(),
            (_, remedy) => remedy.iter().map(Remedy::to_string).collect(),
        };
        let message = format!("expected an OpenAPI description, got {}", self.what);
        let diagnostic = Diagnostic::new(Code::NotADescription, Severity::Error, message, &help);
        Diagnostic { remedy, ..diagnostic }
    }
}

fn foreign_markup(beginning: &str) -> Foreign {
    if beginning.contains("<html") || beginning.contains("<!doctype html") {
        return Foreign {
            what: "a page of HTML",
            advice: Words(
                "name the JSON or YAML that the page shows: often `/openapi.json`, `/swagger.json` or `/v3/api-docs`, on \
                 GitHub what `Raw` leads to",
            ),
        };
    }
    let is_wsdl = beginning.contains("wsdl") && beginning.contains("definitions");
    let what = if is_wsdl { "a description of SOAP (WSDL)" } else { "a document of XML" };
    Foreign { what, advice: Words("name a description in JSON or YAML") }
}

/// The number of bytes of a text that are examined.
const BEGINNING: usize = 1024;

const CONVERT: Advice = Words("convert it to OpenAPI 3.1 first");

const POSTMAN: Foreign = Foreign {
    what: "a Postman collection",
    advice: Words(
        "convert it to OpenAPI: `npx -p postman-to-openapi p2o COLLECTION -f openapi.yaml`",
    ),
};

/// The first bytes of files that are not text.
const SIGNATURES: [(&[u8], &str, Advice); 5] = [
    (b"PK\x03\x04", "a zip archive", Advice::Import),
    (b"PK\x05\x06", "an empty zip archive", Words("name a description")),
    (b"\x1f\x8b", "a gzip archive", Words("unpack it and name the description in it")),
    (b"%PDF", "a PDF", Words("ask for the description that it was made from")),
    (b"\x89PNG", "a picture", Words("name a description in JSON or YAML")),
];

const BEGINNINGS: [(&str, &str, Advice); 6] = [
    ("#%raml", "a description in RAML", CONVERT),
    ("format: 1a", "a description in API Blueprint", CONVERT),
    ("syntax = \"proto", "a description in Protocol Buffers", CONVERT),
    ("type query", "a schema of GraphQL", GRAPHQL),
    ("schema {", "a schema of GraphQL", GRAPHQL),
    ("-----begin ", "a certificate or a key", Words("name a description in JSON or YAML")),
];

const GRAPHQL: Advice = Words("describe the requests to be made in OpenAPI");

const MEMBERS: [(&str, &str, Advice); 10] = [
    ("__schema", "a schema of GraphQL", GRAPHQL),
    ("_type", "an export of Insomnia", Words("export the API as OpenAPI")),
    (
        "arazzo",
        "a description of workflows (Arazzo)",
        Words("name one of its `sourceDescriptions`"),
    ),
    ("asyncapi", "a description of messages (AsyncAPI)", Words("name a description in OpenAPI")),
    ("bundle", "a bundle of Postman", Words("convert its collection to OpenAPI")),
    ("discoveryVersion", "a discovery document of Google", CONVERT),
    ("log", "a recording of a browser (HAR)", Words("name the description of the API")),
    ("overlay", "an overlay", Advice::Overlay),
    ("swaggerVersion", "a description in Swagger 1", CONVERT),
    ("$schema", "a schema", Words("name the description that uses it")),
];

#[cfg(test)]
mod tests {
    use callgate_tree::Limits;

    use crate::{code::Code, document::Document};

    #[track_caller]
    fn check(text: &[u8], expected: &str) {
        let found = Document::read(text, &crate::Limits::default()).unwrap_err();
        let [only] = &*found else { panic!("{found:?}") };
        assert_eq!(only.code, Code::NotADescription, "{only:?}");
        assert_eq!(only.message, format!("expected an OpenAPI description, got {expected}"));
        assert!(!format!("{only:?}").contains("canary"), "{only:?}");
        assert!(!only.help.is_empty());
    }

    #[test]
    fn a_file_of_another_format_is_refused_with_its_name() {
        check(b"<!DOCTYPE html>\n<html lang=en><title>canary: [", "a page of HTML");
        check(b"\xef\xbb\xbf \n<!-- a -->\n<HTML>canary", "a page of HTML");
        check(b"<?xml version='1.0'?><canary/>", "a document of XML");
        check(b"<wsdl:definitions>canary", "a description of SOAP (WSDL)");
        check(b"PK\x03\x04canary\x00\xff", "a zip archive");
        check(b"\x1f\x8bcanary", "a gzip archive");
        check(b"%PDF-1.7 canary", "a PDF");
        check(b"#%RAML 1.0\ntitle: canary", "a description in RAML");
        check(b"FORMAT: 1A\n\n# canary", "a description in API Blueprint");
        check(b"syntax = \"proto3\";\n// canary", "a description in Protocol Buffers");
        check(b"type Query {\n  canary: String\n}", "a schema of GraphQL");
        check(b"-----BEGIN PRIVATE KEY-----\ncanary", "a certificate or a key");
        check(b" \n\n", "an empty text");
    }

    #[test]
    fn json_and_yaml_of_another_format_are_refused_with_its_name() {
        let postman = br#"{"info": {"_postman_id": "canary", "name": "a"}, "item": []}"#;
        check(postman, "a Postman collection");
        let schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
        let postman = format!("{{\"info\": {{\"schema\": \"{schema}\"}}, \"item\": []}}");
        check(postman.as_bytes(), "a Postman collection");
        check(b"asyncapi: 3.0.0", "a description of messages (AsyncAPI)");
        check(b"arazzo: 1.0.1", "a description of workflows (Arazzo)");
        check(b"overlay: 1.0.0\nactions: []", "an overlay");
        check(b"{\"log\": {\"entries\": []}}", "a recording of a browser (HAR)");
    }

    #[test]
    fn a_description_is_not_mistaken_for_another_format() {
        let texts = "log: {} | log: { entries: 1 } | openapi: 3.0.3\nlog: {}
            | {\"swagger\": \"2.0\", \"$schema\": \"x\"}";
        for text in texts.split('|').map(str::trim) {
            let root = callgate_tree::read(text.as_bytes(), &Limits::default()).unwrap().value;
            assert!(super::Foreign::of_tree(&root).is_none(), "{text}");
        }
    }
}
