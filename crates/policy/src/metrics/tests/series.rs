//! Tests the metrics of calls, and that no caller can create a series.

use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};

use super::*;

/// Every series with its number: of a gauge the last value, of a histogram the count.
#[derive(Clone, Debug, Default)]
struct Series(Arc<Mutex<BTreeMap<String, Arc<Number>>>>);

#[derive(Debug, Default)]
struct Number(AtomicU64);

impl CounterFn for Number {
    fn increment(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    fn absolute(&self, to: u64) {
        self.0.store(to, Ordering::Relaxed);
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "calls are few")]
impl GaugeFn for Number {
    fn increment(&self, by: f64) {
        self.0.fetch_add(by as u64, Ordering::Relaxed);
    }

    fn decrement(&self, by: f64) {
        self.0.fetch_sub(by as u64, Ordering::Relaxed);
    }

    fn set(&self, to: f64) {
        self.0.store(to as u64, Ordering::Relaxed);
    }
}

impl HistogramFn for Number {
    fn record(&self, _: f64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Series {
    fn number(&self, key: &Key) -> Arc<Number> {
        let labels: Vec<_> =
            key.labels().map(|it| format!("{}={}", it.key(), it.value())).collect();
        let name = format!("{}{{{}}}", key.name(), labels.join(","));
        Arc::clone(self.0.lock().unwrap().entry(name).or_default())
    }

    fn numbers(&self) -> Vec<(String, u64)> {
        let known = self.0.lock().unwrap();
        known
            .iter()
            .map(|(name, number)| (name.clone(), number.0.load(Ordering::Relaxed)))
            .collect()
    }
}

impl Recorder for Series {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.number(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.number(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.number(key))
    }
}

#[test]
fn metrics_of_calls_have_only_labels_from_the_configuration() {
    let series = Series::default();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    metrics::with_local_recorder(&series, || {
        runtime.block_on(async {
            let (executor, session) = (executor(), Session::default());
            for number in 0..5_000 {
                let asked = ToolCall::new("1", format!("made-up-{number}"), Arguments::new());
                executor.call(&asked, &session).await;
            }
            for tool in ["fine", "fine", "broken"] {
                executor.call(&ToolCall::new("1", tool, Arguments::new()), &session).await;
            }
            let left = ToolCall::new("1", "slow", Arguments::new());
            let left = executor.call(&left, &session);
            assert!(tokio::time::timeout(Duration::from_secs(2), left).await.is_err());
        });
    });
    let ended = |outcome: &str, reached: &str| {
        format!("callgate_calls_total{{toolset=,outcome={outcome},reached={reached}}}")
    };
    let of_tool = |tool: &str, outcome: &str| {
        format!("callgate_tool_calls_total{{toolset=,tool={tool},effect=write,outcome={outcome}}}")
    };
    let expected = [
        ("callgate_call_duration_seconds{toolset=}".to_owned(), 5_004),
        ("callgate_calls_in_flight{toolset=}".to_owned(), 0),
        (ended("answered", "yes"), 2),
        (ended("dropped", "maybe"), 1),
        (ended("refused", "no"), 1),
        (ended("unknown_tool", "no"), 5_000),
        (of_tool("broken", "refused"), 1),
        (of_tool("fine", "answered"), 2),
        (of_tool("slow", "dropped"), 1),
    ];
    assert_eq!(series.numbers(), expected);
}

#[test]
fn tools_beyond_the_limit_share_the_series_of_other() {
    let (series, empty) = (Series::default(), Session::default());
    let names: Vec<_> = (0..250).map(|number| format!("tool{number}")).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    metrics::with_local_recorder(&series, || {
        let builder = Executor::builder().middleware(Metrics::new());
        let object = || json!({"type": "object"});
        let fine = |_| std::future::ready(Value::Null);
        let builder = names.iter().fold(builder, |it, name| it.function("", name, object(), fine));
        let executor = builder.build().unwrap();
        for name in &names {
            let asked = ToolCall::new("1", name.clone(), Arguments::new());
            runtime.block_on(executor.call(&asked, &empty));
        }
    });
    let mut of_tools = series.numbers();
    of_tools.retain(|(name, _)| name.starts_with("callgate_tool_calls_total"));
    assert_eq!(of_tools.len(), 201);
    let other = "callgate_tool_calls_total{toolset=,tool=other,effect=write,outcome=answered}";
    assert!(of_tools.contains(&(other.to_owned(), 50)), "{of_tools:?}");
}

#[test]
fn a_refused_call_counts_for_the_toolset_of_its_tool() {
    let series = Series::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    metrics::with_local_recorder(&series, || {
        runtime.block_on(async {
            let fine = |_| async { Value::Null };
            let builder = Executor::builder().middleware(Metrics::new());
            let executor = builder.function("shop", "fine", json!({"type": "object"}), fine);
            let (executor, session) = (executor.build().unwrap(), Session::default());
            let fault = Fault::new(FaultCode::InvalidArguments, "not JSON", Next::GiveUp);
            let refused = Outcome::Failed(Box::new(fault));
            for tool in ["shop-fine", "made-up"] {
                let asked = ToolCall::new("1", tool, Arguments::new());
                executor.report_refused(Call::new(&asked, &session), &refused).await;
            }
        });
    });
    let ended = |toolset: &str| {
        let labels = format!("toolset={toolset},outcome=invalid_arguments,reached=no");
        (format!("callgate_calls_total{{{labels}}}"), 1)
    };
    let numbers = series.numbers();
    for expected in [ended(""), ended("shop")] {
        assert!(numbers.contains(&expected), "{numbers:?}");
    }
}
