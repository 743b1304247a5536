//! The agents of a configuration with the parts that they need: their instructions, and the transport and the credential
//! of their model. The loop itself is made elsewhere.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::{AuthContext, with_masks_for_unset};
use callgate_kind::TextModels;
use callgate_settings::{Reader, SettingCode, nearest_help, pointer_segment, read_error_remedy};
use callgate_transport::{Client, ClientSettings, Network, Transport};

use super::{context::BuildContext, tls};
use crate::{agents::AgentConfig, code::ConfigCode, config::Config, model::BuiltModel};

/// An agent and its model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltAgent {
    /// Its name.
    pub name: String,
    /// Its settings.
    pub config: AgentConfig,
    /// The first text of each request to the model.
    pub instructions: String,
    /// Its model.
    pub model: BuiltModel,
}

/// The agents, and the models for kinds of toolsets.
pub(super) async fn build_agents(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    network: &Network,
) -> (Vec<BuiltAgent>, TextModels) {
    report_unknown_agents(reader, config);
    let models = build_models(reader, config, build_context, network).await;
    let mut agents = Vec::new();
    for (name, agent) in &config.agents {
        let pointer = format!("/agents/{}", pointer_segment(name));
        let model = find_named_model(reader, config, &models, &pointer, &agent.model);
        let instructions = read_instructions(reader, build_context, &pointer, agent);
        let (Some(model), Some(instructions)) = (model, instructions) else { continue };
        let (name, config) = (name.clone(), agent.clone());
        agents.push(BuiltAgent { name, config, instructions, model });
    }
    (agents, build_text_models(config, &models))
}

fn build_text_models(config: &Config, built: &BTreeMap<String, BuiltModel>) -> TextModels {
    let text_model = |name: &String| match (config.text_models, built.get(name)) {
        (Some(make), Some(model)) => make(model),
        (None, _) => Err("this program reaches no models: `Kinds::with_text_models`".to_owned()),
        (_, None) => Err("its credential has a fault".to_owned()),
    };
    config.models.keys().map(|name| (name.clone(), text_model(name))).collect()
}

async fn build_models(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    network: &Network,
) -> BTreeMap<String, BuiltModel> {
    let BuildContext { base, environment, secrets, .. } = build_context;
    let mut built = BTreeMap::new();
    if config.models.is_empty() {
        return built;
    }
    let transport: Arc<dyn Transport> = if let Some(own) = environment.transport.clone() {
        own
    } else {
        let tls = tls::load_tls_settings(reader, &config.tls, base, secrets).await;
        let settings = ClientSettings { tls, ..ClientSettings::default() };
        Arc::new(Client::over_network(network, settings))
    };
    let context = AuthContext::new(Arc::clone(secrets), Arc::clone(&transport))
        .with_grants(environment.grants.clone())
        .with_clock(environment.clock.clone());
    for (name, model) in &config.models {
        match model.auth.clone().build(&context) {
            Ok(authenticator) => {
                let authenticator = if environment.has_stand_ins {
                    with_masks_for_unset(authenticator)
                } else {
                    authenticator
                };
                let (config, transport) = (model.clone(), Arc::clone(&transport));
                built.insert(name.clone(), BuiltModel { config, transport, authenticator });
            }
            Err(error) => {
                let pointer = format!("/models/{}/auth", pointer_segment(name));
                reader.report_fault(
                    ConfigCode::Credential,
                    pointer,
                    error.to_string(),
                    "correct the credential",
                );
            }
        }
    }
    built
}

fn find_named_model(
    reader: &mut Reader,
    config: &Config,
    models: &BTreeMap<String, BuiltModel>,
    pointer: &str,
    name: &str,
) -> Option<BuiltModel> {
    if !config.models.contains_key(name) {
        let help = nearest_help(name, config.models.keys().map(String::as_str), || {
            "name a model below `models`: `{main: {dialect: openai, url: …, model: …, auth: none}}`"
                .to_owned()
        });
        let message = if name.is_empty() {
            "expected the key `model`, got none".to_owned()
        } else {
            format!("expected the name of a model below `models`, got: `{name}`")
        };
        let pointer = if name.is_empty() { pointer.to_owned() } else { format!("{pointer}/model") };
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
    }
    models.get(name).cloned()
}

/// Reports names below `access` that no agent has.
fn report_unknown_agents(reader: &mut Reader, config: &Config) {
    let Some(access) = &config.serving.access else { return };
    let principals = access.principals.iter().map(|principal| {
        let name = principal.id.strip_prefix("principal:").unwrap_or_default();
        (format!("/access/principals/{}", pointer_segment(name)), &principal.rights)
    });
    let issuers = access.issuers.iter().enumerate();
    let issuers = issuers.map(|(at, issuer)| (format!("/access/jwt/{at}"), &issuer.rights));
    for (place, rights) in principals.chain(issuers) {
        let named = rights.agents.iter().flat_map(|agents| agents.iter());
        for name in named.filter(|name| !config.agents.contains_key(*name)) {
            let agents = config.agents.keys().map(String::as_str);
            let help = nearest_help(name, agents, || "name an agent below `agents`".to_owned());
            let message = format!("expected the name of an agent, got: `{name}`");
            reader.report_fault(SettingCode::WrongValue, format!("{place}/agents"), message, help);
        }
    }
}

/// The instructions: the text, or that of the file that it names.
fn read_instructions(
    reader: &mut Reader,
    build_context: &BuildContext<'_>,
    pointer: &str,
    agent: &AgentConfig,
) -> Option<String> {
    let Some(path) = agent.instructions.strip_prefix("file:") else {
        return Some(agent.instructions.clone());
    };
    let file = build_context.base.join(path);
    let read = reader
        .admitted_file_beginning(&file, MOST_BYTES)
        .map_err(|error| (error.to_string(), read_error_remedy(&file, &error)));
    let text = read.and_then(|bytes| {
        String::from_utf8(bytes)
            .map_err(|_| ("it is no UTF-8".to_owned(), "write it as text".to_owned()))
    });
    match text {
        Ok(text) => Some(text),
        Err((problem, help)) => {
            let message = format!("cannot read the instructions: {problem}");
            reader.report_fault(
                SettingCode::UnreadableFile,
                format!("{pointer}/instructions"),
                message,
                help,
            );
            None
        }
    }
}

/// Instructions longer than this leave no room for a conversation.
const MOST_BYTES: usize = 1024 * 1024;
