//! Follows `$ref` inside one document. Chains are bounded and cycles found; files and addresses are not fetched here,
//! they are reported. `@dialogflow/sessionId` is not a reference and never comes here.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    code::Code,
    document::Document,
    findings::Findings,
    node::Node,
    pointer::{Path, pointer_of_fragment},
};

/// A node and the pointer of the place it was found at.
#[derive(Clone, Debug)]
pub(crate) struct Located<'d> {
    pub(crate) node: &'d Node,
    pub(crate) pointer: Arc<str>,
}

/// Why a reference leads nowhere.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Failure {
    Cyclic,
    External,
    Missing,
}

/// A reference that leads nowhere.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct BadReference {
    pub(crate) failure: Failure,
    pub(crate) reference: Arc<str>,
    /// The pointer of the object that holds it.
    pub(crate) pointer: Arc<str>,
}

impl<'d> Located<'d> {
    /// The node at the end of a path.
    pub(crate) fn new(node: &'d Node, path: &Path<'_>) -> Self {
        Self { node, pointer: path.to_string().into() }
    }

    /// The path that starts here.
    pub(crate) fn path(&self) -> Path<'_> {
        Path::at(&self.pointer)
    }

    /// The member `name`.
    pub(crate) fn member(&self, name: &str) -> Option<Self> {
        let node = self.node.get(name)?;
        Some(Self::new(node, &self.path().name(name)))
    }
}

impl BadReference {
    /// The same where only what it stands for is lost, whatever the reason: nothing that is sent depends on it.
    pub(crate) fn as_lost(&self) -> Self {
        let failure = match self.failure {
            Failure::External => Failure::Missing,
            other => other,
        };
        Self { failure, ..self.clone() }
    }

    /// Says what is wrong: an external reference costs the operation, any other one what it stands for.
    pub(crate) fn report(&self, findings: &mut Findings) {
        let Self { failure, reference, pointer } = self;
        match failure {
            Failure::Cyclic => findings.warning(
                Code::CyclicReference,
                pointer,
                format!("expected a reference that ends somewhere, got a circle: `{reference}`"),
                "let one of the references of the circle be the thing itself",
            ),
            Failure::External => findings.error(
                Code::ExternalReference,
                pointer,
                format!("expected a reference into the same document, got: `{reference}`"),
                "put what it stands for into the document, for example under `components`",
            ),
            Failure::Missing => findings.warning(
                Code::MissingReference,
                pointer,
                format!("expected a reference to a part of the document, got: `{reference}`"),
                "correct the reference or add the part it names",
            ),
        }
    }
}

/// The reference in a node, when it is nothing but one.
pub(crate) fn reference_of(node: &Node) -> Option<&Arc<str>> {
    node.get("$ref")?.as_shared_str().filter(|reference| &***reference != SESSION_ID)
}

/// The node a reference names.
pub(crate) fn target<'d>(
    document: &'d Document,
    reference: &Arc<str>,
    at: &Path<'_>,
) -> Result<Located<'d>, BadReference> {
    let bad = |failure| BadReference {
        failure,
        reference: Arc::clone(reference),
        pointer: at.to_string().into(),
    };
    if !reference.starts_with('#') {
        return Err(bad(Failure::External));
    }
    let pointer = pointer_of_fragment(reference).ok_or_else(|| bad(Failure::Missing))?;
    let node = document.root().at(&pointer).ok_or_else(|| bad(Failure::Missing))?;
    Ok(Located { node, pointer: pointer.into() })
}

/// The node itself when it is no reference, else what its references lead to.
pub(crate) fn follow<'d>(
    document: &'d Document,
    node: &'d Node,
    path: &Path<'_>,
) -> Result<Located<'d>, BadReference> {
    let mut at = match reference_of(node) {
        None => return Ok(Located::new(node, path)),
        Some(reference) => target(document, reference, path)?,
    };
    let mut seen = BTreeSet::new();
    while let Some(reference) = reference_of(at.node) {
        if !seen.insert(Arc::clone(&at.pointer)) || seen.len() > MOST_HOPS {
            let pointer = path.to_string().into();
            return Err(BadReference {
                failure: Failure::Cyclic,
                reference: Arc::clone(reference),
                pointer,
            });
        }
        at = target(document, reference, &at.path())?;
    }
    Ok(at)
}

/// The node and every node its references lead through, as far as they lead: what is said beside a reference comes
/// before what is said at its target.
pub(crate) fn chain<'d>(document: &'d Document, node: &'d Node) -> Vec<&'d Node> {
    let mut nodes = vec![node];
    let mut at = node;
    while let Some(reference) = reference_of(at) {
        let Ok(found) = target(document, reference, &Path::ROOT) else { break };
        at = found.node;
        if nodes.len() > LONGEST_CHAIN || nodes.iter().any(|seen| std::ptr::eq(*seen, at)) {
            break;
        }
        nodes.push(at);
    }
    nodes
}

/// Dialogflow CX writes the session's id as if it were a reference.
pub(crate) const SESSION_ID: &str = "@dialogflow/sessionId";

/// A chain longer than this is taken for a circle; real ones have fewer than ten links.
const MOST_HOPS: usize = 1100;

/// Where defaults and session inputs are looked for along a chain; real chains have one or two links.
const LONGEST_CHAIN: usize = 32;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample::document;

    #[track_caller]
    fn check(reference: &str, expected: Result<&str, Failure>) {
        let mut parts = json!({
            "a": {"$ref": "#/b"}, "b": {"$ref": "#/c~1d"}, "c/d": {"type": "string"},
            "self": {"$ref": "#/self"}, "one": {"$ref": "#/two"}, "two": {"$ref": "#/one"},
            "named $ref": {"$ref": {"type": "string"}}, "dialogflow": {"$ref": SESSION_ID},
        });
        parts["start"] = json!({"$ref": reference});
        let document = document(parts);
        let start = document.root().get("start").unwrap();
        let got = follow(&document, start, &Path::at("/start"));
        let got = got.map(|found| found.pointer.to_string()).map_err(|bad| bad.failure);
        assert_eq!(got, expected.map(str::to_owned), "{reference}");
    }

    #[test]
    fn references_are_followed_to_their_end() {
        check("#/c~1d", Ok("/c/d".replace("c/", "c~1").as_str()));
        check("#/a", Ok("/c~1d"));
        check("#/c%7E1d", Ok("/c~1d"));
        check("#/named $ref", Ok("/named $ref"));
        check("#/dialogflow", Ok("/dialogflow"));
    }

    #[test]
    fn references_to_nothing_are_missing() {
        for reference in ["#/nothing", "#anchor", "#/a/b/c", "#/%FF"] {
            check(reference, Err(Failure::Missing));
        }
    }

    #[test]
    fn circles_are_found() {
        check("#/self", Err(Failure::Cyclic));
        check("#/one", Err(Failure::Cyclic));
        check("#/start", Err(Failure::Cyclic));
    }

    #[test]
    fn files_and_addresses_are_external() {
        for reference in
            ["./pet.yaml", "http://169.254.169.254/a", "file:///etc/passwd", "b.yaml#/a", ""]
        {
            check(reference, Err(Failure::External));
        }
    }

    #[test]
    fn a_long_chain_ends() {
        let mut parts = json!({"n1000": {"type": "string"}});
        for n in 0..1000 {
            parts[format!("n{n}")] = json!({"$ref": format!("#/n{}", n + 1)});
        }
        let document = document(parts);
        let start = document.root().get("n0").unwrap();
        assert_eq!(&*follow(&document, start, &Path::ROOT).unwrap().pointer, "/n1000");
    }
}
