//! The values of a session that a toolset's calls see and show. Values that credentials of other toolsets read are not inputs.
//! Values that any credential reads are masked in faults and dry runs; `echo` and `values` mask them in responses.

use std::borrow::Cow;

use callgate_openapi::Operation;
use callgate_secret::{Masker, Secret};
use callgate_tool::{
    Arguments, Event, Fault, FingerprintHasher, Journal, PlannedRequest, Session, Value,
};

use crate::toolset::SessionValues;

impl SessionValues {
    /// The session as the inputs of `operation` see it. The journal names the values that inputs ask for and do not get.
    pub(super) fn session_without_withheld<'s>(
        &self,
        session: &'s Session,
        operation: &Operation,
        journal: &mut Journal,
    ) -> Cow<'s, Session> {
        let inputs = session.without(&self.withheld);
        if matches!(inputs, Cow::Owned(_)) {
            let asked = |name: &&_| operation.session_sources().any(|source| source.reads(name));
            for name in self.withheld.iter().filter(|name| session.has(name)).filter(asked) {
                journal.note(Event::SessionValueWithheld { name: name.as_str().to_owned() });
            }
        }
        inputs
    }

    /// Adds the values that the inputs of `operation` read, and the operator's own, to a fingerprint.
    pub(super) fn hash_session_values(
        &self,
        session: &Session,
        operation: &Operation,
        hasher: &mut FingerprintHasher,
    ) {
        let inputs = session.without(&self.withheld);
        for source in operation.session_sources() {
            match source.value(&inputs) {
                Some(value) => hasher.add_value(&value),
                None => hasher.add_optional_text(None),
            };
        }
        for (input, value) in operation.configured_values() {
            hasher.add_text(input.argument.as_str()).add_value(value);
        }
    }

    pub(super) fn secrets(&self, session: &Session) -> Vec<Secret> {
        session.secrets(&self.masked)
    }

    pub(super) fn masked_fault(&self, fault: Box<Fault>, session: &Session) -> Box<Fault> {
        let secrets = self.secrets(session);
        let masker = Masker::new(&secrets);
        if masker.is_empty() { fault } else { Box::new(fault_without_secrets(*fault, &masker)) }
    }

    pub(super) fn masked_arguments(&self, arguments: Arguments, session: &Session) -> Value {
        let secrets = self.secrets(session);
        let masker = Masker::new(&secrets);
        let mut arguments = Value::Object(arguments);
        if !masker.is_empty() {
            arguments.mask_secrets(&masker);
        }
        arguments
    }

    pub(super) fn masked_request(
        &self,
        request: PlannedRequest,
        session: &Session,
    ) -> PlannedRequest {
        let secrets = self.secrets(session);
        let masker = Masker::new(&secrets);
        if masker.is_empty() { request } else { request_without_secrets(request, &masker) }
    }
}

fn fault_without_secrets(mut fault: Fault, masker: &Masker<'_>) -> Fault {
    masker.mask_in(&mut fault.message);
    for problem in &mut fault.problems {
        let texts = [&mut problem.at, &mut problem.expected, &mut problem.got];
        for text in texts.into_iter().chain(&mut problem.suggestion) {
            masker.mask_in(text);
        }
    }
    fault
}

fn request_without_secrets(mut planned: PlannedRequest, masker: &Masker<'_>) -> PlannedRequest {
    let PlannedRequest { method: _, url, headers, body, curl } = &mut planned;
    let headers = headers.iter_mut().map(|(_, value)| value);
    for text in [url, curl].into_iter().chain(headers).chain(body) {
        masker.mask_in(text);
    }
    planned
}
