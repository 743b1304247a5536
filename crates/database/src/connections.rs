//! The open connections of a load, which the next load of a database takes over if nothing about connecting changed.

use std::sync::Arc;

use crate::{driver::Driver, endpoint::Connecting};

/// The open connections to a database, with the settings that they were made from.
#[derive(Clone, Debug)]
pub struct Connections {
    connecting: Connecting,
    driver: Arc<Driver>,
}

impl Connections {
    pub(crate) fn new(connecting: &Connecting, driver: &Arc<Driver>) -> Self {
        Self { connecting: connecting.clone(), driver: Arc::clone(driver) }
    }

    /// A driver over these connections; `None` if these settings make others.
    pub(crate) fn driver(&self, connecting: &Connecting) -> Option<Driver> {
        let Connecting { url, base, limits, is_read_only, network, tls } = connecting;
        let known = &self.connecting;
        let is_same = known.url.is_same_value(url)
            && known.base == *base
            && known.limits == *limits
            && known.is_read_only == *is_read_only
            && known.network.is_same(network)
            && known.tls == *tls;
        if is_same { self.driver.sharing() } else { None }
    }
}
