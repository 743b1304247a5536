//! The flags of `callgate login` and `callgate logout`.

use std::{path::PathBuf, time::Duration};

use clap::Args;

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
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
    pub(crate) wait: Duration,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  callgate logout github")]
pub(crate) struct LogoutArguments {
    #[command(flatten)]
    pub(crate) at: LoginPlace,
}

/// The flags that name a login.
#[derive(Args, Debug)]
pub(crate) struct LoginPlace {
    /// The name of a profile, or a callgate configuration; `./callgate.yaml` unless one is named
    pub(crate) file: Option<PathBuf>,
    /// The toolset of the configuration, where several have a login
    pub(crate) toolset: Option<String>,
}

/// A time in seconds or minutes.
fn time(text: &str) -> Result<Duration, String> {
    let (number, of) = match (text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(number), _) => (number, 1),
        (_, Some(number)) => (number, 60),
        _ => ("", 0),
    };
    let seconds = number.parse::<u32>().ok().filter(|number| *number > 0);
    let seconds = seconds.map(|number| u64::from(number).saturating_mul(of));
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| "expected a time such as `90s` or `10m`".to_owned())
}
