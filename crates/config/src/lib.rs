//! The configuration: from values, or a text read into them, to a ready executor. All faults are reported at once, each
//! with its place in the text; a configuration with a fault is never built.

mod agents;
mod argument_headers;
mod aws;
mod build;
mod code;
mod config;
mod credential;
mod description;
mod environment;
mod error;
mod functions;
mod headers;
mod identity;
mod kinds;
mod limits;
mod load;
mod location;
mod mcp;
mod model;
mod observe;
#[cfg(feature = "openapiv3")]
mod openapiv3_value;
mod options;
mod output;
mod references;
mod retry;
mod scheme_credentials;
mod secret_name;
mod secrets;
mod selection;
mod server;
mod service_directory;
mod serving;
mod session_texts;
mod sessions;
mod state;
#[cfg(feature = "openapiv3")]
mod strict;
mod synonyms;
mod tables;
mod text;
mod tls;
mod tool_edits;
mod tool_rules;
mod tool_source;
mod toolset;
mod toolset_keys;
mod toolsets;
mod unused_option;
mod upstream;

pub use agents::{
    AgentBudget, AgentCalls, AgentConfig, AgentLimits, AgentParallel, AgentSearch, AgentTools,
    ModelConfig, is_offered,
};
pub use build::{
    Built, BuiltAccess, BuiltAgent, BuiltIssuer, BuiltLogin, BuiltPrincipal, BuiltToolset,
    Examined, Subject, Summary, authorization_code_logins, examine_subject,
};
pub use callgate_kind::{Counts as IndexCounts, KindCode, OpenedSource};
pub use callgate_settings::{
    ConfigDigest, Finding, Key, Kind, LoadEffects, MAX_FILE_BYTES, SettingCode, Severity, Table,
    Takes, create_private_file, create_private_folder, read_error_remedy, read_file,
    write_and_remove_oldest,
};
pub use code::{ConfigCode, codes};
pub use config::Config;
pub use description::Description;
pub use environment::Environment;
pub use error::Error;
pub use kinds::Kinds;
pub use load::Loader;
pub use location::Location;
pub use mcp::{McpConfig, McpFiles, McpMode, McpSchemas, McpTool};
pub use model::{BuiltModel, MakeTextModel};
pub use observe::{LogConfig, LogFormat, LogLevel, NotAFilter, ReloadConfig, TelemetryConfig};
pub use options::DescriptionOptions;
pub use secrets::{Remote, RemoteStore, SecretsConfig};
pub use server::ServerUrl;
pub use serving::{
    AccessConfig, Address, AltName, Approvable, Approves, IssuerConfig, ListenerConfig,
    ListenerTls, NotAnAddress, PrincipalConfig, Rights, Scopes, ServingConfig, ServingLimits,
    Token,
};
pub use sessions::SessionsConfig;
pub use state::{RedisConfig, RedisDurability, RedisNodes, RedisUrl, StateConfig, StateEngine};
#[cfg(feature = "openapiv3")]
pub use strict::{StrictFault, strict_faults};
pub use tables::{schema, tables};
pub use tls::{CertificateSource, IdentityConfig, TlsConfig};
pub use tool_source::{SourceTools, SourceToolset, ToolSource};
#[doc(hidden)]
pub use tool_source::{UNTRUSTED_ENDPOINT, is_public_https};
pub use toolset::{FunctionConfig, SchemeChoice, ToolsetConfig};
pub use unused_option::UnusedOption;
pub use upstream::Upstream;
