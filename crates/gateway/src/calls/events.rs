//! Results as server-sent events (SSE): `value` for each value of a streaming service, `result` for each ended call, and
//! `end`. The calls stop when the caller leaves.

use std::{convert::Infallible, sync::Arc};

use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use callgate_executor::{Piece, ToolStream};
use callgate_tool::{ToolResult, json};
use futures_util::{Stream, StreamExt, stream};
use http::{HeaderValue, header};

use super::{Batch, RequestedCall, journal};
use crate::answer::put_configuration_digest;

pub(super) fn events_response(batch: Arc<Batch>, calls: Vec<RequestedCall>) -> Response {
    let at_once = batch.calls_at_once();
    let ended = stream::iter([Event::default().event("end").data("{}")]);
    let built = Arc::clone(&batch.built);
    let calls = calls.into_iter().enumerate();
    let calls = calls.map(move |(at, asked)| call_events(Arc::clone(&batch), at, asked));
    let events = stream::iter(calls).flatten_unordered(at_once).chain(ended);
    let mut response =
        Sse::new(events.map(Ok::<_, Infallible>)).keep_alive(KeepAlive::default()).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    put_configuration_digest(&mut response, &built);
    response
}

enum Step {
    Begins(Arc<Batch>, usize, Box<RequestedCall>),
    Streams(Arc<Batch>, usize, Box<RequestedCall>, Box<ToolStream>),
    Ended,
}

fn call_events(
    batch: Arc<Batch>,
    at: usize,
    asked: RequestedCall,
) -> impl Stream<Item = Event> + Send + Unpin {
    let begins = Step::Begins(batch, at, Box::new(asked));
    Box::pin(stream::unfold(begins, async |step| next_call_event(step).await))
}

async fn next_call_event(step: Step) -> Option<(Event, Step)> {
    let (batch, at, asked, mut stream) = match step {
        Step::Ended => return None,
        Step::Begins(batch, at, asked) if batch.is_dry_run => {
            let result = batch.run_call(at, &asked).await;
            return Some((result_event(&batch, &result), Step::Ended));
        }
        Step::Begins(batch, at, asked) => {
            let stream = batch.built.executor.stream_with(batch.executor_call(at, &asked)).await;
            (batch, at, asked, Box::new(stream))
        }
        Step::Streams(batch, at, asked, stream) => (batch, at, asked, stream),
    };
    while let Some(piece) = stream.next().await {
        if let Piece::Value(value) = piece {
            let data = format!(r#"{{"id":{},"value":{}}}"#, json!(&*asked.call.id), value.text());
            let event = Event::default().event("value").data(one_line(&data));
            return Some((event, Step::Streams(batch, at, asked, stream)));
        }
    }
    let result = batch.store_if_waiting(at, &asked, stream.into_result()).await;
    Some((result_event(&batch, &result), Step::Ended))
}

fn result_event(batch: &Batch, result: &ToolResult) -> Event {
    let event = Event::default().event("result");
    match batch.journal {
        Some(audience) => event.data(one_line(&journal::with_journal(result, audience))),
        None => event.data(one_line(callgate_dialect::json_result(result).text())),
    }
}

/// JSON on one line: line breaks between its values become spaces.
fn one_line(json: &str) -> String {
    json.replace(['\r', '\n'], " ")
}
