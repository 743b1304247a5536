//! The parts of a streamed reply. A part stays the text that it is, but for a call whose arguments come in pieces (Vertex AI's
//! `streamFunctionCallArguments`): its first piece names the function and says that it will continue, further ones bring values
//! at paths, and the last one does not say that it will continue. Fields: `FunctionCall` and `PartialArg` of
//! `google/cloud/aiplatform/v1/tool.proto` in <https://github.com/googleapis/googleapis>.

use callgate_tool::{Object, Value, json};

use super::argument_path::ArgumentPath;
use crate::wire::{
    fault::{NO_GOOD, ReplyFault},
    stream::unreadable_event,
};

/// The parts in their order.
#[derive(Debug, Default)]
pub(super) struct Parts(Vec<Part>);

#[derive(Debug)]
enum Part {
    Call(PartialCall),
    Text(String),
}

/// A call of which pieces have come.
#[derive(Debug)]
struct PartialCall {
    /// The members of the part beside the call.
    part: Object,
    /// The members of the call beside its arguments.
    call: Object,
    arguments: Value,
    is_whole: bool,
}

/// A piece of a call, or a whole one.
#[derive(Debug)]
struct CallPiece {
    part: Object,
    call: Object,
    arguments: Option<Value>,
    values: Vec<Value>,
    will_continue: bool,
    /// True if it has a member of calls that come in pieces.
    is_piece: bool,
}

impl Parts {
    /// Adds a part that is no call.
    pub(super) fn add_text_part(&mut self, text: &str) {
        self.0.push(Part::Text(text.to_owned()));
    }

    /// Adds a call, or a piece of one.
    pub(super) fn add_call(&mut self, text: &str) -> Result<(), ReplyFault> {
        let Some(piece) = Value::parse(text).ok().and_then(CallPiece::read) else {
            self.add_text_part(text);
            return Ok(());
        };
        if let Some(call) = self.continued_call(&piece) {
            return call.add_piece(piece);
        }
        if piece.is_end() {
            self.add_to_last_call(piece.part);
            return Ok(());
        }
        if !piece.is_piece {
            self.add_text_part(text);
            return Ok(());
        }
        let mut call = PartialCall::new();
        call.add_piece(piece)?;
        self.0.push(Part::Call(call));
        Ok(())
    }

    /// True if no call will continue, and each has a name.
    pub(super) fn are_whole(&self) -> bool {
        self.0.iter().all(|part| match part {
            Part::Call(call) => call.is_whole && call.call.contains_key("name"),
            Part::Text(_) => true,
        })
    }

    /// The list of the parts, as JSON.
    pub(super) fn into_list(self) -> String {
        let texts = self.0.into_iter().map(|part| match part {
            Part::Call(call) => call.into_text(),
            Part::Text(text) => text,
        });
        format!("[{}]", texts.collect::<Vec<_>>().join(","))
    }

    /// Adds what stands beside the end of a call, as its signature.
    fn add_to_last_call(&mut self, members: Object) {
        let mut calls = self.0.iter_mut().rev().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) => None,
        });
        if let Some(call) = calls.next() {
            call.add_missing_members(members);
        }
    }

    /// The last call that a piece may continue.
    fn continued_call(&mut self, piece: &CallPiece) -> Option<&mut PartialCall> {
        let mut calls = self.0.iter_mut().rev().filter_map(|part| match part {
            Part::Call(call) if !call.is_whole => Some(call),
            _ => None,
        });
        calls.find(|call| call.can_take_piece(piece))
    }
}

impl PartialCall {
    fn new() -> Self {
        let arguments = Value::Object(Object::new());
        Self { part: Object::new(), call: Object::new(), arguments, is_whole: false }
    }

    /// True if a piece names neither another call nor another function, and does not begin one.
    fn can_take_piece(&self, piece: &CallPiece) -> bool {
        let is_same = |name: &str| Some(self.call.get(name)? == piece.call.get(name)?);
        let begins_again =
            is_same("id").is_none() && piece.is_beginning() && self.arguments != json!({});
        is_same("id") != Some(false) && is_same("name") != Some(false) && !begins_again
    }

    fn add_missing_members(&mut self, members: Object) {
        for (name, value) in members {
            self.part.entry(name).or_insert(value);
        }
    }

    fn add_piece(&mut self, piece: CallPiece) -> Result<(), ReplyFault> {
        let CallPiece { part, call, arguments, values, will_continue, .. } = piece;
        self.add_missing_members(part);
        for (name, value) in call {
            self.call.entry(name).or_insert(value);
        }
        let given = match arguments {
            Some(Value::String(text)) => Value::parse(&text).ok(),
            given => given,
        };
        if let (Some(Value::Object(given)), Value::Object(own)) = (given, &mut self.arguments) {
            own.extend(given);
        }
        for value in values {
            self.add_value(value)?;
        }
        self.is_whole = !will_continue;
        Ok(())
    }

    /// Takes a value, or the next piece of a text.
    fn add_value(&mut self, value: Value) -> Result<(), ReplyFault> {
        let Value::Object(mut value) = value else {
            return Err(unreadable_event("expected a piece of the arguments of a call"));
        };
        let path = take_either_name(&mut value, "jsonPath", "json_path").unwrap_or_default();
        let Some(piece) = piece_of_value(&mut value) else { return Ok(()) };
        let parsed_path = path.as_str().and_then(ArgumentPath::read);
        let Some(place) = parsed_path.and_then(|path| path.place_or_insert(&mut self.arguments))
        else {
            let fault = unreadable_event(format!("there is no argument at {path}"));
            // The model writes the path: another reply may be better.
            return Err(ReplyFault { error: Some(json!({"status": NO_GOOD})), ..fault });
        };
        match (place, piece) {
            (Value::String(own), Value::String(more)) => own.push_str(&more),
            (place, piece) => *place = piece,
        }
        Ok(())
    }

    fn into_text(mut self) -> String {
        self.call.insert("args", self.arguments);
        let mut whole = Object::from([("functionCall", Value::Object(self.call))]);
        whole.extend(self.part);
        Value::Object(whole).to_string()
    }
}

impl CallPiece {
    fn read(part: Value) -> Option<Self> {
        let Value::Object(mut part) = part else { return None };
        let Value::Object(mut call) = take_either_name(&mut part, "functionCall", "function_call")?
        else {
            return None;
        };
        let values = take_either_name(&mut call, "partialArgs", "partial_args");
        let will_continue = take_either_name(&mut call, "willContinue", "will_continue");
        let is_piece = values.is_some() || will_continue.is_some();
        let values = match values {
            Some(Value::Array(values)) => values,
            Some(value @ Value::Object(_)) => vec![value],
            _ => Vec::new(),
        };
        let will_continue = will_continue.and_then(|it| it.as_bool()).unwrap_or_default();
        let arguments = call.remove("args").filter(|arguments| !arguments.is_null());
        for members in [&mut part, &mut call] {
            members.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
        }
        Some(Self { part, call, arguments, values, will_continue, is_piece })
    }

    /// True for a piece that names a function whose arguments follow.
    fn is_beginning(&self) -> bool {
        self.call.contains_key("name")
            && self.arguments.is_none()
            && self.values.is_empty()
            && self.will_continue
    }

    /// True for a piece of which the call says only that nothing follows.
    fn is_end(&self) -> bool {
        self.call.is_empty()
            && self.arguments.is_none()
            && self.values.is_empty()
            && !self.will_continue
    }
}

/// The value that a `PartialArg` brings. That of `nullValue` is `null` itself in the JSON of Protocol Buffers.
fn piece_of_value(value: &mut Object) -> Option<Value> {
    let names = [
        ("stringValue", "string_value"),
        ("numberValue", "number_value"),
        ("boolValue", "bool_value"),
    ];
    let mut pieces = names.iter().filter_map(|(name, other)| take_either_name(value, name, other));
    let piece = pieces.find(|piece| !piece.is_null());
    piece.or_else(|| take_either_name(value, "nullValue", "null_value").map(|_| Value::Null))
}

/// Takes a member by its name in JSON, or by that of Protocol Buffers, which some proxies write.
fn take_either_name(members: &mut Object, name: &str, other: &str) -> Option<Value> {
    members.remove(name).or_else(|| members.remove(other))
}
