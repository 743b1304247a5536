//! The members of a body as the arguments of a call: builds the body before inputs are filled, and changes locations in the
//! body to locations in the arguments in faults and the journal.

use callgate_openapi::Operation;
use callgate_tool::{Arguments, Event, Fault, Journal, Object, Value};

use crate::wording;

#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyArguments<'a>(&'a str);

impl<'a> BodyArguments<'a> {
    pub(crate) fn from_operation(operation: &'a Operation) -> Option<Self> {
        operation.body_as_arguments_name().map(|argument| Self(argument.as_str()))
    }

    /// The inputs that the arguments stand for: the one body. Without arguments, the body is an empty object.
    pub(crate) fn wrap_into_body(self, arguments: &Arguments) -> Arguments {
        let members: Object =
            arguments.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        [(self.0.to_owned(), Value::Object(members))].into_iter().collect()
    }

    /// The members of the body, with the session's values for other inputs. Fails if a member and another input share a name.
    pub(crate) fn unwrap_from_body(self, mut inputs: Arguments) -> Result<Arguments, Box<Fault>> {
        let Some(Value::Object(members)) = inputs.remove(self.0) else { return Ok(inputs) };
        for (name, value) in members {
            if inputs.contains_key(&name) {
                let problem = wording::unknown_argument(&name, std::iter::empty());
                return Err(wording::invalid_arguments(vec![problem]));
            }
            inputs.insert(name, value);
        }
        Ok(inputs)
    }

    pub(crate) fn note_relocated_events(self, noted: &Journal, journal: &mut Journal) {
        // The body itself is no argument.
        let is_body = |event: &&Event| matches!(event, Event::EmptyOmitted { argument } if argument == self.0);
        for event in noted.events().iter().filter(|event| !is_body(event)) {
            journal.note(self.relocated_event(event.clone()));
        }
    }

    pub(crate) fn relocated_fault(self, mut fault: Box<Fault>) -> Box<Fault> {
        wording::change_problems(&mut fault, |problem| {
            problem.at = self.argument_path(&problem.at).to_owned();
        });
        fault
    }

    fn relocated_event(self, mut event: Event) -> Event {
        if let Event::ConfiguredUsed { argument }
        | Event::Converted { argument, .. }
        | Event::DefaultExcluded { argument }
        | Event::DefaultUnfit { argument }
        | Event::DefaultUsed { argument }
        | Event::DefaultWithheld { argument }
        | Event::EmptyOmitted { argument }
        | Event::FormatIgnored { argument, .. }
        | Event::HiddenIgnored { argument }
        | Event::NullOmitted { argument }
        | Event::SessionValueAbsent { argument, .. }
        | Event::SessionValueWon { argument }
        | Event::UndeclaredSent { argument } = &mut event
        {
            *argument = self.argument_path(argument).to_owned();
        }
        event
    }

    /// The location of a value among the arguments: `email` for `body.email`, and empty for the body itself.
    fn argument_path(self, at: &str) -> &str {
        match at.strip_prefix(self.0) {
            Some("") => "",
            Some(inside) => inside.strip_prefix('.').unwrap_or(at),
            None => at,
        }
    }
}
