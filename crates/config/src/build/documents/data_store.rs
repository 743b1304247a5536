//! Data stores of Vertex AI Search that the configuration points at folders of documents: their tools search the folder. The others
//! are Google's, and `vertex` makes their tools.

use std::sync::Arc;

use callgate_executor::Backend;
use callgate_settings::{Reader, SettingCode, escaped};

use super::{BuiltDocuments, open::Documents};
use crate::{
    build::{
        database::Databases,
        own_tools::{self, Absence, edits, selection},
    },
    code::ConfigCode,
    config::Config,
    data_store::LocalStoreKeys,
    toolset::ToolsetConfig,
    vertex::VertexKeys,
};

/// Makes the tools of all toolsets with data stores.
pub(super) fn all(
    reader: &mut Reader,
    config: &Config,
    documents: &[BuiltDocuments],
    databases: &mut Databases,
) {
    for toolset in &config.toolsets {
        let Some(vertex) = &toolset.vertex else { continue };
        if vertex.is_googles(&config.data_stores) {
            continue;
        }
        let selected = selection::selected(reader, toolset);
        let Some(local) = local(reader, config, toolset, vertex) else { continue };
        warn_of_unused(reader, toolset, vertex);
        let known = documents.iter().find(|known| known.name == local);
        let backends: Vec<Arc<dyn Backend>> = match known {
            Some(BuiltDocuments { documents: Documents(documents), .. }) => {
                let names = selected.iter().filter_map(|tool| tool.former_name(toolset).ok());
                let toolset = toolset.name.as_ref().map(ToString::to_string).unwrap_or_default();
                let description = vertex.description.as_deref().unwrap_or_default();
                names.map(|name| documents.search_tool(&toolset, name, description)).collect()
            }
            // It is not indexed, or its fault is reported there.
            None => own_tools::stand_ins(toolset, &selected, Absence::Unavailable),
        };
        databases.tools.extend(edits::applied(reader, toolset, &selected, &backends));
    }
}

/// Reports what Google would do with a question and a folder does not.
fn warn_of_unused(reader: &mut Reader, toolset: &ToolsetConfig, vertex: &VertexKeys) {
    let mut stores = vertex.data_stores.iter().flatten();
    let has_boosts = vertex.boosts.is_some() || stores.any(|store| store.boosts.is_some());
    let unused = [
        ("answer", vertex.answer == Some(true)),
        ("boosts", has_boosts),
        ("fields", vertex.fields.is_some()),
        ("filter_argument", vertex.filter_argument == Some(true)),
    ];
    let unused: Vec<&str> = unused.iter().filter(|(_, is)| *is).map(|(key, _)| *key).collect();
    if !unused.is_empty() {
        let message = format!(
            "expected keys that a search of a folder has, got others, which have no effect there: `{}`",
            unused.join("`, `")
        );
        let help = "no step is needed if snippets are enough: no model writes an answer, and words alone rank";
        reader.warn(SettingCode::UnusedKey, format!("{}/vertex", toolset.pointer), &message, help);
    }
}

/// The toolset with the documents that all data stores of a toolset are pointed at.
fn local<'c>(
    reader: &mut Reader,
    config: &'c Config,
    toolset: &ToolsetConfig,
    vertex: &VertexKeys,
) -> Option<&'c str> {
    let pointer = format!("{}/vertex", toolset.pointer);
    let mut found: Option<&str> = None;
    for name in vertex.names() {
        let Some(local) = config.data_stores.get(name) else {
            let message = format!(
                "expected a data store that `data_stores` points at a folder, as it does others of the toolset, got one of Google's: `{name}`"
            );
            let help =
                format!("write `data_stores: {{{name}: {{toolset: NAME}}}}` beside `toolsets`");
            reader.complain(ConfigCode::VertexUnavailable, pointer, message, help);
            return None;
        };
        let local = searchable(reader, config, PointedStore { name, vertex, local })?;
        if found.is_some_and(|found| found != local) {
            let message = "expected one toolset for all data stores of a tool, got several";
            let help = "put the documents into one folder, with a toolset of its own";
            reader.complain(ConfigCode::VertexUnavailable, pointer, message, help);
            return None;
        }
        found = Some(local);
    }
    found
}

/// A data store of a toolset, and the place that it is pointed at.
struct PointedStore<'a, 'c> {
    name: &'a str,
    vertex: &'a VertexKeys,
    local: &'c LocalStoreKeys,
}

/// The toolset behind a data store, if it has documents and its conditions are those of the data store.
fn searchable<'c>(
    reader: &mut Reader,
    config: &Config,
    PointedStore { name, vertex, local: LocalStoreKeys { filter, toolset } }: PointedStore<'_, 'c>,
) -> Option<&'c str> {
    let at = format!("/data_stores/{}", escaped(name));
    let toolset = toolset.as_deref()?;
    let is_it = |known: &ToolsetConfig| {
        let is_named = known.name.as_ref().is_some_and(|known| known.to_string() == toolset);
        is_named && known.documents.keys.is_some()
    };
    if !config.toolsets.iter().any(is_it) {
        let message = format!("expected a toolset with documents, got: `{toolset}`");
        let help = "write the name of a toolset that has `documents`";
        reader.complain(ConfigCode::UnknownToolset, format!("{at}/toolset"), message, help);
        return None;
    }
    if vertex.has_filter() && filter.is_none() {
        let message = format!(
            "expected a data store without a filter, got one, which a folder does not read: `{name}`"
        );
        let help = format!(
            "write the same condition as `where` into `documents` of `{toolset}`, and `filter: where` beside `toolset` here"
        );
        reader.complain(ConfigCode::VertexUnavailable, at, message, help);
        return None;
    }
    Some(toolset)
}
