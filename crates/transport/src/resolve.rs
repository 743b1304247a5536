//! Looks up the addresses of a host name and checks all of them: one forbidden address refuses the whole look-up, and the
//! HTTP client dials exactly the checked addresses. The rules are in `egress`.

use std::{
    error, fmt, io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
    vec,
};

use async_trait::async_trait;
use hyper_util::client::legacy::connect::dns::Name;
use tokio::time::timeout;
use tower_service::Service;

use crate::{
    connection_info::note_looked_up,
    egress::{Denial, Egress},
};

/// The time limit of a look-up; a slower name server counts as down.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// A source of the addresses of names: the operating system, a service directory, or a test.
#[async_trait]
pub trait Resolver: fmt::Debug + Send + Sync {
    /// The addresses of a name, in the order in which they are to be tried. Port 0 stands for the URL's port; a port that
    /// the URL names takes precedence.
    ///
    /// # Errors
    /// The reason why the look-up failed. A name without an address is an error as well.
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.collect())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct CheckedResolver {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) egress: Arc<Egress>,
}

impl Service<Name> for CheckedResolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (resolver, egress) = (Arc::clone(&self.resolver), Arc::clone(&self.egress));
        Box::pin(async move {
            let addresses = timeout(LOOK_UP_TIMEOUT, resolver.addresses(name.as_str())).await;
            let addresses = addresses.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
            let addresses = addresses.map_err(NameNotResolved)?;
            if addresses.is_empty() {
                return Err(NameNotResolved(io::ErrorKind::NotFound.into()).into());
            }
            for address in &addresses {
                let address = address.ip();
                egress
                    .check_address(address)
                    .map_err(|denial| AddressDenied { address, denial })?;
            }
            note_looked_up();
            Ok(addresses.into_iter())
        })
    }
}

pub(crate) type BoxError = Box<dyn error::Error + Send + Sync>;

#[derive(Debug)]
pub(crate) struct NameNotResolved(io::Error);

impl NameNotResolved {
    pub(crate) fn is_timeout(&self) -> bool {
        self.0.kind() == io::ErrorKind::TimedOut
    }
}

callgate_secret::text!(NameNotResolved: _ => "the host name could not be resolved");

impl error::Error for NameNotResolved {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.0)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressDenied {
    pub(crate) address: IpAddr,
    pub(crate) denial: Denial,
}

callgate_secret::text!(error AddressDenied: Self { denial, .. } => "{}", denial.message());
