//! The options beside a description as settings: those of a bare description, and those that override the settings of
//! every toolset. A fault is reported at its option.

use std::path::PathBuf;

use callgate_auth::{AuthConfig, CredentialSource, parse_credential_source};
use callgate_openapi::Limits as DescriptionLimits;
use callgate_secret::SecretReference;
use callgate_settings::{Mapping, Reader, SettingCode, note_secret};
use callgate_tool::{Object, Remedy, Value};
use callgate_transport::AddressRange;
use callgate_tree::Node;

use crate::{
    config::Config,
    description::Description,
    headers::{self, FixedHeader},
    kinds::{FUNCTIONS_KEY, Kinds},
    limits,
    server::ServerUrl,
    tls::{CertificateSource, TlsConfig},
    toolset::ToolsetConfig,
    unused_option::UnusedOption,
};

/// The options beside a description, as on a command line.
///
/// ```
/// use callgate_config::DescriptionOptions;
///
/// let server = Some("https://pets.example.com/v1".to_owned());
/// let options = DescriptionOptions { server, ..DescriptionOptions::default() };
/// # drop(options);
/// ```
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name the options they give")]
pub struct DescriptionOptions {
    /// The server that overrides the description's.
    pub server: Option<String>,
    /// The overlays that correct the description, in order.
    pub overlays: Vec<PathBuf>,
    /// A bearer token: a secret reference or `$session.credentials.NAME`.
    pub bearer: Option<String>,
    /// A secret reference to the key of the description's one security scheme that is an API key.
    pub api_key: Option<String>,
    /// A user and the secret reference to the password: `me:env:PASSWORD`.
    pub basic: Option<String>,
    /// The certificates that are trusted instead of the machine's: files, or literal PEM or base64 of DER.
    pub ca: Vec<String>,
    /// Ranges of addresses that may be called, whoever named them: `10.0.0.0/8`.
    pub egress_allow: Vec<String>,
    /// Headers of every request, also for the toolsets of a configuration: `X-Trace: on`, `X-Key: env:KEY`.
    pub headers: Vec<String>,
    /// The time limit of a whole call, also for the toolsets of a configuration: `30s`.
    pub timeout: Option<String>,
    /// Keys of `limits` with their values, also for the toolsets of a configuration: `response_bytes=8MiB`.
    pub limits: Vec<String>,
}

impl DescriptionOptions {
    /// The names of the given options that a configuration sets itself.
    pub(crate) fn given_configuration_options(&self) -> Vec<&'static str> {
        let given = [
            ("server", self.server.is_some()),
            ("bearer", self.bearer.is_some()),
            ("api_key", self.api_key.is_some()),
            ("basic", self.basic.is_some()),
            ("overlays", !self.overlays.is_empty()),
            ("ca", !self.ca.is_empty()),
            ("egress_allow", !self.egress_allow.is_empty()),
        ];
        given.into_iter().filter_map(|(name, is_given)| is_given.then_some(name)).collect()
    }

    /// True if the options name a credential.
    pub fn has_credential(&self) -> bool {
        let is_credential = |header: &String| {
            let name = header.split(':').next().unwrap_or_default();
            name.trim().eq_ignore_ascii_case("authorization")
        };
        let given = [&self.bearer, &self.api_key, &self.basic];
        given.into_iter().any(Option::is_some) || self.headers.iter().any(is_credential)
    }

    pub(crate) fn description_limits(&self, kinds: &Kinds) -> DescriptionLimits {
        let mut toolset = ToolsetConfig::new(Description::none());
        apply_request_options(&mut Reader::default(), self, &mut toolset, kinds);
        toolset.description_limits
    }
}

/// The only toolset of a bare description.
pub(crate) fn description_toolset(
    reader: &mut Reader,
    description: Description,
    options: &DescriptionOptions,
    kinds: &Kinds,
) -> ToolsetConfig {
    let ca = options
        .ca
        .iter()
        .map(|text| CertificateSource { pointer: "ca".to_owned(), ..CertificateSource::new(text) });
    let mut toolset = ToolsetConfig {
        overlays: options.overlays.clone(),
        server: server_option(reader, options),
        egress: egress_option(reader, options),
        tls: TlsConfig::trusting(ca),
        ..ToolsetConfig::new(description)
    };
    reader.options.push(("/overlays", "overlays"));
    set_credential_options(reader, options, &mut toolset);
    apply_request_options(reader, options, &mut toolset, kinds);
    toolset
}

/// Applies the options about every request over the settings of all toolsets.
pub(crate) fn apply_to_all_toolsets(
    config: &mut Config,
    options: &DescriptionOptions,
    kinds: &Kinds,
) {
    for (at, toolset) in config.toolsets.iter_mut().enumerate() {
        // A fault of an option is reported once.
        let mut unheard = Reader::default();
        let reader = if at == 0 { &mut config.reader } else { &mut unheard };
        apply_request_options(reader, options, toolset, kinds);
    }
    report_unused_options(config, options, kinds);
}

/// Reports the options that no toolset has a use for, and keeps those that some have none for.
fn report_unused_options(config: &mut Config, options: &DescriptionOptions, kinds: &Kinds) {
    let headers = options.headers.iter().map(|_| ("headers", "headers"));
    let limits = options.limits.iter().filter_map(|text| Some(("limits", text.split_once('=')?.0)));
    let timeout = options.timeout.iter().map(|_| ("timeout", "timeout"));
    for (option, key) in headers.chain(limits).chain(timeout) {
        let has_use = |source: &str| match option {
            "headers" => kinds.allows_key(source, key),
            _ => kinds.allows_limit(source, key),
        };
        let unused = |toolset: &ToolsetConfig| {
            let source = kind_or_functions_key(toolset).filter(|&source| !has_use(source))?;
            let message = format!("expected no `{key}` beside `{source}`, got one");
            let toolset = toolset.name.as_ref().map(ToString::to_string).unwrap_or_default();
            Some(UnusedOption { toolset, message })
        };
        let unused: Vec<_> = config.toolsets.iter().filter_map(unused).collect();
        match unused.first() {
            Some(first) if unused.len() == config.toolsets.len() => {
                let message = first.message.clone();
                config.reader.report_fault(SettingCode::UnusedKey, option, message, "remove it");
            }
            _ => config.unused_options.extend(unused),
        }
    }
}

/// The key of a toolset's source, if that is no description.
fn kind_or_functions_key(toolset: &ToolsetConfig) -> Option<&'static str> {
    let has_functions = !toolset.description.is_some() && !toolset.functions.is_empty();
    match &toolset.kind {
        Some(kind) => Some(kind.key()),
        None => has_functions.then_some(FUNCTIONS_KEY),
    }
}

fn apply_request_options(
    reader: &mut Reader,
    options: &DescriptionOptions,
    toolset: &mut ToolsetConfig,
    kinds: &Kinds,
) {
    reader.option_names = &NAMES;
    toolset.headers.extend(options.headers.iter().filter_map(|text| header_option(reader, text)));
    let mut given = Object::new();
    for text in &options.limits {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            let message = format!("expected `NAME=VALUE`, got: `{text}`");
            let help = "for example `response_bytes=8MiB`";
            reader.report_fault(SettingCode::WrongValue, "limits", message, help);
            continue;
        };
        let value = value.parse::<u32>().map_or_else(|_| Value::from(value), Value::from);
        given.insert(name.to_owned(), value);
    }
    apply_limit_option(reader, "limits", given, toolset, kinds);
    if let Some(timeout) = &options.timeout {
        let given = Object::from_iter([("timeout".to_owned(), Value::from(timeout.as_str()))]);
        apply_limit_option(reader, "timeout", given, toolset, kinds);
    }
}

/// Applies keys of `limits` over those of a toolset.
fn apply_limit_option(
    reader: &mut Reader,
    option: &str,
    given: Object,
    toolset: &mut ToolsetConfig,
    kinds: &Kinds,
) {
    if given.is_empty() {
        return;
    }
    let settings = Object::from_iter([("limits".to_owned(), Value::Object(given))]);
    let Some(node) = value_tree(&Value::Object(settings)) else { return };
    let Some(object) = node.as_object() else { return };
    let mapping = Mapping { object, pointer: option };
    limits::apply_limits(reader, mapping, toolset, kinds.limit_keys());
    limits::apply_kind_limits(reader, mapping, toolset);
}

fn value_tree(value: &Value) -> Option<Node> {
    let text = value.to_string();
    let read = callgate_tree::read(text.as_bytes(), &callgate_tree::Limits::default());
    read.ok().map(|read| read.value)
}

/// A header in curl's notation.
fn header_option(reader: &mut Reader, text: &str) -> Option<FixedHeader> {
    let option = "headers";
    let Some((name, value)) = text.split_once(':').filter(|(name, _)| !name.trim().is_empty())
    else {
        let message = match text.split_once(['=', ' ']) {
            Some((name, _)) => format!("expected `NAME: VALUE`, got no colon behind: `{name}`"),
            None => "expected `NAME: VALUE`, got a text without a colon".to_owned(),
        };
        let remedy = Remedy::SetHeader { header: "X-Api-Version: 2".to_owned() };
        reader.report_fault_with_remedy(SettingCode::WrongValue, option, message, remedy);
        return None;
    };
    let (name, value) = (name.trim(), value.trim());
    if let Some(reference) = value.split_whitespace().nth(1).filter(|word| word.starts_with("env:"))
    {
        let message = format!("expected a reference alone, got words before it: `{name}`");
        let remedy = Remedy::UseToken { reference: reference.to_owned() };
        reader.report_fault_with_remedy(SettingCode::WrongValue, option, message, remedy);
        return None;
    }
    headers::read_fixed_header(reader, name, value, option)
}

fn server_option(reader: &mut Reader, options: &DescriptionOptions) -> Option<ServerUrl> {
    let server = ServerUrl::new(options.server.as_deref()?).map_err(|error| {
        for finding in error.findings() {
            let (message, help) = (&*finding.message, &*finding.help);
            reader.report_fault(SettingCode::WrongValue, "server", message, help);
        }
    });
    server.ok()
}

fn set_credential_options(
    reader: &mut Reader,
    options: &DescriptionOptions,
    toolset: &mut ToolsetConfig,
) {
    let given =
        [("bearer", &options.bearer), ("api_key", &options.api_key), ("basic", &options.basic)];
    let mut given = given.into_iter().filter_map(|(option, text)| Some((option, text.as_deref()?)));
    let Some((option, text)) = given.next() else { return };
    if given.next().is_some() {
        let message = "expected one credential, got several";
        return reader.report_fault_with_remedy(
            SettingCode::WrongValue,
            option,
            message,
            Remedy::NameCredentials,
        );
    }
    reader.options.push(("/auth", option));
    match option {
        "bearer" => {
            let token = bearer_option(reader, text);
            toolset.credentials.auth = token.map(|token| AuthConfig::Bearer { token });
        }
        "basic" => toolset.credentials.auth = basic_option(reader, text),
        _ => {
            toolset.credentials.auth = None;
            toolset.credentials.api_key =
                secret_option(reader, option, text, "for example `env:API_KEY`");
        }
    }
}

fn bearer_option(reader: &mut Reader, text: &str) -> Option<CredentialSource> {
    match parse_credential_source(text) {
        Ok(token) => {
            if let CredentialSource::Secret(reference) = &token {
                note_secret(reader, "bearer".to_owned(), reference);
            }
            Some(token)
        }
        Err(message) => {
            reader.report_fault(
                SettingCode::SecretReference,
                "bearer",
                message,
                "for example `env:TOKEN`",
            );
            None
        }
    }
}

fn basic_option(reader: &mut Reader, text: &str) -> Option<AuthConfig> {
    let help = "for example `me:env:PASSWORD`";
    let Some((user, password)) = text.split_once(':').filter(|(user, _)| !user.is_empty()) else {
        let message = "expected `USER:REFERENCE`, got a text without a user and a colon";
        reader.report_fault(SettingCode::WrongValue, "basic", message, help);
        return None;
    };
    let username = format!("literal:{user}").parse().ok()?;
    let password = secret_option(reader, "basic", password, help)?;
    Some(AuthConfig::Basic { username, password })
}

fn secret_option(
    reader: &mut Reader,
    option: &str,
    text: &str,
    help: &str,
) -> Option<SecretReference> {
    match text.parse::<SecretReference>() {
        Ok(reference) => {
            note_secret(reader, option.to_owned(), &reference);
            Some(reference)
        }
        Err(error) => {
            reader.report_fault(SettingCode::SecretReference, option, error.to_string(), help);
            None
        }
    }
}

fn egress_option(reader: &mut Reader, options: &DescriptionOptions) -> Vec<AddressRange> {
    let mut ranges = Vec::new();
    for text in &options.egress_allow {
        match text.parse::<AddressRange>() {
            Ok(range) => ranges.push(range),
            Err(error) => {
                let help = "for example `10.0.0.0/8`";
                reader.report_fault(
                    SettingCode::WrongValue,
                    "egress_allow",
                    error.to_string(),
                    help,
                );
            }
        }
    }
    ranges
}

/// The options, by their names in [`DescriptionOptions`].
const NAMES: [&str; 10] = [
    "api_key",
    "basic",
    "bearer",
    "ca",
    "egress_allow",
    "headers",
    "limits",
    "overlays",
    "server",
    "timeout",
];
