//! Turns a model's message into calls and back, for all formats. The file of a format finds the calls in its message and
//! writes their answers; this file handles ids, names, arguments and repeated calls.

use std::{borrow::Cow, collections::BTreeSet};

use callgate_tool::{
    Arguments, Fault, Journal, Object, Outcome, Tool, ToolCall, ToolName, ToolResult, Value,
};

use crate::{
    envelope::{EnvelopeError, wrong_value_error},
    strict::read_json,
    wording,
};

/// The calls of one message, in the model's order.
///
/// ```
/// use callgate_dialect::Dialect;
/// use callgate_tool::json;
///
/// let message = json!({"role": "assistant", "content": [
///     {"type": "text", "text": "I look for the pet."},
///     {"type": "tool_use", "id": "toolu_1", "name": "getPet", "input": {"petId": 7}},
/// ]});
/// let read = Dialect::Anthropic.read(message, |_| None)?;
/// assert_eq!((read.calls().len(), read.to_make().len()), (1, 1));
/// let read = read.only(&["listPets".to_owned()], |_| None);
/// assert!(read.to_make().is_empty(), "`getPet` was not provided");
/// # Ok::<(), callgate_dialect::EnvelopeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReadMessage {
    calls: Vec<ReadCall>,
}

/// One call of a message.
#[derive(Clone, Debug)]
pub struct ReadCall {
    /// The call; or its result, if it cannot be made as the message asks.
    pub call: Result<ToolCall, Box<ToolResult>>,
    /// The members of the call in the message, without the arguments.
    origin: Object,
}

#[derive(Debug, Default)]
pub(crate) struct MessageCall {
    pub(crate) id: Option<Value>,
    /// Names that the tool may have; the first declared one counts, else the first.
    pub(crate) names: Vec<String>,
    /// True if the format's names of tools differ from the declared ones.
    pub(crate) is_indirect: bool,
    /// The name of a tool whose toolset has no prefix.
    pub(crate) bare_name: Option<String>,
    pub(crate) arguments: Option<Value>,
    pub(crate) origin: Object,
    pub(crate) fault: Option<Box<Fault>>,
}

#[derive(Debug)]
pub(crate) struct AnsweredCall<'a> {
    pub(crate) origin: &'a Object,
    pub(crate) result: Cow<'a, ToolResult>,
}

impl ReadMessage {
    /// Every call.
    #[doc(hidden)]
    pub fn calls(&self) -> &[ReadCall] {
        &self.calls
    }

    /// The calls that can be made. The caller makes them and passes their results in this order.
    ///
    /// ```
    /// use callgate_dialect::Dialect;
    /// use callgate_tool::json;
    ///
    /// let message = json!({"role": "assistant", "tool_calls": [
    ///     {"id": "a", "type": "function", "function": {"name": "getPet", "arguments": "{\"petId\": 7}"}},
    ///     {"id": "b", "type": "function", "function": {"name": "getPet", "arguments": "{\"petId\": "}},
    /// ]});
    /// let read = Dialect::OpenAi.read(message, |_| None)?;
    /// let calls = read.to_make();
    /// assert_eq!((calls.len(), calls[0].arguments["petId"].as_i64()), (1, Some(7)));
    /// # Ok::<(), callgate_dialect::EnvelopeError>(())
    /// ```
    pub fn to_make(&self) -> Vec<&ToolCall> {
        self.calls.iter().filter_map(|asked| asked.call.as_ref().ok()).collect()
    }

    /// The members of each call that can be made, without its arguments. [`ReadMessage::of_one`] needs them to write the call's
    /// answer later.
    pub fn origins(&self) -> Vec<&Object> {
        let made = self.calls.iter().filter(|asked| asked.call.is_ok());
        made.map(|asked| &asked.origin).collect()
    }

    /// A call of a message that was read before, with its members from [`ReadMessage::origins`].
    pub fn of_one(call: ToolCall, origin: Object) -> Self {
        Self { calls: vec![ReadCall { call: Ok(call), origin }] }
    }

    /// Refuses every call of a function that is not in this list. A function is named as a model may name it; `named` finds
    /// the tool's own name.
    #[must_use]
    pub fn only<'t>(
        mut self,
        functions: &[String],
        named: impl Fn(&str) -> Option<&'t ToolName>,
    ) -> Self {
        let name = |asked: &str| named(asked).map_or(asked, ToolName::as_str).to_owned();
        let provided: Vec<_> = functions.iter().map(|function| name(function)).collect();
        let provided_names: BTreeSet<_> = provided.iter().collect();
        for ReadCall { call, .. } in &mut self.calls {
            let (id, tool) = match &*call {
                Ok(call) => (&call.id, &call.tool),
                Err(ended) => (&ended.id, &ended.tool),
            };
            if !tool.is_empty() && !provided_names.contains(&name(tool)) {
                *call =
                    Err(failed_result(id, tool, wording::tool_not_provided_fault(tool, &provided)));
            }
        }
        self
    }

    /// Renames the arguments of the calls: `name` returns the tool's name of an argument. This is for formats whose runtime
    /// names arguments by itself ([`Dialect::has_wire_names`](crate::Dialect::has_wire_names)).
    #[must_use]
    pub fn with_renamed_arguments(
        mut self,
        name: impl Fn(&ToolCall, &str) -> Option<String>,
    ) -> Self {
        for ReadCall { call, .. } in &mut self.calls {
            let Ok(call) = call else { continue };
            let of = |given: &String| {
                let other = name(call, given).filter(|other| !call.arguments.contains_key(other));
                other.unwrap_or_else(|| given.clone())
            };
            let names: Vec<_> = call.arguments.keys().map(of).collect();
            // If two arguments would get one name, none is renamed, and the call is refused later.
            if names.iter().collect::<BTreeSet<_>>().len() == names.len() {
                let values =
                    std::mem::take(&mut call.arguments).into_iter().map(|(_, value)| value);
                call.arguments = names.into_iter().zip(values).collect();
            }
        }
        self
    }

    /// Every call with its end: `results` are the results of the calls that can be made, in their order.
    pub(crate) fn answered_calls<'a>(&'a self, results: &'a [ToolResult]) -> Vec<AnsweredCall<'a>> {
        let mut results = results.iter();
        let ending = |asked: &'a ReadCall| match &asked.call {
            Err(ended) => Cow::Borrowed(&**ended),
            Ok(call) => results.next().map_or_else(
                || Cow::Owned(*failed_result(&call.id, &call.tool, wording::call_not_made_fault())),
                Cow::Borrowed,
            ),
        };
        let ended = self.calls.iter().map(ending).collect::<Vec<_>>();
        let origins = self.calls.iter().map(|asked| &asked.origin);
        origins.zip(ended).map(|(origin, result)| AnsweredCall { origin, result }).collect()
    }
}

/// Checks the calls of a message, completes their ids and names, and converts arguments by `fit`.
pub(crate) fn checked_calls<'t>(
    asked: Vec<MessageCall>,
    declared: impl Fn(&str) -> Option<&'t Tool>,
    fit: Option<&impl Fn(Arguments, &Tool) -> Arguments>,
) -> ReadMessage {
    let mut calls: Vec<ReadCall> = Vec::with_capacity(asked.len());
    let stated = asked.iter().filter_map(|asked| asked.id.as_ref().and_then(text_or_number_text));
    let stated: BTreeSet<String> = stated.collect();
    for (at, asked) in asked.into_iter().enumerate() {
        let given = asked.id.as_ref().and_then(text_or_number_text);
        let id = given.clone().unwrap_or_else(|| generated_call_id(at, &stated));
        let origin = asked.origin.clone();
        let (name, call) = name_and_arguments(asked, &declared, fit);
        let call = call.map(|arguments| ToolCall::new(&*id, &*name, arguments));
        let call = call.and_then(|call| match at {
            MOST_CALLS.. => Err(wording::too_many_calls_fault(MOST_CALLS)),
            _ if given.is_some() && repeats_earlier_call(&calls, &call) => {
                Err(wording::repeated_call(&id))
            }
            _ => Ok(call),
        });
        let call = call.map_err(|fault| failed_result(&id, &name, fault));
        calls.push(ReadCall { call, origin });
    }
    ReadMessage { calls }
}

/// The id of a call that has none, from its place; no other call of the message has it.
fn generated_call_id(at: usize, stated: &BTreeSet<String>) -> String {
    let mut id = format!("call_{}", at.saturating_add(1));
    while stated.contains(&id) {
        id.push('_');
    }
    id
}

fn name_and_arguments<'t>(
    asked: MessageCall,
    declared: &impl Fn(&str) -> Option<&'t Tool>,
    fit: Option<&impl Fn(Arguments, &Tool) -> Arguments>,
) -> (String, Result<Arguments, Box<Fault>>) {
    let MessageCall { mut names, is_indirect, bare_name, arguments: value, fault, .. } = asked;
    let is_needed = is_indirect || fit.is_some();
    let tool = is_needed.then(|| names.iter().find_map(|name| declared(name))).flatten();
    let bare = bare_name.filter(|_| tool.is_none());
    let bare = bare.and_then(|name| declared(&name).filter(|tool| tool.name.as_str() == name));
    let tool = tool.or(bare);
    let name = match tool {
        Some(tool) if is_indirect => tool.name.as_str().to_owned(),
        // The executor finds the tool by the model's name for it, and records how.
        _ if names.is_empty() => String::new(),
        _ => names.swap_remove(0),
    };
    if let Some(fault) = fault {
        return (name, Err(fault));
    }
    if name.is_empty() {
        return (name, Err(wording::unnamed_tool()));
    }
    let read = parsed_arguments(value).map_err(|why| wording::unreadable_arguments(&name, &why));
    let read = read.map(|arguments| match (fit, tool) {
        (Some(fit), Some(tool)) => fit(arguments, tool),
        _ => arguments,
    });
    (name, read)
}

/// Arguments as an object or as JSON text, which may be quoted as JSON text again; an absent value is `{}`.
fn parsed_arguments(value: Option<Value>) -> Result<Arguments, String> {
    let got = |value: &Value| format!("got: {}", value.kind());
    match value {
        None | Some(Value::Null) => Ok(Arguments::new()),
        Some(Value::Object(arguments)) => Ok(arguments),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Arguments::new()),
        Some(Value::String(text)) => match read_json(&text) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(Value::Null) => Ok(Arguments::new()),
            Ok(inner @ Value::String(_)) => parsed_arguments(Some(inner)),
            Ok(other) => Err(got(&other)),
            Err(error) => Err(format!("got a text that is not JSON: {error}")),
        },
        Some(other) => Err(got(&other)),
    }
}

fn repeats_earlier_call(calls: &[ReadCall], call: &ToolCall) -> bool {
    calls.iter().any(|earlier| earlier.call.as_ref().is_ok_and(|earlier| earlier == call))
}

fn failed_result(id: &str, tool: &str, fault: Box<Fault>) -> Box<ToolResult> {
    let (id, tool) = (id.to_owned(), tool.to_owned());
    let (outcome, journal) = (Outcome::Failed(fault), Journal::default());
    Box::new(ToolResult { id, tool, outcome, journal })
}

/// The text of an id: ids are texts, but some programs write numbers.
fn text_or_number_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

impl MessageCall {
    /// A call of `name`; `origin` holds its other members.
    pub(crate) fn new(id: Option<Value>, name: Option<&Value>, origin: Object) -> Self {
        let names = name.and_then(text_or_number_text).into_iter().collect();
        Self { id, names, origin, ..Self::default() }
    }

    pub(crate) fn with_arguments(self, arguments: Option<Value>) -> Self {
        Self { arguments, ..self }
    }
}

/// Takes the first of these members that is present and not `null`.
pub(crate) fn take_first_non_null(members: &mut Object, names: &[&str]) -> Option<Value> {
    names.iter().find_map(|name| members.remove(name).filter(|value| !value.is_null()))
}

pub(crate) fn required_object(at: &str, value: Value) -> Result<Object, EnvelopeError> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(wrong_value_error(at, "an object", Some(&other))),
    }
}

/// The items of a message: it is a list of them, or an object that `inside` takes them out of.
pub(crate) fn message_items(
    message: Value,
    inside: impl FnOnce(Object) -> Result<Vec<Value>, EnvelopeError>,
) -> Result<Vec<Value>, EnvelopeError> {
    if let Value::Array(items) = message {
        Ok(items)
    } else {
        inside(required_object("message", message)?)
    }
}

pub(crate) fn required_list(at: &str, value: Value) -> Result<Vec<Value>, EnvelopeError> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(wrong_value_error(at, "a list", Some(&other))),
    }
}

/// The last part of a resource name: `projects/p/…/tools/t` is `t`.
pub(crate) fn last_resource_segment(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Refuses a message of another role than the model's: its calls are already answered, or it has none.
pub(crate) fn check_role(message: &Object, role: &str) -> Result<(), EnvelopeError> {
    let role_of = message.get("role").or_else(|| message.get("Role")?.get("Label"));
    match role_of.and_then(Value::as_str) {
        Some(other) if other != role => {
            let expected = format!("`{role}`, the message of a model");
            Err(wrong_value_error("role", &expected, role_of))
        }
        _ => Ok(()),
    }
}

/// The most calls of one message, as many as one request of callgate's own format may hold.
const MOST_CALLS: usize = 256;
