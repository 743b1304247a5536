//! The key `functions` of a toolset: tools that the client runs.

use callgate_settings::{Kind, Reader, SettingCode, forms, keys, member_pointer};
use callgate_tool::{Value, json};
use callgate_tree::Node;

use crate::toolset::FunctionConfig;

keys! {
    pub(crate) struct FunctionKeys in "a function" {
        /// The purpose of the function, for the model.
        description: String;
        /// The schema of its arguments, one of objects.
        input: JsonSchema;
        /// Its name; the toolset's prefix stands before it.
        name: String, required;
        /// The schema of its results, which the client's are checked against.
        output: JsonSchema;
    }
}

forms! {
    struct Functions => Vec<FunctionConfig>, Kind::List(&FunctionKeys::KIND), |reader, mapping, key| {
        let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
        let Some(items) = node.as_array() else {
            let help = "for example `[{name: open_page, input: {type: object}}]`";
            reader.report_wrong_type(&pointer, "a list of functions", node, help);
            return None;
        };
        let items = items.iter().enumerate();
        Some(items.filter_map(|(at, node)| read_function(reader, format!("{pointer}/{at}"), node)).collect())
    };
    struct JsonSchema => Value, Kind::Schema, |reader, mapping, key| {
        let node = mapping.object.get(key)?;
        if node.as_object().is_none() {
            let help = "for example `{type: object, properties: {page: {type: string}}}`";
            reader.report_wrong_type(&member_pointer(mapping, key), "a JSON Schema", node, help);
            return None;
        }
        Some(node.to_value())
    };
}

fn read_function(reader: &mut Reader, pointer: String, node: &Node) -> Option<FunctionConfig> {
    let FunctionKeys { description, input, name, output } =
        reader.section::<FunctionKeys>(node, &pointer)?;
    let input = input.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    if input.get("type").and_then(Value::as_str) != Some("object") {
        let message = "expected a schema of objects, got another one";
        let help = "arguments have names: `{type: object, properties: {…}}`";
        reader.report_fault(SettingCode::WrongValue, format!("{pointer}/input"), message, help);
    }
    let description = description.unwrap_or_default();
    Some(FunctionConfig { pointer, name: name?, description, input, output })
}
