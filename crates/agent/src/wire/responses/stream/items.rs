//! The items of a response as events tell of them: begun, in pieces, and done. An item is known by its id, else by its position.

use callgate_tool::{Object, Value, json};

/// The items in the order in which they begin.
#[derive(Debug, Default)]
pub(super) struct Items(Vec<Item>);

#[derive(Debug, Default)]
struct Item {
    id: Option<String>,
    position: Option<u64>,
    /// The item as it began, or as it is done.
    members: Object,
    arguments: String,
    text: String,
    is_done: bool,
}

impl Items {
    /// True for an event about an item.
    pub(super) fn are_in_event(kind: &str) -> bool {
        EVENTS.contains(&kind)
    }

    /// Adds an event. Returns the words in it for the user.
    pub(super) fn add_event(&mut self, kind: &str, mut event: Value) -> String {
        let mut take = |name: &str| event.get_mut(name).map(Value::take).unwrap_or_default();
        let members = match take("item") {
            Value::Object(members) => members,
            _ => Object::new(),
        };
        let id = members.get("id").cloned().unwrap_or_else(|| take("item_id"));
        let id = id.as_str().filter(|id| !id.is_empty()).map(str::to_owned);
        let position = take("output_index").as_u64();
        let piece = [take("delta"), take("arguments")];
        let piece = piece.iter().find_map(Value::as_str).unwrap_or_default();
        let said = if kind == TEXT { piece.to_owned() } else { String::new() };
        let is_of_call = match kind {
            ARGUMENTS | ARGUMENTS_DONE => Some(true),
            TEXT => Some(false),
            _ => members.get("type").and_then(Value::as_str).map(is_kind_of_call),
        };
        let Some(item) = self.item_of_event(id, position, kind, is_of_call) else { return said };
        match kind {
            ADDED if !item.is_done => item.members = members,
            DONE => (item.members, item.is_done) = (members, true),
            ARGUMENTS => item.arguments.push_str(piece),
            ARGUMENTS_DONE => piece.clone_into(&mut item.arguments),
            TEXT => item.text.push_str(piece),
            _ => {}
        }
        said
    }

    /// The item of an event: the one with its id, else the last at its position that is not done and as much a call. Some servers
    /// give an item another id in each event, that of its call, or words and a call one position.
    fn item_of_event(
        &mut self,
        id: Option<String>,
        position: Option<u64>,
        kind: &str,
        is_of_call: Option<bool>,
    ) -> Option<&mut Item> {
        let has_its_id =
            |item: &Item| id.is_some() && (id == item.id || id.as_deref() == item.call_id());
        let is_there = |item: &Item| {
            let is_alike = item.members.is_empty() || is_of_call == Some(item.is_call());
            !item.is_done && position == item.position && (is_alike || is_of_call.is_none())
        };
        let by_id = self.0.iter().rposition(has_its_id);
        let by_position = || self.0.iter().rposition(is_there).filter(|_| kind != ADDED);
        let at = by_id.or_else(by_position).unwrap_or(self.0.len());
        if at == self.0.len() && at < MOST_ITEMS {
            self.0.push(Item { id, position, ..Item::default() });
        }
        self.0.get_mut(at)
    }

    /// The items as they stand in a response, in their order there: those that are done, or all of a kind of which none is
    /// said to be done.
    pub(super) fn into_values(mut self) -> Vec<Value> {
        if self.0.iter().all(|item| item.position.is_some()) {
            self.0.sort_by_key(|item| item.position);
        }
        let is_any_done =
            |is_call: bool| self.0.iter().any(|item| item.is_done && item.is_call() == is_call);
        let (are_calls_done, are_others_done) = (is_any_done(true), is_any_done(false));
        let counts = |item: &Item| {
            let are_done = if item.is_call() { are_calls_done } else { are_others_done };
            item.is_done || !are_done
        };
        self.0.into_iter().filter(counts).filter_map(Item::into_value).collect()
    }
}

impl Item {
    fn call_id(&self) -> Option<&str> {
        self.members.get("call_id").and_then(Value::as_str)
    }

    fn is_call(&self) -> bool {
        self.members.get("type").and_then(Value::as_str).is_some_and(is_kind_of_call)
    }

    fn into_value(mut self) -> Option<Value> {
        if self.is_call() && !has_arguments(&self.members) && !self.arguments.trim().is_empty() {
            // LM Studio's items are done without the arguments that came before.
            self.members.insert("arguments", std::mem::take(&mut self.arguments).into());
        }
        if self.is_done {
            return Some(self.members).filter(|members| !members.is_empty()).map(Value::from);
        }
        let kind = self.members.get("type").and_then(Value::as_str);
        match kind {
            Some("function_call") => {
                self.members.insert_unless_empty("arguments", self.arguments);
                self.members.insert("status", "completed".into());
                Some(self.members.into())
            }
            None | Some("message") if !self.text.is_empty() => {
                let content =
                    json!([{"type": "output_text", "text": self.text, "annotations": []}]);
                Some(json!({"type": "message", "role": "assistant", "content": content}))
            }
            _ => None,
        }
    }
}

/// A number that grows with the calls among items, and with those that have arguments.
pub(super) fn count_calls_and_arguments(items: &[Value]) -> usize {
    let members = items.iter().filter_map(Value::as_object);
    let calls = members
        .filter(|members| members.get("type").and_then(Value::as_str).is_some_and(is_kind_of_call));
    calls.map(|members| 1 + usize::from(has_arguments(members))).sum()
}

fn has_arguments(members: &Object) -> bool {
    match members.get("arguments") {
        Some(Value::String(arguments)) => !matches!(arguments.trim(), "" | "{}"),
        Some(Value::Object(arguments)) => !arguments.is_empty(),
        _ => members.contains_key("input"),
    }
}

fn is_kind_of_call(kind: &str) -> bool {
    matches!(kind, "custom_tool_call" | "function_call")
}

const ADDED: &str = "response.output_item.added";
const DONE: &str = "response.output_item.done";
const ARGUMENTS: &str = "response.function_call_arguments.delta";
const ARGUMENTS_DONE: &str = "response.function_call_arguments.done";
const TEXT: &str = "response.output_text.delta";
const EVENTS: [&str; 5] = [ADDED, DONE, ARGUMENTS, ARGUMENTS_DONE, TEXT];
/// More items than these count only if the last event has them.
const MOST_ITEMS: usize = 1024;
