//! From `toolsets:` to the values of each toolset. Every fault is recorded and reading goes on. No file is opened here,
//! except those of a further source of tools, which has settings itself (`tool_source`).

use std::path::{Path, PathBuf};

use callgate_executor::Redirects;
use callgate_openapi::{Defaults, SessionInputs};
use callgate_tool::ToolsetName;
use callgate_tree::{Node, Object};

use crate::{
    argument_headers, arguments, body_media,
    code::ConfigCode,
    description::Description,
    egress, functions, headers,
    limits::{self, Bounds},
    location::address,
    output, policy,
    reader::{Mapping, Reader, at, escaped, tls::tls},
    references, scheme_credentials, selection, server, service_directory, session_values,
    tables::TOOLSET,
    tool_rules::{ConfirmRules, ExecutionRules},
    tool_source::{self, SourceTools, Sourced, ToolSources},
    toolset::ToolsetConfig,
    upstream,
};

/// Reads all toolsets; files of exports are relative to `directory`; `bounds` are the default limits.
pub(crate) fn toolsets(
    reader: &mut Reader,
    node: &Node,
    directory: &Path,
    bounds: Bounds,
    sources: &ToolSources,
) -> Vec<ToolsetConfig> {
    let Some(object) = node.as_object().filter(|object| !object.is_empty()) else {
        let help = "name at least one, each with its keys below it: `toolsets: {pets: {openapi: pets.yaml}}`";
        match node.as_object() {
            Some(_) => reader.complain(
                ConfigCode::WrongValue,
                "/toolsets",
                "expected at least one toolset, got none",
                help,
            ),
            None => reader.expected("/toolsets", "a mapping from names to toolsets", node, help),
        }
        return Vec::new();
    };
    if let Some(at) = unindented(object) {
        let message =
            format!("expected names of toolsets, got a key of a toolset beside them: `{at}`");
        let help = "indent the keys of a toolset below its name: `pets: {openapi: pets.yaml}`";
        reader.complain(
            ConfigCode::WrongValue,
            format!("/toolsets/{}", escaped(at)),
            message,
            help,
        );
        return Vec::new();
    }
    let mut toolsets = Vec::new();
    for (name, node) in object.iter() {
        let pointer = format!("/toolsets/{}", escaped(name));
        let place = ToolsetLocation { pointer: &pointer, directory, bounds, sources };
        let read = match ToolsetName::new(name) {
            Ok(name) if node.as_str().is_some() => {
                let help = format!("write `{name}: {{openapi: FILE}}`");
                reader.expected_plain(&pointer, "the keys of a toolset", node, &help);
                None
            }
            Ok(name) => toolset(reader, node, Some(name), &place),
            Err(error) => {
                let help = "use letters, digits and `_`; `-` separates a toolset from its tools";
                reader.complain(ConfigCode::ToolsetName, pointer, error.to_string(), help);
                None
            }
        };
        toolsets.extend(read);
    }
    toolsets
}

/// The first key of a toolset that occurs in place of a toolset's name, with a value that cannot be a toolset.
fn unindented(object: &Object) -> Option<&str> {
    let mut entries = object.iter().map(|(name, value)| (&**name, value));
    let is_key = |(name, value): &(&str, &Node)| TOOLSET.has(name) && value.as_object().is_none();
    entries.find(is_key).map(|(name, _)| name)
}

/// The place of a toolset, in the text and on the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolsetLocation<'a> {
    pub(crate) pointer: &'a str,
    pub(crate) directory: &'a Path,
    /// The default limits of a toolset.
    pub(crate) bounds: Bounds,
    /// The kinds of sources that a toolset may name.
    pub(crate) sources: &'a ToolSources,
}

/// Reads one toolset. A toolset without a name has no prefix, and by default the description `spec.yaml` beside it.
pub(crate) fn toolset(
    reader: &mut Reader,
    node: &Node,
    name: Option<ToolsetName>,
    place: &ToolsetLocation<'_>,
) -> Option<ToolsetConfig> {
    let own = node;
    let sourced = tool_source::sourced(reader, place.sources, node, place.pointer, place.directory);
    let node = sourced.as_ref().map_or(node, |sourced| &sourced.node);
    let mapping = reader.mapping(node, place.pointer, &TOOLSET)?;
    let (description, lacks_own) = match &sourced {
        None => (own_description(reader, mapping, name.is_none()), false),
        Some(Sourced { tools, .. }) => {
            let SourceTools { description, lacks_credential, .. } = tools.clone()?;
            (Some(description), lacks_credential && own.get("auth").is_none())
        }
    };
    let prefix = match reader.string(mapping, "prefix") {
        None => name.clone(),
        Some("") => None,
        Some(text) => prefix(reader, mapping, text),
    };
    let bounds = limits::over(reader, mapping, place.bounds);
    let (shape, tool_shapes) = output::shapes(reader, mapping, &bounds);
    let mut credentials = scheme_credentials::credentials(reader, mapping);
    let selection = selection::read(reader, mapping);
    credentials.lacks_own = lacks_own;
    let server = server::read(reader, mapping);
    if sourced.is_some() {
        tool_source::distrust(reader, &mut credentials, server.as_ref(), own, mapping);
    }
    Some(ToolsetConfig {
        prefix,
        credentials,
        name,
        pointer: place.pointer.to_owned(),
        upstream: upstream::read(reader, mapping),
        // A description with a fault is not read: the build fails.
        description: description.unwrap_or_else(|| Description::text(Vec::new())),
        required: reader.boolean(mapping, "required").unwrap_or_default(),
        overlays: reader.strings(mapping, "overlays").into_iter().map(PathBuf::from).collect(),
        server,
        server_variables: server::variables(reader, mapping),
        session_inputs: session_inputs(reader, mapping),
        defaults: defaults(reader, mapping),
        headers: headers::read(reader, mapping),
        session_parameters: session_values::read(reader, mapping),
        body_media: body_media::read(reader, mapping),
        tls: tls(reader, mapping),
        egress: egress::read(reader, mapping),
        service_directory: service_directory::read(reader, mapping),
        argument_headers: argument_headers::read(reader, mapping, &selection),
        body_arguments: arguments::read(reader, mapping),
        credential_arguments: credential_arguments(reader, mapping),
        selection,
        description_limits: bounds.description,
        references: references::read(reader, mapping),
        limits: bounds.exchange,
        call_limits: policy::call_limits(reader, mapping),
        redirects: redirects(reader, mapping),
        baggage: reader.boolean(mapping, "baggage").unwrap_or_default(),
        shape,
        tool_shapes,
        functions: functions::read(reader, mapping),
        execution: reader.get::<ExecutionRules>(mapping, "execution").unwrap_or_default(),
        confirm: reader.get::<ConfirmRules>(mapping, "confirm").unwrap_or_default(),
    })
}

/// The description that a toolset names; `spec.yaml` for the one toolset of a folder that has no name.
fn own_description(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    has_no_name: bool,
) -> Option<Description> {
    match (mapping.object.contains("openapi"), mapping.object.contains("functions")) {
        (false, true) => Some(Description::none()),
        // The missing feature is reported.
        (false, false) if names_absent_source(mapping) => None,
        (false, false) if has_no_name => Some(Description::file("spec.yaml")),
        _ => description(reader, mapping),
    }
}

/// True if a key names a source whose reader is not in this build.
fn names_absent_source(mapping: Mapping<'_>) -> bool {
    mapping.object.iter().any(|(key, _)| TOOLSET.absent_feature(key) == Some("ces"))
}

fn credential_arguments(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<String> {
    reader.strings(mapping, "credential_arguments").into_iter().map(str::to_owned).collect()
}

fn description(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Description> {
    let openapi = reader.required_string(mapping, "openapi")?;
    if !openapi.contains("://") {
        return Some(Description::file(openapi));
    }
    let found = address(openapi);
    if found.is_none() {
        let scheme = openapi.split("://").next().unwrap_or_default();
        let message = match scheme {
            "https" => "expected an https address without a user, got one with it".to_owned(),
            scheme => format!("expected a file, or an https address, got one of: `{scheme}`"),
        };
        let help = "http is for this machine alone: `http://127.0.0.1:8080/openapi.json`";
        reader.complain(ConfigCode::WrongValue, at(mapping, "openapi"), message, help);
    }
    found.map(Description::address)
}

fn prefix(reader: &mut Reader, mapping: Mapping<'_>, text: &str) -> Option<ToolsetName> {
    let name = ToolsetName::new(text).map_err(|error| {
        let help = "use letters, digits and `_`, or `\"\"` for no prefix";
        reader.complain(ConfigCode::WrongValue, at(mapping, "prefix"), error.to_string(), help);
    });
    name.ok()
}

fn defaults(reader: &mut Reader, mapping: Mapping<'_>) -> Defaults {
    match reader.string(mapping, "defaults") {
        None | Some("safe") => Defaults::Safe,
        Some("all") => Defaults::All,
        Some("required") => Defaults::Required,
        Some(other) => {
            let message = format!("expected `safe`, `all` or `required`, got: `{other}`");
            let help = "`safe` leaves out defaults that would decide alone what a call changes";
            reader.complain(ConfigCode::WrongValue, at(mapping, "defaults"), message, help);
            Defaults::Required
        }
    }
}

fn session_inputs(reader: &mut Reader, mapping: Mapping<'_>) -> SessionInputs {
    match reader.string(mapping, "session_inputs") {
        None | Some("lenient") => SessionInputs::Lenient,
        Some("strict") => SessionInputs::Strict,
        Some(other) => {
            let message = format!("expected `lenient` or `strict`, got: `{other}`");
            let help = "`strict` hides from the model what the session should give";
            reader.complain(ConfigCode::WrongValue, at(mapping, "session_inputs"), message, help);
            SessionInputs::Strict
        }
    }
}

fn redirects(reader: &mut Reader, mapping: Mapping<'_>) -> Redirects {
    match reader.string(mapping, "redirects") {
        None | Some("none") => Redirects::None,
        Some("same_origin") => Redirects::SameOrigin,
        Some(other) => {
            let message = format!("expected `none` or `same_origin`, got: `{other}`");
            let help = "`same_origin` follows what GET and HEAD are answered within the origin";
            reader.complain(ConfigCode::WrongValue, at(mapping, "redirects"), message, help);
            Redirects::None
        }
    }
}
