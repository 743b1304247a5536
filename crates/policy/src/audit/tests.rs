//! Tests of the file's lines for every ending of calls, of the file and of the process.

mod alterations;
mod continuation;
mod decisions;
mod turns;

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering as Order},
};

use callgate_executor::{Executor, Function};
use callgate_tool::{Arguments, Fault, FaultCode, Next, Session, ToolCall, Value, json};
use futures_util::future::poll_immediate;
use tempfile::TempDir;

use super::*;
use crate::{IdempotencyKey, RecordBounds};

const HOUR: Duration = Duration::from_hours(1);

fn key() -> Secret {
    Secret::new("0123456789abcdef".to_owned())
}

fn fault(reached: Reached) -> Outcome {
    let fault = Fault::new(FaultCode::ServiceError, "no", Next::TryLater);
    let mut fault = fault.with_reached(reached);
    fault.status = Some(503);
    fault.into()
}

/// A folder with an audit file, and processes that write it one after the other.
struct Desk {
    folder: TempDir,
    n_sent: Arc<AtomicUsize>,
    config: AuditConfig,
}

struct Process {
    executor: Executor,
    audit: Arc<Audit>,
    n_sent: Arc<AtomicUsize>,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("audit.jsonl");
        let (mode, arguments) = (AuditMode::Required, AuditArguments::Digest);
        Self { config: AuditConfig { file, mode, arguments }, folder, n_sent: Arc::default() }
    }

    fn file(&self) -> &Path {
        &self.config.file
    }

    async fn open(&self) -> Process {
        let audit = Arc::new(Audit::open(&self.config, &key(), HOUR).unwrap());
        let idempotency = Idempotency::new(RecordBounds::default());
        audit.recall(&idempotency).await;
        let count = Arc::clone(&self.n_sent);
        let schema = json!({"type": "object", "properties": {"how": {"type": "string"}}});
        let function = Function::new("pets", "get", schema, move |call| {
            count.fetch_add(1, Order::Relaxed);
            async move {
                match call.arguments().get("how").and_then(Value::as_str) {
                    Some("no") => fault(Reached::No),
                    Some("maybe") => fault(Reached::Maybe),
                    Some("503") => fault(Reached::Yes),
                    Some("slow") => std::future::pending().await,
                    _ => Value::Null.into(),
                }
            }
        });
        let builder = Executor::builder().backend(function.unwrap()).middleware(idempotency);
        let executor = builder.shared_middleware(Arc::clone(&audit) as _).build().unwrap();
        Process { executor, audit, n_sent: Arc::clone(&self.n_sent) }
    }

    fn n_sent(&self) -> usize {
        self.n_sent.load(Order::Relaxed)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    /// The lines as JSON.
    fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn verified(&self) -> Verified {
        verify_audit(&[self.file().to_owned()], &key(), None).unwrap()
    }
}

impl Process {
    async fn call(&self, how: &str, key: &str) -> (&'static str, &'static str, Option<u16>) {
        let arguments = Arguments::from_iter([("how".to_owned(), how.into())]);
        let (asked, session) =
            (ToolCall::new("7", "pets-get", arguments), Session::new("s-canary"));
        let call = Call::new(&asked, &session).with_principal(Principal::new("kim"));
        let call = call.with_extension(IdempotencyKey(key.to_owned()));
        match self.executor.call_with(call).await.outcome {
            Outcome::Failed(fault) => (fault.code.as_str(), fault.reached.as_str(), fault.status),
            _ => ("answered", "yes", None),
        }
    }

    /// A call whose caller leaves while it runs.
    async fn leave(&self, key: &str) {
        let before = self.n_sent.load(Order::Relaxed);
        let mut left = Box::pin(self.call("slow", key));
        while self.n_sent.load(Order::Relaxed) == before {
            assert!(poll_immediate(&mut left).await.is_none());
            tokio::task::yield_now().await;
        }
    }

    /// Ends the process after all pending lines are written.
    fn end(self) {
        let file = self.audit.trail.path.clone();
        drop(self);
        drop(AuditFile::open(&file).unwrap());
    }
}

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[tokio::test]
async fn each_call_has_two_audit_lines_without_credentials_and_arguments() {
    let desk = Desk::new();
    let process = desk.open().await;
    process.call("503", "k-canary").await;
    process.leave("k2").await;
    process.end();
    let lines = desk.lines();
    let events: Vec<_> = lines.iter().map(|line| text(line, "event")).collect();
    assert_eq!(events, ["opened", "begun", "ended", "begun", "ended"]);
    let (begun, ended) = (&lines[1], &lines[2]);
    for (name, expected) in [("id", "7"), ("principal", "kim"), ("tool", "pets-get")] {
        assert_eq!(text(begun, name), expected);
    }
    for name in ["session", "digest", "key", "mac"] {
        assert_eq!(text(begun, name).len(), 64, "{name}");
    }
    assert!(text(begun, "time").ends_with('Z') && text(begun, "call") == text(ended, "call"));
    assert_eq!((text(ended, "outcome"), text(ended, "reached")), ("service_error", "yes"));
    assert_eq!(
        (ended["status"].to_string(), ended.get("elapsed_ms").is_some()),
        ("503".to_owned(), true)
    );
    assert_eq!((text(&lines[4], "outcome"), text(&lines[4], "reached")), ("dropped", "maybe"));
    assert!(!desk.text().contains("canary"), "{}", desk.text());
    assert_eq!((desk.verified().n_lines, desk.verified().flaw), (5, None));
}

/// A tool whose credential reads the session.
#[derive(Debug)]
struct Reading(callgate_tool::ToolName, [String; 1]);

#[async_trait]
impl Backend for Reading {
    fn name(&self) -> &callgate_tool::ToolName {
        &self.0
    }

    fn declaration(&self) -> Option<&callgate_tool::Tool> {
        None
    }

    fn secrets(&self, session: &Session) -> Vec<Secret> {
        session.credential("token").cloned().into_iter().collect()
    }

    fn secret_arguments(&self) -> &[String] {
        &self.1
    }

    fn target(&self) -> Option<String> {
        Some("GET api.example.com".to_owned())
    }

    async fn preview(
        &self,
        _: &Call<'_>,
        _: &mut Journal,
    ) -> Result<callgate_tool::Preview, Box<Fault>> {
        Ok(callgate_tool::Preview::Text(String::new()))
    }

    async fn run(&self, _: &Call<'_>, journal: &mut Journal) -> Outcome {
        journal.note(callgate_tool::Event::ModelAsked { input: 200, output: 14 });
        Value::Null.into()
    }
}

#[tokio::test]
async fn audited_arguments_have_their_credentials_masked() {
    let mut desk = Desk::new();
    desk.config.arguments = AuditArguments::Full;
    let process = desk.open().await;
    process.call("fine", "k").await;
    assert_eq!(desk.lines()[1]["arguments"].to_string(), r#"{"how":"fine"}"#);

    let name = callgate_tool::ToolName::new("reading").unwrap();
    let reading = Reading(name, ["access-token".to_owned()]);
    let builder = Executor::builder().backend(reading);
    let executor = builder.shared_middleware(Arc::clone(&process.audit) as _).build().unwrap();
    let session =
        Session::default().with_credential("token", Secret::new("1234567890123".to_owned()));
    for (argument, expected) in [
        (json!("say 1234567890123"), r#"{"a":"say ****"}"#),
        (json!(1_234_567_890_123_u64), r#""{\"a\":****}""#),
        (
            json!([{"Access_Token": {"id": "canary"}, "b": 1}]),
            r#"{"a":[{"Access_Token":"****","b":1}]}"#,
        ),
    ] {
        let asked =
            ToolCall::new("1", "reading", Arguments::from_iter([("a".to_owned(), argument)]));
        executor.call(&asked, &session).await;
        let lines = desk.lines();
        let begun = &lines[lines.len() - 2];
        assert_eq!(begun["arguments"].to_string(), expected);
        assert_eq!(text(begun, "target"), "GET api.example.com");
    }
}

#[tokio::test]
async fn the_end_of_a_call_has_the_tokens_that_its_tool_took_of_a_model() {
    let desk = Desk::new();
    let process = desk.open().await;
    let reading = Reading(callgate_tool::ToolName::new("reading").unwrap(), [String::new()]);
    let builder = Executor::builder().backend(reading);
    let executor = builder.shared_middleware(Arc::clone(&process.audit) as _).build().unwrap();
    let asked = ToolCall::new("1", "reading", Arguments::new());
    executor.call(&asked, &Session::default()).await;
    let lines = desk.lines();
    let ended = lines.last().unwrap();
    assert_eq!(text(ended, "event"), "ended");
    assert_eq!((&ended["input_tokens"], &ended["output_tokens"]), (&json!(200), &json!(14)));
}

#[tokio::test]
async fn the_audit_line_of_a_call_is_written_before_the_call_is_made() {
    let desk = Desk::new();
    let process = desk.open().await;
    let file = desk.file().to_owned();
    let builder = Executor::builder().function("", "look", json!({"type": "object"}), move |_| {
        let seen = fs::read_to_string(&file).unwrap();
        async move { Value::from(seen.lines().count() as u64) }
    });
    let executor = builder.shared_middleware(Arc::clone(&process.audit) as _).build().unwrap();
    for expected in ["2", "4", "6"] {
        let asked = ToolCall::new("1", "look", Arguments::new());
        let result = executor.call(&asked, &Session::default()).await;
        assert_eq!(result.text(), Some(expected));
    }
}

#[tokio::test]
async fn the_end_of_a_call_that_nobody_waits_for_is_written_without_another_call() {
    let mut desk = Desk::new();
    desk.config.mode = AuditMode::BestEffort;
    let process = desk.open().await;
    process.call("fine", "k").await;
    while desk.text().lines().count() < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(text(&desk.lines()[2], "event"), "ended");
}

/// `/dev/full` accepts nothing: every write fails as on a full disk.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_call_that_cannot_be_audited_is_refused_unless_in_best_effort_mode() {
    let mut desk = Desk::new();
    desk.config.file = PathBuf::from("/dev/full");
    let process = desk.open().await;
    for _ in 0..2 {
        assert_eq!(process.call("fine", "k").await, ("audit_failed", "no", None));
    }
    assert_eq!(desk.n_sent(), 0);
    assert_eq!(wording::audit_failed().next, Next::TryLater);
    drop(process);
    desk.config.mode = AuditMode::BestEffort;
    assert_eq!(desk.open().await.call("fine", "k").await.0, "answered");
    assert_eq!(desk.n_sent(), 1);
}

#[test]
fn a_short_key_and_a_missing_or_locked_audit_file_are_refused() {
    let desk = Desk::new();
    let open = |config: &AuditConfig, key: &str| {
        Audit::open(config, &Secret::new(key.to_owned()), HOUR).map_err(|error| error.kind())
    };
    assert_eq!(open(&desk.config, "short").unwrap_err(), crate::ErrorKind::ShortKey);
    let nowhere = AuditConfig { file: desk.folder.path().join("no/file"), ..desk.config.clone() };
    assert_eq!(open(&nowhere, key().expose()).unwrap_err(), crate::ErrorKind::Unreadable);
    let held = open(&desk.config, key().expose()).unwrap();
    assert_eq!(open(&desk.config, key().expose()).unwrap_err(), crate::ErrorKind::Locked);
    assert!(held.following(&desk.config, &key()).unwrap().is_some());
    let other = Secret::new("another key of 16".to_owned());
    assert!(held.following(&desk.config, &other).unwrap().is_none());
    assert!(held.following(&nowhere, &key()).unwrap().is_none());
    assert!(!format!("{held:?}").contains("0123456789"), "{held:?}");
}
