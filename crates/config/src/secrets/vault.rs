//! `vault:`: its address, and one way to log in.

use callgate_store::{VaultConfig, VaultLogin};
use callgate_tree::Node;

use super::{address, sign_in};
use crate::{
    code::ConfigCode,
    keys::{VAULT, VAULT_APPROLE, VAULT_KUBERNETES},
    reader::{Mapping, Reader, at},
};

/// Reads the settings of the vault.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<VaultConfig> {
    let mapping = reader.mapping(node, pointer, &VAULT)?;
    if !mapping.object.contains("address") {
        let message = "expected the key `address`, got none";
        reader.complain(ConfigCode::MissingKey, pointer, message, "add `address: https://…`");
    }
    let address = address(reader, mapping, "address");
    let namespace = reader.string(mapping, "namespace").map(ToOwned::to_owned);
    let login = login(reader, mapping);
    Some(VaultConfig { address: address?, namespace, login: login? })
}

fn login(reader: &mut Reader, mapping: Mapping<'_>) -> Option<VaultLogin> {
    let mut ways =
        WAYS.iter().filter_map(|(key, way)| Some((*key, *way, mapping.object.get(key)?)));
    let (first, second) = (ways.next(), ways.next());
    let Some((key, way, node)) = first.filter(|_| second.is_none()) else {
        let got = if second.is_some() { "several" } else { "none" };
        let message = format!("expected one way to log in, got {got}");
        let help = "write one of `token`, `kubernetes` and `approle`";
        reader.complain(ConfigCode::WrongValue, mapping.pointer, message, help);
        return None;
    };
    let pointer = at(mapping, key);
    match way {
        Way::Token => sign_in(reader, mapping, "token").map(VaultLogin::Token),
        Way::Kubernetes => {
            let mapping = reader.mapping(node, &pointer, &VAULT_KUBERNETES)?;
            let mount = mount(reader, mapping, "kubernetes");
            let role = reader.required_string(mapping, "role").map(ToOwned::to_owned);
            let jwt = if mapping.object.contains("jwt") {
                sign_in(reader, mapping, "jwt")
            } else {
                SERVICE_ACCOUNT.parse().ok()
            };
            Some(VaultLogin::Kubernetes { mount, role: role?, jwt: jwt? })
        }
        Way::AppRole => {
            let mapping = reader.mapping(node, &pointer, &VAULT_APPROLE)?;
            let mount = mount(reader, mapping, "approle");
            let role_id = sign_in(reader, mapping, "role_id");
            let secret_id = sign_in(reader, mapping, "secret_id");
            Some(VaultLogin::AppRole { mount, role_id: role_id?, secret_id: secret_id? })
        }
    }
}

fn mount(reader: &mut Reader, mapping: Mapping<'_>, usual: &str) -> String {
    let mount = reader.string(mapping, "mount").map(|mount| mount.trim_matches('/'));
    mount.filter(|mount| !mount.is_empty()).unwrap_or(usual).to_owned()
}

/// The closed set of ways to log in.
#[derive(Clone, Copy, Debug)]
enum Way {
    AppRole,
    Kubernetes,
    Token,
}

const WAYS: [(&str, Way); 3] =
    [("token", Way::Token), ("kubernetes", Way::Kubernetes), ("approle", Way::AppRole)];

/// The file where Kubernetes mounts the token of a pod's service account.
const SERVICE_ACCOUNT: &str = "file:/var/run/secrets/kubernetes.io/serviceaccount/token";
