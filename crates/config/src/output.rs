//! The key `output` of a toolset, which shapes results, for all its tools and for single ones. Declares only the keys;
//! `callgate_call::Shape` applies them. The sizes are read with the other `limits`.

use callgate_call::{BigIntegers, Selection, Shape, ShownHeaders};
use callgate_kind::ToolRule;
use callgate_settings::{
    Bytes, Kind, MapOf, Mapping, Reader, Section, SettingCode, forms, keys, member_pointer,
    pointer_segment, words,
};
use http::{HeaderName, header::SET_COOKIE};

use crate::toolset::ToolsetConfig;

keys! {
    pub(crate) ShapeKeys over Shape, in "`output`" {
        /// `string` writes integers beyond 2^53 as texts.
        big_integers: BigIntegersWord;
        /// Headers of an answer that are shown, instead of those that are usually.
        headers: HeaderNames;
        /// The part of a result that is shown, by a JSONPath (RFC 9535).
        jsonpath => selection: JsonPath;
        /// The part of a result that is shown: members by their paths.
        select => selection: Members;
    }
}

keys! {
    pub(crate) OutputKeys over Shape, in "`output`" with ShapeKeys {
        /// Single tools, by their names or by the `operationId`.
        tools => _: MapOf<ToolOutputKeys>;
    }
}

keys! {
    pub(crate) ToolOutputKeys over Shape, in "a tool's `output`" with ShapeKeys {
        /// The longest text of a result that a model sees.
        result_bytes: Bytes;
    }
}

words! {
    struct BigIntegersWord => BigIntegers, "`string` keeps the digits for models that round numbers beyond 2^53":
    "number" => Number, "string" => String
}

forms! {
    struct HeaderNames => ShownHeaders, Kind::List(&Kind::Text), |reader, mapping, key| {
        Some(ShownHeaders::Named(read_shown_headers(reader, mapping, key)))
    };
    struct JsonPath => Selection, Kind::Text, read_json_path;
    /// Paths of members; an empty list shows all.
    struct Members => Selection, Kind::List(&Kind::Text), |reader, mapping, key| {
        let paths = reader.strings(mapping, key);
        (!paths.is_empty()).then(|| Selection::paths(paths))
    };
}

/// Reads the shape of a toolset's results, and of the tools that have their own: their missing keys have the toolset's
/// values.
pub(crate) fn read_output_shapes(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    toolset: &mut ToolsetConfig,
) {
    let Some(node) = mapping.object.get("output") else { return };
    let pointer = member_pointer(mapping, "output");
    let Some(mapping) = reader.checked_mapping(node, &pointer, &OutputKeys::TABLE) else { return };
    ShapeKeys::fill(&mut toolset.call.shape, reader, mapping);
    let Some(node) = mapping.object.get("tools") else { return };
    let pointer = member_pointer(mapping, "tools");
    let Some(object) = node.as_object() else {
        let expected = "a mapping from tools to how their results are shown";
        let help = "for example `{listPets: {select: [id, name]}}`";
        return reader.report_wrong_type(&pointer, expected, node, help);
    };
    for (tool, node) in object.iter() {
        let pointer = format!("{pointer}/{}", pointer_segment(tool));
        let mut rule = toolset.call.shape.clone();
        if let Some(mapping) = reader.checked_mapping(node, &pointer, &ToolOutputKeys::TABLE) {
            ToolOutputKeys::fill(&mut rule, reader, mapping);
            ShapeKeys::fill(&mut rule, reader, mapping);
        }
        toolset.tool_shapes.push(ToolRule { tool: tool.to_string(), pointer, rule });
    }
}

fn read_shown_headers(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Vec<HeaderName> {
    let help = "for example `[ETag, X-Total-Count]`";
    let name = |text: &str| {
        let name = HeaderName::from_bytes(text.as_bytes());
        name.map_err(|_| format!("expected names of headers, got: `{text}`"))
    };
    let names = reader.parsed_strings(mapping, key, help, name);
    if let Some(index) = names.iter().position(|name| name == SET_COOKIE) {
        let message = "expected headers that a model may see, got: `Set-Cookie`";
        let help = "remove it: a cookie is a credential of the service";
        let pointer = format!("{}/{index}", member_pointer(mapping, key));
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
    }
    names
}

fn read_json_path(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Selection> {
    let path = reader.string(mapping, key)?;
    let (message, help) = if mapping.object.contains("select") {
        ("expected `select` or `jsonpath`, got both".to_owned(), "remove one of them")
    } else {
        match Selection::json_path(path) {
            Ok(selection) => return Some(selection),
            Err(error) => (format!("{error}, got: `{path}`"), "for example `$.items[*].id`"),
        }
    };
    reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    None
}
