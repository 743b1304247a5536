//! The side that runs a call: the client, if the tool or the call says so, else this program. That is decided here, for tools of
//! every kind: the backend of a call that the client runs is asked what the client gets, and nothing else.

use std::time::SystemTime;

use callgate_call::wording;
use callgate_tool::{Fault, Journal, Outcome, Pending, PendingKind, Preview, Value, json};

use crate::{
    backend::{Backend, Opened, Review},
    call::Call,
    execution::Execution,
    extensions::{AnswersPrograms, OuterCall, PausableCall},
};

pub(crate) async fn run_or_ask_client(
    backend: &dyn Backend,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Outcome {
    if !is_run_by_client(backend, call) {
        return backend.run(call, journal).await;
    }
    if let Some(OuterCall(outer)) = call.extensions().get()
        && (outer.get::<AnswersPrograms>().is_none()
            || call.extensions().get::<PausableCall>().is_none())
    {
        return wording::client::not_from_code().into();
    }
    backend
        .client_request(call, journal)
        .await
        .and_then(|request| pending_outcome(backend, call, request))
        .unwrap_or_else(Outcome::Failed)
}

pub(crate) async fn open_or_ask_client(
    backend: &dyn Backend,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Opened {
    if is_run_by_client(backend, call) {
        return Opened::Ended(run_or_ask_client(backend, call, journal).await);
    }
    backend.open(call, journal).await
}

/// The preview of a call on the side that runs it.
///
/// # Errors
/// The fault that the call would end with, if it is known before any side effect.
#[doc(hidden)]
pub async fn preview_call(
    backend: &dyn Backend,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Result<Preview, Box<Fault>> {
    if !is_run_by_client(backend, call) {
        return backend.preview(call, journal).await;
    }
    let request = backend.client_request(call, journal).await?;
    let name = backend.name();
    Ok(Preview::Text(format!("asks the client to run `{name}` with {request}")))
}

/// The subject of a person's decision about a call, on the side that runs it.
///
/// # Errors
/// The fault that the call would end with, if it is known before any side effect.
#[doc(hidden)]
pub async fn review_call(
    backend: &dyn Backend,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Result<Review, Box<Fault>> {
    if is_run_by_client(backend, call) {
        return preview_call(backend, call, journal).await.map(Review::new);
    }
    backend.review(call, journal).await
}

fn is_run_by_client(backend: &dyn Backend, call: &Call<'_>) -> bool {
    [backend.execution(), call.execution()].contains(&Execution::Client)
}

/// The client gets the arguments; of a call of a program, it also gets the tool and the place of the call.
fn pending_outcome(
    backend: &dyn Backend,
    call: &Call<'_>,
    arguments: Value,
) -> Result<Outcome, Box<Fault>> {
    let name = random_name()
        .ok_or_else(|| wording::not_supported("no name can be drawn for a pending call"))?;
    let (id, request) = match call.extensions().get::<PausableCall>() {
        None => (format!("call_{name}"), arguments),
        Some(PausableCall(facts)) => {
            let (tool, program) = (backend.name().as_str(), Value::Object(facts.clone()));
            let request = json!({"tool": tool, "arguments": arguments, "program": program});
            (format!("{}{name}", Pending::PROGRAM_CALL), request)
        }
    };
    let mut pending = Pending::new(PendingKind::Client, id, request);
    let time = call.client_time_within(backend.client_time_limit());
    pending.expires = SystemTime::now().checked_add(time);
    Ok(Outcome::Pending(Box::new(pending)))
}

/// The part of the id of a pending call that nobody can guess; `None` where the system has no random numbers.
#[doc(hidden)]
pub fn random_name() -> Option<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).ok()?;
    Some(format!("{:032x}", u128::from_ne_bytes(random)))
}
