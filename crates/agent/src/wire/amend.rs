//! Amends a model's message whose server left out what its format requires of whoever sends it back: ids of calls, arguments
//! of the right kind, texts that are not blank. A message that lacks nothing stays byte for byte.

use std::collections::BTreeSet;

use callgate_tool::{Json, Object, Value, json};

use super::{Wire, is_blank};

/// The fate of arguments that are no JSON object. Calls are read before they are replaced: a call is made as the model wrote it, or
/// not at all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unreadable {
    Keep,
    /// They become an object that quotes them: servers refuse a conversation with others.
    Replace,
}

/// The messages of one reply. `id` makes the id of a call that has none, from its position among the calls.
pub(crate) fn amend_messages(
    wire: Wire,
    messages: Vec<Json>,
    unreadable: Unreadable,
    id: impl Fn(usize) -> String,
) -> Vec<Json> {
    let given = messages.iter().flat_map(|message| call_ids(wire, message.value())).collect();
    let taken = BTreeSet::new();
    let mut amender = Amender { wire, unreadable, given, taken, n_calls: 0, id };
    messages.into_iter().map(|message| amender.amended_message(message)).collect()
}

struct Amender<F> {
    wire: Wire,
    unreadable: Unreadable,
    given: BTreeSet<String>,
    /// The ids of the calls before: no provider takes one id for two calls of a message.
    taken: BTreeSet<String>,
    n_calls: usize,
    id: F,
}

impl<F: Fn(usize) -> String> Amender<F> {
    fn amended_message(&mut self, message: Json) -> Json {
        let mut amended = message.value().clone();
        let mut is_amended = (self.wire.rules.amend_message)(&mut amended);
        for call in calls_mut(self.wire, &mut amended) {
            is_amended |= (self.wire.amend_arguments)(call, self.unreadable);
            is_amended |= self.ensure_call_id(call);
        }
        if is_amended { amended.into() } else { message }
    }

    /// Gives a call an id. Returns true if it had none that is a text of its own.
    fn ensure_call_id(&mut self, call: &mut Object) -> bool {
        let Some(member) = self.wire.id_member else { return false };
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
        // An item has an id of its own, which names it where there is none of its call.
        let own = own.filter(|_| self.wire.has_item_replies()).map(str::to_owned);
        let mut id = own.unwrap_or_else(|| (self.id)(at));
        while !self.given.insert(id.clone()) {
            id.push('_');
        }
        id
    }
}

fn call_ids(wire: Wire, message: &Value) -> Vec<String> {
    let mut message = message.clone();
    let calls = calls_mut(wire, &mut message).into_iter();
    let ids = calls.filter_map(|call| Some(call.get(wire.id_member?)?.as_str()?.to_owned()));
    ids.collect()
}

pub(super) fn calls_mut(wire: Wire, message: &mut Value) -> Vec<&mut Object> {
    let Some(list) = wire.rules.list_of_calls else {
        return call_mut(wire, message).into_iter().collect();
    };
    let parts = message.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    parts.filter_map(|part| call_mut(wire, part)).collect()
}

fn call_mut(wire: Wire, part: &mut Value) -> Option<&mut Object> {
    let pointer = (wire.call_pointer)(part)?;
    part.pointer_mut(pointer)?.as_object_mut()
}

/// Makes a member of a call an object. Returns true if it was none.
pub(super) fn ensure_object_member(
    call: &mut Object,
    member: &str,
    unreadable: Unreadable,
) -> bool {
    let amended = match call.get(member) {
        Some(Value::Object(_)) => return false,
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) if text.trim().is_empty() => json!({}),
        Some(_) if unreadable == Unreadable::Keep => return false,
        Some(given) => {
            let object = given.as_str().and_then(object_of_text);
            object.unwrap_or_else(|| json!({(UNREADABLE): given.clone()}))
        }
    };
    call.insert(member.to_owned(), amended);
    true
}

/// Makes a member of a call the text of an object. Returns true if it was none. An empty text stands for no arguments.
pub(super) fn ensure_json_text_member(
    call: &mut Object,
    member: &str,
    unreadable: Unreadable,
) -> bool {
    let amended = match call.get(member) {
        Some(Value::String(text)) => {
            let is_object = |text: &str| Value::parse(text).is_ok_and(|value| value.is_object());
            if text.trim().is_empty() || is_object(text) || unreadable == Unreadable::Keep {
                return false;
            }
            let object = object_of_text(text);
            object.unwrap_or_else(|| json!({(UNREADABLE): text.as_str()})).to_string()
        }
        None | Some(Value::Null) => "{}".to_owned(),
        Some(given) => given.to_string(),
    };
    call.insert(member.to_owned(), amended.into());
    true
}

/// The object that a text holds as JSON, however often it is quoted as JSON again. `None` if readers understand it differently.
pub(super) fn object_of_text(text: &str) -> Option<Value> {
    // A text that is quoted again is twice as long, so the recursion ends soon.
    match Value::parse_unambiguous(text).ok().flatten()? {
        Value::String(inner) => object_of_text(&inner),
        value => Some(value).filter(Value::is_object),
    }
}

const UNREADABLE: &str = "unreadable";

/// Leaves out blank texts beside other blocks. Returns true if there was any.
pub(super) fn drop_blank_texts(message: &mut Value, is_text: fn(&Value) -> bool) -> bool {
    let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) else {
        return false;
    };
    let n_blocks = blocks.len();
    blocks.retain(|block| !(is_text(block) && is_blank(block.get("text"))));
    n_blocks != blocks.len()
}
