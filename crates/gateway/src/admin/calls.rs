//! `GET /v1/admin/calls`: the last calls, in a list or as they come; and `GET /v1/admin/calls/{number}`: one with its journal.

use std::{collections::VecDeque, convert::Infallible, sync::Arc};

use axum::{
    extract::State,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use callgate_tool::{Audience, JournalEntry, rfc_3339};
use futures_util::{Stream, stream};
use http::{HeaderMap, HeaderValue, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    answer::JsonText,
    bodies,
    caller::Caller,
    calls::AcceptedFormat,
    gateway::Gateway,
    listens::Listens,
    path_name::PathName,
    problem::{self, Problem, ProblemKind},
    query::{Query, malformed_query},
    recent_calls::RecentCall,
    rights::may_still_see_calls,
};

/// The last calls
#[derive(Serialize, ToSchema)]
pub(crate) struct LastCalls<'c> {
    /// The newest first
    #[schema(inline)]
    calls: Vec<CallSummary<'c>>,
    /// The number of the last call, for `after`
    latest: u64,
}

/// A call that has ended, without its values
#[derive(Serialize, ToSchema)]
struct CallSummary<'c> {
    /// The place among all calls of this process, from 1
    number: u64,
    /// The id that the caller gave it
    id: &'c str,
    tool: &'c str,
    /// The principal that made it; none where callers have no names
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    principal: Option<&'c str>,
    /// The time when it ended
    #[schema(format = DateTime)]
    at: String,
    /// `answered`, `pending`, `dropped`, or the code of the error
    ending: &'c str,
    /// The status of the service's response
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<u16>,
    #[schema(inline, value_type = bodies::Reached)]
    reached: &'c str,
    /// The milliseconds that it took
    ms: u64,
    /// The number of requests that were sent
    attempts: usize,
    /// What the caller has to know: left out, converted, filled in
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A call that has ended, with its journal
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenedCall<'c> {
    #[serde(flatten)]
    #[schema(inline)]
    summary: CallSummary<'c>,
    /// The decisions that were made while the call ran
    #[schema(value_type = Vec<bodies::JournalEntry>, inline)]
    journal: Vec<JournalEntry>,
    /// The beginning of the arguments as JSON without credentials, where `call_values: true` keeps them
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    arguments: Option<&'c str>,
    /// The beginning of the result as JSON, where `call_values: true` keeps it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    result: Option<&'c str>,
}

/// Lists the last calls, a thousand of them and at most 4 MiB; with `Accept: text/event-stream` each as it ends.
#[utoipa::path(
    get, path = "/v1/admin/calls",
    operation_id = "listCalls", tag = "operation",
    params(("after" = Option<u64>, Query, description = "Only calls after this number")),
    responses(
        (status = 200, description = "The last calls, the newest first; with `Accept: text/event-stream` as events `call`, the oldest first, those after `after` and then each as it ends",
            content((LastCalls<'_> = "application/json"), (String = "text/event-stream")),
            links(("OpenCall" = (operation_id = "showCall", parameters(("number" = "$response.body#/calls/0/number")))))),
        (status = 403, description = "The caller is no admin"),
        (status = 406, description = "No accepted media type can be answered"),
        (status = 503, description = "Too many listen"),
    ),
)]
pub(crate) async fn list_calls(
    State(gateway): State<Gateway>,
    caller: Caller,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response, Problem> {
    let accepted = AcceptedFormat::from_headers(&headers)?;
    let after = query.take_parameter("after")?.map(|text| {
        // A number of 64 bits with a sign, as the description says.
        let number = text.parse::<i64>().ok().and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| malformed_query("`after`: expected the number of a call"))
    });
    let after: Option<u64> = after.transpose()?;
    query.refuse_remaining("`after`")?;
    let recent_calls = gateway.recent_calls();
    if accepted == AcceptedFormat::Json {
        let (calls, latest) = recent_calls.calls_after(after.unwrap_or(0));
        let shown = calls.iter().filter(|call| may_see_call(&caller, call));
        let calls = shown.map(|call| call_summary(call)).collect();
        return Ok(JsonText::from_body(&LastCalls { calls, latest }).into_response());
    }
    // A browser that connects again says what it has seen.
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let latest = || recent_calls.calls_after(u64::MAX).1;
    let from = seen.or(after).unwrap_or_else(latest);
    let events = call_events(&gateway, &caller, from).ok_or_else(problem::overloaded_problem)?;
    let mut response = Sse::new(events).keep_alive(KeepAlive::default()).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.extensions_mut().insert(Listens);
    Ok(response)
}

/// Shows one of the last calls with its journal.
#[utoipa::path(
    get, path = "/v1/admin/calls/{number}",
    operation_id = "showCall", tag = "operation",
    params(("number" = String, Path, description = "The `number` of a listed call", pattern = "^[1-9][0-9]{0,18}$")),
    responses(
        (status = 200, description = "The call", body = OpenedCall<'_>),
        (status = 403, description = "The caller is no admin"),
        (status = 404, description = "There is no such call, or it is none of the last"),
    ),
)]
pub(crate) async fn show_call(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(number): PathName,
) -> Result<JsonText, Problem> {
    let call = number.parse().ok().and_then(|number| gateway.recent_calls().find(number));
    let call = call.filter(|call| may_see_call(&caller, call)).ok_or_else(|| {
        let detail = "expected the `number` of one of the last calls: `GET /v1/admin/calls`";
        Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
    })?;
    let audience = if caller.is_admin { Audience::Operator } else { Audience::Caller };
    let values = call.values.as_ref();
    Ok(JsonText::from_body(&OpenedCall {
        summary: call_summary(&call),
        journal: call.journal.entries_for_audience(audience),
        arguments: values.map(|values| &*values.arguments),
        result: values.map(|values| &*values.result),
    }))
}

/// True if a call is one of a toolset that the caller may use: the report shows no others, either.
fn may_see_call(caller: &Caller, call: &RecentCall) -> bool {
    let is_theirs = |toolset: &String| caller.may_use(toolset);
    caller.toolsets.is_none() || call.toolset.as_ref().is_some_and(is_theirs)
}

fn call_summary(call: &RecentCall) -> CallSummary<'_> {
    CallSummary {
        number: call.number,
        id: &call.id,
        tool: &call.tool,
        principal: call.principal.as_deref(),
        at: rfc_3339(call.at),
        ending: call.ending,
        status: call.status,
        reached: call.reached.as_str(),
        ms: u64::try_from(call.elapsed.as_millis()).unwrap_or(u64::MAX),
        attempts: call.attempts(),
        notes: call.journal.notes(),
    }
}

/// The calls after a number as they end, until the sidecar stops or the caller loses the right to see them; `None` if too many listen.
fn call_events(
    gateway: &Gateway,
    caller: &Caller,
    from: u64,
) -> Option<impl Stream<Item = Result<Event, Infallible>> + Send + use<>> {
    let permit = gateway.change_listener_permit(caller.principal.as_ref())?;
    let (gateway, caller) = (gateway.clone(), caller.clone());
    let (latest, replaced) =
        (gateway.recent_calls().latest_number(), gateway.replacement_counter());
    let feed = Feed { gateway, caller, waiting: VecDeque::new(), last: from };
    let from = (feed, latest, replaced, permit);
    Some(stream::unfold(from, |(mut feed, mut latest, mut replaced, permit)| async move {
        loop {
            if !may_still_see_calls(&feed.gateway, &feed.caller) {
                return None;
            }
            if let Some(event) = feed.next_event() {
                return Some((Ok(event), (feed, latest, replaced, permit)));
            }
            tokio::select! {
                biased;
                () = feed.gateway.drain().wait_until_draining() => return None,
                changed = replaced.changed() => changed.ok()?,
                changed = latest.changed() => changed.ok()?,
            }
        }
    }))
}

/// The calls that a reader has not seen yet.
struct Feed {
    gateway: Gateway,
    caller: Caller,
    waiting: VecDeque<Arc<RecentCall>>,
    last: u64,
}

impl Feed {
    fn next_event(&mut self) -> Option<Event> {
        if self.waiting.is_empty() {
            let (newer, _) = self.gateway.recent_calls().calls_after(self.last);
            self.last = newer.first().map_or(self.last, |call| call.number);
            let shown = newer.into_iter().rev().filter(|call| may_see_call(&self.caller, call));
            self.waiting.extend(shown);
        }
        let call = self.waiting.pop_front()?;
        let JsonText(data) = JsonText::from_body(&call_summary(&call));
        Some(Event::default().event("call").id(call.number.to_string()).data(data))
    }
}
