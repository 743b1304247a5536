//! Fills every input from the session, the model or the description's default, in that order. It decides where
//! values come from; `check` decides whether they are right. Nothing is copied that can be borrowed.

mod sent_body;

use std::borrow::Cow;

use callgate_openapi::{Body, Input, InputLocation, NestedInput, Step, ValueSource};
use callgate_tool::{Arguments, Event, Journal, Object, Session, Value};

use self::sent_body::SentBody;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Origin {
    Configured,
    Default,
    /// The model, with values of the session inside.
    Mixed,
    Model,
    Session,
}

#[derive(Clone, Debug)]
pub(crate) struct Filling<'a> {
    pub(crate) value: Cow<'a, Value>,
    pub(crate) origin: Origin,
}

pub(crate) type Fillings<'a> = Vec<Option<Filling<'a>>>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) inputs: &'a [Input],
    pub(crate) nested: &'a [NestedInput],
    pub(crate) body: Option<&'a Body>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenValues<'a> {
    pub(crate) arguments: &'a Arguments,
    pub(crate) session: &'a Session,
}

/// Fills the inputs of `subject`; `is_nullable` says whether the schema of the input at a position allows `null`.
pub(crate) fn fill_inputs<'a>(
    subject: Subject<'a>,
    given: GivenValues<'a>,
    is_nullable: impl Fn(usize) -> bool,
    journal: &mut Journal,
) -> Fillings<'a> {
    let mut fillings: Fillings<'a> = Vec::with_capacity(subject.inputs.len());
    for (at, input) in subject.inputs.iter().enumerate() {
        let filling = filling_from_session(input, given, journal)
            .or_else(|| filling_from_model(input, given.arguments, || is_nullable(at), journal));
        fillings.push(filling);
    }
    fill_nested_from_session(subject, given, &mut fillings, journal);
    let body = SentBody::from_fillings(subject, &fillings);
    fill_defaults(subject, body, &mut fillings, journal);
    fill_nested_defaults(subject, body, &mut fillings, journal);
    note_absent_session_values(subject.inputs, &fillings, journal);
    fillings
}

/// Fills values whose objects were texts before: from the session, and with `has_defaults` from the description's defaults.
pub(crate) fn fill_after_text_parsing<'a>(
    subject: Subject<'a>,
    given: GivenValues<'a>,
    fillings: &mut Fillings<'a>,
    has_defaults: bool,
    journal: &mut Journal,
) {
    fill_nested_from_session(subject, given, fillings, journal);
    if has_defaults {
        let body = SentBody::from_fillings(subject, fillings);
        fill_nested_defaults(subject, body, fillings, journal);
    }
}

/// Returns true if the request will have a body: it is required, or a part of it is given.
pub(crate) fn has_body(subject: Subject<'_>, fillings: &Fillings<'_>) -> bool {
    subject.body.is_some_and(|body| body.required)
        || subject
            .inputs
            .iter()
            .zip(fillings)
            .any(|(input, filling)| input.place() == InputLocation::Body && filling.is_some())
}

fn filling_from_session<'a>(
    input: &'a Input,
    given: GivenValues<'a>,
    journal: &mut Journal,
) -> Option<Filling<'a>> {
    let value = input.source.value(given.session)?;
    if given.arguments.contains_key(input.argument.as_str()) {
        let argument = input.argument.to_string();
        journal.note(if input.visible {
            Event::SessionValueWon { argument }
        } else {
            Event::HiddenIgnored { argument }
        });
    }
    Some(Filling { value, origin: Origin::Session })
}

fn filling_from_model<'a>(
    input: &'a Input,
    arguments: &'a Arguments,
    is_nullable: impl FnOnce() -> bool,
    journal: &mut Journal,
) -> Option<Filling<'a>> {
    let value = arguments.get(input.argument.as_str())?;
    if input.edit.is_hidden {
        // To a model there is no such argument: the check reports it as unknown.
        return None;
    }
    if !input.visible {
        journal.note(Event::HiddenIgnored { argument: input.argument.to_string() });
        return None;
    }
    let may_be_omitted = !input.required || input.default.is_some();
    if value.is_null() && may_be_omitted && !is_nullable() {
        journal.note(Event::NullOmitted { argument: input.argument.to_string() });
        return None;
    }
    Some(Filling { value: Cow::Borrowed(value), origin: Origin::Model })
}

fn fill_defaults<'a>(
    subject: Subject<'a>,
    body: SentBody,
    fillings: &mut Fillings<'a>,
    journal: &mut Journal,
) {
    for (input, filling) in subject.inputs.iter().zip(fillings) {
        let Some(default) = input.default.as_ref().filter(|_| filling.is_none()) else { continue };
        let is_in_no_body = input.place() == InputLocation::Body && body == SentBody::None;
        if input.edit.has_value && !is_in_no_body {
            journal.note(Event::ConfiguredUsed { argument: input.argument.to_string() });
            *filling = Some(Filling { value: Cow::Borrowed(default), origin: Origin::Configured });
            continue;
        }
        if !body.sends_default(input.place(), input.is_fixed) {
            if body == SentBody::Fixed {
                journal.note(Event::DefaultWithheld { argument: input.argument.to_string() });
            }
            continue;
        }
        journal.note(Event::DefaultUsed { argument: input.argument.to_string() });
        *filling = Some(Filling { value: Cow::Borrowed(default), origin: Origin::Default });
    }
}

fn note_absent_session_values(inputs: &[Input], fillings: &Fillings<'_>, journal: &mut Journal) {
    for (input, filling) in inputs.iter().zip(fillings) {
        let is_of_session = !input.visible && input.source != ValueSource::Model;
        if filling.is_none() && is_of_session && !input.required {
            let argument = input.argument.to_string();
            journal.note(Event::SessionValueAbsent { argument, source: input.source.reference() });
        }
    }
}

/// Sets the session's values inside inputs, and removes the model's values that only the session may give.
fn fill_nested_from_session<'a>(
    subject: Subject<'a>,
    given: GivenValues<'a>,
    fillings: &mut Fillings<'a>,
    journal: &mut Journal,
) {
    for nested in subject.nested {
        let Some(filling) = nested_filling_slot(nested, subject, fillings) else { continue };
        let session_value = nested.source.value(given.session);
        let sent =
            filling.as_ref().is_some_and(|filling| has_value_at(&filling.value, &nested.steps));
        if sent && !nested.visible {
            journal.note(Event::HiddenIgnored { argument: nested.to_string() });
            if let Some(filling) = filling {
                change_at_steps(filling.value.to_mut(), &nested.steps, &Change::Remove);
            }
        } else if sent && session_value.is_some() {
            journal.note(Event::SessionValueWon { argument: nested.to_string() });
        }
        let Some(value) = session_value else { continue };
        let begins_with_items = matches!(nested.steps.first(), Some(Step::Items));
        if filling.is_none() && begins_with_items {
            continue;
        }
        let filling = filling.get_or_insert_with(|| Filling {
            value: Cow::Owned(Value::Object(Object::new())),
            origin: Origin::Mixed,
        });
        filling.origin = Origin::Mixed;
        change_at_steps(filling.value.to_mut(), &nested.steps, &Change::Set(&value));
    }
}

fn fill_nested_defaults<'a>(
    subject: Subject<'a>,
    body: SentBody,
    fillings: &mut Fillings<'a>,
    journal: &mut Journal,
) {
    for nested in subject.nested {
        let Some(default) = &nested.default else { continue };
        let Some(at) = input_position(nested, subject) else { continue };
        let place = subject.inputs.get(at).map_or(InputLocation::Body, Input::place);
        let Some(Some(filling)) = fillings.get_mut(at) else { continue };
        // An operator's value is sent as it is.
        if filling.origin == Origin::Configured
            || !has_parent_without_value_at(&filling.value, &nested.steps)
        {
            continue;
        }
        if body.sends_default(place, nested.is_fixed) {
            journal.note(Event::DefaultUsed { argument: nested.to_string() });
            change_at_steps(filling.value.to_mut(), &nested.steps, &Change::Default(default));
        } else {
            journal.note(Event::DefaultWithheld { argument: nested.to_string() });
        }
    }
}

/// Leaves out the defaults inside a value that other members of it exclude: the value meets its schema without them
/// (`is_valid`), but not with them. Values of the model (`is_given`) or the session stay.
pub(crate) fn leave_out_excluded_defaults(
    subject: Subject<'_>,
    is_given: impl Fn(usize, &NestedInput) -> bool,
    fillings: &mut Fillings<'_>,
    is_valid: impl Fn(usize, &Value) -> bool,
    journal: &mut Journal,
) {
    for (at, (input, filling)) in subject.inputs.iter().zip(fillings).enumerate() {
        let is_filled = |(index, nested): &(usize, &NestedInput)| {
            nested.argument == input.argument
                && nested.default.is_some()
                && nested.source == ValueSource::Model
                && !is_given(*index, nested)
        };
        let defaults = subject.nested.iter().enumerate().filter(is_filled);
        let defaults: Vec<_> = defaults.map(|(_, nested)| nested).collect();
        let Some(filling) = filling.as_mut().filter(|_| !defaults.is_empty()) else { continue };
        if is_valid(at, &filling.value) {
            continue;
        }
        let without = |left_out: &[&NestedInput]| {
            let mut value = filling.value.clone().into_owned();
            for nested in left_out {
                remove_value_at(&mut value, &nested.steps);
            }
            is_valid(at, &value).then_some(value)
        };
        let one = defaults.iter().find_map(|nested| Some((vec![*nested], without(&[nested])?)));
        let exclusion = one.or_else(|| Some((defaults.clone(), without(&defaults)?)));
        if let Some((left_out, value)) = exclusion {
            for nested in left_out {
                journal.note(Event::DefaultExcluded { argument: nested.to_string() });
            }
            filling.value = Cow::Owned(value);
        }
    }
}

fn nested_filling_slot<'f, 'a>(
    nested: &NestedInput,
    subject: Subject<'a>,
    fillings: &'f mut Fillings<'a>,
) -> Option<&'f mut Option<Filling<'a>>> {
    fillings.get_mut(input_position(nested, subject)?)
}

fn input_position(nested: &NestedInput, subject: Subject<'_>) -> Option<usize> {
    subject.inputs.iter().position(|input| input.argument == nested.argument)
}

/// The change at the end of a nested input's steps.
#[derive(Clone, Copy, Debug)]
enum Change<'a> {
    /// Sets the value if its parent exists and it is absent.
    Default(&'a Value),
    Remove,
    Set(&'a Value),
}

/// Applies `wanted` at the end of `steps`. The number of steps bounds the recursion.
fn change_at_steps(value: &mut Value, steps: &[Step], wanted: &Change<'_>) {
    let Some((step, rest)) = steps.split_first() else { return };
    match (step, value) {
        (Step::Items, Value::Array(items)) => {
            for item in items {
                change_at_steps(item, rest, wanted);
            }
        }
        (Step::Property(name), Value::Object(members)) => {
            change_member(members, name, rest, wanted);
        }
        _ => {}
    }
}

fn change_member(members: &mut Object, name: &str, rest: &[Step], wanted: &Change<'_>) {
    if !rest.is_empty() {
        let makes_parent = matches!(wanted, Change::Set(_))
            && matches!(rest.first(), Some(Step::Property(_)))
            && members.get(name).is_none_or(Value::is_null);
        if makes_parent {
            members.insert(name.to_owned(), Value::Object(Object::new()));
        }
        if let Some(member) = members.get_mut(name) {
            change_at_steps(member, rest, wanted);
        }
        return;
    }
    match wanted {
        Change::Default(value) => {
            members.entry(name.to_owned()).or_insert_with(|| (*value).clone());
        }
        Change::Remove => {
            members.remove(name);
        }
        Change::Set(value) => {
            members.insert(name.to_owned(), (*value).clone());
        }
    }
}

/// Removes the value at the end of `steps`, in every item.
pub(crate) fn remove_value_at(value: &mut Value, steps: &[Step]) {
    change_at_steps(value, steps, &Change::Remove);
}

/// Returns true if there is a value at the end of `steps`, in any item.
pub(crate) fn has_value_at(value: &Value, steps: &[Step]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return true };
    match step {
        Step::Items => {
            value.as_array().is_some_and(|items| items.iter().any(|item| has_value_at(item, rest)))
        }
        Step::Property(name) => value.get(&**name).is_some_and(|member| has_value_at(member, rest)),
    }
}

/// Returns true if there is a parent without a value at the end of `steps`, in any item.
fn has_parent_without_value_at(value: &Value, steps: &[Step]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return false };
    match step {
        Step::Items => value
            .as_array()
            .is_some_and(|items| items.iter().any(|item| has_parent_without_value_at(item, rest))),
        Step::Property(name) => match value.get(&**name) {
            Some(member) => has_parent_without_value_at(member, rest),
            None => value.is_object() && rest.is_empty(),
        },
    }
}
