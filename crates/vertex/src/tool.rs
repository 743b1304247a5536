//! One tool as a backend: it translates a call for the service, lets the executor send it, and translates the response. The words of
//! the service about a failure are not shown.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::{Backend, Call};
use callgate_kind::google_error_status;
use callgate_secret::Secret;
use callgate_tool::{
    Answer, Arguments, Content, Fault, FingerprintHasher, Journal, Outcome, Preview, Session, Tool,
    Value, json,
};

use crate::{
    answer,
    description::Methods,
    request::Question,
    results::{self, Passages},
    settings::{Action, VertexSettings},
};

#[derive(Debug)]
pub(crate) struct VertexTool {
    pub(crate) tool: Tool,
    pub(crate) action: Action,
    pub(crate) shared: Arc<Shared>,
}

/// The parts that the tools of a search share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: VertexSettings,
    /// Those of each target, in their order.
    pub(crate) methods: Vec<Methods>,
}

struct TargetRequest<'a> {
    method: &'a dyn Backend,
    arguments: Arguments,
}

impl VertexTool {
    fn call_question<'a>(&'a self, call: &'a Call<'_>) -> Result<Question<'a>, Box<Fault>> {
        Question::from_arguments(&self.shared.settings, call.arguments(), call.session())
    }

    /// The requests of a call. An answer is of one target.
    fn target_requests(
        &self,
        question: &Question<'_>,
    ) -> Result<Vec<TargetRequest<'_>>, Box<Fault>> {
        let most = if self.action == Action::Answer { 1 } else { usize::MAX };
        let targets = self.shared.settings.targets.iter().zip(&self.shared.methods).take(most);
        let mut requests = Vec::new();
        for (target, methods) in targets {
            let method = methods.get(self.action);
            let missing = || wording::not_supported("the service has no such method");
            let arguments =
                Arguments::from([("body", question.request_body(target, self.action)?)]);
            requests.push(TargetRequest { method: method.ok_or_else(missing)?, arguments });
        }
        Ok(requests)
    }

    /// A method, since all share what is asked of it.
    fn first_target_method(&self) -> Option<&dyn Backend> {
        self.shared.methods.first()?.get(self.action)
    }

    async fn call_outcome(
        &self,
        call: &Call<'_>,
        journal: &mut Journal,
    ) -> Result<Outcome, Box<Fault>> {
        let question = self.call_question(call)?;
        let (mut responses, mut last) = (Vec::new(), None);
        for TargetRequest { method, arguments } in self.target_requests(&question)? {
            let sent = call.clone().with_arguments(arguments);
            let mut answer = match method.run(&sent, journal).await {
                Outcome::Answered(answer) => answer,
                Outcome::Failed(mut fault) => {
                    fault.body = fault.body.as_ref().and_then(google_error_status);
                    return Err(fault);
                }
                other => return Ok(other),
            };
            responses.push(take_answer_object(&mut answer)?);
            last = Some(answer);
        }
        let most_bytes = self.shared.settings.result_bytes;
        let result = match self.action {
            Action::Answer => {
                let response = responses.pop().unwrap_or_default();
                answer::answer_result(&response, self.shared.settings.grounding, most_bytes)?
            }
            Action::Search => {
                let passages = responses.iter().map(Passages::from_search_response).collect();
                results::search_result(passages, question.limit, most_bytes)
            }
        };
        let Some(mut answer) = last else {
            return Err(wording::not_supported("there is nothing to search"));
        };
        answer.content = Content::Json(result.into());
        answer.headers.clear();
        Ok(Outcome::Answered(answer))
    }
}

/// The object that the service answered with.
fn take_answer_object(answer: &mut Answer) -> Result<Value, Box<Fault>> {
    match std::mem::replace(&mut answer.content, Content::Empty) {
        Content::Json(json) if json.value().is_object() => Ok(json.value().clone()),
        Content::Empty => Ok(json!({})),
        _ => Err(wording::vertex::result_not_an_object()),
    }
}

#[async_trait]
impl Backend for VertexTool {
    callgate_executor::of_tool!(tool, shared.settings.toolset);

    fn target(&self) -> Option<String> {
        self.first_target_method()?.target()
    }

    fn secrets(&self, session: &Session) -> Vec<Secret> {
        self.first_target_method().map(|method| method.secrets(session)).unwrap_or_default()
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        if let Some(method) = self.first_target_method() {
            method.hash_session(session, hasher);
        }
        for source in self.shared.settings.sources() {
            hasher.add_source_value(source, session);
        }
    }

    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>> {
        let requests = self.target_requests(&self.call_question(call)?)?;
        let Some(TargetRequest { method, arguments }) = requests.into_iter().next() else {
            return Err(wording::not_supported("there is nothing to search"));
        };
        method.preview(&call.clone().with_arguments(arguments), journal).await
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        self.call_outcome(call, journal).await.unwrap_or_else(Outcome::Failed)
    }
}
