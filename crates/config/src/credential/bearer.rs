//! `bearer:`: a token of the operator or of the session.

use callgate_auth::AuthConfig;
use callgate_tree::Node;

use crate::{
    keys::BEARER,
    reader::{Reader, secret::required_source},
};

/// Reads the source of the token.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &BEARER)?;
    let token = required_source(reader, mapping, "token")?;
    Some(AuthConfig::Bearer { token })
}
