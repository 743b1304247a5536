//! Tests the span of every ending of a call.

mod series;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use callgate_executor::{Executor, Function};
use callgate_tool::{Arguments, Fault, FaultCode, Next, Session, ToolCall, Value, json};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span,
};
use tracing_subscriber::{Layer, Registry, layer::Context, layer::SubscriberExt};

use super::*;
use crate::subscriber::set_thread_subscriber;

/// The fields of every span `call`, in order.
#[derive(Clone, Debug, Default)]
struct Spans(Arc<Mutex<Vec<BTreeMap<&'static str, String>>>>);

impl Visit for Spans {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = format!("{value:?}").trim_matches('"').to_owned();
        self.0.lock().unwrap().last_mut().unwrap().insert(field.name(), value);
    }
}

impl<S: Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        self.0.lock().unwrap().push(BTreeMap::new());
        attributes.record(&mut self.clone());
    }

    fn on_record(&self, _: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        values.record(&mut self.clone());
    }
}

fn executor() -> Executor {
    let open = || json!({"type": "object"});
    let slow = Function::new("", "slow", open(), |_| async {
        tokio::time::sleep(Duration::from_mins(1)).await;
        Value::Null
    });
    Executor::builder()
        .function("", "fine", open(), |_| async { Value::Null })
        .function("", "broken", open(), |_| async {
            Fault::new(FaultCode::Refused, "canary", Next::GiveUp)
        })
        .backend(slow.unwrap())
        .middleware(Metrics::new())
        .build()
        .unwrap()
}

fn fields(expected: &[(&'static str, &str)]) -> BTreeMap<&'static str, String> {
    expected.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn each_call_has_a_span_with_its_ending() {
    let spans = Spans::default();
    let subscriber = Registry::default().with(spans.clone());
    let _guard = set_thread_subscriber(subscriber);
    let (executor, session) = (executor(), Session::default());
    let asked = |tool: &str| ToolCall::new("7", tool, Arguments::new());
    for tool in ["fine", "broken", "nope", "slow"] {
        executor.call(&asked(tool), &session).await;
    }
    let left = asked("slow");
    let left = executor.call(&left, &session);
    assert!(tokio::time::timeout(Duration::from_secs(2), left).await.is_err());

    let rows = [
        ("fine", "answered", "0", "yes"),
        ("broken", "refused", "0", "no"),
        ("nope", "unknown_tool", "0", "no"),
        ("slow", "timed_out", "30000", "maybe"),
        ("slow", "dropped", "2000", "maybe"),
    ];
    let seen = spans.0.lock().unwrap().clone();
    assert_eq!(seen.len(), rows.len());
    for (seen, (tool, ending, elapsed, reached)) in seen.iter().zip(rows) {
        let expected = fields(&[
            ("tool", tool),
            ("id", "7"),
            ("ending", ending),
            ("attempts", "0"),
            ("elapsed_ms", elapsed),
            ("reached", reached),
        ]);
        assert_eq!(*seen, expected);
    }
}
