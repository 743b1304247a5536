//! The event of one ended call, for a log that is read by programs. It has names, words and numbers, and no value of the
//! call; the name of a tool that there is not is one.

use callgate_executor::{Call, CurrentTrace, Ended, TraceContext};
use callgate_tool::Principal;
use tracing::{Level, Span};

use super::series::CountedCall;

/// Writes the event, unless nobody reads events of this target.
pub(super) fn log_call_end(call: &Call<'_>, ended: &Ended<'_>, status: Option<u16>) {
    if !tracing::enabled!(target: TARGET, Level::INFO) {
        return;
    }
    let counted = call.extensions().get::<CountedCall>();
    let toolset = counted.map(CountedCall::toolset).filter(|toolset| !toolset.is_empty());
    tracing::info!(
        target: TARGET,
        parent: None,
        tool = counted.filter(|counted| counted.has_tool()).map(|_| call.tool()),
        toolset,
        outcome = ended.ending.as_str(),
        status,
        reached = ended.reached.as_str(),
        ms = u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX),
        principal = call.principal().map(Principal::id),
        id = call.id(),
        trace = trace_id(call).map(|trace| tracing::field::display(HexTrace(trace))),
        "call ended"
    );
}

/// The trace of the program's own span if it has one, otherwise the caller's.
fn trace_id(call: &Call<'_>) -> Option<u128> {
    let extensions = call.extensions();
    let own = extensions.get::<CurrentTrace>().zip(extensions.get::<Span>());
    let own = own.and_then(|(CurrentTrace(current), span)| span.in_scope(current));
    own.as_ref().or_else(|| call.trace()).map(TraceContext::trace_id)
}

struct HexTrace(u128);

callgate_secret::text!(HexTrace: Self(trace) => "{trace:032x}");

const TARGET: &str = "callgate::calls";
