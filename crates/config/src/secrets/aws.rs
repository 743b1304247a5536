//! `aws:`: a region and keys, which are named here or found where AWS puts them for a process.

use callgate_store::aws::{KeySource, SecretsManagerConfig};
use callgate_tree::Node;

use super::{address, sign_in};
use crate::{
    keys::SECRETS_AWS,
    reader::{
        Reader,
        aws::{keys, region},
    },
};

/// Reads the settings of the Secrets Manager.
pub(super) fn read(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
) -> Option<(SecretsManagerConfig, KeySource)> {
    let mapping = reader.mapping(node, pointer, &SECRETS_AWS)?;
    let endpoint = address(reader, mapping, "endpoint");
    let region = region(reader, mapping);
    let keys = keys(reader, mapping, region.as_deref().unwrap_or_default(), sign_in);
    Some((SecretsManagerConfig { region: region?, endpoint }, keys?))
}
