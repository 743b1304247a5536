//! The keys of the stores of secrets.

use super::{Key, Kind, SECRETS_GCP, TLS, Table, key, needing, required, secret, table, text};

/// The stores of secrets.
pub(crate) const SECRETS: Table = table(
    "`secrets`",
    &[
        needing(
            "aws",
            key("aws", Kind::Table(&SECRETS_AWS), "AWS Secrets Manager: `aws:name#key`"),
        ),
        key("cache", Kind::Table(&CACHE), "How long secrets of stores are kept"),
        text("directory", "The folder that `directory:NAME` is looked for in"),
        needing(
            "google",
            key(
                "gcp",
                Kind::Table(&SECRETS_GCP),
                "Google Secret Manager: `gcp:projects/P/secrets/S/versions/V`",
            ),
        ),
        key(
            "keyring",
            Kind::Table(&KEYRING),
            "The operating system's keyring: `keyring:SERVICE/USER`",
        ),
        needing("vault", key("vault", Kind::Table(&VAULT), "Vault or OpenBao: `vault:path#key`")),
    ],
);

/// The time for which secrets from stores are kept.
pub(crate) const CACHE: Table = table(
    "`cache`",
    &[
        key("stale", Kind::Duration, "How much longer a secret is given while its store is down"),
        key(
            "time_to_live",
            Kind::Duration,
            "How long a secret is given without asking the store again",
        ),
        key("timeout", Kind::Duration, "The longest one read may take"),
    ],
);

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

/// The operating system's keyring.
pub(crate) const KEYRING: Table = table(
    "`keyring`",
    &[key("backend", Kind::Choice(&["kernel", "platform"]), "Which of the machine's keyrings")],
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
