//! Makes a transcript sendable in both directions: a call without a result gets one, and a result without a call is taken
//! out. What is right stays byte for byte.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
};

use callgate_call::wording::turn as wording;
use callgate_dialect::{Dialect, EnvelopeError, ReadMessage};
use callgate_tool::{Json, Object, Tool, ToolCall, ToolResult, Value};

use super::{
    CallState, Open, Transcript,
    open::{answer_messages, failed_result},
};
use crate::wire::{
    Author, IdChanges, Unreadable, Wire, amend_messages, joined_call_messages, stated_call_ids,
    well_formed_messages,
};

/// What was wrong with the messages of a transcript and is now right.
///
/// ```
/// use callgate_agent::Transcript;
/// use callgate_dialect::Dialect;
/// use callgate_tool::json;
///
/// let lone = json!({"role": "tool", "tool_call_id": "a", "content": "{}"});
/// let (transcript, repair) = Transcript::from_messages(Dialect::OpenAi, vec![lone])?;
/// assert!(transcript.messages_with_results().is_empty());
/// assert_eq!(repair.to_string(), "1 result without a call was taken out");
/// # Ok::<(), callgate_agent::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Repair {
    /// The calls that had no result and got one.
    pub n_answered: usize,
    /// The results that answered no call and were taken out.
    pub n_dropped: usize,
    /// The dialect of the model before, if that has changed since the last turn.
    pub former: Option<Dialect>,
    /// The parts that only the model before could read and that were left out.
    pub n_left_out: usize,
    /// The messages of a model that no provider takes back and that were taken out: thoughts alone, calls that cannot be read.
    pub n_removed: usize,
}

impl Repair {
    /// True if nothing was wrong.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (
                self.n_answered,
                "call without a result",
                "calls without a result",
                "got one that says so",
            ),
            (self.n_dropped, "result without a call", "results without a call", "taken out"),
            (
                self.n_removed,
                "message that cannot be sent again",
                "messages that cannot be sent again",
                "taken out",
            ),
        ];
        let former = self.former.map(|former| match self.n_left_out {
            0 => format!("the conversation was one of `{former}`"),
            1 => format!("the conversation was one of `{former}`, and a part that only its model reads was left out"),
            n => format!("the conversation was one of `{former}`, and {n} parts that only its model reads were left out"),
        });
        let said = parts.iter().filter(|(n, ..)| *n > 0).map(|(n, one, many, done)| {
            let what = if *n == 1 { one } else { many };
            let verb = match (*done == "taken out", *n) {
                (false, _) => "",
                (true, 1) => "was ",
                (true, _) => "were ",
            };
            format!("{n} {what} {verb}{done}")
        });
        f.write_str(&former.into_iter().chain(said).collect::<Vec<_>>().join("; "))
    }
}

/// A call with its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PastCall<'r> {
    /// The position of the first message of its group, and its place among the calls of the group.
    pub(crate) at: (usize, usize),
    pub(crate) tool: &'r str,
    pub(crate) result: &'r Value,
}

pub(crate) type MayRead<'r> = dyn Fn(&PastCall<'_>) -> bool + 'r;

impl Transcript {
    /// Repairs the messages, and reports what was done.
    pub(super) fn repair(&mut self) -> Repair {
        let mut repairer = Repairer::new(self.wire, &|_| true);
        repairer.add_repaired_messages(std::mem::take(&mut self.messages));
        self.messages = repairer.done;
        repairer.repair
    }
}

/// Messages of a model that belong together, and the messages of the user that follow.
pub(super) struct MessageGroup {
    /// The position of the first one.
    at: usize,
    pub(super) said: Vec<Json>,
    pub(super) after: Vec<Json>,
}

/// The groups of messages whose first one has the position `first`.
pub(super) fn message_groups(wire: Wire, first: usize, messages: Vec<Json>) -> Vec<MessageGroup> {
    let mut groups = Vec::new();
    let mut last = MessageGroup { at: first, said: Vec::new(), after: Vec::new() };
    let messages = (first..).zip(messages).flat_map(|(at, message)| {
        well_formed_messages(wire, message).into_iter().map(move |formed| (at, formed))
    });
    for (at, message) in messages {
        let is_model = wire.author(message.value()) == Some(Author::Model);
        let before = last.said.last_mut().filter(|_| is_model && last.after.is_empty());
        if let Some(before) = before
            && let Some(joined) = joined_call_messages(wire, before, &message)
        {
            *before = joined;
            continue;
        }
        // Items belong together; other messages of a model stand alone.
        let begins_next = is_model
            && (!last.after.is_empty() || (!last.said.is_empty() && !wire.has_item_replies()));
        if begins_next {
            let next = MessageGroup { at, said: Vec::new(), after: Vec::new() };
            groups.push(std::mem::replace(&mut last, next));
        }
        if is_model { &mut last.said } else { &mut last.after }.push(message);
    }
    groups.push(last);
    groups
}

/// The calls of a model's messages that belong together.
pub(crate) fn read_group_calls<'t>(
    wire: Wire,
    group: &[Json],
    declared: impl Fn(&str) -> Option<&'t Tool>,
) -> Result<ReadMessage, EnvelopeError> {
    let message = if wire.has_item_replies() {
        let items = group.iter().map(|item| item.value().clone()).collect();
        Object::from([("output", Value::Array(items))]).into()
    } else {
        group.last().map(|message| message.value().clone()).unwrap_or_default()
    };
    wire.dialect.read(message, declared)
}

pub(super) struct Repairer<'r> {
    wire: Wire,
    repair: Repair,
    pub(super) done: Vec<Json>,
    /// The position of the model's messages that are read.
    pub(super) at: usize,
    may_read: &'r MayRead<'r>,
    /// The results that became faults because they may not be read.
    pub(super) n_hidden: usize,
}

impl<'r> Repairer<'r> {
    pub(super) fn new(wire: Wire, may_read: &'r MayRead<'r>) -> Self {
        Self { wire, repair: Repair::default(), done: Vec::new(), at: 0, may_read, n_hidden: 0 }
    }

    pub(super) fn add_repaired_messages(&mut self, messages: Vec<Json>) {
        for MessageGroup { at, said, after } in message_groups(self.wire, self.at, messages) {
            self.at = at;
            self.add_repaired_group(said, after);
        }
    }

    /// Adds messages of a model that belong together, and the messages of the user that follow.
    fn add_repaired_group(&mut self, mut group: Vec<Json>, after: Vec<Json>) {
        let n_given = group.len();
        let stated = group_call_ids(self.wire, &group);
        // The ids that the answers of callgate's dialects name where a call has none.
        group =
            amend_messages(self.wire, group, Unreadable::Replace, |at| format!("call_{}", at + 1));
        let mut changes = IdChanges::default();
        changes.add(stated, group_call_ids(self.wire, &group));
        let after = after
            .into_iter()
            .map(|message| changes.with_new_result_ids(self.wire, message))
            .collect();
        while group.last().is_some_and(|last| (self.wire.is_empty)(last.value())) {
            group.pop();
        }
        let read = if group.is_empty() {
            None
        } else {
            read_group_calls(self.wire, &group, |_| None).ok()
        };
        if read.is_none() {
            group.clear();
        }
        self.repair.n_removed += n_given - group.len();
        let has_parts = self.wire.rules.parts.is_some();
        if has_parts && self.at == 0 && self.done.is_empty() && !group.is_empty() {
            // A conversation begins with its user.
            self.done
                .push(self.wire.user_text_message(&wording::words_before_first_answer()).into());
        }
        self.done.extend(group);
        match read.filter(|read| !read.calls().is_empty()) {
            Some(read) => self.add_repaired_results(read, after),
            None => self.drop_results(after),
        }
    }

    fn add_repaired_results(&mut self, read: ReadMessage, after: Vec<Json>) {
        let mut pieces: Vec<Option<Value>> = after
            .iter()
            .flat_map(|message| message_results(self.wire, message.value()))
            .map(Some)
            .collect();
        let n_given = pieces.len();
        let mut open = Open::new(read);
        let answers = placeholder_answers(self.wire, &open);
        let positions = result_positions(self.wire, &answers, &pieces);
        let (mut n_found, n_hidden) = (0, self.n_hidden);
        for (at, position) in positions.iter().enumerate() {
            let piece = position.and_then(|position| pieces.get_mut(position));
            match piece.and_then(Option::take) {
                Some(piece) => {
                    n_found += 1;
                    let state = self.result_or_hidden_state(at, open.valid_call(at), piece);
                    open.set_state(at, state);
                }
                None if open.is_held(at) => open.set_state(at, CallState::Begun),
                // A call that cannot be read has its answer already.
                None => {}
            }
        }
        let is_readable = self.n_hidden == n_hidden;
        // Where results need no ids, their order tells of which calls they are.
        let is_in_order = self.wire.id_member.is_some() || positions.is_sorted();
        let is_whole = n_found == positions.len() && n_given == n_found && is_in_order;
        if is_readable && is_whole && self.has_results_in_place(&after, n_found) {
            self.done.extend(after);
            return;
        }
        self.repair.n_answered += positions.len() - n_found;
        self.repair.n_dropped += n_given - n_found;
        self.done.extend(open.into_answer_messages(self.wire));
        self.add_with_results_removed(after);
    }

    /// The state of a call with a result in the words of the dialect.
    fn result_or_hidden_state(
        &mut self,
        place: usize,
        call: Option<&ToolCall>,
        result: Value,
    ) -> CallState {
        let hidden = call.filter(|call| {
            let past = PastCall { at: (self.at, place), tool: &call.tool, result: &result };
            !(self.may_read)(&past)
        });
        let Some(call) = hidden else { return CallState::Written(result) };
        self.n_hidden += 1;
        CallState::Ended(hidden_result(call))
    }

    /// True if the results stand where providers want them: at once after the calls.
    fn has_results_in_place(&self, after: &[Json], n_results: usize) -> bool {
        let of = |message: Option<&Json>| {
            message.map_or(0, |it| message_results(self.wire, it.value()).len())
        };
        if self.wire.rules.parts.is_some() {
            let first = after
                .first()
                .map(Json::value)
                .and_then(|it| it.get(self.wire.rules.parts?)?.as_array());
            let n_first = first.map_or(0, |parts| {
                parts.iter().take_while(|part| (self.wire.answers)(part).is_some()).count()
            });
            return n_first == n_results;
        }
        after.iter().take(n_results).all(|message| of(Some(message)) == 1)
    }

    fn drop_results(&mut self, after: Vec<Json>) {
        let n_results: usize =
            after.iter().map(|it| message_results(self.wire, it.value()).len()).sum();
        if n_results == 0 {
            self.done.extend(after);
            return;
        }
        self.repair.n_dropped += n_results;
        self.add_with_results_removed(after);
    }

    /// Adds messages of the user without the results in them.
    fn add_with_results_removed(&mut self, after: Vec<Json>) {
        for message in after {
            let n_results = message_results(self.wire, message.value()).len();
            if n_results == 0 {
                self.done.push(message);
                continue;
            }
            let Some(member) = self.wire.rules.parts else { continue };
            let parts = message.value().get(member).and_then(Value::as_array).into_iter().flatten();
            let rest: Vec<_> =
                parts.filter(|part| (self.wire.answers)(part).is_none()).cloned().collect();
            self.done.extend(answer_messages(self.wire, rest));
        }
    }
}

fn group_call_ids(wire: Wire, group: &[Json]) -> Vec<String> {
    group.iter().flat_map(|message| stated_call_ids(wire, message.value())).collect()
}

/// The result of a call whose tool its caller may not use any more.
pub(super) fn hidden_result(call: &ToolCall) -> Box<ToolResult> {
    failed_result(call, wording::not_readable(&call.tool))
}

fn message_results(wire: Wire, message: &Value) -> Vec<Value> {
    let is_result = |part: &&Value| (wire.answers)(part).is_some();
    match wire.rules.parts {
        None => Some(message).filter(is_result).cloned().into_iter().collect(),
        Some(member) => {
            let parts = message.get(member).and_then(Value::as_array).into_iter().flatten();
            parts.filter(is_result).cloned().collect()
        }
    }
}

/// The answers that callgate would write to calls: they carry the ids as their message has them. Gemini's calls may have none.
fn placeholder_answers(wire: Wire, open: &Open) -> Vec<Value> {
    let mut ended = open.clone();
    for at in 0..ended.states.len() {
        if ended.is_held(at) {
            ended.set_state(at, CallState::Begun);
        }
    }
    ended.answers_or_placeholders(wire)
}

/// The positions of the results of calls: first of those that name the function too, where results do, and then by their ids.
fn result_positions(
    wire: Wire,
    answers: &[Value],
    results: &[Option<Value>],
) -> Vec<Option<usize>> {
    let id = |piece: &Value| (wire.answers)(piece).unwrap_or_default();
    let name = |piece: &Value| piece.pointer(FUNCTION_NAME).map(Value::to_string);
    let mut positions = vec![None; answers.len()];
    let mut taken = BTreeSet::new();
    for needs_name in [true, false] {
        let key = |piece: &Value| (id(piece), name(piece).filter(|_| needs_name));
        let mut free: BTreeMap<_, VecDeque<usize>> = BTreeMap::new();
        for (at, result) in results.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
            let Some(result) = result else { continue };
            free.entry(key(result)).or_default().push_back(at);
        }
        for (position, answer) in positions.iter_mut().zip(answers) {
            *position = position.or_else(|| free.get_mut(&key(answer))?.pop_front());
            taken.extend(*position);
        }
    }
    positions
}

/// The JSON pointer of the name of the function in a result of Gemini.
const FUNCTION_NAME: &str = "/functionResponse/name";
