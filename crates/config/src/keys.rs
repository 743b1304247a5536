//! Every key of the configuration, table by table, with the type of its value and its purpose. The reader accepts these
//! keys and suggests them for misspelt ones, `config/full.yaml` must show them, and `config/schema.json` lists them.

mod credentials;
mod mcp;
mod observe;
mod policy;
mod secrets;
mod serving;
mod sessions;
mod toolset;

pub(crate) use credentials::*;
pub(crate) use mcp::*;
pub(crate) use observe::*;
pub(crate) use policy::*;
pub(crate) use secrets::*;
pub(crate) use serving::*;
pub(crate) use sessions::*;
pub(crate) use toolset::*;

/// The keys of one kind of mapping.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Table {
    /// The name of the mapping in messages.
    pub name: &'static str,
    /// The keys of the mapping.
    pub keys: &'static [Key],
    /// Planned keys that this version does not support: they are refused by name and not as misspelt.
    pub later: &'static [&'static str],
    /// The number of the table's keys that may be in one mapping.
    pub takes: Takes,
}

/// One key.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The type of the key's value.
    pub kind: Kind,
    /// The purpose of the key.
    pub about: &'static str,
    /// True if the key is required.
    pub is_required: bool,
    /// The feature of callgate that the key needs, if it does not work in every build.
    pub feature: Option<&'static str>,
}

/// The type of a value.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "whoever documents keys must handle a new type")]
pub enum Kind {
    /// An http or https URL.
    Address,
    /// One of several types.
    AnyOf(&'static [Self]),
    /// `true` or `false`.
    Boolean,
    /// A number of bytes: `4096`, `64KiB`, `1MiB`.
    Bytes,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from 1 to this.
    Count(usize),
    /// A span of time: `500ms`, `30s`, `2m`, `24h`.
    Duration,
    /// A list of such values.
    List(&'static Self),
    /// A mapping from names that the operator chooses to such values.
    Map(&'static Self),
    /// A number.
    Number,
    /// A JSON Schema.
    Schema,
    /// A reference to a secret: `env:NAME`, `file:PATH`.
    Secret,
    /// A reference to a secret, a value of the session, or the caller's own token: `$caller.token`.
    SecretOrCaller,
    /// A reference to a secret, or a value of the session: `$session.credentials.NAME`.
    SecretOrSession,
    /// An http or https URL, or `env:NAME` for the variable that holds it.
    Setting,
    /// A mapping of known keys.
    Table(&'static Table),
    /// Any text.
    Text,
    /// A whole number from 0.
    Whole,
}

/// The number of keys of a table that may be in one mapping.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "any of them, or one of them")]
pub enum Takes {
    /// Any number of keys.
    Any,
    /// Exactly one key.
    One,
}

impl Table {
    /// Returns true if the table contains a key.
    pub fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }

    /// The feature that a key of the table needs and that is not in this build.
    pub(crate) fn absent_feature(&self, name: &str) -> Option<&'static str> {
        let key = self.keys.iter().find(|key| key.name == name)?;
        key.feature.filter(|feature| !is_built_in(feature))
    }

    /// The names of the table's keys.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.keys.iter().map(|key| key.name)
    }
}

fn is_built_in(feature: &str) -> bool {
    let built_in = [
        ("aws", cfg!(feature = "aws")),
        ("google", cfg!(feature = "google")),
        ("vault", cfg!(feature = "vault")),
    ];
    built_in.contains(&(feature, true))
}

/// A table whose keys may all be in one mapping.
const fn table(name: &'static str, keys: &'static [Key]) -> Table {
    Table { name, keys, later: &[], takes: Takes::Any }
}

const fn key(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, about, is_required: false, feature: None }
}

const fn required(key: Key) -> Key {
    Key { is_required: true, ..key }
}

/// A key that needs a feature of callgate.
const fn needing(feature: &'static str, key: Key) -> Key {
    Key { feature: Some(feature), ..key }
}

const fn text(name: &'static str, about: &'static str) -> Key {
    key(name, Kind::Text, about)
}

const fn texts(name: &'static str, about: &'static str) -> Key {
    key(name, Kind::List(&Kind::Text), about)
}

const fn secret(name: &'static str, about: &'static str) -> Key {
    key(name, Kind::Secret, about)
}

/// The whole file.
pub(crate) const ROOT: Table = Table {
    name: "the configuration",
    keys: &[
        ACCESS_KEY,
        ADMIN_KEY,
        key("audit", Kind::Table(&AUDIT), "The file that calls are written down in"),
        key(
            "calls",
            Kind::Table(&CALLS),
            "The bounds of all calls, and of those of each principal",
        ),
        HOSTS_KEY,
        key(
            "idempotency",
            Kind::Table(&IDEMPOTENCY),
            "How the results of calls with an idempotency key are kept",
        ),
        SERVING_LIMITS_KEY,
        LISTEN_KEY,
        key("log", Kind::Table(&LOG), "What a sidecar writes to standard error"),
        key("mcp", Kind::Table(&MCP), "How tools are listed to clients of MCP"),
        PROXY_KEY,
        key("reload", Kind::Table(&RELOAD), "How a sidecar keeps up with its files"),
        key(
            "secrets",
            Kind::Table(&SECRETS),
            "Where secrets are kept, beside this machine's own stores",
        ),
        key("sessions", Kind::Table(&SESSIONS), "What a sidecar keeps of sessions"),
        key(
            "synonyms",
            Kind::Map(&Kind::List(&Kind::Text)),
            "What else words may mean where tools are searched; nothing unless given, which finds as much on most descriptions",
        ),
        key("telemetry", Kind::Table(&TELEMETRY), "Where a sidecar sends its traces"),
        key(
            "tls",
            Kind::Table(&TLS),
            "What secures the connections of toolsets that do not say it themselves",
        ),
        required(key(
            "toolsets",
            Kind::Map(&Kind::Table(&TOOLSET)),
            "The services that are called, by names of letters, digits and `_`",
        )),
    ],
    later: &[],
    takes: Takes::Any,
};

/// The TLS settings of connections.
pub(crate) const TLS: Table = table(
    "`tls`",
    &[
        texts(
            "ca",
            "Certificates that are trusted instead of what the machine trusts: files, PEM, or DER in base64",
        ),
        text(
            "client_certificate",
            "The certificate that is shown to services, with its chain: a file, or PEM",
        ),
        secret("client_key", "The private key of the client certificate"),
        secret("client_key_passphrase", "What opens an encrypted private key"),
    ],
);

/// Every table, for code that documents or checks the keys.
pub const TABLES: &[Table] = &[
    ROOT,
    ACCESS,
    CLIENT_CERTIFICATE,
    ISSUER,
    LISTENER,
    LISTENER_TLS,
    PRINCIPAL,
    SERVING_LIMITS,
    AUDIT,
    CALLS,
    IDEMPOTENCY,
    RATE,
    BREAKER,
    TOOLSET,
    ARGUMENT_HEADERS,
    ARGUMENTS,
    AUTH,
    API_KEY,
    AWS_SIGV4,
    BASIC,
    BEARER,
    GOOGLE_ACCESS_TOKEN,
    GOOGLE_ID_TOKEN,
    GOOGLE_ENDPOINTS,
    SERVICE_DIRECTORY,
    OAUTH2_AUTHORIZATION_CODE,
    OAUTH2_CLIENT_CREDENTIALS,
    JWT_BEARER,
    TOKEN_EXCHANGE,
    SCHEME,
    SCHEME_API_KEY,
    EGRESS,
    CONFIRM,
    EXECUTION,
    FUNCTION,
    LIMITS,
    LOG,
    MCP,
    MCP_TOOL,
    OUTPUT,
    OUTPUT_TOOL,
    RELOAD,
    SESSION_PARAMETERS,
    TELEMETRY,
    TLS,
    TOOLS,
    UPSTREAM,
    SESSIONS,
    SECRETS,
    CACHE,
    SECRETS_AWS,
    SECRETS_GCP,
    KEYRING,
    VAULT,
    VAULT_APPROLE,
    VAULT_KUBERNETES,
];
