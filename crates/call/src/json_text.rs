//! Objects and lists that a model wrote as JSON texts: what the session and the description fill in others, they fill in these too.

use callgate_openapi::{NestedInput, Step, ValueSource};
use callgate_tool::{Event, Fault, Journal, Value};

use crate::{
    binding::{Binding, bind_session_inputs},
    check::{Checking, check_fillings},
    inputs::{
        Fillings, GivenValues, Origin, Subject, fill_after_text_parsing, has_value_at,
        leave_out_excluded_defaults,
    },
    quoted_json::unquoted_json_value,
};

/// A call whose inputs are filled.
#[derive(Clone, Copy)]
pub(crate) struct FilledCall<'a> {
    pub(crate) binding: Binding<'a>,
    pub(crate) given: GivenValues<'a>,
    pub(crate) checking: Checking<'a>,
}

impl<'a> FilledCall<'a> {
    /// Checks the inputs, and fills what texts hold once they are read.
    pub(crate) fn check_and_refill_inputs(
        self,
        fillings: &mut Fillings<'a>,
        journal: &mut Journal,
    ) -> Result<(), Box<Fault>> {
        let Self { binding: Binding { subject, .. }, given, checking } = self;
        let first = check_fillings(subject, checking, given.arguments, fillings, journal);
        // What the description fills may be what the values lack.
        let is_read = first.is_err() && parse_json_texts(subject, fillings, journal);
        if !is_read {
            first?;
        }
        if self.fill_parsed_texts(is_read, fillings, journal)? || is_read {
            check_fillings(subject, checking, given.arguments, fillings, journal)?;
        }
        Ok(())
    }

    /// Fills the values that were texts. Returns whether anything changed.
    fn fill_parsed_texts(
        self,
        is_read: bool,
        fillings: &mut Fillings<'a>,
        journal: &mut Journal,
    ) -> Result<bool, Box<Fault>> {
        let Self { binding, given, checking } = self;
        let subject = binding.subject;
        let is_text = |event: &Event| {
            matches!(event, Event::Converted { from: "string", to: "object" | "array", .. })
        };
        let was_text = is_read || journal.events().iter().any(is_text);
        let mut nested = subject.nested.iter();
        let is_filled = |nested: &NestedInput| {
            nested.source != ValueSource::Model || (was_text && nested.default.is_some())
        };
        if binding.bindings.is_empty() && !nested.any(is_filled) {
            return Ok(false);
        }
        let before = filling_values(fillings);
        let is_given: Vec<bool> = subject
            .nested
            .iter()
            .map(|nested| has_nested_value(nested, subject, fillings))
            .collect();
        // Events of the first binding are already in the journal.
        let mut events = Journal::default();
        fill_after_text_parsing(subject, given, fillings, was_text, &mut events);
        bind_session_inputs(binding, fillings, &mut events)?;
        if was_text {
            let is_given = |at: usize, _: &NestedInput| is_given.get(at).copied().unwrap_or(true);
            let is_valid = |at: usize, value: &Value| checking.is_valid(at, value);
            leave_out_excluded_defaults(subject, is_given, fillings, is_valid, &mut events);
        }
        let is_changed = filling_values(fillings) != before;
        if is_changed {
            note_new_events(&events, journal);
        }
        Ok(is_changed)
    }
}

fn note_new_events(events: &Journal, journal: &mut Journal) {
    for event in events.events() {
        if !journal.events().contains(event) {
            journal.note(event.clone());
        }
    }
}

fn filling_values(fillings: &Fillings<'_>) -> Vec<Option<Value>> {
    let values = fillings.iter().map(|filling| filling.as_ref());
    values.map(|filling| filling.map(|filling| (*filling.value).clone())).collect()
}

/// True if a value stands in the place of a nested input.
fn has_nested_value(nested: &NestedInput, subject: Subject<'_>, fillings: &Fillings<'_>) -> bool {
    let mut inputs = subject.inputs.iter().zip(fillings);
    let filling = inputs.find(|(input, _)| input.argument == nested.argument);
    filling.is_some_and(|(_, filling)| {
        filling.as_ref().is_some_and(|filling| has_value_at(&filling.value, &nested.steps))
    })
}

/// Reads the texts of the model on the way to nested inputs, where the schema wants an object or a list. Returns whether there were any.
fn parse_json_texts(
    subject: Subject<'_>,
    fillings: &mut Fillings<'_>,
    journal: &mut Journal,
) -> bool {
    let mut is_any = false;
    for (input, filling) in subject.inputs.iter().zip(fillings) {
        let nested = subject.nested.iter().filter(|nested| nested.argument == input.argument);
        let Some(filling) = filling.as_mut().filter(|filling| filling.origin == Origin::Model)
        else {
            continue;
        };
        for nested in nested {
            if has_parsable_text(&filling.value, &nested.steps) {
                parse_texts_on_steps(
                    filling.value.to_mut(),
                    &nested.steps,
                    input.argument.as_str(),
                    journal,
                );
                is_any = true;
            }
        }
    }
    is_any
}

/// The value of a text that is read where a step leads on.
fn parse_text_for_step(text: &str, step: &Step) -> Option<Value> {
    let value = unquoted_json_value(text)?;
    match step {
        Step::Items => value.is_array(),
        Step::Property(_) => value.is_object(),
    }
    .then_some(value)
}

fn has_parsable_text(value: &Value, steps: &[Step]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return false };
    match (step, value) {
        (step, Value::String(text)) => parse_text_for_step(text, step).is_some(),
        (Step::Items, Value::Array(items)) => {
            items.iter().any(|item| has_parsable_text(item, rest))
        }
        (Step::Property(name), value) => {
            value.get(&**name).is_some_and(|it| has_parsable_text(it, rest))
        }
        (Step::Items, _) => false,
    }
}

/// Reads the texts on the way of these steps. Their number bounds the recursion.
fn parse_texts_on_steps(value: &mut Value, steps: &[Step], at: &str, journal: &mut Journal) {
    let Some((step, rest)) = steps.split_first() else { return };
    if let Value::String(text) = value {
        let Some(read) = parse_text_for_step(text, step) else { return };
        let (argument, to) = (at.to_owned(), read.kind());
        journal.note(Event::Converted { argument, from: "string", to });
        *value = read;
    }
    match (step, value) {
        (Step::Items, Value::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                parse_texts_on_steps(item, rest, &format!("{at}[{index}]"), journal);
            }
        }
        (Step::Property(name), Value::Object(members)) => {
            if let Some(member) = members.get_mut(name) {
                parse_texts_on_steps(member, rest, &format!("{at}.{name}"), journal);
            }
        }
        _ => {}
    }
}
