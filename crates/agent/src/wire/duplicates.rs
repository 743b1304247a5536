//! Calls that a server states twice in one reply: of one id, one name and equal arguments. Each is one call.

use std::collections::BTreeSet;

use callgate_tool::{Json, Object, Value};

use super::{
    Wire,
    amend::{call_of, id_member, is, list_of_calls},
};

/// The messages of a reply with each call once. A message without duplicates stays byte for byte.
pub(crate) fn drop_duplicates(wire: Wire, messages: Vec<Json>) -> Vec<Json> {
    let mut stated = BTreeSet::new();
    let mut is_new = |part: &Value| identity(wire, part).is_none_or(|it| stated.insert(it));
    let Some(list) = list_of_calls(wire) else { return drop_items(messages, is_new) };
    let each = messages.into_iter().map(|message| {
        let mut kept = message.value().clone();
        let Some(parts) = kept.get_mut(list).and_then(Value::as_array_mut) else { return message };
        let n_parts = parts.len();
        parts.retain(&mut is_new);
        if parts.len() == n_parts { message } else { kept.into() }
    });
    each.collect()
}

/// A call that is an item goes with the reasoning before it, which no provider takes without what follows it.
fn drop_items(messages: Vec<Json>, mut is_new: impl FnMut(&Value) -> bool) -> Vec<Json> {
    let mut kept: Vec<Json> = Vec::new();
    for message in messages {
        if is_new(message.value()) {
            kept.push(message);
            continue;
        }
        while kept.last().is_some_and(|last| is(last.value(), "reasoning")) {
            kept.pop();
        }
    }
    kept
}

/// What makes two calls one; `None` for what is no call, or has no id.
fn identity(wire: Wire, part: &Value) -> Option<[String; 3]> {
    let call = call_of(wire, part)?.as_object()?;
    let text = |object: &Object, member: &str| object.get(member).map(Value::to_string);
    let id = call.get(id_member(wire)?).filter(|id| id.as_str().is_some_and(|id| !id.is_empty()));
    let holder = call.get("function").and_then(Value::as_object).unwrap_or(call);
    let arguments = text(holder, "arguments").or_else(|| text(holder, "input"));
    Some([id?.to_string(), text(holder, "name")?, arguments.unwrap_or_default()])
}
