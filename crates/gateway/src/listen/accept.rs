//! Accepts the connections of one socket, within their permits, until the sidecar stops and the earlier
//! connections are done. Meanwhile, new connections learn that the sidecar is stopping; those of a service manager's
//! socket wait for its next process.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    connection::{self, Setup},
    socket::{AcceptedStream, Socket},
};

pub(super) async fn accept_connections(socket: Socket, setup: Setup, permits: Arc<Semaphore>) {
    let drain = setup.admission.drain().clone();
    let (mut early, mut late) = (JoinSet::new(), JoinSet::new());
    let mut is_draining = false;
    while !(is_draining && early.is_empty()) {
        tokio::select! {
            // A connection that came with the signal is left to the next process, and not accepted before.
            biased;
            () = drain.wait_until_draining(), if !is_draining => is_draining = true,
            () = drain.wait_until_calls_stopped() => break,
            Some(_) = early.join_next(), if !early.is_empty() => {}
            Some(_) = late.join_next(), if !late.is_empty() => {}
            accepted = socket.accept(), if !(is_draining && socket.is_from_systemd()) => match accepted {
                Ok(accepted) if drain.is_draining() => {
                    serve_or_refuse(&mut late, accepted, Setup { is_late: true, ..setup.clone() }, &permits);
                }
                Ok(accepted) => serve_or_refuse(&mut early, accepted, setup.clone(), &permits),
                Err(error) => pause_unless_aborted(&error).await,
            },
        }
    }
    let last = async { while early.join_next().await.is_some() {} };
    // Dropping the set ends the connections that remain.
    timeout(LAST_WORDS, last).await.ok();
}

fn serve_or_refuse(
    connections: &mut JoinSet<()>,
    accepted: AcceptedStream,
    setup: Setup,
    permits: &Arc<Semaphore>,
) {
    let Ok(permit) = Arc::clone(permits).try_acquire_owned() else {
        if setup.tls.is_none() {
            accepted.turn_away();
        }
        return;
    };
    connections.spawn(async move {
        connection::serve(accepted, setup).await;
        drop(permit);
    });
}

/// Ignores a connection that broke off at once; otherwise waits, since descriptors or memory may be free soon.
async fn pause_unless_aborted(error: &io::Error) {
    let is_the_callers =
        matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset);
    if !is_the_callers {
        tracing::warn!(%error, "cannot accept a connection");
        sleep(PAUSE).await;
    }
}

/// The pause after an accept has failed.
const PAUSE: Duration = Duration::from_millis(100);
/// The time for writing the last responses.
const LAST_WORDS: Duration = Duration::from_secs(2);
