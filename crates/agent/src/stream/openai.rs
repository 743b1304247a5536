//! OpenAI Chat Completions: texts come in pieces, and so do the arguments of calls, which are distinguished by their index.
//! Members that are not known are kept: texts are joined, lists too.

use callgate_tool::{Object, Value, json};

use super::{StreamFault, failed, unreadable};

#[derive(Debug, Default)]
pub(crate) struct Parts {
    message: Object,
    calls: Vec<Object>,
    finish: Option<Value>,
    usage: Option<Value>,
}

impl Parts {
    pub(super) fn add(&mut self, data: &str) -> Result<String, StreamFault> {
        let mut event = Value::parse(data).map_err(unreadable)?;
        if let Some(error) = event.get_mut("error").filter(|error| !error.is_null()) {
            return Err(failed(error.take()));
        }
        if let Some(usage) = event.get("usage").filter(|usage| !usage.is_null()) {
            self.usage = Some(usage.clone());
        }
        let Some(choice) = event.get("choices").and_then(|choices| choices.get(0)) else {
            return Ok(String::new());
        };
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
            self.finish = Some(reason.clone());
        }
        let delta = choice.get("delta").and_then(Value::as_object).cloned().unwrap_or_default();
        let said = delta.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
        for (name, value) in delta {
            match (&*name, value) {
                ("tool_calls", Value::Array(calls)) => self.add_calls(calls),
                ("role", value) => drop(self.message.insert(name, value)),
                (_, value) => join(&mut self.message, name, value),
            }
        }
        Ok(said)
    }

    fn add_calls(&mut self, calls: Vec<Value>) {
        for call in calls {
            self.add_call(call);
        }
    }

    fn add_call(&mut self, call: Value) {
        let Value::Object(mut call) = call else { return };
        let index = call.remove("index").and_then(|index| usize::try_from(index.as_u64()?).ok());
        // Servers that send whole calls leave the index out.
        let is_new = call.get("id").is_some_and(|id| !id.is_null());
        let last = self.calls.len().saturating_sub(usize::from(!is_new));
        let index = index.unwrap_or(last).min(MOST_CALLS);
        while self.calls.len() <= index {
            self.calls.push(Object::new());
        }
        let Some(known) = self.calls.get_mut(index) else { return };
        for (name, value) in call {
            match (&*name, value) {
                ("function", Value::Object(function)) => add_function(known, function),
                (_, Value::Null) => {}
                (_, value) => drop(known.insert(name, value)),
            }
        }
    }

    pub(super) fn body(mut self) -> Option<String> {
        let finish = self.finish?;
        self.message.entry("role").or_insert("assistant".into());
        self.message.entry("content").or_insert(Value::Null);
        if !self.calls.is_empty() {
            let calls = self.calls.into_iter().map(Value::Object).collect();
            self.message.insert("tool_calls", Value::Array(calls));
        }
        let message = Value::Object(self.message);
        let mut body = Object::new();
        body.insert("choices", json!([{"message": message, "finish_reason": finish}]));
        if let Some(usage) = self.usage {
            body.insert("usage", usage);
        }
        Some(Value::Object(body).to_string())
    }
}

fn add_function(call: &mut Object, function: Object) {
    let known = call.entry("function").or_insert(Value::Object(Object::new()));
    if let Some(known) = known.as_object_mut() {
        function.into_iter().for_each(|(name, value)| join(known, name, value));
    }
}

/// Adds a piece of a member to what has come of it.
fn join(members: &mut Object, name: String, piece: Value) {
    match (members.get_mut(&name), piece) {
        (Some(_), Value::Null) => {}
        (Some(Value::String(known)), Value::String(piece)) => known.push_str(&piece),
        (Some(Value::Array(known)), Value::Array(pieces)) => known.extend(pieces),
        (_, piece) => drop(members.insert(name, piece)),
    }
}

/// More calls of one message than these are not made anyway.
const MOST_CALLS: usize = 1024;
