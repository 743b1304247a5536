//! The options for loading a toolset's description.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::{ApiKeyLocation, CredentialPlace};
use callgate_kind::EditRule;
use callgate_openapi::{ArgumentHeader, ArgumentHeaders, InputLocation, LoadOptions};
use callgate_tool::ToolEdit;

use super::{credential_arguments, functions, other_names::OtherNames};
use crate::{
    description::Source,
    toolset::{ListedHeader, ToolsetConfig},
};

/// The options of a toolset whose credential for every operation goes to `places`.
pub(super) fn load_options(
    config: &ToolsetConfig,
    names: &OtherNames,
    places: &[CredentialPlace],
) -> LoadOptions {
    let place = |credential_place: &CredentialPlace| match credential_place.place() {
        ApiKeyLocation::Cookie => InputLocation::Cookie,
        ApiKeyLocation::Query => InputLocation::Query,
        _ => InputLocation::Header,
    };
    // No argument may write a fixed header.
    let fixed = config.headers.iter();
    let trusted = config.credentials.origins.iter();
    let document_url = match &config.description.source {
        Source::Address(url) => Some(url.clone()),
        Source::File | Source::None | Source::Parsed(_) | Source::Text(_) => None,
    };
    LoadOptions {
        toolset: config.prefix.clone(),
        server: config.server.as_ref().map(|server| server.as_str().to_owned()),
        server_variables: config.server_variables.clone(),
        document_url,
        session_inputs: config.session_inputs,
        defaults: config.defaults,
        tool_names: names.naming_rule(config),
        taken_names: names.taken_names().to_vec(),
        body_media: config.body_media.clone(),
        argument_headers: argument_headers(&config.argument_headers),
        body_arguments: config.body_arguments.iter().map(|listed| listed.tool.clone()).collect(),
        credential: credential_arguments::credential_kind(config.credentials.auth.as_ref()),
        credential_arguments: config.credential_arguments.clone(),
        selection: config.selection.clone(),
        edits: operation_edits(config),
        credential_places: places
            .iter()
            .map(|credential_place| (place(credential_place), credential_place.name().to_owned()))
            .chain(fixed.map(|header| (InputLocation::Header, header.name.clone())))
            .collect(),
        trusted_origins: trusted.map(|url| url.origin().ascii_serialization()).collect(),
        reads: Vec::new(),
    }
}

/// The changes to operations. Functions have their own.
fn operation_edits(config: &ToolsetConfig) -> BTreeMap<String, Arc<ToolEdit>> {
    let is_function = |rule: &&EditRule| {
        config
            .functions
            .iter()
            .any(|function| functions::is_function_called(config, function, &rule.tool))
    };
    let edits = config.edits.iter().filter(|rule| !is_function(rule));
    edits.map(|rule| (rule.tool.clone(), Arc::clone(&rule.rule))).collect()
}

fn argument_headers(listed: &[ListedHeader]) -> ArgumentHeaders {
    let mut all = Vec::new();
    let mut tools: BTreeMap<String, Vec<ArgumentHeader>> = BTreeMap::new();
    for ListedHeader { tool, header, .. } in listed {
        match tool {
            Some(tool) => tools.entry(tool.clone()).or_default().push(header.clone()),
            None => all.push(header.clone()),
        }
    }
    ArgumentHeaders { all, tools }
}
