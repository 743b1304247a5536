//! Semantic Kernel: functions of plugins, declared like OpenAI Chat Completions under `Plugin-function`. A message is
//! OpenAI's, or the kernel's own (`ChatMessageContent`) as Python or .NET serialises it; each call is answered by its own
//! message, in the form of the call. Fields: `semantic_kernel/contents/` and `SemanticKernel.Abstractions/Contents/` of
//! <https://github.com/microsoft/semantic-kernel>.

use callgate_tool::{Object, Value, json};

use super::openai;
use crate::{
    ending,
    envelope::EnvelopeError,
    format::{Format, has_member_with_text},
    message::{
        AnsweredCall, MessageCall, check_role, required_list, required_object, take_first_non_null,
    },
};

/// The row of the format.
pub(super) const FORMAT: Format =
    Format { read: read_calls, answer: tool_message, is_call, ..openai::FORMAT };

fn is_call(members: &Object) -> bool {
    has_member_with_text(members, "content_type", "function_call")
        || has_member_with_text(members, "$type", "FunctionCallContent")
}

fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let items = match message {
        Value::Array(items) if items.iter().any(|item| item.get("function").is_some()) => {
            return openai::read_calls(Value::Array(items));
        }
        Value::Array(items) => items,
        Value::Object(mut message)
            if ["items", "Items"].iter().any(|name| message.contains_key(name)) =>
        {
            check_role(&message, "assistant")?;
            let items = take_first_non_null(&mut message, &["items", "Items"]).unwrap_or_default();
            required_list("items", items)?
        }
        message => return openai::read_calls(message),
    };
    let asked = |item: Value| {
        let mut item = required_object("items", item)?;
        if !is_call(&item) {
            return Ok(None);
        }
        let arguments = take_first_non_null(&mut item, &["arguments", "Arguments"]);
        let id = ["id", "Id"].iter().find_map(|name| item.get(name)).cloned();
        let name = plugin_function_name(&item).map(Value::from);
        Ok(Some(MessageCall::new(id, name.as_ref(), item).with_arguments(arguments)))
    };
    items.into_iter().filter_map(|item| asked(item).transpose()).collect()
}

/// The message that answers a call: the kernel expects one for each.
fn tool_message(answer: &AnsweredCall<'_>) -> Value {
    let text = || ending::outcome_text(&answer.result);
    let name = plugin_function_name(answer.origin);
    let (plugin, function) = plugin_and_function(name.as_deref().unwrap_or_default());
    let id = &answer.result.id;
    let item = |members: [(&str, Value); 5]| {
        let present_members = members.into_iter().filter(|(_, value)| !value.is_null());
        Value::Object(present_members.collect())
    };
    if answer.origin.contains_key("content_type") {
        let item = item([
            ("content_type", "function_result".into()),
            ("id", id.into()),
            ("plugin_name", plugin.map_or(Value::Null, Value::from)),
            ("function_name", function.into()),
            ("result", text().into()),
        ]);
        return json!({"content_type": "message", "role": "tool", "items": [item]});
    }
    if answer.origin.contains_key("$type") {
        let item = item([
            ("$type", "FunctionResultContent".into()),
            ("CallId", id.into()),
            ("PluginName", plugin.map_or(Value::Null, Value::from)),
            ("FunctionName", function.into()),
            ("Result", text().into()),
        ]);
        return json!({"Role": {"Label": "tool"}, "Items": [item]});
    }
    openai::tool_message(answer)
}

fn plugin_function_name(item: &Object) -> Option<String> {
    let text = |names: &[&str]| {
        let first_text = names.iter().find_map(|name| item.get(name)?.as_str());
        first_text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (plugin, function) =
        (text(&["plugin_name", "PluginName"]), text(&["function_name", "FunctionName"]));
    match (plugin, function) {
        (Some(plugin), Some(function)) => Some(format!("{plugin}-{function}")),
        (None, Some(function)) => text(&["name"]).or(Some(function)),
        (_, None) => text(&["name"]),
    }
}

/// The plugin and the function of a full name, split at the first `-`: a plugin's name has none.
fn plugin_and_function(name: &str) -> (Option<&str>, &str) {
    name.split_once('-').map_or((None, name), |(plugin, function)| (Some(plugin), function))
}
