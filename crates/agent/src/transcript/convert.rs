//! A conversation in another dialect, for an agent whose model has changed: words, files, calls and their results. What only the
//! former provider reads (thoughts, signatures, its own searches) is left out, and counted.

use std::collections::BTreeSet;

use callgate_call::wording::turn as wording;
use callgate_dialect::{Dialect, ReadCall, ReadMessage};
use callgate_tool::{Json, StoredResult, Tool, ToolCall, Value};

use super::{
    CallState, Open, Transcript,
    open::answer_messages,
    repair::{MessageGroup, Repair, message_groups, read_group_calls},
};
use crate::{
    error::{self, Error},
    input::InputPart,
    wire::{Piece, Wire, can_take_file, message_pieces, user_message, wire},
};

impl Transcript {
    /// The conversation in another dialect, with its calls that wait. `declared` finds their tools.
    ///
    /// ```
    /// use callgate_agent::Transcript;
    /// use callgate_dialect::Dialect;
    /// use callgate_tool::json;
    ///
    /// let messages = vec![json!({"role": "user", "content": "Hello."})];
    /// let (transcript, _) = Transcript::from_messages(Dialect::OpenAi, messages)?;
    /// let (transcript, _) = transcript.into_dialect(Dialect::Gemini, |_| None)?;
    /// assert_eq!(transcript.messages_with_results()[0].value()["parts"][0]["text"], json!("Hello."));
    /// # Ok::<(), callgate_agent::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Dialect`](crate::ErrorKind::Dialect) for a dialect that no provider of models speaks.
    pub fn into_dialect<'t>(
        self,
        dialect: Dialect,
        declared: impl Fn(&str) -> Option<&'t Tool>,
    ) -> Result<(Self, Repair), Error> {
        let to = wire(dialect).ok_or_else(|| error::no_model_dialect(dialect.as_str()))?;
        if dialect == self.dialect() {
            return Ok((self, Repair::default()));
        }
        let mut converter = Converter {
            from: self.wire,
            to,
            done: Vec::new(),
            ids: BTreeSet::new(),
            n_left_out: 0,
        };
        let (brought, own) = self.messages.split_at(self.n_brought.min(self.messages.len()));
        converter.add_messages(brought);
        let n_brought = converter.done.len();
        converter.add_messages(own);
        let Converter { done: messages, n_left_out, .. } = converter;
        let mut converted = Self { wire: to, messages, open: None, n_brought };
        converted.open =
            self.open.and_then(|open| converted.converted_open_calls(open, self.wire, declared));
        let repair = Repair { n_left_out, former: Some(self.wire.dialect), ..Repair::default() };
        Ok((converted, repair))
    }

    /// The open calls of the last messages, each as it was.
    fn converted_open_calls<'t>(
        &self,
        former: Open,
        from: Wire,
        declared: impl Fn(&str) -> Option<&'t Tool>,
    ) -> Option<Open> {
        let group = self.messages.get(self.messages.len() - self.last_group_length()..)?;
        let mut open = Open::new(read_group_calls(self.wire, group, declared).ok()?);
        for (at, state) in former.states.into_iter().enumerate() {
            let Some((id, tool)) = open.read.calls().get(at).map(id_and_tool) else { continue };
            let state = match state {
                CallState::Written(piece) => {
                    let text = result_text(from, piece);
                    CallState::Written((self.wire.result_piece)(id, tool, &text))
                }
                state => state,
            };
            if open.is_held(at) || matches!(state, CallState::Ended(_) | CallState::Written(_)) {
                open.set_state(at, state);
            }
        }
        Some(open)
    }
}

/// The words of a result, as its dialect writes it.
fn result_text(wire: Wire, written: Value) -> String {
    let messages = answer_messages(wire, vec![written]);
    let pieces = messages.iter().flat_map(|message| message_pieces(wire, message.value()));
    let mut texts = pieces.filter_map(|piece| match piece {
        Piece::Result(_, text) => Some(text),
        Piece::Call | Piece::File(_) | Piece::Other | Piece::Text(_) => None,
    });
    texts.next().unwrap_or_default()
}

fn id_and_tool(read: &ReadCall) -> (&str, &str) {
    match &read.call {
        Ok(call) => (&call.id, &call.tool),
        Err(ended) => (&ended.id, &ended.tool),
    }
}

struct Converter {
    from: Wire,
    to: Wire,
    done: Vec<Json>,
    /// The ids of all calls: some providers take no id twice.
    ids: BTreeSet<String>,
    n_left_out: usize,
}

impl Converter {
    fn add_messages(&mut self, messages: &[Json]) {
        for MessageGroup { said, after, .. } in message_groups(self.from, 0, messages.to_vec()) {
            let calls = self.add_reply(&said);
            self.add_results_and_words(&after, &calls);
        }
    }

    /// Adds what a model said, and returns its calls with the ids that they have now.
    fn add_reply(&mut self, said: &[Json]) -> Vec<(String, ToolCall)> {
        let mut words = String::new();
        for piece in said.iter().flat_map(|message| message_pieces(self.from, message.value())) {
            match piece {
                Piece::Text(text) => words.push_str(&text),
                Piece::Call => {}
                Piece::File(_) | Piece::Other | Piece::Result(..) => self.n_left_out += 1,
            }
        }
        let read = read_group_calls(self.from, said, |_| None).ok().filter(|_| !said.is_empty());
        let mut calls: Vec<(String, ToolCall)> = Vec::new();
        for asked in read.iter().flat_map(ReadMessage::calls) {
            let (id, tool) = id_and_tool(asked);
            let arguments = asked.call.as_ref().map(|call| call.arguments.clone());
            // The result of a call whose arguments cannot be read says so.
            let call = ToolCall::new(id, tool, arguments.unwrap_or_default());
            calls.push((self.portable_call_id(&call.id), call));
        }
        let words = Some(&*words).filter(|words| !words.trim().is_empty());
        if words.is_some() || !calls.is_empty() {
            let written = calls.iter().enumerate();
            let written = written.map(|(at, (id, call))| (self.to.call)(id, call, at));
            let messages = self.to.model_messages(words, written.collect());
            if self.done.is_empty() && self.to.rules.parts.is_some() {
                self.done
                    .push(self.to.user_text_message(&wording::words_before_first_answer()).into());
            }
            self.done.extend(messages.into_iter().map(Json::from));
        }
        calls
    }

    /// The id of a call for all providers: its own, where that is plain, short and new.
    fn portable_call_id(&mut self, own: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        let is_plain = (1..=MOST_ID).contains(&own.len()) && own.chars().all(is_part);
        if is_plain && self.ids.insert(own.to_owned()) {
            return own.to_owned();
        }
        let mut id = format!("call_{}_{}", self.done.len(), self.ids.len());
        while !self.ids.insert(id.clone()) {
            id.push('_');
        }
        id
    }

    /// Adds messages of the user: the results of calls, and words with files.
    fn add_results_and_words(&mut self, messages: &[Json], calls: &[(String, ToolCall)]) {
        let (mut results, mut said) = (Vec::new(), Vec::new());
        for message in messages {
            let mut parts = Vec::new();
            for piece in message_pieces(self.from, message.value()) {
                match piece {
                    Piece::File(file) => parts.push(self.file_or_words(file)),
                    Piece::Text(text) => parts.push(InputPart::Text(text)),
                    Piece::Result(id, text) => results.push((id, text)),
                    Piece::Call | Piece::Other => self.n_left_out += 1,
                }
            }
            said.push(parts);
        }
        let written = calls.iter().filter_map(|(id, call)| {
            let position = |id: &str| results.iter().position(|(named, _)| named == id);
            // Gemini's results may have no id: they stand in the order of the calls.
            let at = position(&call.id).or_else(|| position(""))?;
            let (_, text) = results.remove(at);
            Some((self.to.result_piece)(id, &call.tool, &text))
        });
        let written = written.collect();
        self.done.extend(answer_messages(self.to, written));
        for parts in said {
            self.add_user_message(parts);
        }
    }

    /// A file, or words about one that the model cannot read.
    fn file_or_words(&mut self, file: StoredResult) -> InputPart {
        if can_take_file(self.to, &file) {
            return InputPart::File(file);
        }
        self.n_left_out += 1;
        InputPart::Text(wording::unreadable_file_words(&file.filename.unwrap_or(file.media_type)))
    }

    fn add_user_message(&mut self, mut parts: Vec<InputPart>) {
        let is_file = |part: &InputPart| matches!(part, InputPart::File(_));
        if !parts.is_empty() && parts.iter().all(is_file) {
            // A document has to have words beside it at Bedrock.
            parts.insert(0, InputPart::Text(wording::words_before_files()));
        }
        let n_before = self.done.len();
        let message = user_message(self.to, &parts, n_before).or_else(|_| {
            // More files than an input of a turn may have.
            let n_parts = parts.len();
            parts.retain(|part| !is_file(part));
            self.n_left_out += n_parts - parts.len();
            user_message(self.to, &parts, n_before)
        });
        self.done.extend(message.map(Json::from));
    }
}

/// Fewer characters than any provider takes in an id.
const MOST_ID: usize = 40;
