//! The key `argument_headers` of a toolset: the withheld headers that its operator lets arguments set, for all of its
//! tools or for single ones. The check that tools have such parameters runs after the description is loaded.

use callgate_kind::KindCode;
use callgate_openapi::{ArgumentHeader, Effects, NotAnArgumentHeader};
use callgate_settings::{Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer};

use crate::toolset::{ListedHeader, ToolsetConfig};

keys! {
    pub(crate) struct ArgumentHeaderKeys in "`argument_headers`" {
        /// Headers that arguments of all tools may set.
        allow: HeadersOfAll;
        /// Those of single tools, by their names or by the `operationId`.
        tools: HeadersByTool;
    }
}

forms! {
    /// A list for all tools, or a mapping with a list for each single tool.
    struct ArgumentHeaders => Vec<ListedHeader>,
        Kind::AnyOf(&[HeadersOfAll::KIND, ArgumentHeaderKeys::KIND]), |reader, mapping, key| {
            if mapping.object.get(key)?.as_array().is_some() {
                return reader.get::<HeadersOfAll>(mapping, key);
            }
            let ArgumentHeaderKeys { allow, tools } = reader.get::<ArgumentHeaderKeys>(mapping, key)?;
            Some([allow, tools].into_iter().flatten().flatten().collect())
        };
    struct HeadersOfAll => Vec<ListedHeader>, Kind::List(&Kind::Text),
        |reader, mapping, key| Some(read_header_list(reader, mapping, key, None));
    struct HeadersByTool => Vec<ListedHeader>, Kind::Map(&HeadersOfAll::KIND), read_headers_of_tools;
}

/// Reports a header that changes the method where only reads are offered.
pub(crate) fn report_override_in_read_only(reader: &mut Reader, toolset: &ToolsetConfig) {
    let overrides = |listed_header: &&ListedHeader| listed_header.header.overrides_method();
    if toolset.selection.effects == Effects::Read
        && let Some(listed_header) = toolset.argument_headers.iter().find(overrides)
    {
        let message = format!(
            "expected no other method than that of the request where only reads are offered, got: `{}`",
            listed_header.header.as_str()
        );
        let help = "remove it or the key `read_only` of `tools`";
        reader.report_fault(SettingCode::WrongValue, listed_header.pointer.clone(), message, help);
    }
}

fn read_headers_of_tools(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<Vec<ListedHeader>> {
    let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
    let Some(object) = node.as_object() else {
        let help = "for example `{getSession: [Cookie]}`";
        reader.report_wrong_type(&pointer, "a mapping from tools to names of headers", node, help);
        return None;
    };
    let tools = Mapping { object, pointer: &pointer };
    Some(
        object
            .iter()
            .flat_map(|(tool, _)| read_header_list(reader, tools, tool, Some(tool)))
            .collect(),
    )
}

/// The list under a key, for one tool or for all.
fn read_header_list(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    tool: Option<&str>,
) -> Vec<ListedHeader> {
    let mut listed = Vec::new();
    for (index, name) in reader.strings(mapping, key).into_iter().enumerate() {
        let pointer = format!("{}/{index}", member_pointer(mapping, key));
        match ArgumentHeader::new(name) {
            Ok(header) => {
                listed.push(ListedHeader { pointer, tool: tool.map(ToOwned::to_owned), header });
            }
            Err(NotAnArgumentHeader::Offered) => {
                let message =
                    format!("expected a header that arguments may not set, got: `{name}`");
                reader.warn(
                    KindCode::SelectsNothing,
                    pointer,
                    &message,
                    "remove it; nothing withholds it",
                );
            }
            Err(why) => {
                let message = format!("expected a header that an argument may set, got: `{name}`");
                reader.report_fault(
                    SettingCode::WrongValue,
                    pointer,
                    message,
                    format!("remove it: {why}"),
                );
            }
        }
    }
    listed
}
