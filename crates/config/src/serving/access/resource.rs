//! The part of `access` for OAuth clients: the address under which they know the sidecar, the scopes that toolsets
//! need, and the toolsets whose tools anybody may list.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_tree::Node;
use url::{Origin, Url};

use super::known_toolset;
use crate::{
    code::ConfigCode,
    reader::{Mapping, Reader, at, escaped},
};

/// The scopes that a token needs, by toolset: all of them. A toolset without an entry needs none.
pub type Scopes = Arc<BTreeMap<String, Vec<String>>>;

/// Reads `url`: an origin, since the paths below it are ours.
pub(super) fn url(reader: &mut Reader, access: Mapping<'_>) -> Option<String> {
    let text = reader.string(access, "url")?;
    let origin = Url::parse(text).ok().filter(is_origin).map(|url| url.origin());
    if let Some(origin @ Origin::Tuple(..)) = origin {
        return Some(origin.ascii_serialization());
    }
    let message = "expected `https://HOST` or `http://HOST:PORT`, without a path";
    let help = "write the address that callers reach the sidecar by";
    reader.complain(ConfigCode::WrongValue, at(access, "url"), message, help);
    None
}

fn is_origin(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}

/// Reads `public_listing`.
pub(super) fn public_listing(
    reader: &mut Reader,
    access: Mapping<'_>,
    toolsets: &[&str],
) -> Arc<BTreeSet<String>> {
    let named = reader.strings(access, "public_listing");
    let pointer = at(access, "public_listing");
    for (index, name) in named.iter().enumerate() {
        known_toolset(reader, &format!("{pointer}/{index}"), name, toolsets);
    }
    Arc::new(named.into_iter().map(ToOwned::to_owned).collect())
}

/// Reads `scopes` of an issuer.
pub(super) fn scopes(reader: &mut Reader, issuer: Mapping<'_>, toolsets: &[&str]) -> Scopes {
    let Some(node) = issuer.object.get("scopes") else { return Scopes::default() };
    let pointer = at(issuer, "scopes");
    let Some(object) = node.as_object() else {
        let help = "for example `{pets: pets.call}`";
        reader.expected(&pointer, "a mapping from toolsets to scopes", node, help);
        return Scopes::default();
    };
    let mut scopes = BTreeMap::new();
    for (toolset, node) in object.iter() {
        let pointer = format!("{pointer}/{}", escaped(toolset));
        known_toolset(reader, &pointer, toolset, toolsets);
        let items = match node {
            Node::Array(items) => &**items,
            one => std::slice::from_ref(one),
        };
        let texts: Option<Vec<_>> = items.iter().map(scope).collect();
        if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
            scopes.insert(toolset.to_string(), texts);
        } else {
            let help = "as tokens have them in `scope`, for example `pets.call`";
            reader.expected(&pointer, "a scope, or a list of scopes", node, help);
        }
    }
    Arc::new(scopes)
}

/// A scope consists of printable ASCII without a quote or a backslash (RFC 6749 §3.3), so that a challenge can name it.
fn scope(node: &Node) -> Option<String> {
    let is_one = |text: &&str| {
        !text.is_empty()
            && text.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
    };
    node.as_str().filter(is_one).map(ToOwned::to_owned)
}
