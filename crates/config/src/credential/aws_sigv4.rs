//! `aws_sigv4:`: the service and the region of a signature, and its keys.

use callgate_auth::AuthConfig;
use callgate_store::aws::Scope;
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    keys::AWS_SIGV4,
    reader::{
        Reader, at,
        aws::{keys, region},
        secret::secret,
    },
};

/// Reads the scope of the signature, and its keys.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &AWS_SIGV4)?;
    let service = reader.required_string(mapping, "service").map(ToOwned::to_owned);
    let region = region(reader, mapping);
    let keys = keys(reader, mapping, region.as_deref().unwrap_or_default(), secret);
    let is_payload_unsigned = match reader.string(mapping, "payload") {
        None | Some("signed") => false,
        Some("unsigned") => true,
        Some(other) => {
            let message = format!("expected `signed` or `unsigned`, got: `{other}`");
            let help = "`unsigned` leaves the body out of the signature, as VPC Lattice asks for";
            reader.complain(ConfigCode::WrongValue, at(mapping, "payload"), message, help);
            false
        }
    };
    let scope = Scope { region: region?, service: service?, is_payload_unsigned };
    Some(AuthConfig::AwsSigV4 { scope, keys: keys? })
}
