//! The part of `access` for OAuth clients: the address under which they know the sidecar, the scopes that toolsets
//! need, and the toolsets whose tools anybody may list.

use std::{collections::BTreeMap, sync::Arc};

use callgate_settings::{
    Kind, Mapping, Reader, SettingCode, forms, member_pointer, pointer_segment,
};
use callgate_tree::Node;
use url::{Origin, Url};

use super::report_unknown_toolset;

/// The scopes that a token needs, by toolset: all of them. A toolset without an entry needs none.
pub type Scopes = Arc<BTreeMap<String, Vec<String>>>;

forms! {
    /// An origin, since the paths below it are the sidecar's.
    struct PublicOrigin => String, Kind::Address, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let origin = Url::parse(text).ok().filter(is_origin).map(|url| url.origin());
        if let Some(origin @ Origin::Tuple(..)) = origin {
            return Some(origin.ascii_serialization());
        }
        let message = "expected `https://HOST` or `http://HOST:PORT`, without a path";
        let help = "write the address that callers reach the sidecar by";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
        None
    };
    struct ToolsetScopes => Scopes, Kind::Map(&Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)])), read_scopes;
}

fn is_origin(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}

fn read_scopes(reader: &mut Reader, issuer: Mapping<'_>, key: &str) -> Option<Scopes> {
    let (node, pointer) = (issuer.object.get(key)?, member_pointer(issuer, key));
    let Some(object) = node.as_object() else {
        let help = "for example `{pets: pets.call}`";
        reader.report_wrong_type(&pointer, "a mapping from toolsets to scopes", node, help);
        return None;
    };
    let mut scopes = BTreeMap::new();
    for (toolset, node) in object.iter() {
        let pointer = format!("{pointer}/{}", pointer_segment(toolset));
        report_unknown_toolset(reader, &pointer, toolset);
        let items = match node {
            Node::Array(items) => &**items,
            one => std::slice::from_ref(one),
        };
        let texts: Option<Vec<_>> = items.iter().map(valid_scope).collect();
        if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
            scopes.insert(toolset.to_string(), texts);
        } else {
            let help = "as tokens have them in `scope`, for example `pets.call`";
            reader.report_wrong_type(&pointer, "a scope, or a list of scopes", node, help);
        }
    }
    Some(Arc::new(scopes))
}

/// A scope consists of printable ASCII without a quote or a backslash (RFC 6749 §3.3), so that a challenge can name it.
fn valid_scope(node: &Node) -> Option<String> {
    let is_one = |text: &&str| {
        !text.is_empty()
            && text.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
    };
    node.as_str().filter(is_one).map(ToOwned::to_owned)
}
