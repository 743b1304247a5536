//! `ends.json`: why each turn of a conversation ended, with the results of its calls.

use std::sync::{Mutex, PoisonError};

use callgate_dialect::json_result;
use callgate_executor::{result_handles, result_without_random_values};
use callgate_tool::{Approvers, Outcome, ToolResult, Value, json};

use crate::{context::TurnEvent, end::End};

/// The results of the calls of a turn, as they come.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct CallResults(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// The ids of the calls, in the order of their beginnings.
    calls: Vec<String>,
    results: Vec<ToolResult>,
}

impl CallResults {
    /// Notes the calls and results among events.
    pub fn note_event(&self, event: &TurnEvent<'_>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            TurnEvent::Call(call) => seen.calls.push(call.id.clone()),
            TurnEvent::Result(result) => seen.results.push((*result).clone()),
            _ => {}
        }
    }

    /// The results of a turn that has ended, in the order of its calls.
    pub fn take_results(&self) -> Vec<ToolResult> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Seen { calls, mut results } = std::mem::take(&mut *seen);
        results.sort_by_key(|result| calls.iter().position(|id| *id == result.id));
        results
    }
}

/// The end of a turn with results, and the texts in them that differ each time.
#[doc(hidden)]
pub fn end_and_random_texts(end: &End, results: Vec<ToolResult>) -> (Value, Vec<String>) {
    let mut random = Vec::new();
    let shown = results.into_iter().map(|mut result| {
        if let Outcome::Pending(pending) = &mut result.outcome {
            // In a replay the caller decides.
            pending.approvers = Approvers::Caller;
        }
        let handles = result_handles(&mut result);
        random.extend(handles.iter().filter_map(|handle| handle.as_ref().map(ToString::to_string)));
        json_result(&result_without_random_values(result)).into_value()
    });
    let results: Vec<Value> = shown.collect();
    let mut value = end_json(end);
    if let Some(members) = value.as_object_mut() {
        members.insert("results", Value::Array(results));
    }
    (value, random)
}

/// The end of a turn, as `callgate chat --json` prints it.
#[doc(hidden)]
pub fn end_json(end: &End) -> Value {
    let pending = end.pending.iter().map(|pending| {
        json!({"id": &*pending.id, "tool": &*pending.tool, "kind": pending.kind, "request": pending.request.clone()})
    });
    json!({
        "text": &*end.text,
        "end": {"reason": end.reason.as_str(), "detail": end.detail.clone()},
        "usage": {"input": end.usage.input, "output": end.usage.output},
        "rounds": end.n_rounds,
        "calls": end.n_calls,
        "pending": Value::Array(pending.collect()),
    })
}
