//! Opens the toolsets that are of a kind: what each needs from the configuration is gathered here, and the rest is `kind`'s.

use callgate_kind::{OpenedToolset, Opening, ServiceCalls, SharedSurroundings, open_toolsets};
use callgate_settings::Reader;

use super::{
    authenticators::Authenticators,
    database::{Around, Databases},
    documents::BuiltDocuments,
    google_service, own_tools, session_values,
    transports::Sending,
};
use crate::{config::Config, toolset::ToolsetConfig};

/// The ways to send the requests of these toolsets.
pub(super) fn google_sendings(toolsets: &[ToolsetConfig], all: &[Sending]) -> Vec<Option<Sending>> {
    let sending = |(toolset, sending): (&ToolsetConfig, &Sending)| {
        let calls = toolset.kind.as_ref()?.calls();
        (calls == ServiceCalls::Google).then(|| sending.clone())
    };
    toolsets.iter().zip(all).map(sending).collect()
}

/// Opens all toolsets of a kind.
pub(super) async fn open_kinds(
    reader: &mut Reader,
    config: &Config,
    around: Around<'_>,
    sending: Vec<Option<Sending>>,
    databases: &mut Databases,
) -> Vec<BuiltDocuments> {
    let mut openings = Vec::new();
    for (toolset, sending) in config.toolsets.iter().zip(sending) {
        let Some(settings) = toolset.kind.as_deref() else { continue };
        let (mut transport, mut authenticator) = (None, None);
        if let Some(sending) = sending {
            let making = google_service::making(around, &sending);
            let mut made = Authenticators::new(reader, toolset, making);
            let pointer = format!("{}/{}", toolset.pointer, settings.key());
            authenticator =
                google_service::service_authenticator(reader, toolset, &mut made, &pointer);
            databases.authenticators.append(&mut made.made);
            transport = sending.calls;
        }
        let common = own_tools::common(toolset);
        let earlier =
            around.kept.iter().find(|(name, _)| *name == common.name).map(|(_, kept)| kept);
        openings.push(Opening { common, settings, transport, authenticator, earlier });
    }
    let shared = SharedSurroundings {
        base: around.build_context.base,
        effects: around.effects,
        #[cfg(feature = "pdf")]
        extractor: around.build_context.environment.extractor.as_ref(),
        #[cfg(not(feature = "pdf"))]
        extractor: None,
        session_values: session_values::masked_values(&config.toolsets),
    };
    let opened = Box::pin(open_toolsets(reader, openings, &shared)).await;
    opened.into_iter().filter_map(|toolset| add(config, databases, toolset)).collect()
}

/// Adds an opened toolset to the parts of a build.
fn add(
    config: &Config,
    databases: &mut Databases,
    OpenedToolset { name, tools, services, followed, kept }: OpenedToolset,
) -> Option<BuiltDocuments> {
    databases.tools.extend(tools);
    for (origin, way) in services {
        if databases.services.iter().all(|(entry, _)| *entry != origin) {
            databases.services.push((origin, way));
        }
    }
    databases.kept.extend(kept.map(|kept| (name.clone(), kept)));
    let origin = config.origin.file.clone();
    followed.map(|documents| BuiltDocuments { name, origin, documents })
}
