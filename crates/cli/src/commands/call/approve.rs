//! Calls that need a person's approval: shows the request and asks on a terminal. `--yes` approves every request; if nobody can
//! be asked, the call is refused.

use callgate::{
    Call, Executor, Outcome, ToolResult, approval::Decision, result::Pending, stream::ToolStream,
};
use callgate_call::wording::approval as wording;
use callgate_policy::approval_text;
use callgate_tool::Value;

use crate::{args::CallArguments, progress::Progress, question};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::commands) enum Consent {
    Ask,
    Given,
    Refused,
}

impl Consent {
    pub(super) fn for_one_call(arguments: &CallArguments) -> Self {
        Self::from_flag_or_terminal(arguments.yes)
    }

    /// The consent to the calls of one program, or to one call.
    pub(in crate::commands) fn from_flag_or_terminal(says_yes: bool) -> Self {
        if says_yes {
            Self::Given
        } else if question::can_ask_person() {
            Self::Ask
        } else {
            Self::Refused
        }
    }

    /// The decision about a request; `None` if nobody can be asked.
    fn decide(self, pending: &Pending) -> Option<Decision> {
        match self {
            Self::Ask => Some(ask_person(&pending.request)),
            Self::Given => Some(Decision::Approve),
            Self::Refused => None,
        }
    }

    /// The consent to calls that run at once and may be read from standard input.
    pub(super) fn for_many_calls(arguments: &CallArguments) -> Self {
        if arguments.yes { Self::Given } else { Self::Refused }
    }
}

/// Makes a call, after its approval if it needs one.
pub(in crate::commands) async fn call_with_consent(
    executor: &Executor,
    call: &Call<'_>,
    consent: Consent,
) -> ToolResult {
    let mut result = await_with_progress(executor.call_with(call.clone())).await;
    // The person is asked again if the call would now send another request than was approved.
    let mut n_times = 0;
    while n_times < MOST_TIMES {
        let Some(pending) = result.outcome.pending_approval() else { return result };
        // A program asks about each of its calls, which have a limit of their own.
        n_times += usize::from(!pending.is_of_program());
        let Some(decision) = consent.decide(pending) else {
            return refused_result(result);
        };
        let decided = call.clone().with_decision(&*pending.id, decision);
        result = await_with_progress(executor.call_with(decided)).await;
    }
    result
}

/// Makes a call up to the head of its response, after its approval if it needs one.
pub(super) async fn stream_with_consent(
    executor: &Executor,
    call: &Call<'_>,
    consent: Consent,
) -> Result<ToolStream, ToolResult> {
    let mut stream = await_with_progress(executor.stream_with(call.clone())).await;
    let mut n_times = 0;
    while n_times < MOST_TIMES {
        if stream.head().is_some() {
            return Ok(stream);
        }
        let result = stream.into_result();
        let Some(pending) = result.outcome.pending_approval() else { return Err(result) };
        n_times += usize::from(!pending.is_of_program());
        let Some(decision) = consent.decide(pending) else {
            return Err(refused_result(result));
        };
        let decided = call.clone().with_decision(&*pending.id, decision);
        stream = await_with_progress(executor.stream_with(decided)).await;
    }
    Ok(stream)
}

/// Runs a call, and shows on a terminal that it waits.
pub(super) async fn await_with_progress<T>(call: impl Future<Output = T>) -> T {
    let _progress = Progress::start_for_call();
    call.await
}

/// The result of a call that nobody can be asked about.
fn refused_result(mut result: ToolResult) -> ToolResult {
    result.outcome = Outcome::Failed(wording::nobody_asks());
    result
}

/// Asks the person at the terminal about a request. Only `y` and `yes` approve it.
fn ask_person(request: &Value) -> Decision {
    let text = format!("{}\nSend this? [y/N] ", approval_text(request));
    if question::ask_for_confirmation(&text) { Decision::Approve } else { Decision::Reject }
}

/// The number of times that a request may change while a person reads it.
const MOST_TIMES: usize = 8;
