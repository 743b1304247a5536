//! The flags that name the tools: a file, and the flags for a description without a configuration.

use std::path::PathBuf;

use clap::Args;

/// The file that tools come from.
#[derive(Args, Debug)]
pub(crate) struct SourceArguments {
    /// An OpenAPI description or a callgate configuration: a file, `-` for standard input, an https address of a description,
    /// or the name of a profile
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
}

/// Flags for a description without a configuration.
#[derive(Args, Debug)]
pub(crate) struct DescriptionArguments {
    /// The server to call instead of the description's own (bare descriptions only)
    #[arg(long, value_name = "URL", value_parser = parse_server)]
    pub(crate) server: Option<String>,
    /// An OpenAPI overlay that corrects the description; several are applied in their order (bare descriptions only)
    #[arg(long, value_name = "FILE")]
    pub(crate) overlay: Vec<PathBuf>,
    /// A bearer token: `env:NAME`, `file:PATH` or `$session.credentials.NAME` (bare descriptions only)
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) bearer: Option<String>,
    /// The key of the description's security scheme that is an API key: `env:NAME`, `file:PATH`; the scheme says where it goes
    /// (bare descriptions only)
    #[arg(long, value_name = "REFERENCE", conflicts_with_all = ["bearer", "basic"])]
    pub(crate) api_key: Option<String>,
    /// A user and a reference to the password: `me:env:PASSWORD` (bare descriptions only)
    #[arg(long, value_name = "USER:REFERENCE", conflicts_with = "bearer")]
    pub(crate) basic: Option<String>,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
    #[command(flatten)]
    pub(crate) requests: RequestArguments,
}

/// The flags that hold for every request, whatever the tools come from.
#[derive(Args, Debug)]
pub(crate) struct RequestArguments {
    /// A header of every request; its value may be a reference: `-H 'X-Key: env:KEY'`
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// The time that a whole call may take: `90s`, `2m`
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// A bound of `limits`: `response_bytes=8MiB`; several may be given
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) limits: Vec<String>,
}

/// The flags for connections to the services of bare descriptions.
#[derive(Args, Debug)]
pub(crate) struct ConnectionArguments {
    /// Certificates to trust instead of the machine's: a file of PEM or DER (bare descriptions only)
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Vec<String>,
    /// Addresses the service may be at although they are not public: `10.0.0.0/8` (bare descriptions only)
    #[arg(long, value_name = "CIDR")]
    pub(crate) egress_allow: Vec<String>,
}

/// A server that requests can be sent to.
pub(super) fn parse_server(text: &str) -> Result<String, callgate_openapi::InvalidServer> {
    callgate_openapi::check_server(text).map(|()| text.to_owned())
}
