//! From `toolsets:` to the values of each toolset. Every fault is recorded and reading goes on. No file is opened here,
//! except those of a further source of tools, which has settings itself (`tool_source`).

use std::path::Path;

use callgate_kind::Kept;
use callgate_settings::{Reader, Section, SettingCode, Table, pointer_segment};
use callgate_tool::ToolsetName;
use callgate_tree::{Node, Object};

use crate::{
    argument_headers,
    code::ConfigCode,
    description::Description,
    kinds::{self, Kinds},
    limits, output, tool_edits,
    tool_source::{self, Settings, SourcedToolset},
    toolset::ToolsetConfig,
    toolset_keys::ToolsetKeys,
};

/// Reads all toolsets, which are at this place.
pub(crate) fn read_toolsets(
    reader: &mut Reader,
    node: &Node,
    place: &ToolsetLocation<'_>,
) -> Vec<ToolsetConfig> {
    let Some(object) = node.as_object().filter(|object| !object.is_empty()) else {
        let help = "name at least one, each with its keys below it: `toolsets: {pets: {openapi: pets.yaml}}`";
        match node.as_object() {
            Some(_) => reader.report_fault(
                SettingCode::WrongValue,
                "/toolsets",
                "expected at least one toolset, got none",
                help,
            ),
            None => reader.report_wrong_type(
                "/toolsets",
                "a mapping from names to toolsets",
                node,
                help,
            ),
        }
        return Vec::new();
    };
    if let Some(at) = unindented_key(object, place.kinds) {
        let message =
            format!("expected names of toolsets, got a key of a toolset beside them: `{at}`");
        let help = "indent the keys of a toolset below its name: `pets: {openapi: pets.yaml}`";
        reader.report_fault(
            SettingCode::WrongValue,
            format!("/toolsets/{}", pointer_segment(at)),
            message,
            help,
        );
        return Vec::new();
    }
    let mut toolsets = Vec::new();
    for (name, node) in object.iter() {
        let pointer = format!("/toolsets/{}", pointer_segment(name));
        let place = ToolsetLocation { pointer: &pointer, ..*place };
        let read = match ToolsetName::new(name) {
            Ok(name) if node.as_str().is_some() => {
                let help = format!("write `{name}: {{openapi: FILE}}`");
                reader.report_wrong_type_with_value(&pointer, "the keys of a toolset", node, &help);
                None
            }
            Ok(name) => read_toolset(reader, node, Some(name), &place),
            Err(error) => {
                let help = "use letters, digits and `_`; `-` separates a toolset from its tools";
                reader.report_fault(ConfigCode::ToolsetName, pointer, error.to_string(), help);
                None
            }
        };
        toolsets.extend(read);
    }
    toolsets
}

/// The first key of a toolset that occurs in place of a toolset's name, with a value that cannot be a toolset.
fn unindented_key<'a>(object: &'a Object, kinds: &Kinds) -> Option<&'a str> {
    let mut entries = object.iter().map(|(name, value)| (&**name, value));
    let table = toolset_table(kinds);
    let is_key = |(name, value): &(&str, &Node)| table.has(name) && value.as_object().is_none();
    entries.find(is_key).map(|(name, _)| name)
}

/// The place of a toolset, in the text and on the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolsetLocation<'a> {
    pub(crate) pointer: &'a str,
    pub(crate) directory: &'a Path,
    /// A toolset with the values of keys that are missing.
    pub(crate) usual: &'a ToolsetConfig,
    /// The kinds that a toolset may be of, and the sources that it may name.
    pub(crate) kinds: &'a Kinds,
    /// What kinds read of the whole configuration.
    pub(crate) root: &'a [(&'static str, Kept)],
}

/// Reads one toolset. A toolset without a name has no prefix, and by default the description `spec.yaml` beside it.
pub(crate) fn read_toolset(
    reader: &mut Reader,
    node: &Node,
    name: Option<ToolsetName>,
    place: &ToolsetLocation<'_>,
) -> Option<ToolsetConfig> {
    let own = node;
    let sourced = tool_source::read_toolset_source(
        reader,
        &place.kinds.sources,
        node,
        place.pointer,
        place.directory,
    );
    let node = match &sourced {
        Some(SourcedToolset { node, .. }) => node.as_ref()?,
        None => node,
    };
    let table = toolset_table(place.kinds);
    let mapping = reader.checked_mapping(node, place.pointer, &table)?;
    let is_bare = name.is_none();
    let (prefix, pointer) = (name.clone(), place.pointer.to_owned());
    let mut toolset = ToolsetConfig { name, pointer, prefix, ..place.usual.clone() };
    limits::apply_limits(reader, mapping, &mut toolset, place.kinds.limit_keys());
    ToolsetKeys::fill(&mut toolset, reader, mapping);
    output::read_output_shapes(reader, mapping, &mut toolset);
    tool_edits::read_tool_edits(reader, mapping, &mut toolset);
    argument_headers::report_override_in_read_only(reader, &toolset);
    let is_sourced = sourced.is_some() || is_bare;
    kinds::report_foreign_keys(reader, place.kinds, &table, mapping, is_sourced);
    let kind = place.kinds.toolset_kind(mapping);
    if let Some(kind) = kind {
        let root = place.root.iter().find(|(key, _)| *key == kind.key()).map(|(_, root)| root);
        toolset.kind = kind.read(reader, mapping, root);
        limits::apply_kind_limits(reader, mapping, &mut toolset);
    }
    if let Some(SourcedToolset { tools, .. }) = &sourced {
        let tools = tools.clone()?;
        tool_source::strip_foreign_trust(
            reader,
            &mut toolset,
            Settings { own, tools: &tools, mapping },
        );
        toolset.description = tools.description;
    } else if kind.is_none() && !SOURCES.iter().any(|key| mapping.object.contains(key)) {
        // The missing feature of a source is reported.
        match mapping.object.iter().any(|(key, _)| place.kinds.is_absent_kind(key)) {
            true => {}
            false if is_bare => toolset.description = Description::file("spec.yaml"),
            false => reader.report_missing_key(mapping, "openapi"),
        }
    }
    Some(toolset)
}

/// The keys of a toolset, with those of these kinds.
fn toolset_table(kinds: &Kinds) -> Table<'_> {
    Table { shared: kinds.toolset_keys(), ..ToolsetKeys::TABLE }
}

/// The keys that name sources of tools, beside those of kinds.
const SOURCES: [&str; 2] = ["openapi", "functions"];
