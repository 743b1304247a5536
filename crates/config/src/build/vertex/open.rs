//! Makes the tools of data stores that Google searches. Nothing is asked for that.

mod settings;

use std::sync::Arc;

use callgate_settings::Reader;
use callgate_vertex::Surroundings;
use url::Url;

use super::{Databases, Sending};
use crate::{
    build::{
        authenticators::Authenticators,
        database::Around,
        google_service,
        own_tools::{edits, selection},
        session_values,
    },
    config::Config,
    toolset::ToolsetConfig,
};

/// The tools of all toolsets with data stores of Google's.
pub(in crate::build) fn all(
    reader: &mut Reader,
    config: &Config,
    around: Around<'_>,
    sending: Vec<Option<Sending>>,
    databases: &mut Databases,
) {
    for (toolset, sending) in config.toolsets.iter().zip(sending) {
        let Some(sending) = sending else { continue };
        let making = google_service::making(around, &sending);
        let mut made = Authenticators::of(reader, toolset, making);
        one(reader, config, Search { toolset, sending }, &mut made, databases);
        databases.authenticators.append(&mut made.made);
    }
}

/// A toolset, and the way to send its requests.
struct Search<'a> {
    toolset: &'a ToolsetConfig,
    sending: Sending,
}

fn one(
    reader: &mut Reader,
    config: &Config,
    Search { toolset, sending }: Search<'_>,
    made: &mut Authenticators<'_>,
    databases: &mut Databases,
) -> Option<()> {
    let selected = selection::selected(reader, toolset);
    let settings = settings::of_toolset(reader, toolset, &selected);
    let pointer = format!("{}/vertex", toolset.pointer);
    let authenticator = google_service::own(reader, toolset, made, &pointer);
    let session_values = session_values::masked(&config.toolsets);
    let (transport, authenticator) = (sending.calls?, authenticator?);
    let settings = settings?;
    for target in &settings.targets {
        let service = settings.server.clone().unwrap_or_else(|| target.name.service());
        let origin = Url::parse(&service).ok()?.origin().ascii_serialization();
        if databases.services.iter().all(|(known, _)| *known != origin) {
            databases.services.push((origin, Arc::clone(&transport)));
        }
    }
    let around = Surroundings { transport, authenticator, session_values };
    let backends = callgate_vertex::load(settings, &around);
    databases.tools.extend(edits::applied(reader, toolset, &selected, &backends));
    Some(())
}
