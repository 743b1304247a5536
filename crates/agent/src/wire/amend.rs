//! Amends a model's message whose server left out what its format requires of whoever sends it back: ids of calls, arguments
//! of the right kind, texts that are not blank. A message that lacks nothing stays byte for byte.

use std::collections::BTreeSet;

use callgate_tool::{Json, Object, Value, json};

use super::{Wire, is_blank};

/// The messages of one reply. `id` makes the id of a call that has none, from its position among the calls.
pub(crate) fn amend(wire: Wire, messages: Vec<Json>, id: impl Fn(usize) -> String) -> Vec<Json> {
    let given = messages.iter().flat_map(|message| ids(wire, message.value())).collect();
    let mut amender = Amender { wire, given, taken: BTreeSet::new(), n_calls: 0, id };
    messages.into_iter().map(|message| amender.message(message)).collect()
}

struct Amender<F> {
    wire: Wire,
    given: BTreeSet<String>,
    /// The ids of the calls before: no provider takes one id for two calls of a message.
    taken: BTreeSet<String>,
    n_calls: usize,
    id: F,
}

impl<F: Fn(usize) -> String> Amender<F> {
    fn message(&mut self, message: Json) -> Json {
        let mut amended = message.value().clone();
        let mut is_amended = leave_out(self.wire, &mut amended);
        is_amended |= list_the_only_call(self.wire, &mut amended);
        for call in calls(self.wire, &mut amended) {
            let arguments = arguments(self.wire, call);
            is_amended |= arguments;
            is_amended |= self.identify(call);
        }
        if is_amended { amended.into() } else { message }
    }

    /// Gives a call an id. Returns true if it had none that is a text of its own.
    fn identify(&mut self, call: &mut Object) -> bool {
        let Some(member) = id_member(self.wire) else { return false };
        let at = self.n_calls;
        self.n_calls = at.saturating_add(1);
        let stated = match call.get(member) {
            Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
            Some(Value::Number(id)) => Some(id.to_string()),
            _ => None,
        };
        let own = stated.filter(|id| self.taken.insert(id.clone()));
        if own.is_some() && call.get(member).is_some_and(Value::is_string) {
            return false;
        }
        let id = own.unwrap_or_else(|| self.new_call_id(call, at));
        self.taken.insert(id.clone());
        call.insert(member, id.into());
        true
    }

    fn new_call_id(&mut self, call: &Object, at: usize) -> String {
        let own = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        // An item of Responses has an id of its own, which names it where there is none of its call.
        let own = own.filter(|_| self.wire == Wire::Responses).map(str::to_owned);
        let mut id = own.unwrap_or_else(|| (self.id)(at));
        while !self.given.insert(id.clone()) {
            id.push('_');
        }
        id
    }
}

/// The name of the member that holds a call's id. Gemini's calls need none.
pub(super) fn id_member(wire: Wire) -> Option<&'static str> {
    match wire {
        Wire::Anthropic | Wire::OpenAi => Some("id"),
        Wire::Bedrock => Some("toolUseId"),
        Wire::Gemini => None,
        Wire::Responses => Some("call_id"),
    }
}

fn ids(wire: Wire, message: &Value) -> Vec<String> {
    let mut message = message.clone();
    let calls = calls(wire, &mut message).into_iter();
    let ids = calls.filter_map(|call| Some(call.get(id_member(wire)?)?.as_str()?.to_owned()));
    ids.collect()
}

/// The member that lists the calls of a message; `None` where a message is a call.
pub(super) fn list_of_calls(wire: Wire) -> Option<&'static str> {
    match wire {
        Wire::Anthropic | Wire::Bedrock => Some("content"),
        Wire::Gemini => Some("parts"),
        Wire::OpenAi => Some("tool_calls"),
        Wire::Responses => None,
    }
}

fn calls(wire: Wire, message: &mut Value) -> Vec<&mut Object> {
    let Some(list) = list_of_calls(wire) else {
        return call_in(wire, message).and_then(Value::as_object_mut).into_iter().collect();
    };
    let parts = message.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    parts.filter_map(|part| call_in(wire, part)).filter_map(Value::as_object_mut).collect()
}

/// The call in a part of a message.
pub(super) fn call_of(wire: Wire, part: &Value) -> Option<&Value> {
    match wire {
        Wire::Anthropic => Some(part).filter(|part| is(part, "tool_use")),
        Wire::Bedrock => part.get("toolUse"),
        Wire::Gemini => part.get("functionCall").or_else(|| part.get("function_call")),
        Wire::OpenAi => Some(part),
        Wire::Responses => {
            Some(part).filter(|part| is(part, "custom_tool_call") || is(part, "function_call"))
        }
    }
}

fn call_in(wire: Wire, part: &mut Value) -> Option<&mut Value> {
    call_of(wire, part)?;
    match wire {
        Wire::Bedrock => part.get_mut("toolUse"),
        Wire::Gemini if part.get("functionCall").is_some() => part.get_mut("functionCall"),
        Wire::Gemini => part.get_mut("function_call"),
        Wire::Anthropic | Wire::OpenAi | Wire::Responses => Some(part),
    }
}

pub(super) fn is(part: &Value, kind: &str) -> bool {
    part.get("type").and_then(Value::as_str) == Some(kind)
}

/// Makes the arguments of a call what the format says: a text of JSON, or an object. Returns true if they were not.
fn arguments(wire: Wire, call: &mut Object) -> bool {
    let (holder, member) = match wire {
        Wire::Anthropic | Wire::Bedrock => (Some(call), "input"),
        Wire::Gemini => (Some(call), "args"),
        Wire::OpenAi => {
            let kind = call.get("type").and_then(Value::as_str).unwrap_or_default();
            if kind.is_empty() && call.contains_key("function") {
                call.insert("type", "function".into());
                arguments(wire, call);
                return true;
            }
            (call.get_mut("function").and_then(Value::as_object_mut), "arguments")
        }
        Wire::Responses if call.contains_key("input") => return false,
        Wire::Responses => (Some(call), "arguments"),
    };
    let Some(holder) = holder else { return false };
    let given = holder.get(member);
    let is_text = matches!(wire, Wire::OpenAi | Wire::Responses);
    let amended = match given {
        Some(Value::String(_)) if is_text => return false,
        Some(Value::Object(_)) if !is_text => return false,
        None | Some(Value::Null) if wire == Wire::Gemini => return false,
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) => {
            Value::parse(text).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
        }
        Some(given) if is_text => given.clone(),
        Some(_) => json!({}),
    };
    let amended = if is_text { amended.to_string().into() } else { amended };
    holder.insert(member, amended);
    true
}

/// Leaves out what no provider takes back: a list of no calls, blank texts beside other blocks. Returns true if there was any.
fn leave_out(wire: Wire, message: &mut Value) -> bool {
    match wire {
        Wire::OpenAi => {
            let is_none = message.get("tool_calls").is_some_and(|calls| {
                calls.is_null() || calls.as_array().is_some_and(Vec::is_empty)
            });
            let Some(members) = message.as_object_mut().filter(|_| is_none) else { return false };
            members.remove("tool_calls").is_some()
        }
        Wire::Anthropic | Wire::Bedrock => {
            let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) else {
                return false;
            };
            let n_blocks = blocks.len();
            blocks.retain(|block| !is_blank_text(wire, block));
            n_blocks != blocks.len()
        }
        Wire::Gemini => match message.as_object_mut() {
            Some(content) if !content.contains_key("role") => {
                content.insert("role", "model".into());
                true
            }
            _ => false,
        },
        Wire::Responses => false,
    }
}

/// Makes the only call of a message of OpenAI's first format a list of calls. Returns true if there was one.
fn list_the_only_call(wire: Wire, message: &mut Value) -> bool {
    let Some(members) = message.as_object_mut().filter(|_| wire == Wire::OpenAi) else {
        return false;
    };
    if members.contains_key("tool_calls")
        || !members.get("function_call").is_some_and(Value::is_object)
    {
        return false;
    }
    let function = members.remove("function_call").unwrap_or_default();
    members.insert("tool_calls", json!([{"type": "function", "function": function}]));
    true
}

fn is_blank_text(wire: Wire, block: &Value) -> bool {
    let is_text = match wire {
        Wire::Anthropic => is(block, "text"),
        _ => block.get("text").is_some(),
    };
    is_text && is_blank(block.get("text"))
}
