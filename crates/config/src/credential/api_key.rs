//! `api_key:`: a key in a header, a cookie or the query.

use callgate_auth::{ApiKeyLocation, AuthConfig};
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    keys::API_KEY,
    reader::{Reader, at, secret::secret},
};

/// Reads the key's place and its reference.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &API_KEY)?;
    let place = match reader.required_string(mapping, "in") {
        Some("cookie") => Some(ApiKeyLocation::Cookie),
        Some("header") => Some(ApiKeyLocation::Header),
        Some("query") => Some(ApiKeyLocation::Query),
        Some(other) => {
            let message = format!("expected `cookie`, `header` or `query`, got: `{other}`");
            let help = "say where the service expects the key";
            reader.complain(ConfigCode::WrongValue, at(mapping, "in"), message, help);
            None
        }
        None => None,
    };
    let name = reader.required_string(mapping, "name").map(ToOwned::to_owned);
    let value = secret(reader, mapping, "value");
    Some(AuthConfig::ApiKey { place: place?, name: name?, value: value? })
}
