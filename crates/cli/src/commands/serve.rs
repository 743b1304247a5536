//! `callgate serve`: the sidecar. What is served is told on standard error; the process ends when it is told to.

use std::path::PathBuf;

use callgate_gateway::{Failure as ServeFailure, ServeOptions, Source, serve};
use tokio::runtime;

use crate::{
    args::ServeArguments,
    exit::{Failure, Verdict},
    open::{failure, options},
    output,
};

/// Serves until the process is told to stop.
pub(crate) fn run(arguments: &ServeArguments) -> Result<Verdict, Failure> {
    let file = arguments.file.clone().unwrap_or_else(|| PathBuf::from(USUAL_FILE));
    let source = Source::file(file, options(&arguments.description));
    let options = ServeOptions { listen: arguments.listen.clone() };
    let runtime = runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure(format!("error: cannot start a runtime: {error}\nhelp: allow more threads"))
    })?;
    let told = |line: &str| output::talk(&format!("{line}\n"));
    match runtime.block_on(serve(source, options, told)) {
        Ok(()) => Ok(Verdict::Fine),
        Err(ServeFailure::Configuration(error)) => Err(failure(&error)),
        Err(error) => Err(Failure(format!("error: {error}"))),
    }
}

/// The configuration of a folder.
const USUAL_FILE: &str = "callgate.yaml";
