//! `basic:`: a user name and a password.

use callgate_auth::AuthConfig;
use callgate_tree::Node;

use crate::{
    keys::BASIC,
    reader::{
        Reader,
        secret::{name, secret},
    },
};

/// Reads the references of both.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &BASIC)?;
    let username = name(reader, mapping, "username");
    let password = secret(reader, mapping, "password");
    Some(AuthConfig::Basic { username: username?, password: password? })
}
