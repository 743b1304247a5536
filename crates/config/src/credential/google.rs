//! `google_access_token:` and `google_id_token:`: tokens of a Google account.

use callgate_auth::{AuthConfig, GoogleToken};
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    keys::{GOOGLE_ACCESS_TOKEN, GOOGLE_ID_TOKEN},
    reader::{
        Reader, at,
        identity::{identity, named},
    },
};

/// Reads the account of an access token, and its scopes.
pub(super) fn access_token(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &GOOGLE_ACCESS_TOKEN)?;
    let identity = identity(reader, mapping);
    let scopes: Vec<_> =
        reader.strings(mapping, "scopes").into_iter().map(ToOwned::to_owned).collect();
    // An empty list would mean every scope, which its author does not intend.
    let is_bare_list =
        mapping.object.get("scopes").and_then(Node::as_array).is_some_and(<[_]>::is_empty);
    if is_bare_list || scopes.iter().any(String::is_empty) {
        let message = "expected scopes, got an empty list or an empty text";
        let help = "leave the key out for everything in Google Cloud";
        reader.complain(ConfigCode::WrongValue, at(mapping, "scopes"), message, help);
        return None;
    }
    Some(AuthConfig::Google {
        identity: Box::new(identity?),
        token: GoogleToken::Access { scopes },
    })
}

/// Reads the account of an identity token, and its audience.
pub(super) fn id_token(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &GOOGLE_ID_TOKEN)?;
    let identity = identity(reader, mapping);
    let audience = named(reader, mapping, "audience");
    let audience = match audience {
        Some(text) => Some(reader.filled(text, || at(mapping, "audience"))?),
        None => None,
    };
    Some(AuthConfig::Google { identity: Box::new(identity?), token: GoogleToken::Id { audience } })
}
