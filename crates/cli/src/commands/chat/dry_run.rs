//! `--dry-run`: prints the first request to the model, which the code of a real turn makes, and the tools that are offered.
//! Nothing is sent, and no credential is fetched.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use callgate::config::Built;
use callgate_agent::{Agent, Input, Transcript, TurnContext};
use callgate_auth::{
    Authenticator, Authorization, CredentialPlace, Error as AuthError, place_masks,
};
use callgate_tool::{Session, Value};
use callgate_transport::{Error, ErrorKind, Limits, Transport, masked_headers, masked_url};
use http::{Request, Response};

use crate::{
    commands::{call::block_on, turns::wrap_model_transport},
    exit::{Failure, Verdict},
    output,
};

/// The conversation whose next request is shown.
pub(super) struct PlannedTurn<'p> {
    pub(super) input: &'p Input,
    pub(super) session: Session,
}

/// Puts what sends nothing in place of the way to the model and its credential.
pub(super) fn intercept_model_requests(
    built: &mut Built,
    agent: &str,
) -> Option<Arc<FirstRequest>> {
    let first = wrap_model_transport(built, agent, |_| Arc::new(FirstRequest::default()))?;
    let agent = built.agents.iter_mut().find(|built_agent| built_agent.name == agent)?;
    agent.model.authenticator = Arc::new(Masked(Arc::clone(&agent.model.authenticator)));
    Some(first)
}

pub(super) fn print_first_request(
    planned: PlannedTurn<'_>,
    agent: &Agent,
    mut transcript: Transcript,
    first: &FirstRequest,
    built: &Built,
) -> Result<Verdict, Failure> {
    let context = TurnContext::new(planned.session);
    let turn = agent.turn(&mut transcript, planned.input.clone(), &context);
    block_on(turn)?.map_err(|error| super::agent_failure(&error))?;
    let Some(request) = first.take_request() else {
        let message = "no request would be sent: the limits of the agent end the turn before it";
        return Err(Failure::with_help(message, "raise `limits` of the agent"));
    };
    output::print_result(&masked_request_text(&request));
    let tools = built
        .executor
        .entries()
        .filter(|entry| agent.offered_tool(entry.name().as_str()).is_some());
    let tools: Vec<String> = tools.map(|entry| format!("  {}\n", entry.name())).collect();
    output::print_result(&format!("\n{} tools are offered:\n{}", tools.len(), tools.concat()));
    Ok(Verdict::Fine)
}

fn masked_request_text(request: &Request<Bytes>) -> String {
    let mut text = format!("{} {}\n", request.method(), masked_url(request));
    for (name, value) in masked_headers(request) {
        text.push_str(&format!("{name}: {}\n", String::from_utf8_lossy(&value)));
    }
    let body = Value::from_slice(request.body()).unwrap_or_default();
    format!("{text}\n{body:#}\n")
}

/// Keeps the first request, and sends none.
#[derive(Debug, Default)]
pub(super) struct FirstRequest(Mutex<Option<Request<Bytes>>>);

impl FirstRequest {
    fn take_request(&self) -> Option<Request<Bytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait]
impl Transport for FirstRequest {
    async fn send(&self, request: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(request);
        Err(Error::new(ErrorKind::Refused, "nothing is sent"))
    }
}

/// Puts `****` where the credential would go.
#[derive(Debug)]
struct Masked(Arc<dyn Authenticator>);

#[async_trait]
impl Authenticator for Masked {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        _: &Session,
    ) -> Result<Authorization, AuthError> {
        let places = self.0.places();
        place_masks(request, &places)?;
        Ok(Authorization::from_places(places))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        self.0.places()
    }
}
