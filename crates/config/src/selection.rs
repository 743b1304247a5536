//! The key `tools` of a toolset: the operations of its description that are offered. The entries are matched after the
//! description is loaded. `tool_edits` reads the changes to single tools.

use callgate_openapi::{Effects, InvalidPattern, Pattern, Selection};
use callgate_settings::{Kind, MapOf, Mapping, Reader, forms, keys, member_pointer};

use crate::tool_edits::EditKeys;

keys! {
    pub(crate) SelectionKeys over Selection, in "`tools`" {
        /// Changes to single tools, by their names or by the `operationId`.
        edit => _: MapOf<EditKeys>;
        /// Patterns of names that are not offered.
        exclude: Names;
        /// Patterns of names that are offered: the tool's or the `operationId`.
        include: Names;
        /// The methods that are offered.
        methods: Vec<String>;
        /// Patterns of paths that are offered.
        paths: Paths;
        /// Offers only what changes nothing (GET, HEAD).
        read_only => effects: ReadOnly;
        /// The tags that are offered.
        tags: Vec<String>;
    }
}

forms! {
    struct Names => Vec<Pattern>, Kind::List(&Kind::Text),
        |reader, mapping, key| Some(read_patterns(reader, mapping, key, Pattern::name));
    struct Paths => Vec<Pattern>, Kind::List(&Kind::Text),
        |reader, mapping, key| Some(read_patterns(reader, mapping, key, Pattern::path));
    struct ReadOnly => Effects, Kind::Boolean, |reader, mapping, key| {
        let node = mapping.object.get(key)?;
        if node.as_bool().is_none() {
            let help = "`read_only: true` offers only what changes nothing";
            reader.report_wrong_type(&member_pointer(mapping, key), "true or false", node, help);
        }
        Some(if node.as_bool()? { Effects::Read } else { Effects::All })
    };
}

fn read_patterns(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    pattern: fn(&str) -> Result<Pattern, InvalidPattern>,
) -> Vec<Pattern> {
    let help = "`*` stands for any characters; write `[[]` for a bracket";
    reader
        .parsed_strings(mapping, key, help, |text| pattern(text).map_err(|error| error.to_string()))
}
