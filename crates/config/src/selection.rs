//! The key `tools` of a toolset: the operations of its description that are offered. The entries are matched after the
//! description is loaded.

use callgate_openapi::{Effects, InvalidPattern, Pattern, Selection};

use crate::{
    code::ConfigCode,
    keys::TOOLS,
    reader::{Mapping, Reader, at},
};

/// Reads the selection of a toolset; the default offers everything.
pub(crate) fn read(reader: &mut Reader, mapping: Mapping<'_>) -> Selection {
    let Some(node) = mapping.object.get("tools") else { return Selection::default() };
    let pointer = at(mapping, "tools");
    let Some(mapping) = reader.mapping(node, &pointer, &TOOLS) else {
        return Selection::default();
    };
    let texts = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    Selection {
        include: patterns(reader, mapping, "include", Pattern::name),
        exclude: patterns(reader, mapping, "exclude", Pattern::name),
        tags: texts(reader.strings(mapping, "tags")),
        methods: texts(reader.strings(mapping, "methods")),
        paths: patterns(reader, mapping, "paths", Pattern::path),
        effects: effects(reader, mapping),
    }
}

fn patterns(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    pattern: fn(&str) -> Result<Pattern, InvalidPattern>,
) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for text in reader.strings(mapping, key) {
        match pattern(text) {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => {
                let help = "`*` stands for any characters; write `[[]` for a bracket";
                reader.complain(ConfigCode::WrongValue, at(mapping, key), error.to_string(), help);
            }
        }
    }
    patterns
}

fn effects(reader: &mut Reader, mapping: Mapping<'_>) -> Effects {
    let Some(node) = mapping.object.get("read_only") else { return Effects::All };
    match node.as_bool() {
        Some(true) => Effects::Read,
        Some(false) => Effects::All,
        None => {
            let help = "`read_only: true` offers only what changes nothing";
            reader.expected(&at(mapping, "read_only"), "true or false", node, help);
            Effects::Read
        }
    }
}
