//! Calls that a server states twice in one reply: of one id, one name and equal arguments. Each is one call.

use std::collections::BTreeSet;

use callgate_tool::{Fingerprint, FingerprintHasher, Json, Value};

use super::{Wire, amend::object_of_text, has_type};

/// The messages of a reply with each call once. A message without duplicates stays byte for byte.
pub(crate) fn drop_duplicate_calls(wire: Wire, messages: Vec<Json>) -> Vec<Json> {
    let mut stated = BTreeSet::new();
    let mut is_new = |part: &Value| {
        let is_new = call_fingerprint(wire, part).is_none_or(|it| stated.insert(it));
        if !is_new {
            tracing::warn!("the model's server stated a call twice; it is made once");
        }
        is_new
    };
    let Some(list) = wire.rules.list_of_calls else {
        return drop_duplicate_items(messages, is_new);
    };
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
fn drop_duplicate_items(messages: Vec<Json>, mut is_new: impl FnMut(&Value) -> bool) -> Vec<Json> {
    let mut kept: Vec<Json> = Vec::new();
    for message in messages {
        if is_new(message.value()) {
            kept.push(message);
            continue;
        }
        while kept.last().is_some_and(|last| has_type(last.value(), "reasoning")) {
            kept.pop();
        }
    }
    kept
}

/// The digest of the id, the name and the arguments of a call; `None` for what is no call, or has no id.
fn call_fingerprint(wire: Wire, part: &Value) -> Option<Fingerprint> {
    let call = part.pointer((wire.call_pointer)(part)?)?.as_object()?;
    let id = call.get(wire.id_member?)?.as_str().filter(|id| !id.is_empty())?;
    let holder = call.get("function").and_then(Value::as_object).unwrap_or(call);
    let name = holder.get("name")?.as_str()?;
    let given = holder.get("arguments").or_else(|| holder.get("input")).cloned();
    let given = given.unwrap_or_default();
    // A text of JSON is compared by its value.
    let parsed = given.as_str().and_then(object_of_text);
    let mut hasher = FingerprintHasher::default();
    hasher.add_text(id).add_text(name).add_value(&parsed.unwrap_or(given));
    Some(hasher.finish())
}
