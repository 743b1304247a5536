//! The version of a description: the supported versions, and their comparison.

use std::{fmt, sync::Arc};

use callgate_tree::{Diagnostic, Node, Severity};

use super::foreign::Foreign;
use crate::code::Code;

/// The version that a description declares, as written: `3.0.3`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Version {
    text: Arc<str>,
    numbers: (u32, u32),
}

impl Version {
    pub(crate) fn is_at_least(&self, major: u32, minor: u32) -> bool {
        self.numbers >= (major, minor)
    }

    /// True if the version is Swagger 2.0, which was renamed OpenAPI afterwards.
    pub(crate) fn is_swagger(&self) -> bool {
        self.numbers.0 == 2
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The version that a tree declares, if this build supports it.
pub(super) fn supported_version(root: &Node) -> Result<Version, Vec<Diagnostic>> {
    if root.as_object().is_none() {
        // A text may be a secret: only its length is shown.
        let got = match root {
            Node::String(text) => format!("a text of {} characters", text.chars().count()),
            other => other.kind().to_owned(),
        };
        let message = format!("expected an OpenAPI description, got: {got}");
        return Err(version_refusal(Code::NotADescription, "", message, START));
    }
    let (name, written) = match (root.get("openapi"), root.get("swagger")) {
        (Some(openapi), _) => ("openapi", scalar_text(openapi)),
        (None, Some(swagger)) => ("swagger", scalar_text(swagger)),
        (None, None) => {
            if let Some(foreign) = Foreign::of_tree(root) {
                return Err(vec![foreign.into_diagnostic()]);
            }
            let message = "expected the member `openapi`, got an object without it".to_owned();
            return Err(version_refusal(Code::NotADescription, "", message, START));
        }
    };
    let text = written.trim();
    let mut parts = text.split('.').map(|digits| digits.parse().ok());
    let numbers = (parts.next().flatten(), parts.next().flatten());
    match (name, numbers) {
        // An unquoted `2.0` may arrive as `2`.
        ("swagger", (Some(2), Some(0) | None)) => {
            Ok(Version { text: text.into(), numbers: (2, 0) })
        }
        ("openapi", (Some(3), Some(minor @ 0..=2))) => {
            Ok(Version { text: text.into(), numbers: (3, minor) })
        }
        _ => {
            let message = format!("expected OpenAPI 2.0, 3.0, 3.1 or 3.2, got `{name}`: `{text}`");
            let is_version = text.starts_with(|first: char| first.is_ascii_digit());
            let help = match numbers {
                (Some(3), None) => WHOLE,
                _ if is_version => READS,
                _ => NAMES,
            };
            Err(version_refusal(Code::UnsupportedVersion, &format!("/{name}"), message, help))
        }
    }
}

/// A scalar as written; an unquoted `3.1` is a number.
fn scalar_text(node: &Node) -> String {
    match node {
        Node::Number(number) => number.to_string(),
        Node::String(text) => text.to_string(),
        other => other.kind().to_owned(),
    }
}

fn version_refusal(code: Code, pointer: &str, message: String, help: &str) -> Vec<Diagnostic> {
    let diagnostic = Diagnostic::new(code, Severity::Error, message, help);
    vec![Diagnostic { pointer: pointer.to_owned(), ..diagnostic }]
}

const NAMES: &str = "a description has its version there, `openapi: 3.1.0`; \
                     a configuration names its description below a toolset: `toolsets: {pets: {openapi: FILE}}`";

const READS: &str = "convert the description to OpenAPI 3.1";
const START: &str = "start it with `openapi: 3.0.3`";

const WHOLE: &str = "write the whole version: `openapi: 3.1.0`";

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use crate::{code::Code, document::Document, sample::node};

    #[track_caller]
    fn check(root: &Value, expected: Result<&str, Code>) {
        let got = Document::new(node(root));
        let got = got.map(|document| document.version().to_string());
        let got = got.map_err(|diagnostics| diagnostics[0].code);
        assert_eq!(got, expected.map(str::to_owned).map_err(Into::into), "{root}");
    }

    #[test]
    fn supported_versions_of_openapi_are_read() {
        check(&json!({"openapi": "3.0.3"}), Ok("3.0.3"));
        check(&json!({"openapi": 3.1}), Ok("3.1"));
        check(&json!({"openapi": " 3.1.0 "}), Ok("3.1.0"));
        check(&json!({"openapi": "3.2.0"}), Ok("3.2.0"));
        check(&json!({"swagger": "2.0"}), Ok("2.0"));
        check(&json!({"swagger": 2.0}), Ok("2.0"));
        check(&json!({"swagger": 2}), Ok("2"));
    }

    #[test]
    fn unsupported_versions_of_openapi_are_refused() {
        check(&json!({"swagger": "1.2"}), Err(Code::UnsupportedVersion));
        check(&json!({"openapi": "3.3.0"}), Err(Code::UnsupportedVersion));
        check(&json!({"openapi": "2.0"}), Err(Code::UnsupportedVersion));
        check(&json!({"openapi": 4}), Err(Code::UnsupportedVersion));
        check(&json!({"openapi": null}), Err(Code::UnsupportedVersion));
    }

    #[test]
    fn a_document_without_a_version_is_no_description() {
        check(&json!([]), Err(Code::NotADescription));
        check(&json!({"info": {}}), Err(Code::NotADescription));
    }
}
