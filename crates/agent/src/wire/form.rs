//! Brings a message that came from elsewhere into the form that its format requires: parts where a text may not stand alone, no
//! blank words of a user, results of the right kind, and each part under the role that it needs. A message that is right stays
//! byte for byte.

use callgate_call::wording::turn as wording;
use callgate_tool::{Json, Object, Value, json};

use super::{
    Author, Wire,
    ids::{holder_and_member, possible_result_parts},
    pieces::{kind, part_words, result_text},
};

/// The forms in which a result may stand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ResultForm {
    Object,
    Parts,
    Text,
    TextOrParts,
}

/// A message in its form: several where parts stand under a role that is not theirs.
pub(crate) fn well_formed_messages(wire: Wire, message: Json) -> Vec<Json> {
    let Some(author @ (Author::Model | Author::User)) = wire.author(message.value()) else {
        return vec![message];
    };
    let mut formed = message.value().clone();
    let calls = take_calls_of_user(wire, author, &mut formed);
    let is_only_calls = !calls.is_empty() && content_is_blank(wire, &formed);
    normalize_message(wire, author, &mut formed);
    let mut messages =
        if is_only_calls { Vec::new() } else { messages_by_author(wire, author, formed) };
    for message in &mut messages {
        normalize_results(wire, message);
    }
    if !calls.is_empty() {
        messages.extend(wire.model_messages(None, calls));
    }
    match &*messages {
        [only] if only == message.value() => vec![message],
        _ => messages.into_iter().map(Json::from).collect(),
    }
}

/// Two messages of a model as one, if the first one has calls: their results follow both. Streams are kept so by some programs.
pub(crate) fn joined_call_messages(wire: Wire, message: &Json, next: &Json) -> Option<Json> {
    let list = wire.rules.list_of_calls?;
    let is_apart = list != wire.rules.content;
    let items = |message: &Json| match message.value().get(list)? {
        Value::Array(items) => Some(items.clone()),
        Value::String(words) if !is_apart => Some(vec![(wire.text)(words)]),
        _ => None,
    };
    let mut joined_items = items(message)?;
    let has_calls = joined_items.iter().any(|item| (wire.call_pointer)(item).is_some());
    if !has_calls || (is_apart && !content_is_blank(wire, next.value())) {
        return None;
    }
    joined_items.extend(items(next)?);
    let mut joined = message.value().clone();
    joined.as_object_mut()?.insert(list, Value::Array(joined_items));
    Some(joined.into())
}

/// The calls that stand in a list of their own under a user.
fn take_calls_of_user(wire: Wire, author: Author, message: &mut Value) -> Vec<Value> {
    let list = wire.rules.list_of_calls.filter(|list| *list != wire.rules.content);
    let (Some(list), Author::User, Some(members)) = (list, author, message.as_object_mut()) else {
        return Vec::new();
    };
    match members.remove(list) {
        Some(Value::Array(calls)) => calls,
        _ => Vec::new(),
    }
}

fn content_is_blank(wire: Wire, message: &Value) -> bool {
    match message.get(wire.rules.content) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Array(parts)) => parts.iter().all(is_blank_text),
        Some(_) => false,
    }
}

fn normalize_message(wire: Wire, author: Author, message: &mut Value) {
    let is_result = wire.rules.parts.is_none() && (wire.answers)(message).is_some();
    if is_result || (wire.rules.item)(message).is_some() {
        return;
    }
    let Some(members) = message.as_object_mut() else { return };
    let name = wire.rules.content;
    // A format's content under the name of another's.
    let other = if name == "parts" { "content" } else { "parts" };
    let given = members.remove_entry(name).or_else(|| members.remove_entry(other));
    let content = normalized_content(wire, author, given.map(|(_, content)| content));
    members.extend(content.map(|content| (name, content)));
}

/// The content of a message; `None` if it has none and needs none.
fn normalized_content(wire: Wire, author: Author, given: Option<Value>) -> Option<Value> {
    let is_user = author == Author::User;
    // Where calls are no parts of the content, they need no words beside them.
    let may_lack_words = !is_user && wire.rules.list_of_calls != Some(wire.rules.content);
    let text = |text: &str| text_part(wire, author, text);
    let given = match given {
        None | Some(Value::Null) if may_lack_words => return given,
        None | Some(Value::Null) => Value::Array(Vec::new()),
        Some(Value::String(words)) if !wire.rules.has_plain_words => json!([text(&words)]),
        Some(given @ (Value::Array(_) | Value::String(_))) => given,
        Some(part @ Value::Object(_)) => Value::Array(vec![part]),
        Some(other) => json!([text(&other.to_string())]),
    };
    let content = match given {
        Value::Array(parts) => {
            let parts = parts.into_iter().map(|part| match part {
                part @ Value::Object(_) => part,
                Value::String(words) => text(&words),
                other => text(&other.to_string()),
            });
            let parts = parts.filter(|part| !(is_user && is_blank_text(part)));
            Value::Array(parts.collect())
        }
        given => given,
    };
    let is_nothing = match &content {
        Value::Array(parts) => parts.is_empty(),
        content => content.as_str().is_some_and(|words| words.trim().is_empty()),
    };
    Some(if is_user && is_nothing {
        wire.text_content(&wording::words_for_empty_message())
    } else {
        content
    })
}

fn text_part(wire: Wire, author: Author, text: &str) -> Value {
    if wire.has_item_replies() && author == Author::Model {
        return json!({"type": "output_text", "text": text, "annotations": []});
    }
    (wire.text)(text)
}

fn is_blank_text(part: &Value) -> bool {
    let text = part.as_str().or_else(|| part.get("text").and_then(Value::as_str));
    text.is_some_and(|text| text.trim().is_empty())
}

/// Gives the results of a message the form of their format.
fn normalize_results(wire: Wire, message: &mut Value) {
    if wire.author(message) != Some(Author::User) {
        return;
    }
    for part in possible_result_parts(wire, message) {
        if (wire.answers)(part).is_some() {
            normalize_result(wire, part);
        }
    }
}

fn normalize_result(wire: Wire, part: &mut Value) {
    // Results of other kinds of calls have forms of their own.
    if wire.has_item_replies()
        && !matches!(kind(part), "custom_tool_call_output" | "function_call_output")
    {
        return;
    }
    let Some((holder, member)) = holder_and_member(part, wire.rules.answer_pointer) else { return };
    let has_failed = holder.get("is_error").and_then(Value::as_bool).unwrap_or_default();
    let given = holder.get(member).cloned().unwrap_or_default();
    let formed: Value = match wire.rules.result_form {
        ResultForm::Object if given.is_object() => return,
        ResultForm::Object if given.is_null() => json!({}),
        ResultForm::Object => json!({"output": given}),
        ResultForm::Text => match given {
            Value::String(_) => return,
            Value::Null => "".into(),
            given => result_text(&given).into(),
        },
        ResultForm::Parts => Value::Array(result_parts(wire, given)),
        ResultForm::TextOrParts => match given {
            Value::String(words) if has_failed && words.trim().is_empty() => {
                wording::words_for_empty_result().into()
            }
            Value::String(_) => return,
            given => Value::Array(result_parts(wire, given)),
        },
    };
    if holder.get(member) != Some(&formed) {
        holder.insert(member, formed);
    }
}

/// The parts of a result: at least one, and no blank text.
fn result_parts(wire: Wire, given: Value) -> Vec<Value> {
    let given = match given {
        Value::Array(parts) => parts,
        Value::Null => Vec::new(),
        part => vec![part],
    };
    let parts = given.into_iter().map(|part| match part {
        Value::String(words) => (wire.text)(&words),
        part if is_result_part(wire, &part) => part,
        data => (wire.text)(&part_words(&data)),
    });
    let mut parts: Vec<_> = parts.filter(|part| !is_blank_text(part)).collect();
    if parts.is_empty() {
        parts.push((wire.text)(&wording::words_for_empty_result()));
    }
    parts
}

/// The message, or one for each run of parts of one author: a model calls, and results come from the user.
fn messages_by_author(wire: Wire, author: Author, message: Value) -> Vec<Value> {
    let parts = wire.rules.parts.and_then(|member| message.get(member)?.as_array());
    let Some(parts) = parts else { return vec![message] };
    let author_of = |part: &Value| {
        if (wire.call_pointer)(part).is_some() {
            return Author::Model;
        }
        let is_result = (wire.answers)(part).is_some();
        let is_in_place = author == Author::Model && (wire.rules.is_own_result)(parts, part);
        if is_result && !is_in_place { Author::User } else { author }
    };
    if parts.iter().all(|part| author_of(part) == author) {
        return vec![message];
    }
    let runs = parts.chunk_by(|part, next| author_of(part) == author_of(next));
    let messages = runs.map(|run| {
        let is_model = run.first().map(&author_of) == Some(Author::Model);
        let role = if is_model { wire.rules.role } else { "user" };
        let members = [("role", role.into()), (wire.rules.content, Value::Array(run.to_vec()))];
        Value::Object(Object::from(members))
    });
    messages.collect()
}

/// True for a part of a result: what else stands there is data, which may have any members.
fn is_result_part(wire: Wire, part: &Value) -> bool {
    let Some(members) = part.as_object() else { return false };
    if wire.rules.result_form == ResultForm::Parts {
        return members.len() == 1
            && members.iter().all(|(name, value)| is_typed_part(name, value));
    }
    let parts = if wire.has_item_replies() { ITEM_PARTS } else { BLOCK_PARTS };
    parts.iter().any(|(name, member)| *name == kind(part) && members.contains_key(member))
}

fn is_typed_part(name: &str, value: &Value) -> bool {
    match name {
        "text" => value.is_string(),
        "document" | "image" | "json" | "searchResult" | "video" => value.is_object(),
        _ => false,
    }
}

/// The types of parts of a result at Anthropic, each with a member that it has.
const BLOCK_PARTS: &[(&str, &str)] = &[
    ("document", "source"),
    ("image", "source"),
    ("search_result", "source"),
    ("text", "text"),
    ("tool_reference", "tool_name"),
];
/// Those of Responses.
const ITEM_PARTS: &[(&str, &str)] =
    &[("input_file", "type"), ("input_image", "type"), ("input_text", "text")];
