//! Follows `$ref` through the documents of a description. Chains are limited and circles found. Files and addresses are
//! not fetched here; a document that was not supplied is reported. `@dialogflow/sessionId` is not a reference and never
//! gets here.

use std::{iter, ptr, sync::Arc};

use callgate_tool::{nearest, pointer_segment};
use callgate_tree::{Node, Path};
use hashbrown::HashSet;

use crate::{
    address::SESSION_ID,
    code::Code,
    document::{Document, NoPlace, Unavailable, UnavailableReason},
    findings::Findings,
};

#[derive(Clone, Debug)]
pub(crate) struct LocatedNode<'d> {
    pub(crate) node: &'d Node,
    pub(crate) pointer: Arc<str>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ReferenceFailure {
    Cyclic,
    /// The reference leads to a document that may not be read.
    External,
    Missing,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct BadReference {
    pub(crate) failure: ReferenceFailure,
    pub(crate) reference: Arc<str>,
    pub(crate) pointer: Arc<str>,
    pub(crate) expected: Arc<str>,
    pub(crate) meant: Option<Arc<str>>,
}

impl<'d> LocatedNode<'d> {
    pub(crate) fn new(node: &'d Node, path: &Path<'_>) -> Self {
        Self { node, pointer: path.pointer() }
    }

    pub(crate) fn path(&self) -> Path<'_> {
        Path::at(&self.pointer)
    }

    pub(crate) fn member(&self, name: &str) -> Option<Self> {
        let node = self.node.get(name)?;
        Some(Self::new(node, &self.path().name(name)))
    }
}

impl BadReference {
    /// The failure as one that loses only the referenced part, whatever the reason: no request depends on that part.
    pub(crate) fn as_missing_part(&self) -> Self {
        let failure = match self.failure {
            ReferenceFailure::External => ReferenceFailure::Missing,
            other => other,
        };
        Self { failure, ..self.clone() }
    }

    /// Reports the fault: an external reference refuses the operation, any other one loses the referenced part.
    pub(crate) fn report(&self, findings: &mut Findings) {
        let Self { failure, reference, pointer, expected, meant } = self;
        let message = format!("expected {expected}, got: `{reference}`");
        match failure {
            ReferenceFailure::Cyclic => {
                let help = "let one of the references of the circle be the thing itself";
                findings.warning(Code::CyclicReference, pointer, message, help);
            }
            ReferenceFailure::External => {
                let help =
                    "put what it stands for into the document, for example under `components`";
                findings.error(Code::ExternalReference, pointer, message, help);
            }
            ReferenceFailure::Missing => {
                let help = match meant {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "correct the reference or add the part it names".to_owned(),
                };
                findings.warning(Code::MissingReference, pointer, message, &help);
            }
        }
    }
}

/// The reference in a node. Without a dynamic scope, `$dynamicRef` means what `$ref` would.
pub(crate) fn reference_of(node: &Node) -> Option<&Arc<str>> {
    let object = node.as_object()?;
    let named = |name: &str| object.get(name).and_then(Node::as_shared_str);
    named("$ref").or_else(|| named("$dynamicRef")).filter(|reference| &***reference != SESSION_ID)
}

pub(crate) fn resolve_target<'d>(
    document: &'d Document,
    reference: &Arc<str>,
    at: &Path<'_>,
) -> Result<LocatedNode<'d>, BadReference> {
    document.meter().spend_steps(HOP + at.step_cost());
    let bad = |failure, expected: &str| BadReference {
        failure,
        reference: Arc::clone(reference),
        pointer: at.to_string().into(),
        expected: expected.into(),
        meant: suggested_reference(document, reference, at)
            .filter(|_| failure == ReferenceFailure::Missing),
    };
    if let Some(pointer) = document.own_pointer(reference, at)
        && let Some(node) = document.root().at(pointer)
    {
        return Ok(LocatedNode { node, pointer: pointer.into() });
    }
    let place = document.resolve_reference(reference, at).map_err(|no_place| match no_place {
        NoPlace::Unavailable(Unavailable { reason, expected }) => match reason {
            UnavailableReason::Forbidden => bad(ReferenceFailure::External, &expected),
            UnavailableReason::Unreadable => bad(ReferenceFailure::Missing, &expected),
        },
        NoPlace::Missing => bad(ReferenceFailure::Missing, A_PART),
    })?;
    let node = document.node_at(&place).ok_or_else(|| bad(ReferenceFailure::Missing, A_PART))?;
    let pointer = match place.document {
        None => place.pointer.into(),
        Some(document) => format!("{document}#{}", place.pointer).into(),
    };
    Ok(LocatedNode { node, pointer })
}

/// The reference to an existing part of the document whose name is similar to the missing one.
fn suggested_reference(document: &Document, reference: &str, at: &Path<'_>) -> Option<Arc<str>> {
    let pointer = reference.strip_prefix('#').filter(|_| at.document().is_none())?;
    let (above, name) = pointer.rsplit_once('/')?;
    let parts = document.root().at(above)?.as_object()?;
    let parts = document.while_affordable(parts.iter().take(MOST_NAMES), HOP);
    let near = nearest(name, parts.map(|(name, _)| &**name))?;
    Some(format!("#{above}/{}", pointer_segment(near)).into())
}

pub(crate) fn follow_references<'d>(
    document: &'d Document,
    node: &'d Node,
    path: &Path<'_>,
) -> Result<LocatedNode<'d>, BadReference> {
    let mut at = match reference_of(node) {
        None => return Ok(LocatedNode::new(node, path)),
        Some(reference) => resolve_target(document, reference, path)?,
    };
    let mut seen = HashSet::new();
    // An end is not needed once the steps are used up.
    while let Some(reference) = reference_of(at.node).filter(|_| !document.is_spent()) {
        if !seen.insert(ptr::from_ref(at.node)) || seen.len() > MOST_HOPS {
            return Err(BadReference {
                failure: ReferenceFailure::Cyclic,
                reference: Arc::clone(reference),
                pointer: path.to_string().into(),
                expected: "a reference that ends somewhere".into(),
                meant: None,
            });
        }
        at = resolve_target(document, reference, &at.path())?;
    }
    Ok(at)
}

/// The node and every node that its references lead through, as far as they can be followed: text beside a reference
/// comes before text at its target.
pub(crate) fn reference_chain<'d>(
    document: &'d Document,
    node: &'d Node,
    path: &Path<'_>,
) -> impl Iterator<Item = &'d Node> {
    iter::once(node).chain(reference_targets(document, node, path).into_iter().map(|at| at.node))
}

/// The text beside a reference, or beside a later one in the chain, which replaces that of the target (OpenAPI 3.1.1
/// §4.8.23); the nearest counts. Earlier versions ignore such text.
pub(crate) fn text_beside_reference<'d>(
    document: &'d Document,
    node: &'d Node,
    path: &Path<'_>,
    name: &str,
) -> Option<&'d Arc<str>> {
    if !document.version().is_at_least(3, 1) || reference_of(node).is_none() {
        return None;
    }
    let own = node.get(name).and_then(Node::as_shared_str);
    own.or_else(|| {
        let through = reference_targets(document, node, path).into_iter().map(|at| at.node);
        let mut references = through.filter(|node| reference_of(node).is_some());
        references.find_map(|node| node.get(name)?.as_shared_str())
    })
}

/// Every node that the references of a node lead through, as far as they can be followed.
pub(crate) fn reference_targets<'d>(
    document: &'d Document,
    node: &'d Node,
    path: &Path<'_>,
) -> Vec<LocatedNode<'d>> {
    let mut targets: Vec<LocatedNode<'d>> = Vec::new();
    let Some(first) = reference_of(node) else { return targets };
    let mut seen = HashSet::new();
    seen.insert(ptr::from_ref(node));
    let mut next = resolve_target(document, first, path).ok();
    while let Some(at) = next {
        let is_new = seen.insert(ptr::from_ref(at.node));
        if !is_new || document.is_spent() {
            break;
        }
        next = reference_of(at.node).and_then(|to| resolve_target(document, to, &at.path()).ok());
        targets.push(at);
    }
    targets
}

const A_PART: &str = "a reference to a part of the document";

/// A longer chain counts as a circle; real ones have fewer than ten links.
const MOST_HOPS: usize = 20_000;

/// The number of names that a missing one is compared with.
const MOST_NAMES: usize = 500;

/// The cost to follow a reference, in steps: a few times that of visiting a part.
const HOP: usize = 4;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::sample::document;

    #[track_caller]
    fn check(reference: &str, expected: Result<&str, ReferenceFailure>) {
        let mut parts = json!({
            "a": {"$ref": "#/b"}, "b": {"$ref": "#/c~1d"}, "c/d": {"type": "string"},
            "self": {"$ref": "#/self"}, "one": {"$ref": "#/two"}, "two": {"$ref": "#/one"},
            "named $ref": {"$ref": {"type": "string"}}, "dialogflow": {"$ref": SESSION_ID},
        });
        parts["start"] = json!({"$ref": reference});
        let document = document(parts);
        let start = document.root().get("start").unwrap();
        let got = follow_references(&document, start, &Path::at("/start"));
        let got = got.map(|found| found.pointer.to_string()).map_err(|bad| bad.failure);
        assert_eq!(got, expected.map(str::to_owned), "{reference}");
    }

    #[test]
    fn chains_of_references_are_followed_to_their_end() {
        check("#/c~1d", Ok("/c/d".replace("c/", "c~1").as_str()));
        check("#/a", Ok("/c~1d"));
        check("#/c%7E1d", Ok("/c~1d"));
        check("#/named $ref", Ok("/named $ref"));
        check("#/dialogflow", Ok("/dialogflow"));
    }

    #[test]
    fn a_reference_without_a_target_is_missing() {
        for reference in ["#/nothing", "#anchor", "#/a/b/c", "#/%FF"] {
            check(reference, Err(ReferenceFailure::Missing));
        }
    }

    #[test]
    fn cyclic_references_are_found() {
        check("#/self", Err(ReferenceFailure::Cyclic));
        check("#/one", Err(ReferenceFailure::Cyclic));
        check("#/start", Err(ReferenceFailure::Cyclic));
    }

    #[test]
    fn files_and_addresses_are_external() {
        for reference in
            ["./pet.yaml", "http://169.254.169.254/a", "file:///etc/passwd", "b.yaml#/a"]
        {
            check(reference, Err(ReferenceFailure::External));
        }
    }

    #[test]
    fn a_long_chain_of_references_is_followed() {
        let mut parts = json!({"n1000": {"type": "string"}});
        for n in 0..1000 {
            parts[format!("n{n}").as_str()] = json!({"$ref": format!("#/n{}", n + 1)});
        }
        let document = document(parts);
        let start = document.root().get("n0").unwrap();
        assert_eq!(&*follow_references(&document, start, &Path::ROOT).unwrap().pointer, "/n1000");
    }
}
