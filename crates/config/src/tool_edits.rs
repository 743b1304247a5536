//! The key `tools: {edit: …}` of a toolset: an operator's changes to single tools. What they name is looked for after the
//! description is loaded.

use std::{collections::BTreeMap, sync::Arc};

use callgate_kind::ToolRule;
use callgate_policy::Confirm;
use callgate_secret::SecretScheme;
use callgate_settings::{
    Kind, MapOf, Mapping, Reader, SettingCode, forms, keys, member_pointer, pointer_segment,
};
use callgate_tool::{Effect, Object, ToolEdit, Value};
use callgate_tree::Node;

use crate::toolset::ToolsetConfig;

keys! {
    pub(crate) struct EditKeys in "an edit" {
        /// The rule for calls that a person has to approve.
        confirm: Confirm;
        /// Values that are sent where the model leaves an argument out.
        defaults: Values;
        /// Texts about arguments, in place of the description's.
        describe: MapOf<String>;
        /// The purpose of the tool, in place of the description's texts.
        description: String;
        /// The effect that models, searches and approvals go by; it never makes a call safe to repeat.
        effect: Effect;
        /// Arguments of calls that a model can follow.
        examples: Examples;
        /// Values that are always sent; the model neither sees nor gives these arguments.
        fix: Values;
        /// Arguments that the model neither sees nor gives.
        hide: Vec<String>;
        /// The name of the tool, behind the prefix of the toolset.
        name: String;
    }
}

forms! {
    struct AnyValue => Value, Kind::Value, |_, mapping, key| mapping.object.get(key).map(Node::to_value);
    struct Values => BTreeMap<String, Value>, Kind::Map(&Kind::Value), |reader, mapping, key| {
        let help = "for example `{limit: 20}`";
        reader.named_values::<AnyValue, _>(mapping, key, "a mapping from arguments to values", help)
    };
    struct Examples => Vec<Object>, Kind::List(&Kind::Map(&Kind::Value)), |reader, mapping, key| {
        let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
        let help = "for example `[{status: sold, limit: 5}]`";
        let Some(items) = node.as_array() else {
            reader.report_wrong_type(&pointer, "a list of arguments of calls", node, help);
            return None;
        };
        let mut examples = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item.to_value() {
                Value::Object(example) => examples.push(example),
                _ => reader.report_wrong_type(&format!("{pointer}/{index}"), "arguments of a call", item, "for example `{status: sold, limit: 5}`"),
            }
        }
        Some(examples)
    };
}

/// Reads the edits of a toolset, whose mapping this is.
pub(crate) fn read_tool_edits(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    toolset: &mut ToolsetConfig,
) {
    let Some(object) = mapping.object.get("tools").and_then(Node::as_object) else { return };
    let pointer = member_pointer(mapping, "tools");
    let tools = Mapping { object, pointer: &pointer };
    let help = "for example `{listPets: {name: find_pets}}`";
    let edits = reader.named_values::<EditKeys, Vec<_>>(
        tools,
        "edit",
        "a mapping from tools to changes",
        help,
    );
    for (tool, keys) in edits.into_iter().flatten() {
        let pointer = format!("{pointer}/edit/{}", pointer_segment(&tool));
        add_edit(reader, toolset, tool, pointer, keys);
    }
}

/// Warns of values that look like references to secrets: they are sent as they stand.
fn warn_of_secret_references(
    reader: &mut Reader,
    pointer: &str,
    values: Option<&BTreeMap<String, Value>>,
) {
    for (name, value) in values.into_iter().flatten() {
        let text = value.as_str().filter(|text| SecretScheme::is_reference_start(text));
        let Some((scheme, _)) = text.and_then(|text| text.split_once(':')) else { continue };
        let message = format!("the text `{scheme}:…` is sent as it stands: no secret is read here");
        let help = "a credential goes into `auth` or `headers` of the toolset; a member of a body can be none";
        let pointer = format!("{pointer}/{}", pointer_segment(name));
        reader.warn(SettingCode::WrongValue, pointer, &message, help);
    }
}

fn add_edit(
    reader: &mut Reader,
    toolset: &mut ToolsetConfig,
    tool: String,
    pointer: String,
    keys: EditKeys,
) {
    let confirm = keys.confirm;
    warn_of_secret_references(reader, &format!("{pointer}/fix"), keys.fix.as_ref());
    warn_of_secret_references(reader, &format!("{pointer}/defaults"), keys.defaults.as_ref());
    let changes = ToolEdit {
        name: keys.name,
        description: keys.description,
        effect: keys.effect,
        hide: keys.hide.unwrap_or_default(),
        fix: keys.fix.unwrap_or_default(),
        defaults: keys.defaults.unwrap_or_default(),
        describe: keys.describe.unwrap_or_default(),
        examples: keys.examples.unwrap_or_default(),
    };
    if let Some(rule) = confirm {
        let pointer = format!("{pointer}/confirm");
        toolset.confirm.tools.push(ToolRule { tool: tool.clone(), pointer, rule });
    }
    if changes == ToolEdit::default() {
        if confirm.is_none()
            && !reader.complaints.iter().any(|complaint| complaint.pointer.starts_with(&pointer))
        {
            let message = "expected changes to the tool, got none";
            let help = "for example `name: find_pets`, or remove it";
            reader.warn(SettingCode::UnusedKey, pointer, message, help);
        }
        return;
    }
    toolset.edits.push(ToolRule { tool, pointer, rule: Arc::new(changes) });
}
