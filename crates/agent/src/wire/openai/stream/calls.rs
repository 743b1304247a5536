//! The calls of a streamed message, from their pieces. OpenAI numbers calls, and names them in their first piece. Servers that
//! resemble it number all calls alike (Ollama), number pieces (Cerebras) or nothing (Gemini), repeat ids and names in each piece
//! (vLLM, NVIDIA), write empty ones (`DashScope`), or send whole calls, with arguments that are objects. This module alone decides
//! which call a piece belongs to.

use callgate_tool::{Number, Object, Value};

use super::{append_member, is_null_or_empty, names::DeclaredNames, object_end::ObjectEnd};
use crate::wire::amend::object_of_text;

/// The calls in the order in which they begin.
#[derive(Debug, Default)]
pub(super) struct Calls {
    names: DeclaredNames,
    begun: Vec<Call>,
    n_events: usize,
}

#[derive(Debug, Default)]
struct Call {
    /// The members beside the function.
    members: Object,
    function: Object,
    /// The pieces of its name, or its name as often as it came.
    name_pieces: Vec<String>,
    index: Option<u64>,
    /// The number of the event that named the function.
    named_in: usize,
    arguments_end: ObjectEnd,
}

/// A piece of a call. An empty id, name or kind says nothing.
#[derive(Debug)]
struct Piece {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
    /// Further members, with the kind among them.
    members: Object,
    /// Further members of the function.
    function: Object,
}

impl Calls {
    /// The calls of a reply to a request that declares these names.
    pub(super) fn new(names: DeclaredNames) -> Self {
        Self { names, ..Self::default() }
    }

    /// Adds the pieces of one event.
    pub(super) fn add_pieces(&mut self, pieces: Vec<Value>) {
        self.n_events = self.n_events.saturating_add(1);
        for piece in pieces.into_iter().filter_map(Piece::read) {
            let at = self.position_of_continued(&piece).unwrap_or(self.begun.len());
            if at == self.begun.len() && at < MOST_CALLS {
                self.begun.push(Call::default());
            }
            if let Some(call) = self.begun.get_mut(at) {
                let n_named = call.name_pieces.len();
                call.add_piece(piece, self.n_events);
                call.take_declared_name(&self.names, n_named);
            }
        }
    }

    /// The calls as they stand in a message that does not come as a stream.
    pub(super) fn into_values(self) -> Vec<Value> {
        self.begun.into_iter().map(Call::into_value).collect()
    }

    /// The position of the call that a piece continues; `None` if it begins another one.
    fn position_of_continued(&self, piece: &Piece) -> Option<usize> {
        let last = |is_its: &dyn Fn(&Call) -> bool| self.begun.iter().rposition(is_its);
        let has_its_id = |call: &Call| {
            let is_numbered_otherwise =
                piece.index.zip(call.index).is_some_and(|(piece, call)| piece != call);
            let is_over = call.arguments_end.is_whole() && piece.name.is_some();
            call.has_id_of(piece) && !(is_numbered_otherwise && is_over)
        };
        let has_its_index = |call: &Call| call.index == piece.index;
        let at = match (last(&has_its_id), piece.index) {
            (Some(at), _) => at,
            (None, Some(_)) => match last(&has_its_index) {
                Some(at) => at,
                // A number that counts pieces: what names nothing begins nothing.
                None if piece.id.is_none() && piece.name.is_none() => {
                    last(&|call: &Call| !call.arguments_end.is_whole())?
                }
                None => return None,
            },
            (None, None) => self.begun.len().checked_sub(1)?,
        };
        let call = self.begun.get(at)?;
        let name = piece.name.as_ref().filter(|_| call.may_be_named_further());
        if name.is_some_and(|name| self.names.is_continued_by(&call.name_pieces, name)) {
            return Some(at);
        }
        let is_other = |name: &String| self.names.is_another_name(&call.name_pieces, name);
        if call.has_whole_arguments(piece) && piece.name.as_ref().is_some_and(is_other) {
            return None;
        }
        (!call.is_ended_by(piece, self.n_events)).then_some(at)
    }
}

impl Call {
    fn id(&self) -> Option<&str> {
        self.members.get("id").and_then(Value::as_str)
    }

    fn name(&self) -> Option<&str> {
        self.function.get("name").and_then(Value::as_str)
    }

    fn arguments(&self) -> &str {
        self.function.get("arguments").and_then(Value::as_str).unwrap_or_default()
    }

    /// True if no arguments have come, for which some servers begin with `{}`, and the name may go on.
    fn may_be_named_further(&self) -> bool {
        matches!(self.arguments().trim(), "" | "{}") && self.name_pieces.len() < LONGEST_NAME
    }

    fn into_value(mut self) -> Value {
        if let Some(Value::String(arguments)) = self.function.get_mut("arguments") {
            let n_bytes = ObjectEnd::bytes_of_first_object(arguments);
            // Some servers leave the model's own mark of the end behind the arguments.
            let rest = arguments.get(n_bytes..).unwrap_or_default().trim_start();
            if rest.starts_with("</") || rest.starts_with("<|") {
                arguments.truncate(n_bytes);
            }
        }
        self.members.insert_unless_empty("function", self.function);
        self.members.into()
    }

    fn has_id_of(&self, piece: &Piece) -> bool {
        piece.id.is_some() && piece.id.as_deref() == self.id()
    }

    /// True if the arguments are whole. For a piece with the id of the call, `{}` may stand for those that come later.
    fn has_whole_arguments(&self, piece: &Piece) -> bool {
        self.arguments_end.is_whole() && !(self.has_id_of(piece) && self.arguments().trim() == "{}")
    }

    /// True for arguments that are those that came, maybe written or quoted otherwise.
    fn has_same_arguments(&self, piece: &str) -> bool {
        let own = self.arguments();
        // Small pieces cannot be the whole again, so that a long one is not read for each of them.
        let is_long = piece.len().saturating_mul(LONGER_WRITTEN) >= own.len();
        own == piece
            || (is_long
                && self.arguments_end.is_whole()
                && object_of_text(piece).is_some_and(|it| object_of_text(own) == Some(it)))
    }

    /// True if a piece with the id or the number of this call, or with neither, begins another call.
    fn is_ended_by(&self, piece: &Piece, event: usize) -> bool {
        let is_whole = self.arguments_end.is_whole();
        let arguments = piece.arguments.as_deref().unwrap_or_default();
        let brings_arguments = !is_blank(arguments) && !self.has_same_arguments(arguments);
        if self.has_id_of(piece) {
            return is_whole && brings_arguments && piece.name.is_some();
        }
        let has_other_id = piece.id.is_some() && self.id().is_some();
        let (Some(name), Some(own)) = (piece.name.as_deref(), self.name()) else {
            let begins = piece.name.is_some() || (is_whole && !is_blank(arguments));
            return has_other_id && begins;
        };
        if has_other_id || (self.named_in == event && name != own) {
            return true;
        }
        if is_whole {
            // A name that is repeated comes with the number of its call, and maybe with marks of the model behind it.
            return brings_arguments || !name.starts_with(own) || piece.index.is_none();
        }
        // A piece that only goes on with a name has no kind.
        is_blank(self.arguments()) && name != own && piece.members.contains_key("type")
    }

    fn add_piece(&mut self, piece: Piece, event: usize) {
        let Piece { index, id, name, arguments, members, function } = piece;
        self.index = self.index.or(index);
        if let Some(id) = id {
            self.members.entry("id").or_insert(id.into());
        }
        let is_of_kind = members.contains_key("type");
        for (name, value) in members {
            self.members.insert(name, value);
        }
        if let Some(name) = name {
            self.add_name(name, is_of_kind, event);
        }
        if let Some(arguments) = arguments {
            self.add_arguments(&arguments);
        }
        for (name, value) in function {
            append_member(&mut self.function, name, value);
        }
    }

    /// Takes the declared name that the pieces so far make, if they make one.
    fn take_declared_name(&mut self, names: &DeclaredNames, n_read: usize) {
        let is_longer = self.name_pieces.len() > n_read;
        if let Some(name) = names.name_from_pieces(&self.name_pieces).filter(|_| is_longer) {
            self.function.insert("name", name.into());
        }
    }

    /// Takes a name, or the rest of it. Of a name that no tool has, what is repeated, or comes after the arguments have begun,
    /// says nothing.
    fn add_name(&mut self, name: String, is_of_kind: bool, event: usize) {
        if name.len() <= LONGEST_NAME && self.name_pieces.len() < LONGEST_NAME {
            self.name_pieces.push(name.clone());
        }
        let may_go_on = !is_of_kind && is_blank(self.arguments());
        match self.function.get_mut("name") {
            Some(Value::String(own)) if may_go_on && !name.starts_with(&*own) => {
                own.push_str(&name);
            }
            Some(_) => {}
            None => {
                self.named_in = event;
                self.function.insert("name", name.into());
            }
        }
    }

    /// Takes a piece of the arguments. Some servers begin with `{}` for those that have not come, repeat
    /// the whole at the end (`LiteLLM` quotes it), or what has come in each piece.
    fn add_arguments(&mut self, piece: &str) {
        let is_repeated = is_blank(piece) || self.has_same_arguments(piece);
        if self.arguments_end.is_whole() && is_repeated {
            return;
        }
        let own = self.function.entry("arguments").or_insert("".into());
        // No JSON goes on with what an object has been so far: then the piece is all of it.
        let is_again = |own: &str| own.starts_with('{') && piece.starts_with(own);
        if own.as_str().is_none_or(|own| own.trim() == "{}" || is_again(own)) {
            *own = "".into();
            self.arguments_end = ObjectEnd::default();
        }
        if let Value::String(own) = own {
            own.push_str(piece);
        }
        self.arguments_end.push(piece);
    }
}

impl Piece {
    fn read(piece: Value) -> Option<Self> {
        let Value::Object(mut members) = piece else { return None };
        members.retain(|name, value| name == "function" || !is_null_or_empty(value));
        let index = members.remove("index").as_ref().and_then(call_number);
        let id = members.remove("id").and_then(id_or_name_text);
        let mut function = match members.remove("function") {
            Some(Value::Object(function)) => function,
            _ => Object::new(),
        };
        function.retain(|name, value| name == "arguments" || !is_null_or_empty(value));
        let name = function.remove("name").and_then(id_or_name_text);
        let arguments = match function.remove("arguments") {
            None | Some(Value::Null) => None,
            Some(Value::String(arguments)) => Some(arguments),
            Some(whole) => Some(whole.to_string()),
        };
        Some(Self { index, id, name, arguments, members, function })
    }
}

/// The number of a call: some servers write it as a fraction or a text.
fn call_number(index: &Value) -> Option<u64> {
    let number = index.as_number().cloned().or_else(|| Number::from_digits(index.as_str()?))?;
    number.as_u64().or_else(|| number.digits().strip_suffix(".0")?.parse().ok())
}

/// An id or a name: a text, or a number.
fn id_or_name_text(value: Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// More calls of one message than these are not made anyway.
const MOST_CALLS: usize = 1024;
/// Arguments are written at most so many times as long as in their shortest form.
const LONGER_WRITTEN: usize = 4;
/// More bytes than the name of a function has, and so more pieces.
const LONGEST_NAME: usize = 256;
