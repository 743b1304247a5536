//! From `toolsets:` to the values of each toolset. Every fault is recorded and reading goes on. No file is opened here,
//! except those of a further source of tools, which has settings itself (`tool_source`).

use std::path::Path;

use callgate_settings::{Mapping, Reader, Section, SettingCode, escaped};
use callgate_tool::ToolsetName;
use callgate_tree::{Node, Object};

use crate::{
    argument_headers,
    code::ConfigCode,
    description::Description,
    limits, output, tool_edits,
    tool_source::{self, Settings, Sourced, ToolSources},
    toolset::ToolsetConfig,
    toolset_keys::ToolsetKeys,
    unused_keys,
};

/// Reads all toolsets; files of exports are relative to `directory`; `usual` has the values of keys that are missing.
pub(crate) fn toolsets(
    reader: &mut Reader,
    node: &Node,
    directory: &Path,
    usual: &ToolsetConfig,
    sources: &ToolSources,
) -> Vec<ToolsetConfig> {
    let Some(object) = node.as_object().filter(|object| !object.is_empty()) else {
        let help = "name at least one, each with its keys below it: `toolsets: {pets: {openapi: pets.yaml}}`";
        match node.as_object() {
            Some(_) => reader.complain(
                SettingCode::WrongValue,
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
            SettingCode::WrongValue,
            format!("/toolsets/{}", escaped(at)),
            message,
            help,
        );
        return Vec::new();
    }
    let mut toolsets = Vec::new();
    for (name, node) in object.iter() {
        let pointer = format!("/toolsets/{}", escaped(name));
        let place = ToolsetLocation { pointer: &pointer, directory, usual, sources };
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
    let is_key =
        |(name, value): &(&str, &Node)| ToolsetKeys::TABLE.has(name) && value.as_object().is_none();
    entries.find(is_key).map(|(name, _)| name)
}

/// The place of a toolset, in the text and on the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolsetLocation<'a> {
    pub(crate) pointer: &'a str,
    pub(crate) directory: &'a Path,
    /// A toolset with the values of keys that are missing.
    pub(crate) usual: &'a ToolsetConfig,
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
    let node = match &sourced {
        Some(Sourced { node, .. }) => node.as_ref()?,
        None => node,
    };
    let mapping = reader.mapping(node, place.pointer, &ToolsetKeys::TABLE)?;
    let is_bare = name.is_none();
    let (prefix, pointer) = (name.clone(), place.pointer.to_owned());
    let mut toolset = ToolsetConfig { name, pointer, prefix, ..place.usual.clone() };
    limits::over(reader, mapping, &mut toolset);
    ToolsetKeys::fill(&mut toolset, reader, mapping);
    output::shapes(reader, mapping, &mut toolset);
    tool_edits::edits(reader, mapping, &mut toolset);
    argument_headers::check(reader, &toolset);
    unused_keys::database::check(reader, mapping);
    unused_keys::connection::check(reader, mapping);
    unused_keys::documents::check(reader, mapping);
    unused_keys::data_store::check(reader, mapping);
    if let Some(Sourced { tools, .. }) = &sourced {
        let tools = tools.clone()?;
        tool_source::distrust(reader, &mut toolset, Settings { own, tools: &tools, mapping });
        toolset.description = tools.description;
    } else if !["openapi", "connection", "database", "documents", "functions", "vertex"]
        .iter()
        .any(|key| mapping.object.contains(key))
    {
        // The missing feature of a source is reported.
        match names_absent_source(mapping) {
            true => {}
            false if is_bare => toolset.description = Description::file("spec.yaml"),
            false => reader.missing(mapping, "openapi"),
        }
    }
    Some(toolset)
}

/// True if a key names a source that is not in this build.
fn names_absent_source(mapping: Mapping<'_>) -> bool {
    let mut keys = mapping.object.iter().map(|(key, _)| key);
    let sources =
        ["ces_toolset", "connection", "database", "dialogflow_tool", "documents", "vertex"];
    let is_source = |key: &str| sources.contains(&key);
    keys.any(|key| is_source(key) && ToolsetKeys::TABLE.absent_feature(key).is_some())
}
