//! The journal as a text, in which it waits.

use std::collections::BTreeMap;

use callgate_tool::{Object, Outcome, Value, json};

use super::{AskedCall, CallApproval, CallState, Event, ProgramJournal};
use crate::{
    message::{Name, Order, write_answer},
    outcome::Ended,
};

impl ProgramJournal {
    /// The journal as a text.
    pub(crate) fn to_text(&self) -> String {
        let names = self
            .names
            .iter()
            .map(|(name, meaning)| (name.clone(), Order::Named(meaning.clone()).to_value()));
        let events = self.events.iter().map(|event| match event {
            Event::Asked(number) => json!(["asked", *number]),
            Event::Delivered(number) => json!(["delivered", *number]),
        });
        let credentials = self.credentials.iter().map(|name| Value::from(name.as_str()));
        let members = json!({
            "form": FORM, "code": self.code.as_str(), "task": self.task.clone(), "before": self.n_before, "engine": self.engine.as_str(),
            "identity": self.identity.as_str(), "run": self.run.as_str(), "started": self.started,
            "names": Value::Object(names.collect()), "tools": fingerprints_to_value(&self.tools), "sessions": fingerprints_to_value(&self.sessions),
            "credentials": Value::Array(credentials.collect()),
            "events": Value::Array(events.collect()),
            "result": self.result.clone().unwrap_or_default(), "size": self.size,
        });
        let mut text = members.to_string();
        // The calls are most of it: they are written as they are, before the end of the object.
        text.pop();
        text.push_str(r#","calls":["#);
        for (at, call) in self.calls.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            call.write_to(&mut text);
        }
        text.push_str("]}");
        text
    }

    /// The journal of a text; `None` if it is none of this release.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let value = &Value::from_slice(bytes)
            .ok()
            .filter(|it| it.get("form").is_some_and(|it| *it == FORM))?;
        let mut names = BTreeMap::new();
        for (name, meaning) in value["names"].as_object()? {
            let Some(Order::Named(meaning)) = Order::from_value(meaning.clone()) else {
                return None;
            };
            names.insert(name.clone(), meaning);
        }
        let calls = value["calls"].as_array()?.iter().map(AskedCall::from_value);
        let calls: Vec<_> = calls.collect::<Option<_>>()?;
        let events = value["events"].as_array()?.iter().map(|it| read_event(it, calls.len()));
        let credentials = value["credentials"].as_array()?.iter();
        let credentials = credentials.map(|name| name.as_str().map(str::to_owned));
        Some(Self {
            code: value["code"].as_str()?.to_owned(),
            task: value["task"].as_str().map(str::to_owned),
            n_before: usize::try_from(value["before"].as_u64()?).ok()?,
            engine: value["engine"].as_str()?.to_owned(),
            identity: value["identity"].as_str()?.to_owned(),
            run: value["run"].as_str()?.to_owned(),
            started: value["started"].as_u64()?,
            names,
            tools: read_fingerprints(&value["tools"])?,
            sessions: read_fingerprints(&value["sessions"])?,
            credentials: credentials.collect::<Option<_>>()?,
            events: events.collect::<Option<_>>()?,
            calls,
            result: Some(value["result"].clone()).filter(|it| !it.is_null()),
            size: usize::try_from(value["size"].as_u64()?).ok()?,
        })
    }
}

fn fingerprints_to_value(prints: &BTreeMap<String, String>) -> Value {
    Value::Object(
        prints.iter().map(|(tool, print)| (tool.clone(), print.as_str().into())).collect(),
    )
}

fn read_fingerprints(value: &Value) -> Option<BTreeMap<String, String>> {
    let prints = value.as_object()?.iter();
    prints.map(|(tool, print)| Some((tool.clone(), print.as_str()?.to_owned()))).collect()
}

fn read_event(value: &Value, n_calls: usize) -> Option<Event> {
    let number = usize::try_from(value[1].as_u64()?).ok().filter(|it| *it < n_calls)?;
    match value[0].as_str()? {
        "asked" => Some(Event::Asked(number)),
        "delivered" => Some(Event::Delivered(number)),
        _ => None,
    }
}

impl AskedCall {
    fn write_to(&self, out: &mut String) {
        Value::Object(self.members_without_arguments()).write_to(out);
        // What may be long stands before the end of the object.
        out.pop();
        out.push_str(r#","positional":["#);
        for (at, value) in self.positional.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            value.write_to(out);
        }
        out.push_str(r#"],"named":"#);
        out.push_str(&self.named.to_string());
        if let CallState::Ended(_, Some(answer)) = &self.state {
            out.push_str(r#","answer":"#);
            write_answer(0, answer, out);
        }
        out.push('}');
    }

    fn members_without_arguments(&self) -> Object {
        let mut members = Object::from([
            ("module", self.name.module.clone().into()),
            ("name", self.name.name.as_str().into()),
            ("tool", self.tool.clone().into()),
            ("write", self.is_write.into()),
            ("notes", json!(self.notes)),
        ]);
        match &self.approval {
            None => {}
            Some(CallApproval::Covered(id)) => {
                members.insert("covered", id.as_str().into());
            }
            Some(CallApproval::Given { id, covers }) => {
                members.insert("approved", json!({"id": id.as_str(), "covers": *covers}));
            }
        }
        match &self.state {
            CallState::Asked => {}
            CallState::Begun => {
                members.insert("begun", true.into());
            }
            CallState::Ended(ended, _) => {
                members.insert("ended", ended.to_value());
            }
            CallState::Waiting(pending) => {
                let bytes = Outcome::Pending(pending.clone()).to_bytes();
                members.insert("waiting", String::from_utf8_lossy(&bytes).into_owned().into());
            }
        }
        members
    }

    fn from_value(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let state = if value["begun"] == true {
            CallState::Begun
        } else if let Some(pending) = value["waiting"].as_str() {
            let Outcome::Pending(pending) = Outcome::from_bytes(pending.as_bytes())? else {
                return None;
            };
            CallState::Waiting(pending)
        } else if let Some(ended) = value.get("ended") {
            let answer = match value.get("answer").cloned().map(Order::from_value) {
                Some(Some(Order::Answer { answer, .. })) => Some(answer),
                Some(_) => return None,
                None => None,
            };
            CallState::Ended(Ended::from_value(ended)?, answer)
        } else {
            CallState::Asked
        };
        let approval = match (value.get("approved"), text("covered")) {
            (Some(given), _) => Some(CallApproval::Given {
                id: given["id"].as_str()?.to_owned(),
                covers: usize::try_from(given["covers"].as_u64()?).ok()?,
            }),
            (None, covered) => covered.map(CallApproval::Covered),
        };
        let notes = value["notes"].as_array()?.iter().map(|note| note.as_str().map(str::to_owned));
        Some(Self {
            name: Name { module: text("module"), name: text("name")? },
            positional: value["positional"].as_array()?.clone(),
            named: value["named"].as_object()?.clone(),
            tool: text("tool"),
            is_write: value["write"].as_bool()?,
            state,
            approval,
            notes: notes.collect::<Option<_>>()?,
        })
    }
}

/// The form of the text: another release may write another.
const FORM: u64 = 5;
