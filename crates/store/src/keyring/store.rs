//! The store and its thread. A keyring that waits for a person occupies the thread. Other callers that need the keyring
//! wait as long as they choose; calls that need no keyring do not wait.

use std::{
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use async_trait::async_trait;
use callgate_secret::{Error, ErrorKind, Secret, SecretReference, SecretStore};
use tokio::sync::oneshot;

use super::{
    KeyringBackend, entry,
    platform::{self, Keyring},
};

/// A secret store that reads `keyring:service/user` at each call.
#[derive(Debug)]
pub struct KeyringStore {
    backend: KeyringBackend,
    // The first request starts it; it ends with the store.
    thread: Mutex<Option<Sender<KeyringRequest>>>,
}

#[derive(Debug)]
pub(crate) enum Work {
    Read,
    Remove,
    Write(Secret),
}

#[derive(Debug)]
struct KeyringRequest {
    reference: SecretReference,
    work: Work,
    answer: oneshot::Sender<Result<Option<Secret>, Error>>,
}

impl KeyringStore {
    /// A store of this keyring. Creating it reads nothing.
    ///
    /// # Errors
    /// `Unsupported` if the platform does not have this keyring.
    pub fn new(backend: KeyringBackend) -> Result<Self, Error> {
        platform::check_is_supported(backend)?;
        Ok(Self { backend, thread: Mutex::default() })
    }

    /// Performs an operation on an entry, and returns its secret if it is read or removed.
    pub(crate) async fn perform(
        &self,
        reference: &SecretReference,
        work: Work,
    ) -> Result<Option<Secret>, Error> {
        let (answer, answered) = oneshot::channel();
        self.send_to_thread(KeyringRequest { reference: reference.clone(), work, answer })?;
        answered.await.unwrap_or_else(|_| Err(thread_error()))
    }

    /// Sends a request to the thread, which is started if necessary.
    fn send_to_thread(&self, asked: KeyringRequest) -> Result<(), Error> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match thread.take() {
            Some(sender) => sender,
            None => start_thread(self.backend)?,
        };
        // The next request restarts a thread that died.
        sender.send(asked).map_err(|_| thread_error())?;
        *thread = Some(sender);
        Ok(())
    }
}

#[async_trait]
impl SecretStore for KeyringStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        self.perform(reference, Work::Read).await?.ok_or_else(thread_error)
    }
}

fn start_thread(backend: KeyringBackend) -> Result<Sender<KeyringRequest>, Error> {
    let (sender, questions) = mpsc::channel();
    let thread = thread::Builder::new().name("callgate-keyring".to_owned());
    let started = thread.spawn(move || serve_requests(backend, &questions));
    started.map_err(|source| thread_error().with_source(source))?;
    Ok(sender)
}

/// Serves requests until the store is dropped. After a failure the next request opens the keyring again: its service
/// may have been started or unlocked since.
fn serve_requests(backend: KeyringBackend, questions: &Receiver<KeyringRequest>) {
    let mut open: Option<Keyring> = None;
    while let Ok(KeyringRequest { reference, work, answer }) = questions.recv() {
        // The caller of this request gave up while the keyring was stuck.
        if answer.is_closed() {
            continue;
        }
        let keyring = open.take().map_or_else(|| platform::open_keyring(backend), Ok);
        let answered = keyring.map_err(|error| entry::keyring_failure(error, &reference)).and_then(
            |keyring| {
                let done = match work {
                    Work::Read => entry::read_secret(&keyring, &reference).map(Some),
                    Work::Remove => entry::remove_secret(&keyring, &reference).map(Some),
                    Work::Write(secret) => {
                        entry::write_secret(&keyring, &reference, &secret).map(|()| None)
                    }
                };
                let is_well = done.as_ref().err().is_none_or(|error| !error.is_transient());
                open = is_well.then_some(keyring);
                done
            },
        );
        // The caller may have gone away meanwhile.
        answer.send(answered).ok();
    }
}

fn thread_error() -> Error {
    Error::new(
        ErrorKind::Unreadable,
        "the thread that reads the keyring has ended or cannot be started",
    )
}
