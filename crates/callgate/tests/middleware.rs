//! What stands around calls sees each of them begin and end, in the fixed order, whoever ended it.

#![cfg(test)]

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex},
    time::Duration,
};

use callgate::{
    Answer, Arguments, Backend, Call, Content, Effect, Executor, Fault, FaultCode, Function,
    Middleware, Next, Outcome, Preview, Schema, Session, Tool, ToolCall, ToolName,
    middleware::{Ended, Ending, Stage},
    result::Journal,
    stream::{Opened, Piece, Pieces},
};
use callgate_tool::{Value, json};

/// All that was seen, in order.
#[derive(Clone, Debug, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Notes what it sees, and ends the calls of one tool.
#[derive(Debug)]
struct Witness {
    name: &'static str,
    stage: Stage,
    vetoes: &'static str,
    seen: Seen,
}

#[async_trait::async_trait]
impl Middleware for Witness {
    fn stage(&self) -> Stage {
        self.stage
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        let effect = backend.map_or("none", |backend| backend.effect().as_str());
        self.seen.note(format!("{} before {} ({effect})", self.name, call.tool()));
        if call.tool() == self.vetoes {
            let fault = Fault::new(FaultCode::Refused, "not today", Next::GiveUp);
            return ControlFlow::Break(fault.into());
        }
        ControlFlow::Continue(())
    }

    async fn after(&self, _: &Call<'_>, ended: &Ended<'_>) {
        let how = match ended.ending {
            Ending::Dropped => "dropped",
            Ending::Outcome(Outcome::Failed(fault)) => fault.code.as_str(),
            Ending::Outcome(_) => "answered",
        };
        self.seen.note(format!("{} after {how}", self.name));
    }
}

/// Counts to three, and never comes to an end where it is told to wait.
#[derive(Debug)]
struct Counter(Tool);

impl Counter {
    fn new() -> Self {
        let name = ToolName::new("count").unwrap();
        let schema = Schema::new(json!({"type": "object"}));
        Self(Tool::new(name, "Counts".to_owned(), schema, Effect::Read))
    }
}

#[async_trait::async_trait]
impl Backend for Counter {
    fn name(&self) -> &ToolName {
        &self.0.name
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.0)
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text("counts to three".to_owned()))
    }

    async fn run(&self, _: &Call<'_>, _: &mut Journal) -> Outcome {
        json!([1, 2, 3]).into()
    }

    async fn open(&self, call: &Call<'_>, _: &mut Journal) -> Opened {
        let waits = call.arguments().contains_key("wait");
        let pieces = futures_util::stream::unfold(1, move |number| async move {
            if number > 3 && waits {
                std::future::pending::<()>().await;
            }
            (number <= 3).then(|| (Ok(Piece::Value(json!(number).into())), number + 1))
        });
        Opened::Pieces(Pieces::new(Answer::new(None, Content::Empty), pieces))
    }
}

fn executor(seen: &Seen) -> Executor {
    let witness = |name, stage, vetoes| Witness { name, stage, vetoes, seen: seen.clone() };
    let slow = Function::new("", "slow", json!({"type": "object"}), |_| async {
        std::future::pending::<()>().await;
        Value::Null
    });
    Executor::builder()
        .middleware(witness("inner", Stage::Approval, ""))
        .middleware(witness("own", Stage::Own, "vetoed"))
        .middleware(witness("outer", Stage::Metrics, ""))
        .function("", "vetoed", json!({"type": "object"}), |_| async { Value::Null })
        .backend(slow.unwrap())
        .backend(Counter::new())
        .build()
        .unwrap()
}

fn asked(tool: &str) -> ToolCall {
    ToolCall::new("1", tool, Arguments::new())
}

fn whole(tool: &str, ending: &str) -> Vec<String> {
    let names = ["outer", "own", "inner"];
    let before = names.iter().map(|name| format!("{name} before {tool}"));
    let after = names.iter().rev().map(|name| format!("{name} after {ending}"));
    before.chain(after).collect()
}

#[tokio::test]
async fn every_middleware_sees_a_call_begin_and_end_in_order() {
    let (seen, session) = (Seen::default(), Session::default());
    let executor = executor(&seen);
    executor.call(&asked("COUNT"), &session).await;
    assert_eq!(seen.taken(), whole("count (read)", "answered"));
    executor.call(&asked("nope"), &session).await;
    assert_eq!(seen.taken(), whole("nope (none)", "unknown_tool"));
}

#[tokio::test]
async fn a_veto_ends_the_call_before_the_tool_and_inner_middleware() {
    let seen = Seen::default();
    let result = executor(&seen).call(&asked("vetoed"), &Session::default()).await;
    let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
    assert_eq!(fault.message, "not today");
    let expected = [
        "outer before vetoed (write)",
        "own before vetoed (write)",
        "own after refused",
        "outer after refused",
    ];
    assert_eq!(seen.taken(), expected);
}

#[tokio::test(start_paused = true)]
async fn middleware_sees_the_end_of_a_dropped_call() {
    let seen = Seen::default();
    let executor = executor(&seen);
    let (call, session) = (asked("slow"), Session::default());
    let left = tokio::time::timeout(Duration::from_secs(1), executor.call(&call, &session));
    assert!(left.await.is_err());
    assert_eq!(seen.taken(), whole("slow (write)", "dropped"));
    let ended = executor.call(&call, &session).await;
    assert!(ended.outcome.is_failed(), "{ended:?}");
    assert_eq!(seen.taken(), whole("slow (write)", "timed_out"));
}

#[tokio::test]
async fn middleware_sees_the_end_of_a_read_and_of_a_dropped_stream() {
    let seen = Seen::default();
    let executor = executor(&seen);
    let mut stream = executor.stream(&asked("count"), &Session::default()).await;
    let mut counted = Vec::new();
    while let Some(piece) = stream.next().await {
        counted.push(piece.text().unwrap().to_owned());
    }
    assert_eq!(counted, ["1", "2", "3"]);
    assert_eq!(seen.taken(), whole("count (read)", "answered"));
    drop(stream);
    assert_eq!(seen.taken(), [""; 0]);

    let arguments = Arguments::from_iter([("wait".to_owned(), true.into())]);
    let waiting = ToolCall::new("1", "count", arguments);
    let mut stream = executor.stream(&waiting, &Session::default()).await;
    assert!(stream.next().await.is_some());
    drop(stream);
    assert_eq!(seen.taken(), whole("count (read)", "dropped"));
    let stream = executor.stream(&waiting, &Session::default()).await;
    assert_eq!(stream.into_result().tool, "count");
    assert_eq!(seen.taken(), whole("count (read)", "dropped"));
}
