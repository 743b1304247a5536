//! `gcp:`: the Google account that secrets of Secret Manager are read with.

use callgate_google::{Account, Identity};
use callgate_tree::Node;

use super::is_local;
use crate::{
    keys::SECRETS_GCP,
    reader::{Reader, identity::identity},
};

/// Reads the account whose tokens give access to Secret Manager.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<Identity> {
    let mapping = reader.mapping(node, pointer, &SECRETS_GCP)?;
    let identity = identity(reader, mapping)?;
    let is_usable = match &identity.account {
        Account::Key(reference) => is_local(reader, mapping, "key", reference),
        _ => true,
    };
    is_usable.then_some(identity)
}
