//! The rules about calls that a person approves: those of toolsets, those of the tools named there, and who may approve.

use std::sync::Arc;

use callgate_executor::{Entry, Toolset};
use callgate_kind::KindCode;
use callgate_openapi::Operation;
use callgate_policy::{ApprovalRules, Confirm};
use callgate_settings::{Reader, SettingCode, pointer_segment};
use callgate_tool::{Approvers, Effect, ToolName, nearest};

use super::{
    Built, BuiltAccess, named_tools,
    own_tools::{self, OwnTool},
    toolset::ToolsetParts,
};
use crate::{
    Severity,
    config::Config,
    environment::Environment,
    serving::{AccessConfig, Approvable, Approves, Rights},
};

/// The rules of all toolsets. A misspelt name of a tool is an error: it must not turn an approval off. A name unlike
/// those of all loaded tools and functions is a warning.
pub(super) fn approval_rules(
    reader: &mut Reader,
    config: &Config,
    parts: &[ToolsetParts<'_>],
) -> ApprovalRules {
    let approvers = config.serving.access.as_ref().map_or(Approvers::Caller, approvers_by_access);
    let time = config.sessions.approval_time;
    let mut rules = ApprovalRules { time, approvers, ..ApprovalRules::default() };
    for config in &config.toolsets {
        let name = config.name.as_ref().map(ToString::to_string).unwrap_or_default();
        if config.confirm.default != Confirm::Never {
            rules.toolsets.insert(name, config.confirm.default);
        }
        let mut entries = Vec::new();
        let own = own_tools::own_tools_of_toolset(config);
        for entry in &config.confirm.tools {
            match own.iter().find(|tool| tool.is_called(&entry.tool)) {
                Some(OwnTool { name, .. }) if rules.tools.contains_key(name) => {
                    named_tools::report_repeated_entry(reader, entry);
                }
                Some(OwnTool { name, .. }) => {
                    _ = rules.tools.insert(name.clone(), entry.rule);
                }
                None => entries.push(entry),
            }
        }
        let built = parts.iter().find(|parts| std::ptr::eq(parts.config, config));
        if built.is_none() && config.description.is_some() {
            // The description is absent, and with it every operation that an entry may mean.
            continue;
        }
        let operations = built.map(|parts| &*parts.built.operations).unwrap_or_default();
        rules.tools.extend(named_tools::rules_by_tool(
            reader,
            entries,
            operations,
            Severity::Error,
        ));
    }
    rules
}

fn approvers_by_access(access: &AccessConfig) -> Approvers {
    let mut rights = rights_with_places(access);
    if access.four_eyes {
        Approvers::Others
    } else if rights.any(|(_, rights)| !rights.approves.is_empty()) {
        Approvers::Either
    } else {
        Approvers::Caller
    }
}

/// The rights of principals and issuers, each with its place in the configuration.
fn rights_with_places(access: &AccessConfig) -> impl Iterator<Item = (String, &Rights)> {
    let principals = access.principals.iter().map(|principal| {
        let name = principal.id.strip_prefix("principal:").unwrap_or_default();
        (format!("/access/principals/{}", pointer_segment(name)), &principal.rights)
    });
    let issuers = access.issuers.iter().enumerate();
    let issuers = issuers.map(|(at, issuer)| (format!("/access/jwt/{at}"), &issuer.rights));
    principals.chain(issuers)
}

/// Checks the entries of `approves` against the tools there are. A name of several things is an error, since more calls could
/// be approved than was meant; so is a misspelt one. A name unlike all others may be a tool that the service no longer has.
pub(super) fn check_approves_entries(
    reader: &mut Reader,
    config: &Config,
    environment: &Environment,
    toolsets: &[Toolset],
    own: &[OwnTool],
) {
    let Some(access) = &config.serving.access else { return };
    let operations = || {
        let callables = toolsets.iter().flat_map(|toolset| &toolset.operations);
        callables.map(|callable| &callable.operation)
    };
    let names = operations().map(|operation| operation.tool_name.as_str());
    let of_toolsets = own.iter().map(|tool| tool.name.as_str());
    let programs = environment.tools.iter().map(|tool| tool.name().as_str());
    let tools: Vec<&str> = names.chain(of_toolsets).chain(programs).collect();
    let matching = |name: &str| tools_by_other_name(name, config, operations());
    for (place, rights) in rights_with_places(access) {
        for (index, entry) in rights.approves.0.iter().enumerate() {
            check_approves_entry(
                reader,
                format!("{place}/approves/{index}"),
                entry,
                &tools,
                matching,
            );
        }
    }
}

fn check_approves_entry(
    reader: &mut Reader,
    pointer: String,
    entry: &Approvable,
    tools: &[&str],
    matching: impl Fn(&str) -> Vec<ToolName>,
) {
    let name = entry.as_str();
    let other = match entry {
        _ if tools.contains(&name) == matches!(entry, Approvable::Tool(_)) => return,
        Approvable::Tool(_) => {
            let matches = matching(name);
            if matches.is_empty() {
                report_unknown_tool(reader, pointer, name, tools);
            } else if matches.len() > 1 {
                named_tools::report_ambiguous_name(reader, pointer, name, &matches);
            }
            return;
        }
        Approvable::Effect(_) => "an effect",
        Approvable::Toolset(_) => "a toolset",
    };
    let message = format!("expected one meaning, got {other} and a tool: `{name}`");
    let help = "give the tool another name, for example by `prefix`";
    reader.report_fault(SettingCode::WrongValue, pointer, message, help);
}

/// The tools that a configuration may mean by another name than that of the tool: the one before an edit, the whole one, or
/// the `operationId`.
fn tools_by_other_name<'o>(
    name: &str,
    config: &Config,
    operations: impl Iterator<Item = &'o Arc<Operation>>,
) -> Vec<ToolName> {
    let operations = operations.filter(|operation| operation.is_called(name));
    let own = config.toolsets.iter().flat_map(own_tools::own_tools_of_toolset);
    let own = own.filter(|tool| tool.is_called(name)).map(|tool| tool.name);
    operations.map(|operation| operation.tool_name.clone()).chain(own).collect()
}

/// The callers, who may approve the tools that the entries of `approves` mean, by the names that these tools have.
pub(super) fn with_resolved_tool_names(
    mut access: BuiltAccess,
    config: &Config,
    built: &Built,
) -> BuiltAccess {
    let principals = access.principals.iter_mut().map(|principal| &mut principal.rights);
    let issuers = access.issuers.iter_mut().map(|issuer| &mut issuer.config.rights);
    for rights in principals.chain(issuers) {
        let entries = rights.approves.0.iter().map(|entry| {
            let Approvable::Tool(name) = entry else { return entry.clone() };
            let is_own = |tool: Entry<'_>| tool.name().as_str() == name;
            if built.executor.entries().any(is_own) {
                return entry.clone();
            }
            let operations = built.toolsets.iter().flat_map(|toolset| &toolset.operations);
            match &*tools_by_other_name(name, config, operations) {
                [only] => Approvable::Tool(only.to_string()),
                _ => entry.clone(),
            }
        });
        rights.approves = Arc::new(Approves(entries.collect()));
    }
    access
}

fn report_unknown_tool(reader: &mut Reader, pointer: String, name: &str, tools: &[&str]) {
    let message = format!("expected the name of a toolset or a tool, or an effect, got: `{name}`");
    let effects = Effect::ALL.iter().map(|effect| effect.as_str());
    let toolsets: Vec<_> = reader.toolsets.iter().map(String::as_str).collect();
    let nearest = nearest(name, effects.chain(toolsets).chain(tools.iter().copied()));
    let help = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
    match help {
        Some(help) => reader.report_fault(KindCode::SelectsNothing, pointer, message, help),
        None => {
            reader.warn(KindCode::SelectsNothing, pointer, &message, "correct it or remove it");
        }
    }
}
