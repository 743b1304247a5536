//! Writes two lines for each call into a file: before the call is made, and when it has ended; and one at the end of an agent's
//! turn. The lines are chained, so that altering or removing one shows. A new process reads which calls were made before.

mod chain;
mod file;
mod lines;
mod members;
mod recall;
mod turn;
mod verify;
mod writer;

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use callgate_call::wording::around as wording;
use callgate_executor::{Backend, Call, Decided, Ended, Ending, Middleware, Stage};
use callgate_secret::Secret;
use callgate_tool::{Journal, Outcome, Principal, Reached};
use tokio::{sync::oneshot, time::timeout};

use self::{
    chain::{ChainKey, Head},
    file::AuditFile,
    recall::{Keyed, Recalled},
    writer::{Beginning, Writer},
};
use crate::{
    approval_record::Approval, digest::Digest, error::Error, idempotency::Idempotency,
    records::Earlier,
};

#[doc(hidden)]
pub use members::masked_arguments;
pub use recall::UnknownCall;
pub use turn::{TurnEnd, TurnId};
pub use verify::{Flaw, FlawKind, Verified, verify_audit};

/// Records who asked for which call, where it went and how it ended: digests of arguments, sessions and idempotency keys,
/// and no credential.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_executor::Executor;
/// use callgate_policy::{Audit, AuditArguments, AuditConfig, AuditMode};
/// use callgate_secret::Secret;
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("audit.jsonl");
/// let (mode, arguments) = (AuditMode::Required, AuditArguments::Digest);
/// let key = Secret::new("a key of sixteen bytes or more".to_owned());
/// let day = Duration::from_secs(24 * 3600);
/// let audit = Audit::open(&AuditConfig { file, mode, arguments }, &key, day)?;
/// assert!(audit.calls_without_end().is_empty());
/// let executor = Executor::builder().middleware(audit).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A call goes on once its first line is in the file, so that the line exists however the process ends. Opening an audit
/// reads from the disk and waits for it: do so on a thread that may block.
#[derive(Debug)]
pub struct Audit {
    mode: AuditMode,
    arguments: AuditArguments,
    trail: Arc<Trail>,
}

/// The file and the form of an audit's lines.
///
/// ```
/// use callgate_policy::{AuditArguments, AuditConfig, AuditMode};
///
/// // Every call that is made is recorded.
/// let config = AuditConfig {
///     file: "audit.jsonl".into(),
///     mode: AuditMode::Required,
///     arguments: AuditArguments::Digest,
/// };
/// # drop(config);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AuditConfig {
    /// The file. It may be moved away at any time; the next line starts a new file.
    pub file: PathBuf,
    /// The handling of a call that cannot be recorded.
    pub mode: AuditMode,
    /// The form in which arguments are recorded.
    pub arguments: AuditArguments,
}

/// The handling of a call that cannot be recorded.
///
/// ```
/// # use std::time::Duration;
/// #
/// # use callgate_executor::Executor;
/// use callgate_policy::{Audit, AuditArguments, AuditConfig, AuditMode};
/// # use callgate_secret::Secret;
/// use callgate_tool::{Arguments, FaultCode, Outcome, Session, ToolCall};
/// # use callgate_tool::json;
///
/// # #[cfg(target_os = "linux")]
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let (key, hour) = (Secret::new("0123456789abcdef".to_owned()), Duration::from_secs(3600));
/// // A disk that has no room for another line.
/// let file = "/dev/full".into();
/// let (mode, arguments) = (AuditMode::Required, AuditArguments::Digest);
/// let audit = Audit::open(&AuditConfig { file, mode, arguments }, &key, hour)?;
/// # let executor = Executor::builder()
/// #     .function("shop", "buy", json!({"type": "object"}), |_| async { json!("bought") })
/// #     .middleware(audit)
/// #     .build()?;
/// let call = ToolCall::new("1", "shop-buy", Arguments::new());
/// let outcome = executor.call(&call, &Session::default()).await.outcome;
/// assert!(matches!(outcome, Outcome::Failed(fault) if fault.code == FaultCode::AuditFailed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "it is made or it is not")]
pub enum AuditMode {
    /// The call is made, and the missing record is counted.
    #[default]
    BestEffort,
    /// The call is refused.
    Required,
}

/// The form in which arguments are recorded.
///
/// ```
/// # use std::{fs, time::Duration};
/// #
/// # use callgate_executor::Executor;
/// use callgate_policy::{Audit, AuditArguments, AuditConfig, AuditMode};
/// # use callgate_secret::Secret;
/// use callgate_tool::{Arguments, Session, ToolCall};
/// # use callgate_tool::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("audit.jsonl");
/// # let (key, hour) = (Secret::new("0123456789abcdef".to_owned()), Duration::from_secs(3600));
/// let (mode, arguments) = (AuditMode::Required, AuditArguments::Full);
/// let audit = Audit::open(&AuditConfig { file: file.clone(), mode, arguments }, &key, hour)?;
/// # let schema = json!({"type": "object"});
/// # let executor = Executor::builder()
/// #     .function("shop", "buy", schema, |_| async { json!("bought") })
/// #     .middleware(audit)
/// #     .build()?;
/// let arguments = Arguments::from_iter([("pet".to_owned(), "Rex".into())]);
/// executor.call(&ToolCall::new("1", "shop-buy", arguments), &Session::default()).await;
/// assert!(fs::read_to_string(&file)?.contains(r#""arguments":{"pet":"Rex"}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a digest or all of them")]
pub enum AuditArguments {
    /// Arguments are recorded by their digest.
    #[default]
    Digest,
    /// Arguments are recorded whole beside their digest, without session values that credentials read.
    Full,
}

/// A file with its chain, shared by settings that differ in everything else.
struct Trail {
    path: PathBuf,
    key: ChainKey,
    writer: Writer,
    /// Distinguishes the calls of this process from those of others.
    run: u32,
    n_calls: AtomicU64,
    unknown: Vec<UnknownCall>,
    keys: BTreeMap<Digest, Keyed>,
}

/// The name of a call in the file whose end is still to be written.
struct Audited(String);

impl Audit {
    /// Opens a file and reads its calls of the last `within`. The key makes the chain.
    ///
    /// # Errors
    /// [`ErrorKind::ShortKey`](crate::ErrorKind::ShortKey), [`ErrorKind::Locked`](crate::ErrorKind::Locked) and
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable).
    pub fn open(config: &AuditConfig, key: &Secret, within: Duration) -> Result<Self, Error> {
        let key = ChainKey::new(key)?;
        let file = AuditFile::open(&config.file)?;
        let mut recalled = Recalled::read_files(&config.file, &key, within)?;
        let beginning = Beginning {
            file,
            head: recalled.head.unwrap_or(Head::NONE),
            torn: std::mem::take(&mut recalled.torn),
            is_unbroken: recalled.is_unbroken,
        };
        let writer = Writer::new(key.clone(), beginning)?;
        let (unknown, keys) = recalled.into_calls_without_end();
        let mut run = [0; 4];
        // Without randomness, the time distinguishes processes.
        if getrandom::fill(&mut run).is_err() {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            run = now.subsec_nanos().to_ne_bytes();
        }
        let (path, n_calls) = (config.file.clone(), AtomicU64::new(1));
        let run = u32::from_ne_bytes(run);
        let trail = Trail { path, key, writer, run, n_calls, unknown, keys };
        Ok(Self::with_trail(config, Arc::new(trail)))
    }

    /// An audit that continues this file with other settings; `None` if the file is another one.
    ///
    /// # Errors
    /// Returns [`ErrorKind::ShortKey`](crate::ErrorKind::ShortKey). A different key is no error: it returns `Ok(None)`.
    pub fn following(&self, config: &AuditConfig, key: &Secret) -> Result<Option<Self>, Error> {
        let is_same = self.is_of(&config.file) && self.trail.key.is_same_key(&ChainKey::new(key)?);
        Ok(is_same.then(|| Self::with_trail(config, Arc::clone(&self.trail))))
    }

    /// Returns true if the audit writes this file.
    pub fn is_of(&self, file: &Path) -> bool {
        self.trail.path == file
    }

    /// The calls that an earlier process began and whose end the file does not record.
    #[doc(hidden)]
    pub fn calls_without_end(&self) -> &[UnknownCall] {
        &self.trail.unknown
    }

    /// Gives the keys of an earlier process's calls to `idempotency`: a call that reached its service is not made again.
    pub async fn recall(&self, idempotency: &Idempotency) {
        let mut keys: Vec<_> = self.trail.keys.iter().collect();
        keys.sort_by_key(|(_, call)| std::cmp::Reverse(call.time));
        for (key, call) in keys {
            let age = SystemTime::now().duration_since(call.time).unwrap_or_default();
            let lost =
                || Outcome::Failed(wording::first_answer_no_longer_kept(call.status)).to_bytes();
            let result = (call.reached == Reached::Yes).then(lost);
            let principal = call.principal.as_deref().map(Principal::new);
            let earlier = Earlier {
                principal: principal.as_ref(),
                key: *key,
                digest: call.digest,
                result: result.as_deref(),
                age,
            };
            idempotency.records().keep_earlier_result(earlier).await;
        }
    }

    /// Records a decision of somebody other than the caller. Returns false if it may not hold without its record.
    pub(crate) async fn record_decision(&self, decided: &Decided, approval: &Approval) -> bool {
        let told = self.trail.writer.add_line(members::decision_members(decided, approval));
        let is_written = self.await_write(told).await == WriteOutcome::Written;
        is_written || self.mode == AuditMode::BestEffort
    }

    /// Records the end of a turn, after the ends of its calls.
    #[doc(hidden)]
    pub async fn record_turn_end(&self, turn: &TurnEnd<'_>) {
        match self.mode {
            AuditMode::BestEffort => self.record_turn_end_later(turn),
            AuditMode::Required => {
                self.await_write(self.trail.writer.add_line(members::turn_end_members(turn))).await;
            }
        }
    }

    /// Records a turn for whose end nobody waits any more.
    #[doc(hidden)]
    pub fn record_turn_end_later(&self, turn: &TurnEnd<'_>) {
        self.trail.writer.add_line_later(members::turn_end_members(turn));
    }

    fn with_trail(config: &AuditConfig, trail: Arc<Trail>) -> Self {
        Self { mode: config.mode, arguments: config.arguments, trail }
    }

    fn new_call_name(&self) -> String {
        let number = self.trail.n_calls.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}-{number}", self.trail.run)
    }

    /// Waits until it is known whether a line was written.
    async fn await_write(&self, told: oneshot::Receiver<bool>) -> WriteOutcome {
        let told = match timeout(LONGEST_WRITE, told).await {
            Ok(Ok(true)) => return WriteOutcome::Written,
            Ok(_) => WriteOutcome::Failed,
            Err(_) => WriteOutcome::Late,
        };
        metrics::counter!("callgate_audit_failures_total").increment(1);
        told
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum WriteOutcome {
    Failed,
    /// The line may still be written.
    Late,
    Written,
}

#[async_trait]
impl Middleware for Audit {
    fn stage(&self) -> Stage {
        Stage::Audit
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        let name = self.new_call_name();
        let members = members::call_start_members(call, backend, self.arguments, &name);
        // Set before the wait: a caller who leaves during it has begun, too.
        call.extensions_mut().insert(Audited(name));
        let told = self.trail.writer.add_line(members);
        match self.await_write(told).await {
            WriteOutcome::Written => return ControlFlow::Continue(()),
            WriteOutcome::Failed => {
                call.extensions_mut().insert(Audited(String::new()));
            }
            WriteOutcome::Late => {}
        }
        match self.mode {
            AuditMode::BestEffort => ControlFlow::Continue(()),
            AuditMode::Required => ControlFlow::Break(Outcome::Failed(wording::audit_failed())),
        }
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        let Some(Audited(name)) = call.extensions().get() else { return };
        if name.is_empty() {
            return;
        }
        let members = members::call_end_members(call, ended, name);
        if self.mode == AuditMode::Required && !matches!(ended.ending, Ending::Dropped) {
            self.await_write(self.trail.writer.add_line(members)).await;
        } else {
            self.trail.writer.add_line_later(members);
        }
    }
}

// Leaves out the key.
callgate_secret::opaque!(Trail { path });

/// A disk that takes longer counts as failing.
const LONGEST_WRITE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
