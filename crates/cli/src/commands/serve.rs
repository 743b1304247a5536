//! `callgate serve`: the sidecar. Reports on standard error what it serves; a signal ends the process.

use std::{io, path::Path};

use callgate::config::Error;
use callgate_config::{Config, Kinds, LogFormat};
use callgate_gateway::{
    Failure as ServeFailure, ServeOptions, Source, failure_record, serve, start_log,
};
use tokio::runtime;

use crate::{
    args::ServeArguments,
    effects,
    exit::{Failure, Verdict},
    file_argument::{self, USUAL_FILE},
    folders, grants, log,
    open::{description_options, loader_with_effects},
    output,
    runtime::end_runtime,
};

pub(crate) fn run(arguments: &ServeArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let description = description_options(&arguments.description);
    let usual = Some(Path::new(USUAL_FILE)).filter(|file| file.exists());
    let source = match arguments.file.as_deref().or(usual) {
        Some(file) => {
            let location = file_argument::file_location(file)?;
            let grants = grants::grant_store(&location, file);
            grants
                .into_iter()
                .fold(Source::from_location(location, description), Source::with_grants)
        }
        None => Source::demo(),
    };
    let source = source.with_loader(loader_with_effects(kinds, effects::SERVE));
    let source = folders::cache_folder().into_iter().fold(source, Source::with_cache);
    #[cfg(feature = "pdf")]
    let source = std::env::current_exe().into_iter().fold(source, Source::with_extractor);
    let config = source.config()?;
    #[cfg(feature = "ces")]
    let routes = callgate_ces::routes();
    #[cfg(not(feature = "ces"))]
    let routes = callgate_gateway::Routes::new();
    #[cfg(feature = "agents")]
    let routes = routes.merge_routes(callgate_gateway::turns());
    #[cfg(feature = "console")]
    let routes = routes.merge_routes(callgate_console::routes());
    let log_format = config.log.format;
    let options = ServeOptions { listen: arguments.listen.clone(), log_format, routes };
    run_server(source, config, options).map_err(|failure| failure.into_failure(log_format))
}

fn run_server(source: Source, config: Config, options: ServeOptions) -> Result<Verdict, NotServed> {
    raise_open_file_limit();
    let runtime = runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        NotServed::with_help(format!("cannot start a runtime: {error}"), "allow more threads")
    })?;
    let levels = log::overridden_levels(config.log.clone())?;
    let log = start_log(&config, &levels, Box::new(output::write_log_lines));
    let telemetry = runtime.block_on(log).map_err(|why| NotServed::with_help(why, ""))?;
    drop(config);
    let told = match options.log_format {
        LogFormat::Json => output::write_log_lines,
        LogFormat::Text => output::print_message_line,
    };
    let ended = runtime.block_on(serve(source, options, told));
    drop(telemetry);
    end_runtime(runtime);
    ended.map(|()| Verdict::Fine).map_err(NotServed::from)
}

#[derive(Debug)]
enum NotServed {
    Because { message: String, help: &'static str },
    Configuration(Error),
    Told(Failure),
}

impl NotServed {
    fn with_help(message: String, help: &'static str) -> Self {
        Self::Because { message, help }
    }

    /// The failure as the lines of a log have it.
    fn into_failure(self, format: LogFormat) -> Failure {
        let is_json = format == LogFormat::Json;
        match self {
            Self::Because { message, help } if is_json => {
                Failure(failure_record(&message, help, &[]))
            }
            Self::Because { message, help } => {
                let help = if help.is_empty() { String::new() } else { format!("\nhelp: {help}") };
                Failure(format!("error: {message}{help}"))
            }
            Self::Configuration(error) if is_json => {
                let message = "the configuration cannot be served";
                Failure(failure_record(message, HELP, error.findings()))
            }
            Self::Configuration(error) => error.into(),
            Self::Told(Failure(text)) if is_json => {
                let text = text.trim_start_matches("error: ");
                let (message, help) = text.split_once("\nhelp: ").unwrap_or((text, ""));
                Failure(failure_record(message, help, &[]))
            }
            Self::Told(failure) => failure,
        }
    }
}

const HELP: &str = "`callgate check` shows the findings with their lines";

impl From<Failure> for NotServed {
    fn from(failure: Failure) -> Self {
        Self::Told(failure)
    }
}

impl From<ServeFailure> for NotServed {
    fn from(error: ServeFailure) -> Self {
        match error {
            ServeFailure::Address { ref source, .. } => {
                Self::with_help(error.to_string(), listen_error_help(source))
            }
            ServeFailure::Configuration(error) => Self::Configuration(error),
            ServeFailure::NotAnAddress { .. } => {
                let help = "for example `--listen 127.0.0.1:8410`";
                Self::with_help(format!("`--listen`: {error}"), help)
            }
            _ => Self::with_help(error.to_string(), ""),
        }
    }
}

fn listen_error_help(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "end what listens there, or name another address: `--listen 127.0.0.1:8411`, or `listen:`"
        }
        io::ErrorKind::PermissionDenied => {
            "name a port from 1024 on, or a socket in a folder of this user: `--listen 127.0.0.1:8410`, or `listen:`"
        }
        _ => {
            "name an address of this machine, or a socket in a folder that is there: `--listen 127.0.0.1:8410`, or `listen:`"
        }
    }
}

/// Raises the limit of open files: each connection is one, and the operating system allows a thousand by default.
fn raise_open_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let allowed = getrlimit(Resource::Nofile);
        // If the system refuses, fewer connections are accepted.
        setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, ..allowed }).ok();
    }
}
