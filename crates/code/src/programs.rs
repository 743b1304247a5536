//! The programs that wait for a person, in the store of what outlives a call: each is its journal, for its principal and session. A call
//! that waits leads to its program by its own name.

use std::{sync::Arc, time::Duration};

use callgate_call::wording;
use callgate_executor::{Call, Lease, put_record_with_retries, random_name};
use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store, Version,
};
use callgate_tool::Fault;
use tokio::time::Instant;

use crate::journal::ProgramJournal;

/// The programs of a toolset that wait.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    store: Arc<dyn Store>,
}

/// The place of one program in the store.
#[derive(Debug)]
pub(crate) struct Keeper {
    store: Arc<dyn Store>,
    /// The name of a program that has waited, and its key.
    place: Option<(String, Key)>,
    version: Option<Version>,
}

/// A program that was kept.
#[derive(Debug)]
pub(crate) struct KeptProgram {
    pub(crate) journal: ProgramJournal,
    pub(crate) keeper: Keeper,
    /// The right to run it; nobody else runs it meanwhile.
    pub(crate) lease: Lease,
}

impl Programs {
    /// Programs in a store, or in memory.
    pub(crate) fn new(state: Option<&Arc<dyn Store>>) -> Self {
        let bounds = Bounds { records: MOST_PROGRAMS, bytes: MOST_BYTES };
        Self { store: state.map_or_else(|| Arc::new(Memory::new(bounds)) as _, Arc::clone) }
    }

    /// The place of a program that is not kept yet.
    pub(crate) fn keeper(&self) -> Keeper {
        Keeper { store: Arc::clone(&self.store), place: None, version: None }
    }

    /// The program of a call that waits, to be run by this process.
    ///
    /// # Errors
    /// There is none, it runs, or the store cannot be read.
    pub(crate) async fn take_program(
        &self,
        call: &Call<'_>,
        pending: &str,
    ) -> Result<KeptProgram, Box<Fault>> {
        let named = self
            .store
            .get(&key(call, pending), now())
            .await
            .map_err(|error| unreadable_program_fault(&error))?;
        let named = named.ok_or_else(wording::approval::unknown)?;
        let name =
            named.record.read::<String>().map_err(|error| unreadable_program_fault(&error))?;
        let key = key(call, &name);
        let lease = Lease::acquire(Arc::clone(&self.store), key.in_space(Space::Lease), LEASE);
        let lease = lease.await.map_err(|error| match error.kind() {
            ErrorKind::Conflict => wording::code::program_runs(SOON),
            _ => unreadable_program_fault(&error),
        })?;
        let stored =
            self.store.get(&key, now()).await.map_err(|error| unreadable_program_fault(&error))?;
        let stored = stored.ok_or_else(wording::approval::unknown)?;
        let journal = ProgramJournal::from_bytes(stored.record.bytes());
        let mut journal = journal.ok_or_else(wording::code::unreadable_program)?;
        journal.run = random_name().ok_or_else(|| wording::code::program_not_read(SOON))?;
        let (store, version) = (Arc::clone(&self.store), Some(stored.version));
        Ok(KeptProgram {
            journal,
            keeper: Keeper { store, place: Some((name, key)), version },
            lease,
        })
    }
}

impl Keeper {
    /// True if the program has waited before: then what it sends is noted first.
    pub(crate) fn has_waited_before(&self) -> bool {
        self.place.is_some()
    }

    /// Keeps the journal in place of the one that this process has read or written.
    ///
    /// # Errors
    /// Another process has the program, or the store does not keep it.
    pub(crate) async fn keep_journal(
        &mut self,
        journal: &ProgramJournal,
    ) -> Result<(), Box<Fault>> {
        let Some((_, key)) = &self.place else { return Ok(()) };
        let record = Record::new("application/json", journal.to_text().into());
        let record = record.with_time_to_live(TIME_TO_LIVE);
        let expected = self.version.map_or(Expected::Absent, Expected::Version);
        let kept = put_record_with_retries(&*self.store, key, record, expected, PATIENCE).await;
        self.version = Some(kept.map_err(|error| match error.kind() {
            ErrorKind::Conflict => wording::code::program_runs(SOON),
            _ => program_not_kept_fault(&error),
        })?);
        Ok(())
    }

    /// Keeps the journal of a program that begins to wait, under the names of the calls that wait.
    ///
    /// # Errors
    /// Those of [`Keeper::keep_journal`].
    pub(crate) async fn keep_waiting(
        &mut self,
        call: &Call<'_>,
        journal: &ProgramJournal,
    ) -> Result<(), Box<Fault>> {
        let names: Vec<&str> = journal.waiting_calls().map(|(.., pending)| &*pending.id).collect();
        let first = names.first().copied().unwrap_or_default();
        let (program, _) = self.place.get_or_insert_with(|| {
            let name = format!("program of {first}");
            let key = key(call, &name);
            (name, key)
        });
        let program = program.clone();
        self.keep_journal(journal).await?;
        for name in names {
            let record = Record::json(&program).map_err(|error| program_not_kept_fault(&error))?;
            let record = record.with_time_to_live(TIME_TO_LIVE);
            let key = key(call, name);
            let kept =
                put_record_with_retries(&*self.store, &key, record, Expected::Any, PATIENCE).await;
            kept.map_err(|error| program_not_kept_fault(&error))?;
        }
        Ok(())
    }
}

/// A key that binds a program to its tool, its session and its principal.
fn key(call: &Call<'_>, name: &str) -> Key {
    let owner = Owner::new(call.principal(), call.session());
    Key::new(Space::Program, owner, &format!("{name} {}", call.tool()))
}

fn unreadable_program_fault(error: &Error) -> Box<Fault> {
    tracing::debug!(%error, "a program that waits cannot be read");
    wording::code::program_not_read(error.retry_after().unwrap_or(SOON))
}

fn program_not_kept_fault(error: &Error) -> Box<Fault> {
    tracing::debug!(%error, "a program that waits is not kept");
    wording::code::program_not_kept(error.retry_after().unwrap_or(SOON))
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The time for which a program is kept after its last step, so that a decision about it is answered.
const TIME_TO_LIVE: Duration = Duration::from_hours(24);
/// The time after which a process that says nothing more counts as ended.
const LEASE: Duration = Duration::from_secs(15);
/// The time for which a program that has made calls is tried to be kept in a store that does not answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The wait before a decision is repeated.
const SOON: Duration = Duration::from_secs(1);
/// The programs that wait at once; a new one replaces the oldest of the principal that holds most.
const MOST_PROGRAMS: usize = 10_000;
/// The bytes of all programs in memory.
const MOST_BYTES: usize = 256 << 20;

#[cfg(test)]
mod tests {
    use callgate_tool::{Arguments, Object, Pending, PendingKind, Session, ToolCall, Value};

    use super::*;
    use crate::{
        journal::{AskedCall, CallState},
        message::Name,
    };

    /// A put that a store did not answer counts as done where the record has the same bytes.
    #[tokio::test]
    async fn two_runs_of_a_program_never_write_equal_journals() {
        let asked = ToolCall::new("1", "code-run", Arguments::new());
        let (session, programs) = (Session::default(), Programs::new(None));
        let call = Call::new(&asked, &session);
        let pending = Pending::new(PendingKind::Approval, "approval_1", Value::Null);
        let mut journal = ProgramJournal::new("x", "monty 1", String::new());
        journal.add_call(AskedCall {
            name: Name { module: None, name: "addPet".to_owned() },
            positional: Vec::new(),
            named: Object::new(),
            tool: None,
            is_write: true,
            state: CallState::Waiting(Box::new(pending)),
            approval: None,
            notes: Vec::new(),
        });
        programs.keeper().keep_waiting(&call, &journal).await.unwrap();
        let mut texts = vec![journal.to_text()];
        for _ in 0..2 {
            let kept = programs.take_program(&call, "approval_1").await.unwrap();
            texts.push(kept.journal.to_text());
            kept.lease.release().await;
        }
        texts.dedup();
        assert_eq!(texts.len(), 3, "{texts:?}");
    }
}
