//! The data stores of toolsets that Google searches. Those that `data_stores` points at folders are made by `documents`.

use super::{database::Databases, sending::Sending};
use crate::{config::Config, toolset::ToolsetConfig};

#[cfg(feature = "vertex")]
mod open;

#[cfg(not(feature = "vertex"))]
mod open {
    use super::{Config, Databases, Sending, is_googles};
    use crate::{build::database::Around, code::ConfigCode};
    use callgate_settings::Reader;

    /// Such toolsets are refused: only a folder could be searched.
    pub(in crate::build) fn all(
        reader: &mut Reader,
        config: &Config,
        _: Around<'_>,
        _: Vec<Option<Sending>>,
        _: &mut Databases,
    ) {
        for toolset in config.toolsets.iter().filter(|toolset| is_googles(config, toolset)) {
            let pointer = format!("{}/vertex", toolset.pointer);
            let message = "expected data stores that `data_stores` points at a folder, got some that this build of callgate does not ask";
            let help = "build it with the feature `vertex`, or write `data_stores: {NAME: {toolset: TOOLSET}}` beside `toolsets`";
            reader.complain(ConfigCode::VertexUnavailable, pointer, message, help);
        }
    }
}

pub(super) use self::open::all;

/// True for a toolset with data stores, of which none is pointed at a folder.
fn is_googles(config: &Config, toolset: &ToolsetConfig) -> bool {
    toolset.vertex.as_ref().is_some_and(|vertex| vertex.is_googles(&config.data_stores))
}

/// The ways to send the requests of these toolsets.
pub(super) fn sending(config: &Config, all: &[Sending]) -> Vec<Option<Sending>> {
    let own = config.toolsets.iter().zip(all);
    own.map(|(toolset, sending)| is_googles(config, toolset).then(|| sending.clone())).collect()
}
