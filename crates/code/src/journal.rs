//! The journal of a program: its text, the calls that it asked for, and what they answered in which order. A program that waits for a person
//! is its journal and nothing else: it goes on when its text is run again and gets the recorded answers.

mod text;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::SystemTime,
};

use callgate_tool::{Object, Pending, Value};

use crate::{
    message::{Meaning, Name, Raised},
    outcome::{CallRecord, Ended},
};

/// The answer of a call: a value, or an exception.
pub(crate) type CallAnswer = Result<Value, Raised>;

/// The journal of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProgramJournal {
    pub(crate) code: String,
    /// The text of the call, if a model wrote the program for it.
    pub(crate) task: Option<String>,
    /// The number of calls that an earlier program for the task made.
    pub(crate) n_before: usize,
    /// The interpreter, with its version.
    pub(crate) engine: String,
    /// The identity of the program, from which the keys of its writes follow.
    pub(crate) identity: String,
    /// The name of the run that goes on with it: of two that do at once, no one takes the other's record for its own.
    pub(crate) run: String,
    /// The time of the first run, in seconds since 1970.
    pub(crate) started: u64,
    /// The meanings of names, as the first run saw them.
    pub(crate) names: BTreeMap<String, Meaning>,
    /// The tools that were called, each with the fingerprint of its declaration.
    pub(crate) tools: BTreeMap<String, String>,
    /// The tools that may have been reached, each with the fingerprint of what its calls read of the session.
    pub(crate) sessions: BTreeMap<String, String>,
    /// The names of the credentials that the session had then.
    pub(crate) credentials: BTreeSet<String>,
    pub(crate) calls: Vec<AskedCall>,
    pub(crate) events: Vec<Event>,
    /// The result of a program that has ended.
    pub(crate) result: Option<Value>,
    size: usize,
}

/// An event between a program and its calls, by the number of the call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Event {
    /// The code asked for the call.
    Asked(usize),
    /// The code got its answer.
    Delivered(usize),
}

/// A call that a program asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskedCall {
    pub(crate) name: Name,
    pub(crate) positional: Vec<Value>,
    pub(crate) named: Object,
    /// The tool; `None` for a call that reaches none.
    pub(crate) tool: Option<String>,
    /// True if the call may change something: then it is sent at most once.
    pub(crate) is_write: bool,
    pub(crate) state: CallState,
    pub(crate) approval: Option<CallApproval>,
    /// The facts that the caller has to know of the request.
    pub(crate) notes: Vec<String>,
}

/// A person's approval of a call of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallApproval {
    /// That of an earlier call of the tool covers it.
    Covered(String),
    /// It was given to this call, and covers so many further ones of its tool.
    Given { id: String, covers: usize },
}

/// The state of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallState {
    /// Nothing was sent, or only a read.
    Asked,
    /// A write is about to be sent, or was sent.
    Begun,
    /// It has ended; the answer is `None` where the journal is full and the code has it.
    Ended(Ended, Option<CallAnswer>),
    /// It waits for a person.
    Waiting(Box<Pending>),
}

impl ProgramJournal {
    pub(crate) fn new(code: &str, engine: &str, identity: String) -> Self {
        let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self {
            code: code.to_owned(),
            task: None,
            n_before: 0,
            engine: engine.to_owned(),
            identity,
            run: String::new(),
            started: started.unwrap_or_default().as_secs(),
            names: BTreeMap::new(),
            tools: BTreeMap::new(),
            sessions: BTreeMap::new(),
            credentials: BTreeSet::new(),
            calls: Vec::new(),
            events: Vec::new(),
            result: None,
            size: code.len(),
        }
    }

    /// The journal of a program that a model wrote for this text, after one that made so many calls.
    pub(crate) fn with_task(mut self, task: &str, n_before: usize) -> Self {
        self.size = self.size.saturating_add(task.len());
        (self.task, self.n_before) = (Some(task.to_owned()), n_before);
        self
    }

    /// True if nothing more is recorded: the program can no longer wait.
    pub(crate) fn is_full(&self) -> bool {
        self.size > MOST_BYTES
    }

    /// Notes the meaning of a name for further runs, while the journal has room.
    pub(crate) fn add_name(&mut self, name: String, meaning: Meaning) {
        let why = match &meaning {
            Meaning::Unknown(why) => why.len(),
            Meaning::Function | Meaning::Module => 0,
        };
        self.size = self.size.saturating_add(name.len()).saturating_add(why);
        if self.names.len() < MOST_NAMES && !self.is_full() {
            self.names.insert(name, meaning);
        }
    }

    /// Notes a call that the code asks for.
    pub(crate) fn add_call(&mut self, mut call: AskedCall) {
        self.size = self.size.saturating_add(call.name.dotted_name().len());
        self.size =
            self.size.saturating_add(call.positional.iter().map(estimated_value_size).sum());
        self.size =
            self.size.saturating_add(estimated_object_size(&call.named)).saturating_add(PER_CALL);
        if self.is_full() {
            (call.positional, call.named) = (Vec::new(), Object::new());
        }
        self.events.push(Event::Asked(self.calls.len()));
        self.calls.push(call);
    }

    /// Counts what a person is asked about a call that waits.
    pub(crate) fn count_request_size(&mut self, request: &Value) {
        self.size = self.size.saturating_add(estimated_value_size(request));
    }

    /// Notes the end of a call.
    pub(crate) fn end_call(&mut self, number: usize, ended: Ended, answer: CallAnswer) {
        self.size = self.size.saturating_add(estimated_answer_size(&answer));
        if let Some(call) = self.calls.get_mut(number) {
            call.state = CallState::Ended(ended, Some(answer));
        }
    }

    /// The answer of a call that has ended.
    pub(crate) fn answer(&mut self, number: usize) -> Option<CallAnswer> {
        let is_full = self.is_full();
        let CallState::Ended(_, answer) = &mut self.calls.get_mut(number)?.state else {
            return None;
        };
        // What is kept for no further run is not kept.
        if is_full { answer.take() } else { answer.clone() }
    }

    /// The calls that wait, with their numbers.
    pub(crate) fn waiting_calls(&self) -> impl Iterator<Item = (usize, &AskedCall, &Pending)> {
        let calls = self.calls.iter().enumerate();
        calls.filter_map(|(number, call)| match &call.state {
            CallState::Waiting(pending) => Some((number, call, &**pending)),
            CallState::Asked | CallState::Begun | CallState::Ended(..) => None,
        })
    }

    /// The calls as the result of the program lists them.
    pub(crate) fn records(&self) -> Vec<CallRecord> {
        let calls = self.calls.iter().filter_map(AskedCall::record);
        calls.collect()
    }

    /// The text of the call.
    pub(crate) fn task_or_code(&self) -> &str {
        self.task.as_deref().unwrap_or(&self.code)
    }

    /// The writes that were made, or may have been, as a sentence lists them.
    pub(crate) fn writes_text(&self) -> String {
        let writes: Vec<_> = self.possible_write_texts().collect();
        if writes.is_empty() { "none".to_owned() } else { writes.join(", ") }
    }

    /// The writes that were made, or may have been.
    pub(crate) fn possible_write_texts(&self) -> impl Iterator<Item = String> {
        let calls = self.calls.iter().enumerate().filter(|(_, call)| call.is_write);
        calls.filter_map(|(number, call)| {
            let tool = call.tool.as_deref()?;
            let is_sure = match &call.state {
                CallState::Ended(Ended::Answered, _) => true,
                CallState::Ended(ended, _) if ended.may_have_reached() => false,
                CallState::Begun => false,
                CallState::Asked | CallState::Ended(..) | CallState::Waiting(_) => return None,
            };
            let doubt = if is_sure { "" } else { ", maybe" };
            Some(format!("`{tool}` (call {}{doubt})", number.saturating_add(1)))
        })
    }

    /// The number of calls of a tool that reached it.
    pub(crate) fn n_calls_that_reached(&self, tool: &str) -> usize {
        let ran = |call: &&AskedCall| {
            call.tool.as_deref() == Some(tool)
                && matches!(&call.state, CallState::Ended(ended, _) if ended.may_have_reached())
        };
        self.calls.iter().filter(ran).count()
    }

    /// The approval that covers a further call of a tool, of those that were given to calls of the program. None covers more than `most`.
    pub(crate) fn covering_approval(&self, tool: &str, most: usize) -> Option<&str> {
        let of_tool = || {
            let calls = self.calls.iter().filter(|call| call.tool.as_deref() == Some(tool));
            calls.filter_map(|call| call.approval.as_ref())
        };
        of_tool().find_map(|approval| {
            let CallApproval::Given { id, covers } = approval else { return None };
            let is_use =
                |it: &&CallApproval| matches!(it, CallApproval::Covered(used) if used == id);
            (of_tool().filter(is_use).count() < most.min(*covers)).then_some(id.as_str())
        })
    }

    /// Lets no approval that was given so far cover a further call of the tool of this call.
    pub(crate) fn end_tool_approvals(&mut self, number: usize) {
        let tool = self.calls.get(number).and_then(|call| call.tool.clone());
        for call in self.calls.iter_mut().filter(|call| call.tool == tool) {
            if let Some(CallApproval::Given { covers, .. }) = &mut call.approval {
                *covers = 0;
            }
        }
    }

    /// Lets the approval of an earlier call no longer cover this one: it was not made, and is decided by itself when it is made again.
    pub(crate) fn remove_covering_approval(&mut self, number: usize) {
        if let Some(call) = self.calls.get_mut(number)
            && matches!(call.approval, Some(CallApproval::Covered(_)))
        {
            call.approval = None;
        }
    }

    /// The lines of the code that name the function of a call.
    pub(crate) fn lines_with_name(&self, name: &str) -> Vec<usize> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let names = |line: &str| line.split(|c: char| !is_part(c)).any(|word| word == name);
        let lines = (1..).zip(self.code.lines()).filter(|(_, line)| names(line));
        lines.map(|(number, _)| number).take(MOST_LINES).collect()
    }
}

impl CallState {
    /// True if the call may have reached its tool, under the session of its run.
    pub(crate) fn may_have_reached(&self) -> bool {
        match self {
            Self::Begun => true,
            Self::Ended(ended, _) => ended.may_have_reached(),
            Self::Asked | Self::Waiting(_) => false,
        }
    }
}

impl AskedCall {
    /// The call as the result of the program lists it; `None` for one that reaches no tool.
    fn record(&self) -> Option<CallRecord> {
        let tool = self.tool.clone()?;
        let ended = match &self.state {
            CallState::Ended(ended, _) => ended.clone(),
            CallState::Waiting(_) => Ended::Waits,
            CallState::Asked | CallState::Begun => Ended::Left,
        };
        Some(CallRecord { tool, ended, notes: self.notes.clone() })
    }
}

/// About the bytes of an answer.
pub(crate) fn estimated_answer_size(answer: &CallAnswer) -> usize {
    match answer {
        Ok(value) => estimated_value_size(value),
        Err(raised) => raised.text.len().saturating_add(estimated_value_size(&raised.fault)),
    }
}

/// About the bytes of a value as JSON, without writing it.
fn estimated_value_size(value: &Value) -> usize {
    match value {
        Value::Bool(_) | Value::Null => PER_VALUE,
        Value::Number(number) if number.is_i64() => PER_VALUE,
        Value::Number(number) => number.digits().len().saturating_add(PER_VALUE),
        Value::String(text) => text.len().saturating_add(PER_VALUE),
        Value::Array(items) => {
            items.iter().map(estimated_value_size).sum::<usize>().saturating_add(PER_VALUE)
        }
        Value::Object(members) => estimated_object_size(members),
    }
}

/// About the bytes of an object as JSON.
pub(crate) fn estimated_object_size(members: &Object) -> usize {
    let members =
        members.iter().map(|(name, value)| name.len().saturating_add(estimated_value_size(value)));
    members.sum::<usize>().saturating_add(PER_VALUE)
}

/// The bytes of calls and answers that a journal holds.
pub(crate) const MOST_BYTES: usize = 4 << 20;
const PER_VALUE: usize = 8;
const PER_CALL: usize = 64;
/// The names whose meanings are recorded.
const MOST_NAMES: usize = 2000;
/// The lines that a question names.
const MOST_LINES: usize = 8;

#[cfg(test)]
mod tests;
