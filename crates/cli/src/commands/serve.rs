//! `callgate serve`: the sidecar. Reports on standard error what it serves; a signal ends the process.

use std::path::Path;

use callgate_config::LogFormat;
use callgate_gateway::{Failure as ServeFailure, ServeOptions, Source, serve, start_log};
use tokio::runtime;

use crate::{
    args::ServeArguments,
    exit::{Failure, Verdict},
    file_argument::{self, USUAL_FILE},
    folders, grants, log,
    open::{loader, options},
    output,
};

pub(crate) fn run(arguments: &ServeArguments) -> Result<Verdict, Failure> {
    let description = options(&arguments.description);
    let usual = Some(Path::new(USUAL_FILE)).filter(|file| file.exists());
    let source = match arguments.file.as_deref().or(usual) {
        Some(file) => {
            let location = file_argument::location(file)?;
            let grants = grants::of(&location, file);
            grants.into_iter().fold(Source::at(location, description), Source::with_grants)
        }
        None => Source::demo(),
    };
    let source = source.with_loader(loader());
    let source = folders::cache().into_iter().fold(source, Source::with_cache);
    let config = source.config()?;
    #[cfg(feature = "ces")]
    let routes = callgate_ces::routes();
    #[cfg(not(feature = "ces"))]
    let routes = callgate_gateway::Routes::new();
    let log_format = config.log.format;
    let options = ServeOptions { listen: arguments.listen.clone(), log_format, routes };
    allow_many_connections();
    let runtime = runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure(format!("error: cannot start a runtime: {error}\nhelp: allow more threads"))
    })?;
    let levels = log::levels(config.log.clone())?;
    let log = start_log(&config, &levels, Box::new(output::log));
    let telemetry = runtime.block_on(log).map_err(|why| Failure(format!("error: {why}")))?;
    drop(config);
    let told = match log_format {
        LogFormat::Json => output::log,
        LogFormat::Text => output::line,
    };
    let ended = runtime.block_on(serve(source, options, told));
    drop(telemetry);
    match ended {
        Ok(()) => Ok(Verdict::Fine),
        Err(ServeFailure::Configuration(error)) => Err(error.into()),
        Err(error) => {
            let (flag, help) = match error {
                ServeFailure::Address { .. } => (
                    "",
                    "\nhelp: end what listens there, or name another address: `--listen 127.0.0.1:8411`, or `listen:`",
                ),
                ServeFailure::NotAnAddress { .. } => {
                    ("`--listen`: ", "\nhelp: for example `--listen 127.0.0.1:8410`")
                }
                _ => ("", ""),
            };
            Err(Failure(format!("error: {flag}{error}{help}")))
        }
    }
}

/// Raises the limit of open files: each connection is one, and the operating system allows a thousand by default.
fn allow_many_connections() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let allowed = getrlimit(Resource::Nofile);
        // If the system refuses, fewer connections are accepted.
        setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, ..allowed }).ok();
    }
}
