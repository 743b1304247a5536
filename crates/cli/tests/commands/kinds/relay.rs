//! A service whose answers wait while a test wants it: a relay in front of another one.

use std::{
    net::Shutdown,
    sync::{Condvar, MutexGuard},
};

use crate::prelude::*;

use super::work::Hold;

/// The relay, which runs until the test ends.
pub(super) struct Relay {
    pub(super) origin: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    change: Condvar,
}

#[derive(Default)]
struct State {
    is_held: bool,
    is_broken: bool,
    n_broken: usize,
    sent: Vec<u8>,
    /// The connections whose client is there.
    open: BTreeSet<usize>,
    /// Those whose answer waits.
    waiting: BTreeSet<usize>,
}

impl Relay {
    /// A relay to an origin.
    pub(super) fn to(origin: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = format!("http://{}", listener.local_addr().unwrap());
        let (service, shared) = (origin.replace("http://", ""), Arc::<Shared>::default());
        let relay = Self { origin: own, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for (id, client) in listener.incoming().enumerate() {
                shared.join(id, client.unwrap(), TcpStream::connect(&service).unwrap());
            }
        });
        relay
    }
}

impl Hold for Relay {
    fn hold(&self, _: &Path) {
        self.shared.lock().is_held = true;
    }

    fn release(&self) {
        self.shared.lock().is_held = false;
        self.shared.change.notify_all();
    }

    fn wait_until_running(&self, n_running: usize) {
        let state = self.shared.lock();
        let is_other = |state: &mut State| state.waiting.len() != n_running;
        drop(self.shared.change.wait_while(state, is_other).unwrap());
    }

    fn break_answers(&self, is_broken: bool) {
        self.shared.lock().is_broken = is_broken;
    }

    fn n_broken(&self) -> usize {
        self.shared.lock().n_broken
    }

    fn sent(&self) -> String {
        String::from_utf8_lossy(&self.shared.lock().sent).into_owned()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn join(self: &Arc<Self>, id: usize, mut client: TcpStream, mut service: TcpStream) {
        self.lock().open.insert(id);
        let (mut asking, mut asked) = (client.try_clone().unwrap(), service.try_clone().unwrap());
        let shared = Arc::clone(self);
        thread::spawn(move || {
            shared.pass_requests(&mut asking, &mut asked).ok();
            shared.lock().open.remove(&id);
            shared.change.notify_all();
            asked.shutdown(Shutdown::Both).ok();
        });
        let shared = Arc::clone(self);
        thread::spawn(move || {
            shared.pass_answers(id, &mut service, &mut client).ok();
            client.shutdown(Shutdown::Both).ok();
        });
    }

    fn pass_requests(
        &self,
        client: &mut TcpStream,
        service: &mut TcpStream,
    ) -> std::io::Result<()> {
        let mut part = [0; 4096];
        loop {
            let length = client.read(&mut part)?;
            if length == 0 {
                return Ok(());
            }
            self.lock().sent.extend(&part[..length]);
            service.write_all(&part[..length])?;
        }
    }

    fn pass_answers(
        &self,
        id: usize,
        service: &mut TcpStream,
        client: &mut TcpStream,
    ) -> std::io::Result<()> {
        let mut part = [0; 4096];
        loop {
            let length = service.read(&mut part)?;
            if length == 0 {
                return Ok(());
            }
            self.pass(id);
            let mut state = self.lock();
            if state.is_broken {
                state.n_broken += 1;
                return Ok(());
            }
            drop(state);
            client.write_all(&part[..length])?;
        }
    }

    /// Waits until an answer may go on, or nobody waits for it.
    fn pass(&self, id: usize) {
        let mut state = self.lock();
        state.waiting.insert(id);
        self.change.notify_all();
        let must_wait = |state: &mut State| state.is_held && state.open.contains(&id);
        let mut state = self.change.wait_while(state, must_wait).unwrap();
        state.waiting.remove(&id);
        drop(state);
        self.change.notify_all();
    }
}
