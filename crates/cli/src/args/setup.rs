//! The flags of the commands that make files: `init`, `import`, `login` and `logout`.

use std::{num::NonZeroU32, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};

use super::source::SourceArguments;
use crate::file_argument::is_profile_name;

#[derive(Args, Debug)]
pub(crate) struct InitArguments {
    /// The name of the profile: letters, digits, `_` and `-`
    #[arg(value_parser = profile_name)]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The credential of a security scheme of the description, by reference: `key=env:API_KEY`, `login=USER:env:PASSWORD`,
    /// `oauth=CLIENT_ID:env:CLIENT_SECRET`, `oauth=login:CLIENT_ID` where you log in; one for each scheme
    #[arg(long, value_name = "SCHEME=REFERENCE")]
    pub(crate) credential: Vec<String>,
    /// Make tools of the tables of a database; FILE is `sqlite:FILE`, or where its address is: `env:NAME`, `file:PATH`
    #[cfg(feature = "_database")]
    #[arg(long)]
    pub(crate) database: bool,
    /// Write a folder NAME with the files that deploy the configuration FILE: what it needs of secrets is in one of them
    #[arg(long, value_name = "WAY", value_enum, conflicts_with_all = ["credential", "here"])]
    pub(crate) deploy: Option<DeployWay>,
    /// Write `./callgate.yaml` instead of a profile of yours
    #[arg(long)]
    pub(crate) here: bool,
    /// Write over a file that is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// A way to deploy a sidecar.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum DeployWay {
    /// Containers on one machine, with Redis
    Compose,
    /// A chart of Helm with its values
    Kubernetes,
    /// A unit with its socket
    Systemd,
}

/// The name of a profile.
fn profile_name(text: &str) -> Result<String, String> {
    let is_name = is_profile_name(text) && text.starts_with(|c: char| c.is_ascii_alphabetic());
    let help = "a name begins with a letter, and has letters, digits, `_` and `-`";
    if is_name { Ok(text.to_owned()) } else { Err(help.to_owned()) }
}

#[cfg(feature = "ces")]
#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The folder of the export, or a zip of it
    pub(crate) export: PathBuf,
    /// The folder that is made: `callgate.yaml`, and a folder with description and examples for each toolset. Nothing that
    /// is there is written over
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  callgate login github\n  callgate call github user")]
pub(crate) struct LoginArguments {
    #[command(flatten)]
    pub(crate) at: LoginPlace,
    /// Log in on any device: print a page and a code to type there (RFC 8628)
    #[arg(long)]
    pub(crate) device: bool,
    /// Print the page only; open no browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// The time that the browser has to come back: `90s`, `10m`
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_time)]
    pub(crate) wait: Duration,
}

#[derive(Args, Debug)]
pub(crate) struct LoginPlace {
    /// The name of a profile, or a callgate configuration; `./callgate.yaml` unless one is named
    pub(crate) file: Option<PathBuf>,
    /// The toolset of the configuration, where several have a login
    pub(crate) toolset: Option<String>,
}

/// A time in seconds or minutes.
fn parse_time(text: &str) -> Result<Duration, String> {
    let minutes = text.strip_suffix('m').map(|number| (number, 60));
    let given = minutes.or_else(|| Some((text.strip_suffix('s')?, 1)));
    let time = given.and_then(|(number, unit)| {
        Some(Duration::from_secs(u64::from(number.parse::<NonZeroU32>().ok()?.get()) * unit))
    });
    time.ok_or_else(|| "expected a time such as `90s` or `10m`".to_owned())
}
