//! A sidecar from its start to its end: builds, listens, and stops when it is told to.

use std::{fmt, io, net::SocketAddr};

use callgate_config::Error;
use tokio::net::TcpListener;

use crate::{gateway::Gateway, listen, router::router, source::Source};

/// What the command line says about a sidecar.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name the options they give")]
pub struct ServeOptions {
    /// Where to listen, in place of the configuration's addresses.
    pub listen: Vec<String>,
}

/// Why a sidecar did not start, or ended.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "whoever starts a sidecar must handle a new reason")]
pub enum Failure {
    /// An address cannot be listened on.
    Address {
        /// The address.
        address: String,
        /// Why not.
        source: io::Error,
    },
    /// The first configuration has faults.
    Configuration(Error),
}

/// Serves until the process is told to stop. `told` gets each line of what is served.
///
/// # Errors
/// [`Failure`] where the configuration has faults or an address cannot be listened on.
pub async fn serve(
    source: Source,
    options: ServeOptions,
    mut told: impl FnMut(&str),
) -> Result<(), Failure> {
    let built = source.build(None).await.map_err(Failure::Configuration)?;
    let gateway = Gateway::new(built);
    let address = options.listen.first().map_or(DEFAULT_ADDRESS, String::as_str);
    let failed = |source| Failure::Address { address: address.to_owned(), source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound: SocketAddr = listener.local_addr().map_err(failed)?;
    told(&format!("listening on http://{bound}"));
    listen::run(listener, router(gateway), interrupted()).await.map_err(failed)
}

async fn interrupted() {
    tokio::signal::ctrl_c().await.ok();
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { address, source } => {
                write!(f, "cannot listen on `{address}`: {source}")
            }
            Self::Configuration(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

const DEFAULT_ADDRESS: &str = "127.0.0.1:8410";
