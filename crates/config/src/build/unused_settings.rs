//! Warns of settings that have no effect beside others of their section. A key that the text does not have has its default here.

use callgate_policy::Confirm;
use callgate_settings::{Reader, SettingCode, pointer_segment};

use crate::{
    agents::{AgentCalls, AgentParallel},
    config::Config,
    mcp::{McpConfig, McpMode},
};

/// Warns of each setting at its key.
pub(super) fn warn_of_unused_settings(reader: &mut Reader, config: &Config) {
    let mut unused = Vec::new();
    let is_counted = config.mcp.mode == McpMode::Auto;
    if !is_counted && config.mcp.tokens != McpConfig::default().tokens {
        unused.push(("/mcp/tokens".to_owned(), "`mode: auto`", "another"));
    }
    for (name, agent) in config.agents.iter().filter(|(_, it)| it.calls == AgentCalls::Manual) {
        let given = [
            ("confirm", agent.confirm != Confirm::Writes),
            ("parallel", agent.parallel != AgentParallel::Reads),
        ];
        for (key, _) in given.iter().filter(|(_, is_given)| *is_given) {
            let pointer = format!("/agents/{}/{key}", pointer_segment(name));
            unused.push((pointer, "`calls: auto`", "`manual`"));
        }
    }
    let telemetry = &config.telemetry;
    let given =
        [("headers", !telemetry.headers.is_empty()), ("service", telemetry.service.is_some())];
    for (key, _) in given.iter().filter(|(_, is_given)| *is_given && telemetry.otlp.is_none()) {
        unused.push((format!("/telemetry/{key}"), "`otlp`", "none"));
    }
    for (pointer, expected, got) in unused {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        let message = format!("expected {expected} with `{key}`, got {got}");
        reader.warn(SettingCode::UnusedKey, pointer, &message, "remove it");
    }
}
