//! Runs a call whose client may first have to ask: for a person's approval, or for values that a tool of the program needs.
//! If answers come with a further call, the results of earlier rounds come with its state.

use std::collections::BTreeMap;

use callgate_executor::{AnswersSignIns, Call, Decided, Decision, Executor};
use callgate_session::Key;
use callgate_tool::{Approvers, FaultCode, Outcome, ToolResult, Value};
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        ClientCapabilities, ElicitationCapability, InputRequests, InputRequiredResult,
        SamplingCapability,
    },
};

use crate::{
    abilities::{Abilities, Channel},
    approval::{QUESTION, decision_of_answer, elicit_decision, input_required_result},
    client::{Attachment, Client, Messages},
    message::ExactCall,
    rounds::Round,
    state::{Pauses, state_place},
};

pub(crate) enum RoundEnd {
    /// The client has to ask, and then call again with the answer.
    Asks(InputRequiredResult),
    Ended(ToolResult, Vec<Attachment>),
}

#[derive(Clone, Copy)]
pub(crate) struct CallOrigin<'r> {
    pub(crate) exact: &'r ExactCall,
    pub(crate) abilities: Abilities,
    /// `None` if the client takes no requests.
    pub(crate) peer: Option<&'r Peer<RoleServer>>,
}

/// Runs a call. `fresh` makes the call anew, because the person may take a while to answer.
pub(crate) async fn run_call_with_questions<'a>(
    executor: &Executor,
    fresh: impl Fn() -> Call<'a> + Send + Sync,
    origin: &CallOrigin<'_>,
    pauses: &Pauses,
) -> Result<RoundEnd, ErrorData> {
    let mut call = call_answering_sign_ins(fresh(), origin.abilities);
    let place = state_place(&call);
    let round = load_round(origin.exact, &call, &place, pauses).await?;
    let mut answers = exact_answers(origin.exact);
    if let Some(approval) = round.approval {
        // A call without an answer asks the person again.
        if let Some(decision) = answers.remove(QUESTION).as_ref().and_then(decision_of_answer) {
            call = call_with_decision(call, approval, decision);
        }
    }
    answers.extend(round.answers);
    let abilities = origin.abilities;
    let client = Client::new(origin.peer.cloned(), abilities, answers.clone());
    let mut result = Box::pin(executor.call_with(call.with_extension(client.clone()))).await;
    // The person is asked again if the call would now send another request than was approved.
    let mut n_times = 0;
    while n_times < MOST_TIMES {
        // The client speaks for the caller, who may not decide if others have to.
        let pending = result.outcome.pending_approval();
        let pending = pending.filter(|pending| pending.approvers != Approvers::Others);
        let Some(pending) = pending else { break };
        // A program asks about each of its calls, which have a limit of their own.
        n_times += usize::from(!pending.is_of_program());
        let decision = match (abilities.channel, abilities.has_forms) {
            (Channel::Rounds, true) => {
                let round = Round { approval: Some(pending.id.clone()), answers };
                let state = store_and_seal_round(round, &fresh(), &place, pauses).await;
                return input_required_result(pending, state).map(RoundEnd::Asks);
            }
            (Channel::Live, true) => match origin.peer {
                Some(peer) => elicit_decision(pending, peer).await,
                None => None,
            },
            (Channel::Live | Channel::Rounds, false) | (Channel::Nobody, _) => None,
        };
        // The result says that the call waits.
        let Some(decision) = decision else { break };
        let call = call_with_decision(fresh(), pending.id.clone(), decision);
        result = Box::pin(executor.call_with(call.with_extension(client.clone()))).await;
    }
    let Messages { asked, used, lacking, attached } = client.take_tool_messages();
    if !needs_values(&result.outcome) || (asked.is_empty() && lacking.is_empty()) {
        return Ok(RoundEnd::Ended(result, attached));
    }
    if asked.is_empty() {
        let is_of_person = |question: &crate::Question| question.is_of_person();
        let is_of_model = |question: &crate::Question| !question.is_of_person();
        return Err(undeclared_capability_error(
            lacking.iter().any(is_of_person),
            lacking.iter().any(is_of_model),
        ));
    }
    let named = asked.iter().map(|it| Some((it.name().to_owned(), it.input_request()?)));
    let requests: Option<InputRequests> = named.collect();
    let round = Round { approval: None, answers: used };
    let state = store_and_seal_round(round, &fresh(), &place, pauses).await;
    let (requests, state) = requests.zip(state).ok_or_else(|| {
        ErrorData::internal_error("the values that the tool wants cannot be asked for", None)
    })?;
    Ok(RoundEnd::Asks(InputRequiredResult::new(Some(requests), Some(state))))
}

/// Lets the calls of a program wait for a sign-in where the answer comes with a request of its own, and with its credentials.
fn call_answering_sign_ins(call: Call<'_>, abilities: Abilities) -> Call<'_> {
    if (abilities.channel, abilities.has_forms) == (Channel::Rounds, true) {
        call.with_extension(AnswersSignIns)
    } else {
        call
    }
}

fn call_with_decision(call: Call<'_>, approval: String, decision: Decision) -> Call<'_> {
    let decided = Decided::new(approval, decision);
    let decided = match call.principal() {
        Some(principal) => decided.by(principal),
        None => decided,
    };
    call.with_decided(decided)
}

async fn load_round(
    exact: &ExactCall,
    call: &Call<'_>,
    place: &Key,
    pauses: &Pauses,
) -> Result<Round, ErrorData> {
    let Some(state) = &exact.state else { return Ok(Round::default()) };
    let name = pauses.unsealed_name(state, place).ok_or_else(foreign_state_error)?;
    match Round::take_round(name, call, pauses.store()).await {
        Ok(round) => round.ok_or_else(foreign_state_error),
        Err(error) => {
            tracing::warn!(%error, "the answers of earlier rounds of a call cannot be read");
            let message =
                "the answers to earlier questions cannot be read now: repeat the call later";
            Err(ErrorData::internal_error(message, None))
        }
    }
}

fn exact_answers(exact: &ExactCall) -> BTreeMap<String, Value> {
    exact.answers.iter().map(|(name, answer)| (name.clone(), answer.clone())).collect()
}

async fn store_and_seal_round(
    round: Round,
    call: &Call<'_>,
    place: &Key,
    pauses: &Pauses,
) -> Option<String> {
    pauses.sealed_state(&round.store_round(call, pauses.store()).await?, place)
}

fn needs_values(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(fault) if fault.code == FaultCode::NeedsValues)
}

fn foreign_state_error() -> ErrorData {
    let message = "`requestState` is none that this call was answered with, or was used: make the call again without it";
    ErrorData::invalid_params(message, None)
}

fn undeclared_capability_error(has_form: bool, has_model: bool) -> ErrorData {
    let mut required = ClientCapabilities::default();
    required.elicitation = has_form.then(ElicitationCapability::default);
    required.sampling = has_model.then(SamplingCapability::default);
    let mut error = ErrorData::missing_required_client_capability(required);
    let names = [(has_form, "`elicitation`"), (has_model, "`sampling`")];
    let names: Vec<_> = names.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
    error.message = format!(
        "this call has to ask first, and the client has not declared {}",
        names.join(" and ")
    )
    .into();
    error
}

/// The number of times that a request may change while a person reads it.
const MOST_TIMES: usize = 8;
