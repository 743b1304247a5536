//! A sidecar from its start to its end: builds, listens, says what is served, and stops when it is told to.

mod banner;
mod signals;

use std::sync::Arc;

use callgate_config::{Address, Built, ListenerConfig};
use tokio::time::{Duration, sleep};

use self::signals::Signals;
use crate::{
    drain::Drain,
    failure::Failure,
    front::Front,
    gateway::Gateway,
    listen::{self, Listener},
    live::Live,
    observe::{left_open, numbers, unread},
    peer::Door,
    router::router,
    source::Source,
};

/// The words of the command line about a sidecar.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name the options they give")]
pub struct ServeOptions {
    /// The place where to listen, in place of the configuration's addresses.
    pub listen: Vec<String>,
}

/// Serves until the process is told to stop. `told` gets each line of what is served.
///
/// # Errors
/// [`Failure`] where the configuration has faults or an address cannot be listened on, and where calls that ran were ended
/// because the process was told twice.
pub async fn serve(
    source: Source,
    options: ServeOptions,
    told: impl FnMut(&str),
) -> Result<(), Failure> {
    // From now on a signal stops the sidecar and does not end the process.
    let mut signals = Signals::new().map_err(Failure::Signals)?;
    let built = tokio::select! {
        built = source.build(None) => built.map_err(Failure::Configuration)?,
        // Nothing runs yet that could end: a description that does not come is not waited for.
        () = signals.next() => return Ok(()),
    };
    if let Some(error) = source.unread(&built) {
        return Err(Failure::Configuration(error));
    }
    let listeners = open(&built, &options).await?;
    // Before the first call: none may lead back to us.
    listeners.iter().filter_map(Listener::bound).for_each(|bound| source.listeners().add(bound));
    let lines = banner::lines(&source, &built, &listeners);
    let limits = built.serving.limits;
    let gateway = Gateway::new(built);
    numbers::record();
    let _live = Live::start(&gateway, source);
    // Whoever reads them may ask for a reload at once.
    lines.iter().map(String::as_str).for_each(told);
    unread::tell(None, &gateway.built());
    left_open::list(&gateway.built());
    let front = Front::new(router(gateway.clone()), gateway.clone(), limits);
    tokio::select! {
        () = listen::run(listeners, Arc::new(front)) => Ok(()),
        failure = stopped(signals, gateway.drain(), limits.drain) => Err(failure),
    }
}

/// Opens every address.
async fn open(built: &Built, options: &ServeOptions) -> Result<Vec<Listener>, Failure> {
    let mut named = Vec::new();
    for text in &options.listen {
        let address = text.parse().map_err(|_| Failure::NotAnAddress { address: text.clone() })?;
        named.push(ListenerConfig::new(address));
    }
    let usual = [ListenerConfig::new(usual_address())];
    let configs = match (&*named, &*built.serving.listen) {
        ([], []) => &usual,
        ([], configured) => configured,
        (named, _) => named,
    };
    let mut listeners = listen::open(built, configs, Door::Calls).await?;
    listeners.extend(listen::open(built, &built.serving.admin, Door::Admin).await?);
    Ok(listeners)
}

/// The sockets of a service manager that hands over any, else a port of this machine.
fn usual_address() -> Address {
    if listen::has_handed_over() {
        return Address::Systemd(None);
    }
    Address::Tcp { host: "127.0.0.1".to_owned(), port: 8410 }
}

/// Stops the sidecar when the process is told to; ends only if it is told twice.
async fn stopped(mut signals: Signals, drain: &Drain, grace: Duration) -> Failure {
    signals.next().await;
    tracing::info!("stopping: calls that run may end");
    drain.begin();
    let given_up = async {
        sleep(grace).await;
        tracing::warn!("stopping: calls that still run are ended");
        drain.end();
        std::future::pending().await
    };
    tokio::select! {
        () = signals.next() => Failure::Interrupted,
        never = given_up => never,
    }
}

#[cfg(test)]
mod tests;
