//! A turn as server-sent events (SSE) while it runs: `text` for words of the model, `retry` where those of a
//! stream do not count, `call` and `result` for calls, `pending` for calls that wait when the turn has ended, and `end`. A refusal that comes before the turn begins is a response of its own.

use std::{collections::VecDeque, convert::Infallible};

use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use callgate_agent::TurnEvent;
use callgate_tool::{Object, Outcome, Value, json};
use futures_util::{Stream, stream};
use http::{HeaderValue, header};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{PreparedTurn, TakenTurn, TurnTask, pending_call_json, stop::TurnStop};
use crate::problem::Problem;

/// Runs a turn. The response begins with the turn, so that a turn that is refused has a status of its own.
pub(super) async fn stream_turn(turn: PreparedTurn) -> Result<Response, Problem> {
    let (sender, mut receiver) = unbounded_channel();
    let stop = turn.stop.clone();
    let event_sender = EventSender { sender, stop: stop.clone() };
    let running = turn.with_event_handler(move |event| event_sender.send(event)).spawn_task();
    let mut last = VecDeque::new();
    let running = if receiver.recv().await.is_some() {
        Some(running)
    } else {
        last = last_events(Ok(running.wait_for_end().await?));
        None
    };
    Ok(event_stream_response(turn_events(Events { receiver, stop, running, last })))
}

/// The last events of a turn that an earlier request took, from its answer: the calls that wait, and the end.
pub(super) fn earlier_answer(text: &str) -> Response {
    let whole = Value::parse(text).unwrap_or_default();
    let pending = whole.get("pending").and_then(Value::as_array).into_iter().flatten();
    let mut last = VecDeque::from([EventText::new("end", &whole)]);
    pending.rev().for_each(|call| last.push_front(EventText::new("pending", call)));
    let events =
        last.into_iter().map(|EventText(name, data)| Ok(Event::default().event(name).data(data)));
    event_stream_response(stream::iter(events))
}

fn event_stream_response(
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    let mut response = Sse::new(events).keep_alive(KeepAlive::default()).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The name of an event and its data, which is JSON on one line.
struct EventText(&'static str, String);

impl EventText {
    fn new(name: &'static str, data: &Value) -> Self {
        Self(name, data.to_string().replace(['\r', '\n'], " "))
    }

    /// The bytes that it takes until it is read.
    fn n_bytes(&self) -> usize {
        self.1.len() + AROUND
    }
}

/// Sends what happens in a turn to its caller. The turn does not wait for a caller that does not read: it is cancelled.
struct EventSender {
    sender: UnboundedSender<EventText>,
    stop: TurnStop,
}

impl EventSender {
    fn send(&self, event: &TurnEvent<'_>) {
        let Some(text) = event_text(event) else { return };
        if self.stop.count_unread_or_stop(text.n_bytes()) {
            // Nobody reads any more if the caller has left.
            self.sender.send(text).ok();
        }
    }
}

fn event_text(event: &TurnEvent<'_>) -> Option<EventText> {
    match event {
        TurnEvent::Begun => Some(EventText("begun", String::new())),
        TurnEvent::Call(call) => {
            let data = Object::from([
                ("id", call.id.as_str().into()),
                ("tool", call.tool.as_str().into()),
                ("args", Value::Object(call.arguments.clone())),
            ]);
            Some(EventText::new("call", &data.into()))
        }
        // It is sent when the turn ends: nobody can decide before.
        TurnEvent::Result(result) if matches!(result.outcome, Outcome::Pending(_)) => None,
        TurnEvent::Result(result) => {
            let data = callgate_dialect::json_result(result);
            Some(EventText("result", data.text().replace(['\r', '\n'], " ")))
        }
        TurnEvent::Retry(text) => Some(EventText::new("retry", &json!({"text": *text}))),
        TurnEvent::Text(text) => Some(EventText::new("text", &json!({"text": *text}))),
        _ => None,
    }
}

struct Events {
    receiver: UnboundedReceiver<EventText>,
    stop: TurnStop,
    /// The turn, until its end is sent. If it is dropped before, the caller has left.
    running: Option<TurnTask>,
    last: VecDeque<EventText>,
}

fn turn_events(events: Events) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    stream::unfold(events, |mut events| async move {
        let EventText(name, data) = events.next_event_text().await?;
        Some((Ok(Event::default().event(name).data(data)), events))
    })
}

impl Events {
    async fn next_event_text(&mut self) -> Option<EventText> {
        if let Some(text) = self.receiver.recv().await {
            self.stop.note_read(text.n_bytes());
            return Some(text);
        }
        if let Some(running) = self.running.take() {
            self.last = last_events(running.wait_for_end().await);
        }
        self.last.pop_front()
    }
}

/// The last events of a turn.
fn last_events(ended: Result<TakenTurn, Problem>) -> VecDeque<EventText> {
    match ended {
        Ok(taken) => {
            let pending = taken.kept.end.pending.iter();
            let pending = pending.map(|call| EventText::new("pending", &pending_call_json(call)));
            pending.chain([EventText::new("end", &taken.answer())]).collect()
        }
        Err(problem) => {
            let details = problem.into_http().into_body();
            [EventText("problem", String::from_utf8_lossy(&details).into_owned())].into()
        }
    }
}

/// The bytes of an event besides its data.
const AROUND: usize = 64;
