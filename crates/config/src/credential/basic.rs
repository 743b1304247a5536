//! `basic:`: a user name and a password.

use callgate_auth::AuthConfig;
use callgate_openapi::Node;
use callgate_secret::SecretReference;

use super::secret::secret;
use crate::{keys::BASIC, reader::Reader};

/// Reads the references of both.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &BASIC)?;
    let username = reader.required_string(mapping, "username").and_then(username);
    let password = secret(reader, mapping, "password");
    Some(AuthConfig::Basic { username: username?, password: password? })
}

/// A user name is no secret: it may be a reference or stand as it is.
fn username(text: &str) -> Option<SecretReference> {
    text.parse().or_else(|_| format!("literal:{text}").parse()).ok()
}
