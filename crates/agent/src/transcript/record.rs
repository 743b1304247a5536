//! A transcript as a store or a file keeps it. Messages are kept as the texts that they are.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use callgate_dialect::Dialect;
use callgate_tool::{Approvers, Json, Pending, PendingKind, Tool, Value};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    CallState, Open, Transcript, Waiting,
    repair::{Repair, read_group_calls},
};
use crate::{
    error::{self, Error},
    wire::{Author, Wire},
};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TranscriptForm {
    dialect: String,
    messages: Vec<Box<RawValue>>,
    /// The first messages, if the caller brought them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    brought: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Vec<StateForm>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StateForm {
    state: StateName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<PendingForm>,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum StateName {
    Begun,
    Held,
    WaitsForAnswer,
    WaitsForResult,
    Written,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PendingForm {
    kind: String,
    id: String,
    expires: Option<u64>,
    request: Box<RawValue>,
    approvers: String,
}

impl Transcript {
    /// The transcript as text, for a file. [`Transcript::from_text`] reads it again.
    pub fn to_text(&self) -> String {
        serde_json::to_string(&self.to_form()).unwrap_or_default()
    }

    /// Reads what [`Transcript::to_text`] wrote. `declared` finds the tools of its open calls.
    ///
    /// # Errors
    /// [`ErrorKind::Transcript`](crate::ErrorKind::Transcript) for another text.
    pub fn from_text<'t>(
        text: &str,
        declared: impl Fn(&str) -> Option<&'t Tool>,
    ) -> Result<(Self, Repair), Error> {
        let form: TranscriptForm =
            serde_json::from_str(text).map_err(error::unreadable_transcript)?;
        Self::from_form(form, declared)
    }

    pub(crate) fn to_form(&self) -> TranscriptForm {
        let messages = self.messages.iter().map(|message| raw_json(message.text())).collect();
        let open = self.open.as_ref().map(|open| state_forms(open, self.wire));
        let (dialect, brought) = (self.dialect().as_str().to_owned(), self.n_brought);
        TranscriptForm { dialect, messages, brought: (brought > 0).then_some(brought), open }
    }

    pub(crate) fn from_form<'t>(
        form: TranscriptForm,
        declared: impl Fn(&str) -> Option<&'t Tool>,
    ) -> Result<(Self, Repair), Error> {
        let dialect = form.dialect.parse::<Dialect>().map_err(error::unreadable_transcript)?;
        let mut transcript = Self::new(dialect)?;
        transcript.n_brought = form.brought.unwrap_or_default();
        let messages = form.messages.iter().map(|message| Json::parse(message.get()));
        transcript.messages =
            messages.collect::<Result<_, _>>().map_err(error::unreadable_transcript)?;
        let Some(states) = form.open else {
            let repair = transcript.repair();
            return Ok((transcript, repair));
        };
        let group = transcript.take_open_group();
        let mut repair = transcript.repair();
        let Ok(read) = read_group_calls(transcript.wire, &group, declared) else {
            transcript.messages.extend(group);
            let more = transcript.repair();
            repair.n_answered += more.n_answered;
            repair.n_removed += more.n_removed;
            return Ok((transcript, repair));
        };
        let mut open = Open::new(read);
        let is_whole = states.len() == open.states.len();
        for (at, state) in states.into_iter().enumerate() {
            let state = if is_whole { state_from_form(state)? } else { CallState::Begun };
            if open.is_held(at) || matches!(state, CallState::Written(_)) {
                open.set_state(at, state);
            }
        }
        transcript.messages.extend(group);
        transcript.open = Some(open);
        Ok((transcript, repair))
    }

    /// Takes the model's last messages out, whose calls are open.
    fn take_open_group(&mut self) -> Vec<Json> {
        self.messages.split_off(self.messages.len() - self.last_group_length())
    }

    /// The number of the model's last messages that belong together.
    pub(super) fn last_group_length(&self) -> usize {
        let is_model = |message: &Json| self.wire.author(message.value()) == Some(Author::Model);
        let n_model = self.messages.iter().rev().take_while(|message| is_model(message)).count();
        if self.wire.has_item_replies() { n_model } else { n_model.min(1) }
    }
}

fn state_forms(open: &Open, wire: Wire) -> Vec<StateForm> {
    let pieces = open.answer_pieces(wire);
    let form = |(state, piece): (&CallState, Option<Value>)| {
        let (mut answer, mut pending) = (None, None);
        let state = match (state, piece) {
            (_, Some(piece)) => {
                answer = Some(raw_json(&piece.to_string()));
                StateName::Written
            }
            (CallState::Held, _) => StateName::Held,
            (CallState::Waits(Waiting::Result), _) => StateName::WaitsForResult,
            (CallState::Waits(Waiting::Pending(waiting)), _) => {
                pending = Some(pending_form(waiting));
                StateName::WaitsForAnswer
            }
            _ => StateName::Begun,
        };
        StateForm { state, answer, pending }
    };
    open.states.iter().zip(pieces).map(form).collect()
}

fn pending_form(pending: &Pending) -> PendingForm {
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    PendingForm {
        kind: pending.kind.as_str().to_owned(),
        id: pending.id.clone(),
        expires: pending.expires.map(|time| u64::try_from(since(time)).unwrap_or(u64::MAX)),
        request: raw_json(&pending.request.to_string()),
        approvers: pending.approvers.as_str().to_owned(),
    }
}

fn state_from_form(form: StateForm) -> Result<CallState, Error> {
    let value = |raw: &RawValue| Value::parse(raw.get()).map_err(error::unreadable_transcript);
    let lacking = |what: &str| error::unreadable_transcript(format!("a call lacks its {what}"));
    Ok(match form.state {
        StateName::Begun => CallState::Begun,
        StateName::Held => CallState::Held,
        StateName::WaitsForResult => CallState::Waits(Waiting::Result),
        StateName::Written => {
            CallState::Written(value(&form.answer.ok_or_else(|| lacking("answer"))?)?)
        }
        StateName::WaitsForAnswer => {
            let pending = form.pending.ok_or_else(|| lacking("`pending`"))?;
            let PendingForm { kind, id, expires, request, approvers } = pending;
            let kind = PendingKind::from_name(&kind);
            let kind =
                kind.ok_or_else(|| error::unreadable_transcript("a call waits for nobody"))?;
            let mut read = Pending::new(kind, id, value(&request)?);
            read.expires = expires.and_then(|at| UNIX_EPOCH.checked_add(Duration::from_millis(at)));
            read.approvers = Approvers::from_name(&approvers).unwrap_or_default();
            CallState::Waits(Waiting::Pending(Box::new(read)))
        }
    })
}

/// Every text here is one of JSON: a message that was read, or a value that was written.
fn raw_json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap_or_default()
}
