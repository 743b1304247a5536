//! A sidecar from its start to its end: builds, listens, reports what is served, and stops on a signal.

mod banner;
mod notices;
mod replicas;
mod signals;

use std::sync::Arc;

use callgate_config::{Address, Built, Error, ListenerConfig, LogFormat, SettingCode};
use tokio::time::{Duration, sleep};

pub use self::banner::failure_record;
use self::{notices::Notices, replicas::Replicas, signals::Signals};
use crate::{
    admission::Admission,
    drain::Drain,
    failure::Failure,
    gateway::Gateway,
    listen::{self, Listener},
    live::Live,
    observe::{prometheus, unknown_calls, unread},
    pages,
    peer::ListenerKind,
    report_cache::ExaminedToolset,
    router::router_with,
    routes::Routes,
    source::Source,
};

/// The command line's options for a sidecar.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name the options they give")]
pub struct ServeOptions {
    /// The addresses to listen on, instead of the configuration's.
    pub listen: Vec<String>,
    /// The form of the lines about what is served: text for people, or records as those of a log in JSON.
    pub log_format: LogFormat,
    /// Routes besides the sidecar's own.
    pub routes: Routes,
}

/// Serves until a signal stops the process. `told` receives each line about what is served.
///
/// # Errors
/// Returns a [`Failure`] if the configuration has faults, if an address cannot be listened on, or if a second signal ended
/// running calls.
pub async fn serve(
    source: Source,
    options: ServeOptions,
    told: impl FnMut(&str),
) -> Result<(), Failure> {
    // From now on a signal stops the sidecar instead of ending the process.
    let mut signals = Signals::new().map_err(Failure::Signals)?;
    let built = tokio::select! {
        built = source.build(None) => built.map_err(Failure::Configuration)?,
        // Nothing runs yet that needs an orderly end, so a slow description is not waited for.
        () = signals.wait_for_stop_signal() => return Ok(()),
    };
    if let Some(error) = source.unreadable_file_error(&built) {
        return Err(Failure::Configuration(error));
    }
    if built.serving.console == Some(true) && options.routes.page_handler().is_none() {
        return Err(Failure::Configuration(missing_console_feature(&source)));
    }
    let listeners = open_listeners(&built, &options).await?;
    // Set before the first call, so that no call can lead back to this process.
    listeners
        .iter()
        .filter_map(Listener::local_address)
        .for_each(|bound| source.listeners().add(bound));
    let console = console_address(&built, &options.routes, &listeners);
    let limits = built.serving.limits;
    let gateway = Gateway::with_recent_calls(built, source.recent_calls().clone());
    #[cfg(feature = "agents")]
    gateway.name_configuration(source.file_name());
    // Before the summary, which takes as long as the index that this begins.
    gateway.set_pages_served(console.is_some());
    let lines = start_lines(&gateway, &source, options.log_format, &listeners, console.as_deref());
    prometheus::install_recorder();
    let notices = Notices::start(&gateway);
    let _replicas = Replicas::start(&gateway);
    let _live = Live::start(&gateway, source);
    // Printed last, because a reader may request a reload at once.
    lines.iter().map(String::as_str).for_each(told);
    unread::log_newly_unread_toolsets(None, &gateway.current_build());
    unknown_calls::log_unknown_calls(&gateway.current_build());
    let router = router_with(gateway.clone(), options.routes);
    let admission = Admission::new(router, gateway.clone(), limits);
    let ended = tokio::select! {
        () = listen::serve_listeners(listeners, Arc::new(admission)) => Ok(()),
        failure = drain_until_second_signal(signals, gateway.drain(), limits.drain) => Err(failure),
    };
    notices.end().await;
    ended
}

/// The lines about what is served. Where the console is, its report keeps what was examined for them.
fn start_lines(
    gateway: &Gateway,
    source: &Source,
    log_format: LogFormat,
    listeners: &[Listener],
    console: Option<&str>,
) -> Vec<String> {
    let built = gateway.current_build();
    let mut examined = Vec::new();
    let summary = built.summary_with_reports(|report, n_tokens| {
        examined.push(ExaminedToolset::from_report(report, n_tokens));
    });
    let start = banner::Start { built: &built, summary };
    if console.is_some() {
        gateway.report_cache().keep_examined(&built, examined);
    }
    match log_format {
        LogFormat::Json => banner::banner_records(source, &start, listeners, console),
        LogFormat::Text => banner::banner_lines(source, &start, listeners, console),
    }
}

async fn open_listeners(built: &Built, options: &ServeOptions) -> Result<Vec<Listener>, Failure> {
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
    let mut listeners = listen::open(built, configs, ListenerKind::Calls).await?;
    listeners.extend(listen::open(built, &built.serving.admin, ListenerKind::Admin).await?);
    Ok(listeners)
}

/// The fault of a configuration that asks for pages of a program without them.
fn missing_console_feature(source: &Source) -> Error {
    let message = "`console` needs a build of callgate with the feature `console`";
    let help = "build it with the feature `console`, or remove the key";
    Error::for_file(
        &source.path_or_address().unwrap_or_default(),
        SettingCode::MissingFeature.as_str(),
        message.to_owned(),
        help,
    )
}

/// The address of pages for a browser, where they are served: on addresses of this machine alone unless the operator says so.
fn console_address(built: &Built, routes: &Routes, listeners: &[Listener]) -> Option<String> {
    let mut calls = listeners.iter().filter(|listener| listener.kind() == ListenerKind::Calls);
    let is_on = built.serving.console.unwrap_or_else(|| calls.clone().all(Listener::is_local));
    let first = calls.find(|listener| listener.local_address().is_some());
    first
        .filter(|_| is_on && routes.page_handler().is_some())
        .map(|first| first.display_address() + pages::ROOT)
}

/// The service manager's sockets if it passes any, else a port of this machine.
fn usual_address() -> Address {
    if listen::has_systemd_sockets() {
        return Address::Systemd(None);
    }
    Address::Tcp { host: "127.0.0.1".to_owned(), port: 8410 }
}

/// Stops the sidecar on the first signal; ends only on the second.
async fn drain_until_second_signal(
    mut signals: Signals,
    drain: &Drain,
    grace: Duration,
) -> Failure {
    signals.wait_for_stop_signal().await;
    tracing::info!("stopping: calls that run may end");
    drain.begin_drain();
    let given_up = async {
        sleep(grace).await;
        tracing::warn!("stopping: calls that still run are ended");
        drain.end_calls();
        std::future::pending().await
    };
    tokio::select! {
        () = signals.wait_for_stop_signal() => Failure::Interrupted,
        never = given_up => never,
    }
}

#[cfg(test)]
mod tests;
