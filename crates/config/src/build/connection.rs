//! The connections of toolsets: the service describes them, and their entities, actions and tools become tools. While the
//! service does not answer, their calls fail; it is asked again as a database is.

use super::{database::Databases, transports::Sending};
use crate::toolset::ToolsetConfig;

#[cfg(feature = "connector")]
mod open;

#[cfg(not(feature = "connector"))]
mod open {
    use std::future::{Ready, ready};

    use super::{ConnectionSending, Databases};
    use crate::{build::database::Around, config::Config};
    use callgate_settings::Reader;

    /// The reader has refused the key.
    pub(in crate::build) fn all(
        _: &mut Reader,
        _: &Config,
        _: Around<'_>,
        _: Vec<Option<ConnectionSending>>,
        _: &mut Databases,
    ) -> Ready<()> {
        ready(())
    }
}

pub(super) use self::open::all;

/// The way to send the requests of a connection.
pub(super) type ConnectionSending = Sending;

/// The ways of the toolsets with a connection.
pub(super) fn sending(
    toolsets: &[ToolsetConfig],
    all: &[Sending],
) -> Vec<Option<ConnectionSending>> {
    let own = toolsets.iter().zip(all);
    own.map(|(toolset, sending)| toolset.connector.connection.as_ref().map(|_| sending.clone()))
        .collect()
}
