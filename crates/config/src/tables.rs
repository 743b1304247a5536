//! The keys of the whole configuration, and every table, for code that documents or checks the keys.

use callgate_policy::settings::{Approvals, Audit, CallsKeys, IdempotencyKeys};
use callgate_settings::{Kind, MapOf, Section, Table, keys};
use callgate_tool::Value;

use crate::{
    agents::{Agents, Models},
    config::Config,
    kinds::Kinds,
    limits::ToolsetLimits,
    mcp::McpConfig,
    observe::{LogConfig, ReloadConfig, TelemetryConfig},
    secrets::Secrets,
    serving::{Access, Hosts, Listeners, ProxyAddress, ServingLimits},
    sessions::SessionsConfig,
    state::State,
    synonyms::Synonyms,
    tls::TlsConfig,
    toolset_keys::ToolsetKeys,
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
        /// True if `/v1/admin/calls` keeps the last calls with their arguments and results; names and numbers alone unless
        /// given.
        call_values => serving.call_values: bool;
        /// The limits on all calls, and on those of each principal.
        calls: CallsKeys;
        /// True if the sidecar serves pages for a browser at `/console`; where it listens on this machine alone unless given.
        console => serving.console: bool;
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

/// The schema of a configuration whose toolsets may be of these kinds.
///
/// ```
/// let schema = callgate_config::schema(&callgate_config::Kinds::new());
/// assert_eq!(schema["$schema"].as_str(), Some("https://json-schema.org/draft/2020-12/schema"));
/// ```
pub fn schema(kinds: &Kinds) -> Value {
    let tables = tables(kinds);
    let Some((root, further)) = tables.split_first() else { return Value::Null };
    callgate_settings::schema("The configuration of callgate", root, further)
}

/// Every table, for code that documents or checks the keys: that of the configuration, then those that its keys name, each below
/// the key that names it first.
pub fn tables(kinds: &Kinds) -> Vec<Table<'_>> {
    let mut tables = Vec::new();
    add_table_with_nested(&mut tables, kinds, RootKeys::TABLE);
    tables
}

fn add_table_with_nested<'a>(tables: &mut Vec<Table<'a>>, kinds: &'a Kinds, table: Table<'a>) {
    if tables.iter().any(|listed| listed.name == table.name) {
        return;
    }
    let table = with_keys_of_kinds(kinds, table);
    tables.push(table);
    for key in table.keys() {
        add_tables_of_value(tables, kinds, &key.kind);
    }
}

fn add_tables_of_value<'a>(tables: &mut Vec<Table<'a>>, kinds: &'a Kinds, value: &Kind) {
    match value {
        Kind::AnyOf(values) => {
            values.iter().for_each(|value| add_tables_of_value(tables, kinds, value));
        }
        Kind::List(values) | Kind::Map(values) => add_tables_of_value(tables, kinds, values),
        Kind::Table(table) => add_table_with_nested(tables, kinds, **table),
        _ => {}
    }
}

fn with_keys_of_kinds<'a>(kinds: &'a Kinds, table: Table<'a>) -> Table<'a> {
    let shared = match table.name {
        name if name == RootKeys::TABLE.name => kinds.root_keys(),
        name if name == ToolsetKeys::TABLE.name => kinds.toolset_keys(),
        name if name == ToolsetLimits::TABLE.name => kinds.limit_keys(),
        _ => return table,
    };
    Table { shared, ..table }
}
