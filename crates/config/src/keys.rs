//! Every key of the configuration, table by table: what the reader takes, what it suggests for a misspelt one, and
//! what `config/full.yaml` must show.

/// The keys of one kind of mapping.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// What the mapping is called in messages.
    pub name: &'static str,
    /// The keys it takes.
    pub keys: &'static [&'static str],
    /// Keys of the design that this version does not know yet: refused by name rather than as misspelt.
    pub later: &'static [&'static str],
}

/// The whole file.
pub(crate) const ROOT: Table = Table {
    name: "the configuration",
    keys: &["secrets", "tls", "toolsets"],
    later: &["access", "admin", "listen"],
};

/// One toolset.
pub(crate) const TOOLSET: Table = Table {
    name: "a toolset",
    keys: &[
        "argument_headers",
        "auth",
        "body_media",
        "ces_toolset",
        "credential_origins",
        "credentials",
        "dialogflow_tool",
        "egress",
        "limits",
        "openapi",
        "output",
        "overlays",
        "prefix",
        "redirects",
        "references",
        "server",
        "server_variables",
        "service_directory",
        "session_inputs",
        "session_parameters",
        "tls",
        "tools",
        "upstream",
    ],
    later: &["functions"],
};

/// The credential of a toolset.
pub(crate) const AUTH: Table = Table {
    name: "`auth`",
    keys: &[
        "api_key",
        "aws_sigv4",
        "basic",
        "bearer",
        "google_access_token",
        "google_id_token",
        "jwt_bearer",
        "oauth2_client_credentials",
        "token_exchange",
    ],
    later: &[],
};

/// An API key.
pub(crate) const API_KEY: Table =
    Table { name: "`api_key`", keys: &["in", "name", "value"], later: &[] };

/// The signature of AWS.
pub(crate) const AWS_SIGV4: Table = Table {
    name: "`aws_sigv4`",
    keys: &["access_key_id", "payload", "region", "secret_access_key", "service", "session_token"],
    later: &[],
};

/// A user name and a password.
pub(crate) const BASIC: Table =
    Table { name: "`basic`", keys: &["password", "username"], later: &[] };

/// A bearer token.
pub(crate) const BEARER: Table = Table { name: "`bearer`", keys: &["token"], later: &[] };

/// A token that a client gets for itself.
pub(crate) const OAUTH2_CLIENT_CREDENTIALS: Table = Table {
    name: "`oauth2_client_credentials`",
    keys: &[
        "audience",
        "client_authentication",
        "client_id",
        "client_secret",
        "issuer",
        "jwt_audience",
        "parameters",
        "private_key",
        "private_key_algorithm",
        "private_key_id",
        "resource",
        "scopes",
        "token_url",
    ],
    later: &[],
};

/// A token for a JWT that speaks for a user.
pub(crate) const JWT_BEARER: Table = Table {
    name: "`jwt_bearer`",
    keys: &[
        "assertion",
        "audience",
        "client_authentication",
        "client_id",
        "client_secret",
        "issuer",
        "jwt_audience",
        "parameters",
        "private_key",
        "private_key_algorithm",
        "private_key_id",
        "resource",
        "scopes",
        "token_url",
    ],
    later: &[],
};

/// A token for a user's token.
pub(crate) const TOKEN_EXCHANGE: Table = Table {
    name: "`token_exchange`",
    keys: &[
        "actor_token",
        "actor_token_type",
        "audience",
        "client_authentication",
        "client_id",
        "client_secret",
        "issuer",
        "jwt_audience",
        "parameters",
        "private_key",
        "private_key_algorithm",
        "private_key_id",
        "requested_token_type",
        "resource",
        "scopes",
        "subject_token",
        "subject_token_type",
        "token_url",
    ],
    later: &[],
};

/// An access token of a Google account.
pub(crate) const GOOGLE_ACCESS_TOKEN: Table = Table {
    name: "`google_access_token`",
    keys: &["account", "delegates", "endpoints", "impersonate", "key", "scopes"],
    later: &[],
};

/// An identity token of a Google account.
pub(crate) const GOOGLE_ID_TOKEN: Table = Table {
    name: "`google_id_token`",
    keys: &["account", "audience", "delegates", "endpoints", "impersonate", "key"],
    later: &[],
};

/// Where Google's services answer.
pub(crate) const GOOGLE_ENDPOINTS: Table = Table {
    name: "`endpoints`",
    keys: &["iam_credentials", "metadata", "secret_manager", "service_directory", "token"],
    later: &[],
};

/// The service whose endpoints are dialled.
pub(crate) const SERVICE_DIRECTORY: Table = Table {
    name: "`service_directory`",
    keys: &["account", "delegates", "endpoints", "impersonate", "key", "service"],
    later: &[],
};

/// The bounds of a description and of one exchange.
pub(crate) const LIMITS: Table = Table {
    name: "`limits`",
    keys: &[
        "alias_bytes",
        "description_bytes",
        "description_depth",
        "description_effort",
        "description_nodes",
        "effort_per_byte",
        "media_bytes",
        "operations",
        "response_bytes",
        "result_bytes",
        "timeout",
    ],
    later: &[],
};

/// The addresses that may be called.
pub(crate) const EGRESS: Table = Table { name: "`egress`", keys: &["allow"], later: &[] };

/// What secures connections.
pub(crate) const TLS: Table = Table {
    name: "`tls`",
    keys: &["ca", "client_certificate", "client_key", "client_key_passphrase"],
    later: &[],
};

/// How results are shown.
pub(crate) const OUTPUT: Table =
    Table { name: "`output`", keys: &["big_integers", "jsonpath", "select", "tools"], later: &[] };

/// How results of one tool are shown.
pub(crate) const OUTPUT_TOOL: Table = Table {
    name: "a tool's `output`",
    keys: &["big_integers", "jsonpath", "result_bytes", "select"],
    later: &[],
};

/// The withheld headers that arguments may set.
pub(crate) const ARGUMENT_HEADERS: Table =
    Table { name: "`argument_headers`", keys: &["allow", "tools"], later: &[] };

/// Which operations of a description are offered.
pub(crate) const TOOLS: Table = Table {
    name: "`tools`",
    keys: &["exclude", "include", "methods", "paths", "read_only", "tags"],
    later: &[],
};

/// The session values that inputs may take although credentials of other toolsets read them.
pub(crate) const SESSION_PARAMETERS: Table =
    Table { name: "`session_parameters`", keys: &["allow"], later: &[] };

/// Where answers come from.
pub(crate) const UPSTREAM: Table = Table { name: "`upstream`", keys: &["replay"], later: &[] };

/// The stores of secrets.
pub(crate) const SECRETS: Table = Table {
    name: "`secrets`",
    keys: &["aws", "cache", "directory", "gcp", "keyring", "vault"],
    later: &[],
};

/// How long secrets of stores are kept.
pub(crate) const CACHE: Table =
    Table { name: "`cache`", keys: &["stale", "time_to_live", "timeout"], later: &[] };

/// AWS Secrets Manager.
pub(crate) const SECRETS_AWS: Table = Table {
    name: "`aws`",
    keys: &["access_key_id", "endpoint", "region", "secret_access_key", "session_token", "tls"],
    later: &[],
};

/// Google Secret Manager.
pub(crate) const SECRETS_GCP: Table = Table {
    name: "`gcp`",
    keys: &["account", "delegates", "endpoints", "impersonate", "key", "tls"],
    later: &[],
};

/// The operating system's keyring.
pub(crate) const KEYRING: Table = Table { name: "`keyring`", keys: &["backend"], later: &[] };

/// A vault.
pub(crate) const VAULT: Table = Table {
    name: "`vault`",
    keys: &["address", "approle", "kubernetes", "namespace", "tls", "token"],
    later: &[],
};

/// The AppRole login of a vault.
pub(crate) const VAULT_APPROLE: Table =
    Table { name: "`approle`", keys: &["mount", "role_id", "secret_id"], later: &[] };

/// The Kubernetes login of a vault.
pub(crate) const VAULT_KUBERNETES: Table =
    Table { name: "`kubernetes`", keys: &["jwt", "mount", "role"], later: &[] };

/// Every table, for whoever documents or checks the keys.
pub const TABLES: &[Table] = &[
    ROOT,
    TOOLSET,
    ARGUMENT_HEADERS,
    AUTH,
    API_KEY,
    AWS_SIGV4,
    BASIC,
    BEARER,
    GOOGLE_ACCESS_TOKEN,
    GOOGLE_ID_TOKEN,
    GOOGLE_ENDPOINTS,
    SERVICE_DIRECTORY,
    OAUTH2_CLIENT_CREDENTIALS,
    JWT_BEARER,
    TOKEN_EXCHANGE,
    EGRESS,
    LIMITS,
    OUTPUT,
    OUTPUT_TOOL,
    SESSION_PARAMETERS,
    TLS,
    TOOLS,
    UPSTREAM,
    SECRETS,
    CACHE,
    SECRETS_AWS,
    SECRETS_GCP,
    KEYRING,
    VAULT,
    VAULT_APPROLE,
    VAULT_KUBERNETES,
];
