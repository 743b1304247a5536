//! The flags of `callgate init`.

use clap::Args;

use super::source::SourceArguments;

#[derive(Args, Debug)]
pub(crate) struct InitArguments {
    /// The name of the profile: letters, digits, `_` and `-`
    #[arg(value_parser = name)]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The credential of a security scheme of the description, by reference: `key=env:API_KEY`, `login=USER:env:PASSWORD`,
    /// `oauth=CLIENT_ID:env:CLIENT_SECRET`, `oauth=login:CLIENT_ID` where you log in; one for each scheme
    #[arg(long, value_name = "SCHEME=REFERENCE")]
    pub(crate) credential: Vec<String>,
    /// Write `./callgate.yaml` instead of a profile of yours
    #[arg(long)]
    pub(crate) here: bool,
    /// Write over a file that is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// The name of a profile.
fn name(text: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_part);
    let help = "a name begins with a letter, and has letters, digits, `_` and `-`";
    if is_name { Ok(text.to_owned()) } else { Err(help.to_owned()) }
}
