//! Opens the listening addresses and serves them until the sidecar stops. `admission` handles the requests.

mod accept;
mod activity;
mod body;
mod connection;
mod framing;
mod guarded_stream;
mod socket;
mod tls;
mod version;

use std::{net::SocketAddr, sync::Arc};

use callgate_config::{Built, ListenerConfig};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

use self::{
    connection::Setup,
    socket::{Refusal, Socket},
    tls::Tls,
};
use crate::{admission::Admission, failure::Failure, peer::ListenerKind};

/// One open socket, before it accepts connections.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: Socket,
    kind: ListenerKind,
    tls: Option<Arc<Tls>>,
}

pub(crate) async fn open(
    built: &Built,
    configs: &[ListenerConfig],
    kind: ListenerKind,
) -> Result<Vec<Listener>, Failure> {
    let asks_callers = built.access.is_some();
    let mut listeners = Vec::new();
    for ListenerConfig { address, tls, .. } in configs {
        let shown = address.to_string();
        let tls = match tls {
            Some(files) => {
                let read = Tls::read(files, built).await;
                let failed = |message| Failure::Certificate { address: shown.clone(), message };
                Some(Arc::new(read.map_err(failed)?))
            }
            None => None,
        };
        let sockets = socket::open_sockets(address, asks_callers).await;
        let sockets = sockets.map_err(|refusal| match refusal {
            Refusal::Io(source) => Failure::Address { address: shown, source },
            Refusal::Open => Failure::Configuration(built.open_listener_error(&shown)),
        })?;
        let opened = sockets.into_iter();
        listeners.extend(opened.map(|socket| Listener { socket, kind, tls: tls.clone() }));
    }
    Ok(listeners)
}

impl Listener {
    pub(crate) fn local_address(&self) -> Option<SocketAddr> {
        self.socket.local_address()
    }

    pub(crate) fn display_address(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        match self.local_address() {
            Some(bound) => format!("{scheme}://{bound}"),
            None => self.socket.display_address(),
        }
    }

    /// Returns true if only processes of this machine can connect here.
    pub(crate) fn is_local(&self) -> bool {
        self.local_address().is_none_or(|bound| bound.ip().to_canonical().is_loopback())
    }

    pub(crate) fn kind(&self) -> ListenerKind {
        self.kind
    }
}

pub(crate) fn has_systemd_sockets() -> bool {
    socket::has_systemd_sockets()
}

pub(crate) async fn serve_listeners(listeners: Vec<Listener>, admission: Arc<Admission>) {
    let permits = admission.limits().connections.min(Semaphore::MAX_PERMITS);
    let permits = Arc::new(Semaphore::new(permits));
    let secured = listeners.iter().filter_map(|listener| listener.tls.clone()).collect();
    let mut running = JoinSet::new();
    for Listener { socket, kind, tls } in listeners {
        let setup = Setup { admission: Arc::clone(&admission), kind, tls, is_late: false };
        running.spawn(accept::accept_connections(socket, setup, Arc::clone(&permits)));
    }
    tokio::select! {
        () = async { while running.join_next().await.is_some() {} } => {}
        () = renew_certificates(secured, &admission) => {}
    }
}

/// Rereads certificates when they change; never ends.
async fn renew_certificates(secured: Vec<Arc<Tls>>, admission: &Admission) {
    if secured.is_empty() {
        return std::future::pending().await;
    }
    let mut looks = interval(tls::LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        for tls in &secured {
            tls.renew_if_changed(&admission.current_build()).await;
        }
    }
}
