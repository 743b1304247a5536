//! What stands around calls by a configuration: what is read, that nothing stands there unless it is asked for, and what goes
//! on in the next build.

use crate::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

use callgate_executor::{Call, Retry, RetryWhen};
use callgate_policy::{BreakerChoice, BreakerSettings, IdempotencyKey, LimitsConfig, RecordBounds};
use callgate_secret::{Secret, SecretReference};
use callgate_tool::{Arguments, Outcome, Reached, Session, ToolCall};
use callgate_transport::ErrorKind;

use crate::DESCRIPTION;

fn config(around: &str) -> Config {
    config_of(around, "")
}

fn limited(limits: &str) -> Config {
    config_of("", limits)
}

fn config_of(around: &str, limits: &str) -> Config {
    let toolset = "openapi: a.yaml, server: 'https://a.example', auth: none";
    let text = format!("{around}\ntoolsets:\n  pets: {{{toolset}, limits: {{{limits}}}}}\n");
    let mut config = Config::from_text(text, "").unwrap();
    config.toolsets[0].description = Description::text(DESCRIPTION);
    config
}

#[test]
fn settings_of_calls_and_idempotency_have_defaults_and_are_read() {
    let none = config("");
    assert_eq!((&none.calls, none.idempotency), (&None, None));
    let usual = config("calls: {}\nidempotency: {}");
    assert_eq!(usual.calls, Some(LimitsConfig::default()));
    assert_eq!(usual.idempotency, Some(RecordBounds::default()));
    let read = config(
        "calls: {in_flight: 7, queue: 0, queue_wait: 2s, concurrency: 3, rate: {calls: 5, burst: 2}}\nidempotency: {ttl: 2h, most: 3, bytes: 1MiB}",
    );
    let calls = read.calls.unwrap();
    assert_eq!((calls.in_flight, calls.queue, calls.queue_wait), (7, 0, Duration::from_secs(2)));
    let rate = calls.principal.rate.unwrap();
    assert_eq!((calls.principal.concurrency, rate.calls.get(), rate.burst.get()), (Some(3), 5, 2));
    assert_eq!(rate.per, Duration::from_secs(1));
    let bounds = RecordBounds { ttl: Duration::from_hours(2), most: 3, bytes: 1 << 20 };
    assert_eq!(read.idempotency, Some(bounds));

    let limits = |text| limited(text).toolsets[0].call_limits;
    assert_eq!(limits("").breaker, BreakerChoice::Usual);
    assert_eq!(limits("breaker: none").breaker, BreakerChoice::Never);
    let set = BreakerSettings { failures: 2, ..BreakerSettings::default() };
    assert_eq!(limits("breaker: {failures: 2}").breaker, BreakerChoice::Set(set));
    assert_eq!(limits("concurrency: 9").bound.concurrency, Some(9));
    assert_eq!(limits("rate: {calls: 9}").bound.rate.unwrap().burst.get(), 9);
}

#[test]
fn the_policy_for_failed_requests_is_a_word_or_has_its_numbers() {
    let read = |text: &str| {
        let text = format!("toolsets: {{a: {{openapi: a.yaml, {text}}}}}");
        Config::from_text(text, "").unwrap().toolsets[0].call.retry
    };
    let usual = Retry::default();
    assert_eq!((read(""), read("retry: none")), (usual, usual));
    assert_eq!(read("retry: safe"), Retry { when: RetryWhen::Safe, ..usual });
    let text = "retry: {when: safe, attempts: 5, wait: 20s, attempt_timeout: 3s}";
    let (wait, limit) = (Duration::from_secs(20), Duration::from_secs(3));
    let expected = Retry { when: RetryWhen::Safe, attempts: 5, wait, attempt_timeout: Some(limit) };
    assert_eq!(read(text), expected);
}

#[test]
fn each_fault_is_reported_at_its_position() {
    let rows = [
        ("audit: {key: env:A}", "/audit"),
        ("audit: {file: a, key: env:A, mode: strict}", "/audit/mode"),
        ("audit: {file: a, key: env:A, arguments: 1}", "/audit/arguments"),
        ("calls: 1", "/calls"),
        ("calls: {rate: {per: 1s}}", "/calls/rate"),
        ("calls: {rate: {calls: 0}}", "/calls/rate/calls"),
        ("calls: {in_fligth: 1}", "/calls/in_fligth"),
        ("idempotency: {ttl: 1}", "/idempotency/ttl"),
        ("toolsets: {a: {openapi: a, retry: always}}", "/toolsets/a/retry"),
        ("toolsets: {a: {openapi: a, retry: 3}}", "/toolsets/a/retry"),
        ("toolsets: {a: {openapi: a, retry: {attempts: 3}}}", "/toolsets/a/retry"),
        (
            "toolsets: {a: {openapi: a, retry: {when: safe, attempts: 11}}}",
            "/toolsets/a/retry/attempts",
        ),
        ("toolsets: {a: {openapi: a, retry: {when: safe, wait: 5}}}", "/toolsets/a/retry/wait"),
        ("toolsets: {a: {openapi: a, limits: {breaker: 1}}}", "/toolsets/a/limits/breaker"),
        (
            "toolsets: {a: {openapi: a, limits: {breaker: {open: 0s}}}}",
            "/toolsets/a/limits/breaker/open",
        ),
    ];
    for (text, place) in rows {
        let error = Config::from_text(text, "").unwrap_err();
        let found: Vec<_> = error.findings().iter().map(|it| it.pointer.as_str()).collect();
        assert!(found.contains(&place), "{text}: {found:?}");
    }
}

/// A service whose connections break, and how many requests were sent to it.
#[derive(Debug)]
struct Broken {
    reached: Reached,
    n_sent: AtomicUsize,
}

#[async_trait]
impl Transport for Broken {
    async fn send(&self, _: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        self.n_sent.fetch_add(1, Ordering::Relaxed);
        Err(Error::new(ErrorKind::Connect, "broken").with_reached(self.reached))
    }
}

/// A program that builds one configuration after the other.
struct Program {
    broken: Arc<Broken>,
    built: Option<Built>,
}

impl Program {
    fn new(reached: Reached) -> Self {
        let broken = Arc::new(Broken { reached, n_sent: AtomicUsize::new(0) });
        Self { broken, built: None }
    }

    async fn build(&mut self, config: Config) -> &mut Self {
        let transport = Arc::<Broken>::clone(&self.broken);
        let environment = Environment::new().with_transport(transport);
        let built = config.build(&environment, self.built.as_ref()).await.unwrap();
        self.built = Some(built);
        self
    }

    /// How the call ends, and how many requests were sent by then.
    async fn call(&self, key: &str) -> (&'static str, usize) {
        let (asked, session) = (ToolCall::new("1", "pets-a", Arguments::new()), Session::default());
        let call = Call::new(&asked, &session).with_extension(IdempotencyKey(key.to_owned()));
        let result = self.built.as_ref().unwrap().executor.call_with(call).await;
        let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
        (fault.code.as_str(), self.broken.n_sent.load(Ordering::Relaxed))
    }
}

#[tokio::test]
async fn idempotency_keys_work_without_settings() {
    let mut program = Program::new(Reached::Maybe);
    program.build(config("")).await;
    for _ in 1..=20 {
        assert_eq!(program.call("k").await, ("unreachable", 1));
    }
    assert_eq!(program.call("other").await, ("unreachable", 2));
}

#[tokio::test]
async fn idempotency_records_survive_a_rebuild_with_other_bounds() {
    let mut program = Program::new(Reached::Maybe);
    program.build(config("idempotency: {}")).await;
    assert_eq!(program.call("k").await, ("unreachable", 1));
    for more in ["idempotency: {}", "idempotency: {most: 1, ttl: 2m}"] {
        program.build(config(more)).await;
        assert_eq!(program.call("k").await, ("unreachable", 1), "{more}");
    }
    assert_eq!(program.call("other").await, ("overloaded", 1), "the new bound holds");
}

#[tokio::test]
async fn an_open_breaker_survives_a_rebuild() {
    let mut program = Program::new(Reached::No);
    program.build(config("calls: {}")).await;
    for number in 1..=5 {
        assert_eq!(program.call("k").await, ("unreachable", number));
    }
    for _ in 0..2 {
        assert_eq!(program.call("k").await, ("overloaded", 5));
        program.build(config("calls: {in_flight: 9}")).await;
    }
    program.build(limited("breaker: none")).await;
    assert_eq!(program.call("k").await, ("unreachable", 6));
}

#[tokio::test]
async fn the_used_part_of_a_rate_survives_a_rebuild() {
    let mut program = Program::new(Reached::No);
    let rate = |more: &str| limited(&format!("rate: {{calls: 1, per: 1h}}{more}"));
    program.build(rate("")).await;
    assert_eq!(program.call("k").await, ("unreachable", 1));
    program.build(rate(", concurrency: 5")).await;
    assert_eq!(program.call("k").await, ("rate_limited", 1));
}

/// The configuration of an audited service, its file in a folder, with secrets of the program's own.
fn audited(folder: &tempfile::TempDir, audit: &str) -> Config {
    let file = folder.path().join("audit.jsonl");
    let audit = format!("audit: {{file: '{}', key: 'corp:{audit}}}", file.display());
    config(&format!("{audit}\nidempotency: {{}}"))
}

impl Program {
    /// Builds with secrets: `key` and `other` are keys, `short` is none.
    async fn audit(&mut self, config: &Config) -> Result<(), String> {
        let keys = [("key", "0123456789abcdef"), ("other", "fedcba9876543210"), ("short", "x")];
        let keys = keys.into_iter().fold(MemoryStore::new(), |store, (name, key)| {
            let reference = SecretReference::own("corp", name).unwrap();
            store.with(&reference, Secret::new(key.to_owned()))
        });
        let environment = Environment::new().with_transport(Arc::<Broken>::clone(&self.broken));
        let environment = environment.with_store("corp", Arc::new(keys));
        let built = config.build(&environment, self.built.as_ref()).await;
        self.built = Some(built.map_err(|error| error.findings()[0].pointer.clone())?);
        Ok(())
    }
}

#[tokio::test]
async fn a_call_of_an_earlier_process_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Program::new(Reached::Maybe);
    program.audit(&audited(&folder, "key', mode: required")).await.unwrap();
    assert_eq!(program.call("k").await, ("unreachable", 1));
    // The next build writes the same file, whatever else is other.
    program.audit(&audited(&folder, "key', arguments: full")).await.unwrap();
    assert_eq!(program.call("k2").await, ("unreachable", 2));
    program.built = None;
    program.audit(&audited(&folder, "key'")).await.unwrap();
    for key in ["k", "k2"] {
        assert_eq!(program.call(key).await, ("outcome_unknown", 2));
    }
    assert_eq!(program.call("new").await, ("unreachable", 3));
    assert_eq!(program.built.as_ref().unwrap().audit().unwrap().calls_without_end().len(), 0);
}

#[tokio::test]
async fn an_audit_file_that_cannot_be_opened_is_reported_at_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Program::new(Reached::No);
    let audit = |text| audited(&folder, text);
    assert_eq!(program.audit(&audit("short'")).await, Err("/audit/key".to_owned()));
    assert_eq!(program.audit(&audit("none'")).await, Err("/audit/key".to_owned()));
    let nowhere = folder.path().join("no/file");
    let nowhere = format!("audit: {{file: '{}', key: 'corp:key'}}", nowhere.display());
    assert_eq!(program.audit(&config(&nowhere)).await, Err("/audit/file".to_owned()));
    program.audit(&audit("key'")).await.unwrap();
    assert_eq!(program.audit(&audit("other'")).await, Err("/audit/key".to_owned()));
}
