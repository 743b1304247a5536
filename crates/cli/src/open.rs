//! Opens what the user named: a description or a configuration, distinguished by content. Faults become snippets.

use std::{io, path::Path};

use callgate::{
    config::{Built, BuiltToolset, Environment, Error, Finding},
    openapi::OperationStatus,
};
use callgate_config::{DescriptionOptions, Kinds, LoadEffects, Loader, MAX_FILE_BYTES};

use crate::{
    args::DescriptionArguments,
    effects,
    exit::Failure,
    file_argument::{self, is_standard_input, read_file_or_stdin},
    folders, grants,
    masking::mask_possible_secrets,
    output, render,
};

/// A ready executor from the user's file. Warnings of a configuration go to standard error.
pub(crate) fn open_with_warnings(
    file: &Path,
    options: &DescriptionOptions,
    loader: &Loader,
    environment: &Environment,
) -> Result<Built, Failure> {
    let built = build_silently(file, options, loader, environment)?;
    output::print_message(&rendered_findings(&built.warnings));
    Ok(built)
}

/// An executor that makes no calls; nothing is printed. Its findings include those of a sidecar.
pub(crate) fn build_with_sidecar_findings(
    file: &Path,
    options: &DescriptionOptions,
    kinds: &Kinds,
) -> Result<Built, Error> {
    let environment = Environment::new().without_audit().with_sidecar_examination();
    build_silently(file, options, &loader_with_effects(kinds, effects::CHECK), &environment)
}

/// An executor from the user's file, without a word. Descriptions at addresses are kept for times when they cannot be fetched.
pub(crate) fn build_silently(
    file: &Path,
    options: &DescriptionOptions,
    loader: &Loader,
    environment: &Environment,
) -> Result<Built, Error> {
    let location = file_argument::file_location(file)?;
    let environment = with_cache_and_extractor(environment.clone());
    let grants = grants::grant_store(&location, file).into_iter();
    let environment = grants.fold(environment, Environment::with_grants);
    let config = loader.open(location, options)?;
    config.build_blocking(&environment, None)
}

/// The only way of the commands to a load: each names its effects.
pub(crate) fn loader_with_effects(kinds: &Kinds, effects: LoadEffects) -> Loader {
    Loader::new().with_kinds(kinds.clone()).with_effects(effects)
}

/// A loader that reads no file outside of a folder.
pub(crate) fn confined_loader(
    kinds: &Kinds,
    effects: LoadEffects,
    folder: &Path,
) -> Result<Loader, Failure> {
    loader_with_effects(kinds, effects)
        .reading_below(folder)
        .map_err(|error| unreadable_failure(folder, &error))
}

/// An environment that keeps descriptions of addresses, if this machine has a folder for them. This program extracts the text of PDF
/// files where the feature `pdf` is built in.
pub(crate) fn with_cache_and_extractor(environment: Environment) -> Environment {
    #[cfg(feature = "pdf")]
    let environment =
        std::env::current_exe().into_iter().fold(environment, Environment::with_extractor);
    match folders::cache_folder() {
        Some(folder) => environment.with_cache(folder),
        None => environment,
    }
}

/// All findings. Those about a whole file that have one remedy are one, so that a reader sees it once.
pub(crate) fn rendered_findings(findings: &[Finding]) -> String {
    let (mut left, mut shown): (Vec<&Finding>, String) = (findings.iter().collect(), String::new());
    while let Some((first, rest)) = left.split_first() {
        let (same, others): (Vec<&Finding>, Vec<&Finding>) =
            rest.iter().copied().partition(|other| has_same_remedy(first, other));
        let text = read_file_or_stdin(&first.file).unwrap_or_default();
        let text = mask_possible_secrets(&String::from_utf8_lossy(&text), findings);
        shown += &render::rendered_finding(&render::Lines::new(&text), first, &same);
        left = others;
    }
    shown
}

fn has_same_remedy(one: &Finding, other: &Finding) -> bool {
    let kind = |finding: &Finding| (finding.severity, finding.code, finding.position.is_none());
    let is_same = kind(one) == kind(other) && one.file == other.file && one.help == other.help;
    is_same && one.position.is_none() && !one.help.is_empty()
}

/// A ready executor for calls. It is a failure if no description can be read; otherwise unreadable descriptions, and
/// operations that are not offered, are reported on standard error.
pub(crate) fn open_for_calls(
    file: &Path,
    options: &DescriptionOptions,
    loader: &Loader,
    environment: &Environment,
) -> Result<Built, Failure> {
    let built = open_with_warnings(file, options, loader, environment)?;
    tell_unasked_sources(file, &built);
    let mut faults = String::new();
    for toolset in &built.toolsets {
        if toolset.version.is_empty() {
            faults.push_str(&rendered_description_faults(toolset)?);
        }
        let refused = toolset.report.count(OperationStatus::Refused);
        if refused > 0 {
            let shown = toolset.file.display();
            output::print_message_line(&format!(
                "note: {refused} operations of `{shown}` are not offered; `callgate check` says why"
            ));
        }
    }
    if built.toolsets.iter().any(|toolset| !toolset.version.is_empty()) {
        output::print_message(&faults);
        return Ok(built);
    }
    if faults.is_empty() { Ok(built) } else { Err(Failure(faults)) }
}

/// Names what the load had no leave to ask, and the command that asks it.
fn tell_unasked_sources(file: &Path, built: &Built) {
    for source in built.sources.iter().filter(|source| !source.is_asked) {
        let (kind, name, file) = (source.key, &source.name, file.display());
        output::print_message_line(&format!(
            "note: the {kind} of `{name}` is not asked here; `callgate tools {file}` asks it"
        ));
    }
}

fn rendered_description_faults(toolset: &BuiltToolset) -> Result<String, Failure> {
    let text = description_text(toolset)?;
    let mut diagnostics = toolset.report.diagnostics.clone();
    toolset.locate(&text, &mut diagnostics);
    let text = String::from_utf8_lossy(&text);
    let lines = render::Lines::new(&text);
    let shown = |one| render::rendered_diagnostic(&toolset.file, &lines, one);
    Ok(diagnostics.iter().map(shown).collect())
}

pub(crate) fn description_options(given: &DescriptionArguments) -> DescriptionOptions {
    DescriptionOptions {
        server: given.server.clone(),
        overlays: given.overlay.clone(),
        bearer: given.bearer.clone(),
        ca: given.connection.ca.clone(),
        egress_allow: given.connection.egress_allow.clone(),
        api_key: given.api_key.clone(),
        basic: given.basic.clone(),
        headers: given.requests.headers.clone(),
        timeout: given.requests.timeout.clone(),
        limits: given.requests.limits.clone(),
    }
}

pub(crate) fn read_file_bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    callgate_config::read_file(file, MAX_FILE_BYTES)
        .map_err(|error| unreadable_failure(file, &error))
}

pub(crate) fn description_text(toolset: &BuiltToolset) -> Result<Vec<u8>, Failure> {
    let text = if is_standard_input(&toolset.file) {
        read_file_or_stdin(&toolset.file)
    } else {
        toolset.text()
    };
    text.map_err(|error| unreadable_failure(&toolset.file, &error))
}

fn unreadable_failure(file: &Path, error: &io::Error) -> Failure {
    let help = callgate_config::read_error_remedy(file, error);
    Failure::with_help(&format!("cannot read `{}`: {error}", file.display()), &help)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(rendered_findings(error.findings()))
    }
}
