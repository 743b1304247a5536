//! `vault:`: its address, and one way to log in.

use callgate_secret::SecretReference;
use callgate_settings::{Mapping, Reader, SettingCode, forms, keys};
use callgate_store::{VaultConfig, VaultLogin};

use super::{Remote, RemoteStore, SignIn, StoreAddress, StoreTls};

keys! {
    pub(crate) struct VaultKeys in "`vault`" {
        /// The address of the vault.
        address: StoreAddress, required;
        /// The AppRole login.
        approle: AppRole;
        /// The Kubernetes login.
        kubernetes: Kubernetes;
        /// The namespace of the login and the secrets.
        namespace: String;
        /// The certificates that secure the connections to the store.
        tls: StoreTls;
        /// The token that is signed in with.
        token: SignIn;
    }
}

keys! {
    pub(crate) struct ApproleKeys in "`approle`" {
        /// The path where the method is mounted.
        mount: String;
        /// The role's id.
        role_id: SignIn, required;
        /// The secret's id.
        secret_id: SignIn, required;
    }
}

keys! {
    pub(crate) struct KubernetesKeys in "`kubernetes`" {
        /// The token of the service account; the mounted one unless given.
        jwt: SignIn;
        /// The path where the method is mounted.
        mount: String;
        /// The role.
        role: String, required;
    }
}

forms! {
    struct Vault => Remote, VaultKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<VaultKeys, _>(mapping, key, |reader, mapping, mut keys| {
            let tls = keys.tls.take().unwrap_or_default();
            let namespace = keys.namespace.take();
            let address = keys.address.take();
            let login = read_vault_login(reader, mapping, keys)?;
            let settings = VaultConfig { address: address?, namespace, login };
            let store = RemoteStore::Vault(Box::new(settings));
            Some(Remote { store, tls })
        })
    };
    struct AppRole => VaultLogin, ApproleKeys::KIND, |reader, mapping, key| {
        let ApproleKeys { mount, role_id, secret_id } = reader.get::<ApproleKeys>(mapping, key)?;
        let mount = mount_or_usual(mount.as_deref(), "approle");
        Some(VaultLogin::AppRole { mount, role_id: role_id?, secret_id: secret_id? })
    };
    struct Kubernetes => VaultLogin, KubernetesKeys::KIND, |reader, mapping, key| {
        let KubernetesKeys { jwt, mount, role } = reader.get::<KubernetesKeys>(mapping, key)?;
        let mount = mount_or_usual(mount.as_deref(), "kubernetes");
        let jwt: SecretReference = jwt.or_else(|| SERVICE_ACCOUNT.parse().ok())?;
        Some(VaultLogin::Kubernetes { mount, role: role?, jwt })
    };
}

fn read_vault_login(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    keys: VaultKeys,
) -> Option<VaultLogin> {
    let ways = ["token", "kubernetes", "approle"];
    let got = match ways.iter().filter(|way| mapping.object.contains(way)).count() {
        1 => return keys.token.map(VaultLogin::Token).or(keys.kubernetes).or(keys.approle),
        0 => "none",
        _ => "several",
    };
    let message = format!("expected one way to log in, got {got}");
    let help = "add `token: env:VAULT_TOKEN`, or a login under `kubernetes` or `approle`";
    reader.report_fault(SettingCode::WrongValue, mapping.pointer, message, help);
    None
}

fn mount_or_usual(mount: Option<&str>, usual: &str) -> String {
    let mount = mount.map(|mount| mount.trim_matches('/'));
    mount.filter(|mount| !mount.is_empty()).unwrap_or(usual).to_owned()
}

/// The file where Kubernetes mounts the token of a pod's service account.
const SERVICE_ACCOUNT: &str = "file:/var/run/secrets/kubernetes.io/serviceaccount/token";
