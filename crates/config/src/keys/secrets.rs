//! The keys of the stores of secrets.

use super::{Key, Kind, TLS, Table, key, required, secret, table, text};

const TLS_KEY: Key = key("tls", Kind::Table(&TLS), "What secures the connections to the store");

/// AWS Secrets Manager.
pub(crate) const SECRETS_AWS: Table = table(
    "`aws`",
    &[
        secret(
            "access_key_id",
            "The id of the access key; keys are found where AWS puts them unless named",
        ),
        key("endpoint", Kind::Address, "A private endpoint instead of the region's own"),
        text("region", "The region; `AWS_REGION` unless given"),
        secret("secret_access_key", "The secret access key"),
        secret("session_token", "The session token of temporary keys"),
        TLS_KEY,
    ],
);

/// A vault.
pub(crate) const VAULT: Table = table(
    "`vault`",
    &[
        required(key("address", Kind::Address, "Where it is")),
        key("approle", Kind::Table(&VAULT_APPROLE), "The AppRole login"),
        key("kubernetes", Kind::Table(&VAULT_KUBERNETES), "The Kubernetes login"),
        text("namespace", "The namespace of the login and the secrets"),
        TLS_KEY,
        secret("token", "The token that is signed in with"),
    ],
);

const MOUNT: Key = text("mount", "Where the method is mounted");

/// The AppRole login of a vault.
pub(crate) const VAULT_APPROLE: Table = table(
    "`approle`",
    &[
        MOUNT,
        required(secret("role_id", "The role's id")),
        required(secret("secret_id", "The secret's id")),
    ],
);

/// The Kubernetes login of a vault.
pub(crate) const VAULT_KUBERNETES: Table = table(
    "`kubernetes`",
    &[
        secret("jwt", "The token of the service account; the mounted one unless given"),
        MOUNT,
        required(text("role", "The role")),
    ],
);
