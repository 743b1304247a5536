//! The session values that credentials of toolsets and models read: they are withheld from the inputs of other toolsets, no
//! part of an agent's instructions, and masked in the responses of calls. For a configuration that relied on sharing, a finding
//! contains the line to write.

use std::sync::Arc;

use callgate_auth::AuthConfig;
use callgate_executor::SessionValues;
use callgate_openapi::Operation;
use callgate_settings::{Reader, SettingCode, pointer_segment};
use callgate_tool::{SessionName, SessionSource};

use super::toolset::ToolsetParts;
use crate::{
    code::ConfigCode,
    config::Config,
    toolset::{Credentials, SchemeChoice, ToolsetConfig},
};

/// Gives every built toolset the values that are withheld from it and those that are masked.
pub(super) fn set_session_values(
    reader: &mut Reader,
    config: &Config,
    parts: &mut [ToolsetParts<'_>],
) {
    let readings = CredentialReadings::new(config);
    for ToolsetParts { config, toolset, built, .. } in parts {
        let session_values =
            readings.withheld_and_masked_session_names(reader, config, &built.operations);
        if let Some(toolset) = toolset {
            toolset.session_values = session_values;
        }
    }
}

/// The session values that the credentials of all toolsets read, for tools that take no session values as inputs.
pub(super) fn masked_session_value_names(config: &Config) -> SessionValues {
    let masked = CredentialReadings::new(config).masked_names();
    SessionValues { withheld: Vec::new(), masked }
}

/// Reports values that the settings of a kind send, and that are the credential of something else.
pub(super) fn check_kind_session_values(reader: &mut Reader, config: &Config) {
    let readings = CredentialReadings::new(config);
    for toolset in &config.toolsets {
        let sources = toolset.kind.iter().flat_map(|kind| kind.session_sources(&toolset.pointer));
        for (pointer, source) in sources {
            let names = readings.names_read_only_by_others(toolset);
            if let Some(name) = names.iter().find(|name| source.overlaps_name(name)) {
                readings.report_credential_source(reader, &pointer, &source, name);
            }
        }
    }
}

/// Reports values in the instructions of agents, which their models read, that are a credential or none at all. Each agent has its name beside it.
pub(super) fn check_agent_instructions<'i>(
    reader: &mut Reader,
    config: &Config,
    agents: impl Iterator<Item = (&'i str, &'i str)>,
) {
    let readings = CredentialReadings::new(config);
    for (name, instructions) in agents {
        for word in SessionSource::unfillable_words_in(instructions) {
            let message = format!("expected a value of the session, got: `{word}`");
            let help = "write `$session.params.NAME`, `$request.payload.PATH` or `$context.PATH`; a credential is never shown to a model";
            let pointer = format!("/agents/{}/instructions", pointer_segment(name));
            reader.report_fault(SettingCode::WrongValue, pointer, message, help);
        }
        for source in SessionSource::sources_in(instructions) {
            if let Some(read) =
                readings.masked_names().iter().find(|name| source.overlaps_name(name))
            {
                let pointer = format!("/agents/{}/instructions", pointer_segment(name));
                readings.report_credential_source(reader, &pointer, &source, read);
            }
        }
    }
}

/// The session values that the credentials of each toolset and each model read.
#[derive(Debug)]
struct CredentialReadings<'a> {
    toolsets: Vec<(&'a ToolsetConfig, Vec<SessionName>)>,
    models: Vec<(&'a str, Vec<SessionName>)>,
}

impl<'a> CredentialReadings<'a> {
    /// The session values for all toolsets and models of a configuration.
    fn new(config: &'a Config) -> Self {
        let read = |toolset: &'a ToolsetConfig| {
            let mut names = session_names_of_credentials(&toolset.credentials);
            let further = toolset.kind.iter().flat_map(|kind| kind.credentials());
            names.extend(further.flat_map(|credential| credential.session_value_names()));
            (toolset, names)
        };
        let models = config.models.iter();
        let models = models.map(|(name, model)| (name.as_str(), model.auth.session_value_names()));
        Self { toolsets: config.toolsets.iter().map(read).collect(), models: models.collect() }
    }

    /// The session values that matter to calls of `config`: values that credentials of other toolsets read are withheld
    /// from its inputs, and values that any credential reads are masked.
    fn withheld_and_masked_session_names(
        &self,
        reader: &mut Reader,
        config: &ToolsetConfig,
        operations: &[Arc<Operation>],
    ) -> SessionValues {
        let foreign = self.names_read_only_by_others(config);
        warn_of_unused_parameters(reader, config, &foreign);
        let is_allowed = |name: &SessionName| {
            config.session_parameters.iter().any(|allowed| allowed.name.holds(name))
        };
        let withheld: Vec<_> = foreign.into_iter().filter(|name| !is_allowed(name)).collect();
        for name in &withheld {
            self.warn_of_shared_credential(reader, config, name, operations);
        }
        SessionValues { withheld, masked: self.masked_names() }
    }

    /// The names that any credential reads.
    fn masked_names(&self) -> Vec<SessionName> {
        let toolsets = self.toolsets.iter().flat_map(|(_, names)| names);
        let models = self.models.iter().flat_map(|(_, names)| names);
        let mut masked: Vec<_> = toolsets.chain(models).cloned().collect();
        masked.sort_unstable();
        masked.dedup();
        masked
    }

    /// The names that credentials of models and other toolsets read and this one's do not.
    fn names_read_only_by_others(&self, config: &ToolsetConfig) -> Vec<SessionName> {
        let is_own = |toolset: &ToolsetConfig| std::ptr::eq(toolset, config);
        let own = self.toolsets.iter().filter(|(toolset, _)| is_own(toolset));
        let own: Vec<_> = own.flat_map(|(_, names)| names).collect();
        let others = self.toolsets.iter().filter(|(toolset, _)| !is_own(toolset));
        let models = self.models.iter().flat_map(|(_, names)| names);
        let others = others.flat_map(|(_, names)| names).chain(models);
        let mut foreign: Vec<_> = others.filter(|name| !own.contains(name)).cloned().collect();
        foreign.sort_unstable();
        foreign.dedup();
        foreign
    }

    fn warn_of_shared_credential(
        &self,
        reader: &mut Reader,
        config: &ToolsetConfig,
        name: &SessionName,
        operations: &[Arc<Operation>],
    ) {
        let reads = |operation: &&Arc<Operation>| {
            operation.session_sources().any(|source| source.reads(name))
        };
        let tools: Vec<_> =
            operations.iter().filter(reads).map(|operation| &operation.tool_name).collect();
        let [first, others @ ..] = tools.as_slice() else { return };
        let more = match others.len() {
            0 => String::new(),
            n_others => format!(" and {n_others} more"),
        };
        let (owner, name) = (self.owner_words(name), name.as_str());
        let message = format!(
            "the session's `{name}` is a credential{owner} and no input of other tools; inputs of `{first}`{more} ask for it"
        );
        let help = format!(
            "write `session_parameters: {{allow: [{name}]}}` in this toolset if its service may see it, or hand the credential over as one: `$session.credentials.{name}`"
        );
        reader.warn(ConfigCode::SessionCredential, config.pointer.clone(), &message, &help);
    }

    /// Reports a source that would send or show a credential.
    fn report_credential_source(
        &self,
        reader: &mut Reader,
        pointer: &str,
        source: &SessionSource,
        name: &SessionName,
    ) {
        let owner = self.owner_words(name);
        let name = name.as_str();
        let message = format!(
            "expected a value that is no credential, got: `{source}`; the session's `{name}` is a credential{owner}"
        );
        let help =
            format!("remove it; or hand the credential over as one: `$session.credentials.{name}`");
        reader.report_fault(ConfigCode::SessionCredential, pointer, message, help);
    }

    /// The owner of the credential that reads a value, as the end of a sentence.
    fn owner_words(&self, name: &SessionName) -> String {
        let toolset = self.toolsets.iter().find(|(_, names)| names.contains(name));
        let toolset = toolset.and_then(|(toolset, _)| toolset.name.as_ref());
        let model = self.models.iter().find(|(_, names)| names.contains(name));
        match (toolset, model) {
            (Some(toolset), _) => format!(" of the toolset `{toolset}`"),
            (None, Some((model, _))) => format!(" of the model `{model}`"),
            (None, None) => String::new(),
        }
    }
}

fn warn_of_unused_parameters(reader: &mut Reader, config: &ToolsetConfig, foreign: &[SessionName]) {
    for allowed in &config.session_parameters {
        if !foreign.iter().any(|name| allowed.name.holds(name)) {
            let message = format!(
                "expected a session value that a credential of another toolset reads, got: `{}`",
                allowed.name.as_str()
            );
            let help = "remove it; inputs take it without leave";
            reader.warn(SettingCode::UnusedKey, allowed.pointer.clone(), &message, help);
        }
    }
}

fn session_names_of_credentials(credentials: &Credentials) -> Vec<SessionName> {
    let of_schemes = credentials.schemes.iter().flatten();
    let of_schemes = of_schemes.filter_map(|(_, credential)| match &credential.choice {
        SchemeChoice::ApiKey(_) => None,
        SchemeChoice::Other(config) => Some(&**config),
    });
    credentials.auth.iter().chain(of_schemes).flat_map(AuthConfig::session_value_names).collect()
}
