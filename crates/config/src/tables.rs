//! The keys of the whole configuration, and every table, for code that documents or checks the keys.

use callgate_settings::{Key, MapOf, Section, Table, keys};
use callgate_tool::Value;

use std::sync::LazyLock;

use crate::{
    agents::{AgentConfig, AgentLimits, AgentTools, Agents, BudgetKeys, ModelKeys, Models},
    argument_headers::ArgumentHeaderKeys,
    config::Config,
    credential::{
        ApiKeyKeys, AuthKeys, AuthorizationCodeKeys, AwsSigV4Keys, BasicKeys, BearerKeys,
        ClientCredentialsKeys, GoogleAccessTokenKeys, GoogleIdTokenKeys, JwtBearerKeys,
        SchemeApiKeyKeys, SchemeKeys, TokenExchangeKeys,
    },
    functions::FunctionKeys,
    identity::EndpointKeys,
    kinds::Kinds,
    limits::ToolsetLimits,
    mcp::{McpConfig, McpTool},
    observe::{LogConfig, ReloadConfig, TelemetryConfig},
    output::{OutputKeys, ToolOutputKeys},
    policy::{Audit, AuditKeys, BreakerKeys, CallsKeys, IdempotencyKeys, RateKeys},
    retry::RetryKeys,
    secrets::{
        ApproleKeys, AwsStoreKeys, CacheKeys, GcpKeys, KeyringKeys, KubernetesKeys, Secrets,
        SecretsKeys, VaultKeys,
    },
    selection::SelectionKeys,
    service_directory::DirectoryKeys,
    serving::{
        Access, AccessKeys, CertificateKeys, Hosts, IssuerKeys, ListenerKeys, ListenerTlsKeys,
        Listeners, PrincipalKeys, ProxyAddress, ServingLimits,
    },
    sessions::SessionsConfig,
    state::{RedisDurabilityKeys, RedisKeys, SentinelKeys, State, StateKeys},
    synonyms::Synonyms,
    tls::{TlsConfig, TlsKeys},
    tool_edits::EditKeys,
    tool_rules::{ArgumentKeys, ConfirmKeys, ExecutionKeys},
    toolset_keys::{EgressKeys, SessionParameterKeys, ToolsetKeys},
    upstream::UpstreamKeys,
    webhook::{Approvals, ApprovalsKeys, WebhookKeys},
};

keys! {
    pub(crate) RootKeys over Config, in "the configuration" {
        /// The accepted callers; everybody who reaches a listener on this machine unless given.
        access => serving.access: Access;
        /// The addresses where `/v1/admin/*` and `/metrics` are served, apart from calls.
        admin => serving.admin: Listeners;
        /// The models with tools that users talk to, by their names.
        agents: Agents, needs "agents";
        /// The way in which people learn of calls that wait for an approval.
        approvals => webhook: Approvals;
        /// The file that calls are written down in.
        audit: Audit;
        /// The limits on all calls, and on those of each principal.
        calls: CallsKeys;
        /// Names that requests may call this sidecar by, beside those of this machine.
        hosts => serving.hosts: Hosts;
        /// The limits on kept results of calls with an idempotency key.
        idempotency: IdempotencyKeys;
        /// The limits of a sidecar's connections and requests, and of toolsets that do not name their own.
        limits => serving.limits: ServingLimits;
        /// The addresses where calls are served: `127.0.0.1:8410`, `unix:PATH`, `systemd`.
        listen => serving.listen: Listeners;
        /// The log that a sidecar writes to standard error.
        log: LogConfig;
        /// The listing of tools to clients of MCP.
        mcp: McpConfig;
        /// The models of providers, and of servers of one's own, by their names.
        models: Models, needs "agents";
        /// The forward proxy that every connection to other machines leads through.
        proxy => serving.proxy: ProxyAddress;
        /// The way in which a sidecar keeps up with its files.
        reload: ReloadConfig;
        /// The stores of secrets, beside this machine's own.
        secrets: Secrets;
        /// The settings of a sidecar for sessions.
        sessions: SessionsConfig;
        /// The place where a sidecar keeps sessions, waiting calls, idempotency keys and results; its memory unless given.
        state: State, needs "state";
        /// Further meanings of words where tools are searched; nothing unless given, which finds as much on most
        /// descriptions.
        synonyms: Synonyms;
        /// The address where a sidecar sends its traces.
        telemetry: TelemetryConfig;
        /// The certificates that secure the connections of toolsets that do not say it themselves.
        tls: TlsConfig;
        /// The services that are called, by names of letters, digits and `_`.
        toolsets => _: MapOf<ToolsetKeys>, required;
    }
}

/// The schema of a configuration.
///
/// ```
/// let schema = callgate_config::schema();
/// assert_eq!(schema["$schema"].as_str(), Some("https://json-schema.org/draft/2020-12/schema"));
/// ```
pub fn schema() -> Value {
    let tables = tables();
    let Some((root, further)) = tables.split_first() else { return Value::Null };
    callgate_settings::schema("The configuration of callgate", root, further)
}

/// Every table, for code that documents or checks the keys.
pub fn tables() -> Vec<Table<'static>> {
    let root = Table { shared: KINDS.root_keys(), ..RootKeys::TABLE };
    let toolset = Table { shared: KINDS.toolset_keys(), ..ToolsetKeys::TABLE };
    let limits = Table { shared: &LIMITS, ..ToolsetLimits::TABLE };
    let of_kinds = KINDS.tables();
    [&[root], FIRST, &[toolset], BEFORE_KINDS, &of_kinds, AFTER_KINDS, &[limits], LAST].concat()
}

static KINDS: LazyLock<Kinds> = LazyLock::new(Kinds::default);

static LIMITS: LazyLock<Vec<&'static [Key]>> =
    LazyLock::new(|| [ToolsetLimits::TABLE.shared, KINDS.limit_keys()].concat());

const FIRST: &[Table<'static>] = &[
    AccessKeys::TABLE,
    CertificateKeys::TABLE,
    IssuerKeys::TABLE,
    ListenerKeys::TABLE,
    ListenerTlsKeys::TABLE,
    PrincipalKeys::TABLE,
    ServingLimits::TABLE,
    AgentConfig::TABLE,
    BudgetKeys::TABLE,
    AgentLimits::TABLE,
    AgentTools::TABLE,
    ModelKeys::TABLE,
    ApprovalsKeys::TABLE,
    WebhookKeys::TABLE,
    AuditKeys::TABLE,
    StateKeys::TABLE,
    RedisKeys::TABLE,
    RedisDurabilityKeys::TABLE,
    SentinelKeys::TABLE,
    CallsKeys::TABLE,
    IdempotencyKeys::TABLE,
    RateKeys::TABLE,
    RetryKeys::TABLE,
    BreakerKeys::TABLE,
];

const BEFORE_KINDS: &[Table<'static>] = &[
    ArgumentHeaderKeys::TABLE,
    ArgumentKeys::TABLE,
    AuthKeys::TABLE,
    ApiKeyKeys::TABLE,
    AwsSigV4Keys::TABLE,
    BasicKeys::TABLE,
    BearerKeys::TABLE,
    GoogleAccessTokenKeys::TABLE,
    GoogleIdTokenKeys::TABLE,
    EndpointKeys::TABLE,
    DirectoryKeys::TABLE,
    AuthorizationCodeKeys::TABLE,
    ClientCredentialsKeys::TABLE,
    JwtBearerKeys::TABLE,
    TokenExchangeKeys::TABLE,
    SchemeKeys::TABLE,
    SchemeApiKeyKeys::TABLE,
];

const AFTER_KINDS: &[Table<'static>] =
    &[EgressKeys::TABLE, ConfirmKeys::TABLE, ExecutionKeys::TABLE, FunctionKeys::TABLE];

const LAST: &[Table<'static>] = &[
    LogConfig::TABLE,
    McpConfig::TABLE,
    McpTool::TABLE,
    OutputKeys::TABLE,
    ToolOutputKeys::TABLE,
    ReloadConfig::TABLE,
    SessionParameterKeys::TABLE,
    TelemetryConfig::TABLE,
    TlsKeys::TABLE,
    SelectionKeys::TABLE,
    EditKeys::TABLE,
    UpstreamKeys::TABLE,
    SessionsConfig::TABLE,
    SecretsKeys::TABLE,
    CacheKeys::TABLE,
    AwsStoreKeys::TABLE,
    GcpKeys::TABLE,
    KeyringKeys::TABLE,
    VaultKeys::TABLE,
    ApproleKeys::TABLE,
    KubernetesKeys::TABLE,
];
