//! From the tree of a configuration file to checked values. Every fault is written down and the reading goes on; no
//! file is opened here, but those of an export, which holds settings itself (`exported`).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use callgate_executor::Redirects;
use callgate_openapi::{Limits as DescriptionLimits, SessionInputs};
use callgate_tool::ToolsetName;
use callgate_transport::{AddressRange, Limits, NotARange};
use callgate_tree::{Limits as TextLimits, Node};

use crate::{
    argument_headers, body_media,
    checked::{ToolsetConfig, Upstream},
    exported,
    keys::{EGRESS, LIMITS, ROOT, TOOLSET, UPSTREAM},
    output,
    reader::{Mapping, Reader, at, escaped},
    references, scheme_credentials,
    secrets::{self, SecretsConfig},
    selection, service_directory, session_values,
    tls::{self, TlsConfig},
};

/// What stands beside the toolsets and is there for all of them.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) secrets: SecretsConfig,
    pub(crate) tls: TlsConfig,
}

/// Reads a whole configuration; files are named relative to `directory`.
pub(crate) fn configuration(
    reader: &mut Reader,
    root: &Node,
    directory: &Path,
) -> (Shared, Vec<ToolsetConfig>) {
    let (mut shared, mut toolsets) = (Shared::default(), Vec::new());
    if let Some(mapping) = reader.mapping(root, "", &ROOT) {
        shared.secrets = secrets::secrets(reader, mapping, directory);
        shared.tls = tls::read(reader, mapping);
        match mapping.object.get("toolsets") {
            Some(node) => toolsets = all_toolsets(reader, node, directory),
            None => reader.complain(
                "missing-key",
                "",
                "expected the key `toolsets`, got none",
                "name at least one: `toolsets: {pets: {openapi: pets.yaml}}`",
            ),
        }
    }
    (shared, toolsets)
}

fn all_toolsets(reader: &mut Reader, node: &Node, directory: &Path) -> Vec<ToolsetConfig> {
    let Some(object) = node.as_object().filter(|object| !object.is_empty()) else {
        reader.expected("/toolsets", "a mapping from names to toolsets", node, "name at least one");
        return Vec::new();
    };
    let mut toolsets = Vec::new();
    for (name, node) in object.iter() {
        let pointer = format!("/toolsets/{}", escaped(name));
        let place = Place { pointer: &pointer, directory };
        let read = match ToolsetName::new(name) {
            Ok(name) => toolset(reader, node, Some(name), &place),
            Err(error) => {
                let help = "use letters, digits and `_`; `-` separates a toolset from its tools";
                reader.complain("toolset-name", pointer, error.to_string(), help);
                None
            }
        };
        toolsets.extend(read);
    }
    toolsets
}

/// Where a toolset stands: in the file, and on the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) pointer: &'a str,
    pub(crate) directory: &'a Path,
}

/// Reads one toolset. One without a name has no prefix, and `spec.yaml` beside it unless it says otherwise.
pub(crate) fn toolset(
    reader: &mut Reader,
    node: &Node,
    name: Option<ToolsetName>,
    place: &Place<'_>,
) -> Option<ToolsetConfig> {
    let export = exported::joined(reader, node, (place.pointer, place.directory));
    let is_whole = export.is_some() || exported::named(node).is_none();
    let node = export.as_ref().map_or(node, |export| &export.node);
    let mapping = reader.mapping(node, place.pointer, &TOOLSET).filter(|_| is_whole)?;
    let named = name.as_ref().map(ToolsetName::as_str);
    let openapi = match named {
        _ if export.is_some() => export.as_ref().map(|export| export.file.clone()),
        None if !mapping.object.contains("openapi") => Some(place.directory.join("spec.yaml")),
        _ => description(reader, mapping, place.directory),
    };
    let prefix = match reader.string(mapping, "prefix") {
        None => name.clone(),
        Some("") => None,
        Some(text) => prefix(reader, mapping, text),
    };
    let (shape, tool_shapes) = output::shapes(reader, mapping);
    let mut credentials = scheme_credentials::credentials(reader, mapping);
    let selection = selection::read(reader, mapping);
    credentials.lacks_own = export.as_ref().is_some_and(|export| export.lacks_credential);
    let read = ToolsetConfig {
        prefix,
        credentials,
        text: export.as_ref().and_then(|export| export.text.clone()),
        name,
        pointer: place.pointer.to_owned(),
        upstream: upstream(reader, mapping, place.directory, openapi.as_deref()),
        openapi: openapi.unwrap_or_default(),
        overlays: reader
            .strings(mapping, "overlays")
            .into_iter()
            .map(|overlay| place.directory.join(overlay))
            .collect(),
        server: reader.string(mapping, "server").map(ToOwned::to_owned),
        server_variables: server_variables(reader, mapping),
        session_inputs: session_inputs(reader, mapping),
        session_parameters: session_values::read(reader, mapping),
        body_media: body_media::read(reader, mapping),
        tls: tls::read(reader, mapping),
        egress: egress(reader, mapping),
        service_directory: service_directory::read(reader, mapping),
        argument_headers: argument_headers::read(reader, mapping, &selection),
        selection,
        description_limits: description_limits(reader, mapping),
        references: origins(reader, mapping),
        limits: limits(reader, mapping),
        redirects: redirects(reader, mapping),
        shape,
        tool_shapes,
    };
    Some(read)
}

fn description(reader: &mut Reader, mapping: Mapping<'_>, directory: &Path) -> Option<PathBuf> {
    let openapi = reader.required_string(mapping, "openapi")?;
    if openapi.contains("://") {
        reader.complain(
            "unsupported-value",
            at(mapping, "openapi"),
            "a description from a URL is not supported by this version of callgate",
            "download it and name the file",
        );
        return None;
    }
    Some(directory.join(openapi))
}

fn prefix(reader: &mut Reader, mapping: Mapping<'_>, text: &str) -> Option<ToolsetName> {
    let name = ToolsetName::new(text).map_err(|error| {
        let help = "use letters, digits and `_`, or `\"\"` for no prefix";
        reader.complain("wrong-value", at(mapping, "prefix"), error.to_string(), help);
    });
    name.ok()
}

fn server_variables(reader: &mut Reader, mapping: Mapping<'_>) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    let Some(node) = mapping.object.get("server_variables") else { return variables };
    let pointer = at(mapping, "server_variables");
    let Some(object) = node.as_object() else {
        reader.expected(&pointer, "a mapping from variables to texts", node, "`{region: eu}`");
        return variables;
    };
    for (name, value) in object.iter() {
        match value {
            Node::String(text) => {
                variables.insert(name.to_string(), text.to_string());
            }
            Node::Number(number) => {
                variables.insert(name.to_string(), number.to_string());
            }
            other => {
                let pointer = format!("{pointer}/{}", escaped(name));
                reader.expected(&pointer, "a text", other, "quote it");
            }
        }
    }
    variables
}

fn session_inputs(reader: &mut Reader, mapping: Mapping<'_>) -> SessionInputs {
    match reader.string(mapping, "session_inputs") {
        None | Some("lenient") => SessionInputs::Lenient,
        Some("strict") => SessionInputs::Strict,
        Some(other) => {
            let message = format!("expected `lenient` or `strict`, got: `{other}`");
            let help = "`strict` hides from the model what the session should give";
            reader.complain("wrong-value", at(mapping, "session_inputs"), message, help);
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
            reader.complain("wrong-value", at(mapping, "redirects"), message, help);
            Redirects::None
        }
    }
}

/// The bounds of the description: what stands under `limits` about it.
fn description_limits(reader: &mut Reader, toolset: Mapping<'_>) -> DescriptionLimits {
    let mut limits = DescriptionLimits::default();
    let pointer = at(toolset, "limits");
    // What is wrong with the mapping as a whole is said once, by `limits`.
    let Some(object) = toolset.object.get("limits").and_then(Node::as_object) else {
        return limits;
    };
    let mapping = Mapping { object, pointer: &pointer };
    for (key, limit) in [
        ("alias_bytes", &mut limits.text.alias_bytes),
        ("description_bytes", &mut limits.text.bytes),
    ] {
        *limit = reader.bytes(mapping, key).unwrap_or(*limit);
    }
    for (key, limit, most) in [
        // What walks a tree recurses: a thread's stack bounds the depth.
        ("description_depth", &mut limits.text.depth, TextLimits::default().depth),
        ("description_effort", &mut limits.effort, usize::MAX),
        ("description_nodes", &mut limits.text.nodes, usize::MAX),
        ("operations", &mut limits.operations, usize::MAX),
    ] {
        *limit = reader.count(mapping, key, most).unwrap_or(*limit);
    }
    limits
}

/// The addresses that may be called whoever named them.
fn egress(reader: &mut Reader, toolset: Mapping<'_>) -> Vec<AddressRange> {
    let Some(node) = toolset.object.get("egress") else { return Vec::new() };
    let pointer = at(toolset, "egress");
    let Some(mapping) = reader.mapping(node, &pointer, &EGRESS) else { return Vec::new() };
    let mut ranges = Vec::new();
    for (index, text) in reader.strings(mapping, "allow").into_iter().enumerate() {
        match text.parse() {
            Ok(range) => ranges.push(range),
            Err(error) => {
                let pointer = format!("{}/{index}", at(mapping, "allow"));
                let error: NotARange = error;
                reader.complain(
                    "wrong-value",
                    pointer,
                    error.to_string(),
                    "for example `10.0.0.0/8`",
                );
            }
        }
    }
    ranges
}

/// The origins that references may lead to.
fn origins(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<String> {
    let Some(node) = mapping.object.get("references") else { return Vec::new() };
    let pointer = at(mapping, "references");
    let Some(items) = node.as_array() else {
        reader.expected(&pointer, "a list of origins", node, "`[https://specs.example.com]`");
        return Vec::new();
    };
    let mut origins = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match item.as_str().and_then(references::origin) {
            Some(origin) => origins.push(origin),
            None => reader.complain(
                "wrong-value",
                format!("{pointer}/{index}"),
                "expected a public origin: `https://`, the name of a host, and perhaps a port",
                "for example `https://specs.example.com`",
            ),
        }
    }
    origins
}

fn limits(reader: &mut Reader, mapping: Mapping<'_>) -> Limits {
    let mut limits = Limits::default();
    let Some(node) = mapping.object.get("limits") else { return limits };
    let pointer = at(mapping, "limits");
    let Some(mapping) = reader.mapping(node, &pointer, &LIMITS) else { return limits };
    if let Some(timeout) = reader.duration(mapping, "timeout") {
        limits.timeout = timeout;
    }
    if let Some(bytes) = reader.bytes(mapping, "response_bytes") {
        limits.response_bytes = bytes;
    }
    limits
}

fn upstream(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    directory: &Path,
    description: Option<&Path>,
) -> Upstream {
    let Some(node) = mapping.object.get("upstream") else { return Upstream::Http };
    let beside = || description.and_then(Path::parent).unwrap_or(directory).join("cases");
    match node.as_str() {
        Some("http") => return Upstream::Http,
        Some("replay") => return Upstream::Replay(beside()),
        _ => {}
    }
    let pointer = at(mapping, "upstream");
    if node.as_object().is_none() {
        let help = "`http` asks the service, `replay` answers from the `cases` beside the description, `{replay: DIR}` from a directory";
        reader.expected(&pointer, "`http`, `replay` or a mapping", node, help);
        return Upstream::Http;
    }
    let Some(mapping) = reader.mapping(node, &pointer, &UPSTREAM) else { return Upstream::Http };
    let replay = reader.required_string(mapping, "replay").unwrap_or_default();
    Upstream::Replay(directory.join(replay))
}
