//! The plan of one operation: created once, cheap to keep, used for each call. It joins `inputs`, `check`, `request` and
//! `response`; schemas are compiled on the first call.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use callgate_openapi::{NestedInput, Operation};
use callgate_secret::Masker;
use callgate_tool::{Answer, Arguments, Event, Fault, Journal, Outcome, Remedy, Session, Value};
use http::{Request, Response};

use crate::{
    binding::{Binding, Names, bind_session_inputs},
    body::{
        Content, chosen_media, note_chosen_media, null_handling, omission::find_omitted_members,
    },
    body_arguments::BodyArguments,
    check::{Checking, Checks, Nulls},
    inputs::{GivenValues, Subject, fill_inputs, has_value_at, leave_out_excluded_defaults},
    json_text::FilledCall,
    omission::{OmittedValues, find_omitted_parameters},
    page,
    request::{Frame, Ready},
    response::{self, ReadContext, Understood},
    shape::Shape,
    stored_results::StoredResults,
    wording,
};

/// Turns calls of one operation into requests, and responses into outcomes.
#[derive(Debug)]
pub struct Plan {
    operation: Arc<Operation>,
    frame: Frame,
    checks: OnceLock<Checks>,
    names: Names,
}

impl Plan {
    /// The plan of `operation`.
    pub fn new(operation: Arc<Operation>) -> Self {
        let frame = Frame::new(&operation);
        let names = Names::compile_name_patterns(&operation.bindings);
        Self { operation, frame, checks: OnceLock::new(), names }
    }

    /// The operation.
    pub fn operation(&self) -> &Arc<Operation> {
        &self.operation
    }

    /// Builds a request like [`Plan::request_with_stored_results`], without results of earlier calls.
    ///
    /// # Errors
    /// The errors of [`Plan::request_with_stored_results`].
    pub fn request(
        &self,
        arguments: &Arguments,
        session: &Session,
        journal: &mut Journal,
    ) -> Result<Request<Bytes>, Box<Fault>> {
        self.request_with_stored_results(arguments, session, StoredResults::NONE, journal)
    }

    /// Fills the inputs, checks them and builds the finished request, without credentials. Arguments that stand for bytes
    /// may name stored results of earlier calls.
    ///
    /// # Errors
    /// A [`Fault`] that lists every violation, before anything is sent.
    pub fn request_with_stored_results(
        &self,
        arguments: &Arguments,
        session: &Session,
        kept: StoredResults<'_>,
        journal: &mut Journal,
    ) -> Result<Request<Bytes>, Box<Fault>> {
        self.with_arguments_as_inputs(arguments, journal, |arguments, journal| {
            let given = GivenValues { arguments, session };
            let ready = self.filled_request(given, kept, journal)?;
            let server = &self.operation.server;
            if server.is_missing {
                let url = server.suggestion.as_deref().unwrap_or("https://HOST").to_owned();
                let remedy = Remedy::NameServer { url };
                journal.note(Event::Refused { why: None, remedy });
                return Err(wording::no_server());
            }
            self.frame.request(&ready)
        })
    }

    /// Fills and checks the inputs as for a request, and returns the resulting arguments: with values of the session and
    /// defaults, without credentials.
    ///
    /// # Errors
    /// A [`Fault`] that lists every violation.
    pub fn filled_arguments(
        &self,
        arguments: &Arguments,
        session: &Session,
        kept: StoredResults<'_>,
        journal: &mut Journal,
    ) -> Result<Arguments, Box<Fault>> {
        let filled = self.with_arguments_as_inputs(arguments, journal, |arguments, journal| {
            let ready = self.filled_request(GivenValues { arguments, session }, kept, journal)?;
            self.frame.request(&ready)?;
            let inputs = ready.subject.inputs;
            let is_input = |name: &str| inputs.iter().any(|input| input.argument.as_str() == name);
            let filled = inputs.iter().zip(ready.fillings).filter_map(|(input, filling)| {
                Some((input.argument.to_string(), filling?.value.into_owned()))
            });
            // Arguments that are not inputs select how the request is written: the media type of its body.
            let other = arguments.iter().filter(|(name, _)| !is_input(name));
            Ok(filled.chain(other.map(|(name, value)| (name.clone(), value.clone()))).collect())
        })?;
        match BodyArguments::from_operation(&self.operation) {
            Some(body) => body.unwrap_from_body(filled),
            None => Ok(filled),
        }
    }

    /// Passes the arguments as inputs to `then`. If the arguments are the members of the body, builds the body first and
    /// reports about the body's members as arguments.
    fn with_arguments_as_inputs<T>(
        &self,
        arguments: &Arguments,
        journal: &mut Journal,
        then: impl FnOnce(&Arguments, &mut Journal) -> Result<T, Box<Fault>>,
    ) -> Result<T, Box<Fault>> {
        let Some(body) = BodyArguments::from_operation(&self.operation) else {
            return then(arguments, journal);
        };
        let mut own = Journal::default();
        let done = then(&body.wrap_into_body(arguments), &mut own);
        body.note_relocated_events(&own, journal);
        done.map_err(|fault| body.relocated_fault(fault))
    }

    fn filled_request<'a>(
        &'a self,
        given: GivenValues<'a>,
        kept: StoredResults<'a>,
        journal: &mut Journal,
    ) -> Result<Ready<'a>, Box<Fault>> {
        let operation = &*self.operation;
        let GivenValues { arguments, session } = given;
        // An unknown media type is refused when the body is written, together with all other problems.
        let body = operation.body.as_ref();
        let media = body.and_then(|body| chosen_media(operation, body, arguments).ok());
        let alternative = media.and_then(|media| media.alternative);
        let nulls = media.map_or(Nulls::Omit, |media| null_handling(operation, media, arguments));
        let subject = Subject {
            inputs: &operation.inputs,
            nested: operation.nested_inputs(alternative),
            body: operation.body.as_ref(),
        };
        let schema = operation.arguments_schema();
        let checks = self.checks.get_or_init(|| Checks::new(schema, operation));
        let checking = Checking { checks, schema, inputs: subject.inputs, alternative, nulls };
        let mut fillings = fill_inputs(subject, given, |at| checking.is_nullable(at), journal);
        let bindings = &*operation.bindings;
        let binding = Binding { subject, bindings, alternative, names: &self.names, session };
        bind_session_inputs(binding, &mut fillings, journal)?;
        let is_valid = |at: usize, value: &Value| checking.is_valid(at, value);
        let is_given = |_: usize, nested: &NestedInput| {
            let given = arguments.get(nested.argument.as_str());
            given.is_some_and(|given| has_value_at(given, &nested.steps))
        };
        leave_out_excluded_defaults(subject, is_given, &mut fillings, is_valid, journal);
        FilledCall { binding, given, checking }.check_and_refill_inputs(&mut fillings, journal)?;
        let mut omitted = OmittedValues::new(journal);
        find_omitted_parameters(subject.inputs, &fillings, schema, &mut omitted);
        if let (Some(body), Some(media)) = (subject.body, media) {
            let content = Content::new(subject, &fillings, body.layout);
            find_omitted_members(&content, media, schema, &mut omitted);
            note_chosen_media(body, media, arguments, omitted.journal());
        }
        omitted.refuse_if_required()?;
        Ok(Ready { operation, subject, fillings, arguments, kept })
    }

    /// The outcome of a response to a call without credentials; see [`Plan::understood_response`].
    pub fn outcome(&self, response: &Response<Bytes>, shape: &Shape) -> Outcome {
        let (masker, mut journal) = (Masker::new(Vec::new()), Journal::default());
        let (masker, arguments) = (&masker, &Arguments::new());
        let reading = ReadContext { shape, masker, arguments, journal: &mut journal };
        self.understood_response(response, reading).outcome
    }

    /// The head of a response that arrives piece by piece: its status, and the headers to show.
    pub fn answer_head(&self, head: &http::response::Parts, reading: &ReadContext<'_>) -> Answer {
        response::answer_head(head, &self.operation, reading)
    }

    /// Reads a response by its status and its media type, into a form that a model can use.
    pub fn understood_response(
        &self,
        response: &Response<Bytes>,
        reading: ReadContext<'_>,
    ) -> Understood {
        response::understood_response(response, &self.operation, reading)
    }

    /// Leaves out of the arguments for the next page what the call already gives; the next call gives it, too.
    pub fn remove_given_arguments(&self, next: &mut Arguments, given: &Arguments) {
        page::remove_given_arguments(&self.operation, next, given);
    }
}
