//! Looks up the addresses of a host name for the HTTP client. Answers with an error of its own type, so that a name
//! without an address is told from a closed port. Which addresses are allowed is not decided here.

use std::{error, fmt, io};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // Port 0 stands for the URL's own port.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            #[expect(clippy::needless_collect, reason = "the iterator borrows the name")]
            let addresses = found.map_err(NameNotResolved)?.collect::<Vec<_>>();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// A host name without an address.
#[derive(Debug)]
pub(crate) struct NameNotResolved(io::Error);

impl fmt::Display for NameNotResolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host name could not be resolved")
    }
}

impl error::Error for NameNotResolved {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.0)
    }
}
