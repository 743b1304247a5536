//! The ids of calls, and of the results that follow them. Providers refuse ids of other characters, longer ones and, some of them, one
//! id for two calls of a conversation; what comes from another provider or server has all of these.

use std::{borrow::Cow, collections::BTreeSet};

use callgate_tool::{Json, Object, Value};

use super::{Author, Wire, amend::calls_mut, list_items};

/// The ids that a provider takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdRule {
    pub(super) form: IdForm,
    /// True if servers of any model speak the format, so that a model may want a form of its own.
    pub(super) has_any_models: bool,
    /// True if no two calls of a conversation may have one id.
    pub(super) is_unique: bool,
    /// The most characters.
    pub(super) longest: usize,
}

impl IdRule {
    pub(super) const ANY: Self =
        Self { form: IdForm::Any, has_any_models: true, is_unique: false, longest: usize::MAX };

    /// The rule for a model of this name.
    fn for_model(self, model: &str) -> Self {
        let name = model.to_ascii_lowercase();
        // Codestral, Devstral, Magistral, Ministral, Mistral, Mixtral, Pixtral, Voxtral.
        let is_of_mistral = name.contains("stral") || name.contains("xtral");
        let is_kimi = name.contains("kimi") && name.contains("k2");
        let form = match (self.form, is_kimi) {
            (IdForm::Any, true) => IdForm::Numbered,
            (IdForm::Plain, true) => IdForm::PlainOrNumbered,
            (form, _) => form,
        };
        match (self.has_any_models, is_of_mistral) {
            (false, _) => self,
            (true, false) => Self { form, ..self },
            (true, true) => Self { form: IdForm::Nine, ..self },
        }
    }

    fn allows_id(self, id: &str) -> bool {
        let is_short = id.chars().count() <= self.longest;
        match self.form {
            // The signature of a thought, which LiteLLM keeps in an id: only that server takes it, and it needs it.
            IdForm::Any => !id.is_empty() && (is_short || id.contains("__thought__")),
            IdForm::Nine => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            IdForm::Numbered => is_numbered_id(id),
            IdForm::Plain => is_short && is_plain_id(id),
            IdForm::PlainOrNumbered => is_plain_id(id) || is_numbered_id(id),
        }
    }
}

/// The form of ids.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum IdForm {
    Any,
    /// Nine letters and digits, for Mistral.
    Nine,
    /// The name of the function and the number of the call in the conversation, `functions.NAME:0`: Kimi K2 reads both of it, in
    /// calls of its history too, and the name may be long.
    Numbered,
    /// Letters, digits, `_` and `-`.
    Plain,
    /// Either of the two: what Kimi K2 has written goes back as it is.
    PlainOrNumbered,
}

fn is_plain_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

fn is_numbered_id(id: &str) -> bool {
    id.rsplit_once(':').is_some_and(|(name, number)| {
        !name.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Messages as they are sent to a model of this name: with ids that it takes, each result with that of its call. They depend on
/// earlier messages alone, so that what was sent before is sent again as it was.
pub(crate) fn sendable_messages<'m>(
    wire: Wire,
    model: &str,
    messages: &'m [Json],
) -> Cow<'m, [Json]> {
    let rule = wire.rules.ids.for_model(model);
    if wire.id_member.is_none() || are_sendable(wire, rule, messages) {
        return Cow::Borrowed(messages);
    }
    let (mut taken, mut n_calls) = (BTreeSet::new(), 0_usize);
    let mut made: BTreeSet<String> = BTreeSet::new();
    let (mut changes, mut is_after_model) = (IdChanges::default(), false);
    let mut sendable = Vec::with_capacity(messages.len());
    for message in messages {
        let is_model = wire.author(message.value()) == Some(Author::Model);
        if is_model && !(is_after_model && wire.has_item_replies()) {
            changes = IdChanges::default();
        }
        is_after_model = is_model;
        if !is_model {
            sendable.push(changes.with_new_result_ids(wire, message.clone()));
            continue;
        }
        let (stated, called) =
            (stated_call_ids(wire, message.value()), stated_calls(wire, message.value()));
        let ids = stated.iter().zip(called).map(|(stated, call)| {
            n_calls = n_calls.saturating_add(1);
            let own = Some(stated).filter(|id| rule.allows_id(id));
            let own = own.filter(|id| !made.contains(*id));
            let own = own.filter(|id| taken.insert((*id).clone()) || !rule.is_unique);
            own.cloned().unwrap_or_else(|| {
                let id = new_id(rule.form, called_name(call), n_calls, &mut taken);
                made.insert(id.clone());
                id
            })
        });
        let ids: Vec<_> = ids.collect();
        sendable.push(with_call_ids(wire, message, &ids));
        changes.add(stated, ids);
    }
    Cow::Owned(sendable)
}

fn are_sendable(wire: Wire, rule: IdRule, messages: &[Json]) -> bool {
    let mut taken = BTreeSet::new();
    let models = messages.iter().map(Json::value);
    let mut ids = models
        .filter(|message| wire.author(message) == Some(Author::Model))
        .flat_map(|message| stated_call_ids(wire, message));
    ids.all(|id| rule.allows_id(&id) && (!rule.is_unique || taken.insert(id)))
}

/// An id for a call of a function, which is the one of this number: nine letters and digits where every provider takes that.
fn new_id(form: IdForm, name: &str, number: usize, taken: &mut BTreeSet<String>) -> String {
    let mut number = number;
    loop {
        let id = match form {
            IdForm::Any | IdForm::Nine | IdForm::Plain | IdForm::PlainOrNumbered => {
                format!("call{number:05}")
            }
            // They are numbered from zero.
            IdForm::Numbered => format!("functions.{name}:{}", number.saturating_sub(1)),
        };
        if taken.insert(id.clone()) {
            return id;
        }
        number = number.saturating_add(1);
    }
}

fn with_call_ids(wire: Wire, message: &Json, ids: &[String]) -> Json {
    let mut changed = message.value().clone();
    let mut is_changed = false;
    for (call, id) in calls_mut(wire, &mut changed).into_iter().zip(ids) {
        is_changed |= set_text(call, wire.id_member.unwrap_or_default(), id);
    }
    if is_changed { changed.into() } else { message.clone() }
}

/// The ids of the calls in a message, as they stand; empty for a call without one.
pub(crate) fn stated_call_ids(wire: Wire, message: &Value) -> Vec<String> {
    let Some(member) = wire.id_member else { return Vec::new() };
    let called = stated_calls(wire, message).into_iter();
    called.map(|call| id_text(call.get(member))).collect()
}

/// The calls in a message, as they stand.
fn stated_calls(wire: Wire, message: &Value) -> Vec<&Object> {
    match wire.rules.list_of_calls {
        None => stated_call(wire, message).into_iter().collect(),
        Some(name) => {
            list_items(message, name).filter_map(|part| stated_call(wire, part)).collect()
        }
    }
}

fn stated_call(wire: Wire, part: &Value) -> Option<&Object> {
    part.pointer((wire.call_pointer)(part)?)?.as_object()
}

/// The name of the function of a call; empty if there is none.
fn called_name(call: &Object) -> &str {
    let name = call.get("function").and_then(|function| function.get("name"));
    name.or_else(|| call.get("name")).and_then(Value::as_str).unwrap_or_default()
}

/// An id: a text, or a number, which some programs write.
pub(super) fn id_text(id: Option<&Value>) -> String {
    match id {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => String::new(),
    }
}

/// The ids that calls had, and those that they have now, in the order of the calls.
#[derive(Debug, Default)]
pub(crate) struct IdChanges(Vec<IdChange>);

#[derive(Debug)]
struct IdChange {
    /// The place of the call.
    at: usize,
    stated: String,
    id: String,
}

impl IdChanges {
    /// Adds calls behind those that are there.
    pub(crate) fn add(&mut self, stated: Vec<String>, ids: Vec<String>) {
        let n_before = self.0.last().map_or(0, |last| last.at.saturating_add(1));
        let changes = stated.into_iter().zip(ids).zip(n_before..);
        self.0.extend(changes.map(|((stated, id), at)| IdChange { at, stated, id }));
    }

    /// A message whose results have the ids of their calls. Each call is taken once.
    pub(crate) fn with_new_result_ids(&mut self, wire: Wire, message: Json) -> Json {
        if self.0.is_empty() {
            return message;
        }
        let mut changed = message.value().clone();
        let mut is_changed = false;
        for part in possible_result_parts(wire, &mut changed) {
            let Some(id) = (wire.answers)(part).and_then(|stated| self.take_new_id(&stated)) else {
                continue;
            };
            if let Some((holder, member)) = holder_and_member(part, wire.rules.answer_id_pointer) {
                is_changed |= set_text(holder, member, &id);
            }
        }
        if is_changed { changed.into() } else { message }
    }

    /// Takes the call that a result names: by its id, by the one that callgate's dialects give to a call without any, or by its place.
    fn take_new_id(&mut self, stated: &str) -> Option<String> {
        let is_unnamed = |change: &IdChange| {
            let given = format!("call_{}", change.at.saturating_add(1));
            change.stated.is_empty() && stated.trim_end_matches('_') == given
        };
        let at = self.0.iter().position(|change| change.stated == stated);
        let at = at.or_else(|| self.0.iter().position(is_unnamed));
        let at = at.or_else(|| (stated.is_empty() && !self.0.is_empty()).then_some(0))?;
        Some(self.0.remove(at).id)
    }
}

/// The parts of a message that may be results.
pub(super) fn possible_result_parts(wire: Wire, message: &mut Value) -> Vec<&mut Value> {
    match wire.rules.parts {
        None => vec![message],
        Some(member) => {
            let parts = message.get_mut(member).and_then(Value::as_array_mut);
            parts.into_iter().flatten().collect()
        }
    }
}

/// The object that holds the member at a JSON pointer, and the member's name.
pub(super) fn holder_and_member<'v>(
    part: &'v mut Value,
    pointer: &'static str,
) -> Option<(&'v mut Object, &'static str)> {
    let (holder, member) = pointer.rsplit_once('/')?;
    Some((part.pointer_mut(holder)?.as_object_mut()?, member))
}

/// Sets a member to a text. Returns true if it was another value.
fn set_text(members: &mut Object, member: &'static str, text: &str) -> bool {
    if members.get(member).and_then(Value::as_str) == Some(text) {
        return false;
    }
    members.insert(member, text.into());
    true
}
