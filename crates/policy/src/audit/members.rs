//! The members of lines: who asked for which call, and how it ended. Values are digests unless the operator wants arguments
//! whole; no line holds a credential.

use std::time::SystemTime;

use callgate_executor::{
    Backend, Call, Decided, Ended, Ending, Extensions, OuterCall, fingerprint,
};
use callgate_secret::{MASK, Masker};
use callgate_tool::{
    Event, Outcome, Principal, Session, Value, escape_invisible_in_line, hexadecimal,
};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{AuditArguments, Audited, TurnEnd, TurnId};
use crate::{
    approval_record::{Approval, Permit},
    digest::{self, Digest},
    records::IdempotencyKey,
};

pub(super) fn call_start_members(
    call: &Call<'_>,
    backend: Option<&dyn Backend>,
    arguments: AuditArguments,
    name: &str,
) -> String {
    let mut members = Members::new("begun");
    members.add_text("call", name).add_text("id", shortened_name(call.id()));
    let outer = call.extensions().get::<OuterCall>().map(|OuterCall(extensions)| extensions);
    let parent = outer.and_then(Extensions::get).map(|Audited(parent)| &**parent);
    members.add_text_if_some("parent", parent);
    let turn = call.extensions().get().or_else(|| outer?.get::<TurnId>());
    members.add_text_if_some("turn", turn.map(ToString::to_string).as_deref());
    members.add_caller(call.principal(), call.session());
    members.add_text("tool", shortened_name(call.tool()));
    members.add_text("digest", &hexadecimal(&digest::arguments_digest(call.arguments())));
    if arguments == AuditArguments::Full {
        members.add_json("arguments", &masked_arguments(call, backend));
    }
    if let Some(decided) = call.decision() {
        members.add_text("decision", decided.decision.as_str());
        members.add_text("approval", shortened_name(&decided.approval));
        members.add_text_if_some("decided_by", decided.by.as_deref());
    }
    if let Some(IdempotencyKey(key)) = call.extensions().get() {
        members.add_text("key", &hexadecimal(&digest::key_digest(call.principal(), key)));
        members.add_text("fingerprint", &hexadecimal(fingerprint(call, backend).as_bytes()));
    }
    members.add_text_if_some("target", backend.and_then(Backend::target).as_deref());
    members.0
}

pub(super) fn decision_members(decided: &Decided, approval: &Approval) -> String {
    let mut members = Members::new("decided");
    members.add_text("approval", &approval.id).add_text("decision", decided.decision.as_str());
    members.add_text_if_some("decided_by", decided.by.as_deref());
    members.add_text_if_some("caller", approval.caller.as_deref());
    members.add_text("tool", &approval.tool);
    members.0
}

pub(super) fn call_end_members(call: &Call<'_>, ended: &Ended<'_>, name: &str) -> String {
    let mut members = Members::new("ended");
    members.add_text("call", name).add_text("outcome", ended.ending.as_str());
    if let Some(status) = outcome_status(ended) {
        members.add_json("status", &status.to_string());
    }
    members.add_text("reached", ended.reached.as_str());
    if let Some(n_attempts) = ended.journal.attempts() {
        members.add_json("attempts", &n_attempts.to_string());
    }
    members.add_json("elapsed_ms", &ended.elapsed.as_millis().to_string());
    members.add_database_events(ended.journal.events());
    if let Some(Permit { approval, by }) = call.extensions().get() {
        members.add_text("approval", approval);
        members.add_text_if_some("decided_by", by.as_deref());
    }
    members.0
}

pub(super) fn turn_end_members(turn: &TurnEnd<'_>) -> String {
    let mut members = Members::new("turn_ended");
    members.add_text("turn", &turn.id.to_string()).add_text("agent", turn.agent);
    members.add_caller(turn.principal, turn.session);
    members.add_text("end", turn.end);
    members
        .add_json("rounds", &turn.n_rounds.to_string())
        .add_json("calls", &turn.n_calls.to_string());
    members.add_json("input_tokens", &turn.input_tokens.to_string());
    members.add_json("output_tokens", &turn.output_tokens.to_string());
    if turn.is_estimated {
        members.add_json("estimated", "true");
    }
    members.add_json("elapsed_ms", &turn.elapsed.as_millis().to_string());
    members.0
}

/// The members of the line that starts a file, or continues one after a `torn` line.
pub(super) fn file_start_members(
    reason: &str,
    previous: &Digest,
    torn: &[u8],
    n_lost: usize,
) -> String {
    let mut members = Members::new("opened");
    members.add_text("reason", reason).add_text("previous", &hexadecimal(previous));
    if !torn.is_empty() {
        let code: Digest = Sha256::digest(torn).into();
        members
            .add_text("torn", &hexadecimal(&code))
            .add_json("torn_bytes", &torn.len().to_string());
    }
    if n_lost > 0 {
        members.add_json("lost", &n_lost.to_string());
    }
    members.0
}

struct Members(String);

impl Members {
    fn new(event: &str) -> Self {
        let now = OffsetDateTime::from(SystemTime::now());
        let now = now.replace_millisecond(now.millisecond()).unwrap_or(now);
        let mut members = Self(String::with_capacity(USUAL_LENGTH));
        members.0.push_str("\"time\":\"");
        members.0.push_str(&now.format(&Rfc3339).unwrap_or_default());
        members.0.push('"');
        members.add_text("event", event);
        members
    }

    fn add_text(&mut self, name: &str, text: &str) -> &mut Self {
        let is_plain = |byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
        if !text.bytes().all(is_plain) {
            return self.add_json(name, &json_string(text));
        }
        self.push_member_name(name);
        for part in ["\"", text, "\""] {
            self.0.push_str(part);
        }
        self
    }

    fn add_text_if_some(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.add_text(name, text);
        }
    }

    fn add_json(&mut self, name: &str, json: &str) -> &mut Self {
        self.push_member_name(name);
        // A line that is read on a terminal shows all of its characters, and remains the same JSON.
        self.0.push_str(&escape_invisible_in_line(json));
        self
    }

    /// Who called, and a digest of the session.
    fn add_caller(&mut self, principal: Option<&Principal>, session: &Session) {
        self.add_text_if_some("principal", principal.map(Principal::id));
        let session = session.id().map(|id| hexadecimal(&digest::session_digest(id)));
        self.add_text_if_some("session", session.as_deref());
    }

    /// The statements of a call of a database, by their texts and digests of their values, and the rows that it concerned.
    fn add_database_events(&mut self, events: &[Event]) {
        let statement = |event: &Event| match event {
            Event::StatementSent { text, values } => Some(format!(
                "{{\"text\":{},\"values\":{}}}",
                json_string(text),
                json_string(values)
            )),
            _ => None,
        };
        let statements: Vec<String> = events.iter().filter_map(statement).collect();
        if !statements.is_empty() {
            self.add_json("statements", &format!("[{}]", statements.join(",")));
        }
        for event in events {
            match event {
                Event::RowsCounted { count } => {
                    self.add_json("rows", &count.to_string());
                }
                Event::ModelAsked { input, output } => {
                    self.add_json("input_tokens", &input.to_string());
                    self.add_json("output_tokens", &output.to_string());
                }
                _ => {}
            }
        }
    }

    fn push_member_name(&mut self, name: &str) {
        for part in [",\"", name, "\":"] {
            self.0.push_str(part);
        }
    }
}

fn json_string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// The arguments without those that hold credentials, and without session values that credentials read.
pub fn masked_arguments(call: &Call<'_>, backend: Option<&dyn Backend>) -> String {
    let mut arguments = Value::Object(call.arguments().clone());
    let secret = backend.map(Backend::secret_arguments).unwrap_or_default();
    if !secret.is_empty() {
        mask_members(&mut arguments, secret);
    }
    let json = arguments.to_string();
    let secrets = backend.map(|backend| backend.secrets(call.session())).unwrap_or_default();
    let masked = Masker::new(secrets).mask_text(&json).into_owned();
    // Masking can turn a number into text that is no JSON.
    match serde_json::from_str::<&RawValue>(&masked) {
        Ok(_) => masked,
        Err(_) => json_string(&masked),
    }
}

/// Masks the members with these names at any depth.
fn mask_members(value: &mut Value, names: &[String]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mask_members(item, names)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if names.iter().any(|secret| is_same_folded_name(secret, name)) {
                    *member = MASK.into();
                } else {
                    mask_members(member, names);
                }
            }
        }
        _ => {}
    }
}

fn is_same_folded_name(one: &str, other: &str) -> bool {
    let folded = |name: &str| name.replace('-', "_").to_ascii_lowercase();
    folded(one) == folded(other)
}

fn outcome_status(ended: &Ended<'_>) -> Option<u16> {
    let outcome_status = match ended.ending {
        Ending::Outcome(Outcome::Answered(answer)) => answer.status,
        Ending::Outcome(Outcome::Failed(fault)) => fault.status,
        _ => None,
    };
    let attempted = || {
        ended.journal.events().iter().rev().find_map(|event| match event {
            Event::Attempt { status, .. } => *status,
            _ => None,
        })
    };
    outcome_status.or_else(attempted)
}

/// The beginning of a name that a caller made up, no longer than a real one.
fn shortened_name(name: &str) -> &str {
    name.get(..name.floor_char_boundary(MAX_NAME)).unwrap_or(name)
}

const MAX_NAME: usize = 128;
/// Longer than most lines, so that their text is not moved as it grows.
const USUAL_LENGTH: usize = 512;
