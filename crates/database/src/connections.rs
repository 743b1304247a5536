//! The open connections of a load, which the next load of a database takes over if nothing about connecting changed.

use std::sync::Arc;

use crate::{driver::Driver, endpoint::Connecting, engine::Ability};

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

    /// True if the database is a file, which nothing is connected to for.
    pub(crate) fn is_file_database(&self) -> bool {
        !self.driver.engine().has(Ability::Network)
    }

    /// A driver over these connections; `None` if these settings make others.
    pub(crate) fn driver_if_same_settings(&self, connecting: &Connecting) -> Option<Driver> {
        let Connecting { url, base, limits, is_read_only, network, tls } = connecting;
        let current_settings = &self.connecting;
        let is_same = current_settings.url.is_same_value(url)
            && current_settings.base == *base
            && current_settings.limits == *limits
            && current_settings.is_read_only == *is_read_only
            && current_settings.network.is_same_instance(network)
            && current_settings.tls == *tls;
        if is_same { self.driver.with_same_connections() } else { None }
    }
}
