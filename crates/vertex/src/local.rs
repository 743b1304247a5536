//! Data stores of Vertex AI Search that the configuration points at folders of documents: their tools search the folder in place of
//! the service.

use callgate_kind::{KindCode, Siblings};
use callgate_settings::{SettingCode, pointer_segment};
use callgate_tree::SettingFinding;

use crate::{
    code::VertexCode,
    keys::{LocalStoreKeys, LocalStoreMap, VertexKeys},
    settings::ResultMode,
};

/// The toolset with the documents that all data stores of a toolset are pointed at. `pointer` is the place of `vertex`.
///
/// # Errors
/// The finding that refuses the toolset; `None` if it is reported already.
pub(crate) fn common_local_toolset<'a>(
    keys: &VertexKeys,
    stores: &'a LocalStoreMap,
    pointer: &str,
    siblings: Siblings<'_>,
) -> Result<&'a str, Option<SettingFinding>> {
    let refusal = |message: String, help: String| {
        let code = VertexCode::VertexUnavailable.as_str();
        Some(SettingFinding::error(code, pointer, message, help))
    };
    let mut all = keys.store_or_engine_names().into_iter().map(|name| match stores.get(name) {
        Some(local) => local_toolset_of_store(keys, name, local, siblings),
        None => Err(refusal(
            format!(
                "expected a data store that `data_stores` points at a folder, as it does others of the toolset, got one of Google's: `{name}`"
            ),
            format!("write `data_stores: {{{name}: {{toolset: NAME}}}}` beside `toolsets`"),
        )),
    });
    let first = all.next().unwrap_or(Ok(""))?;
    for toolset in all {
        if toolset? != first {
            let message = "expected one toolset for all data stores of a tool, got several";
            let help = "put the documents into one folder, with a toolset of its own";
            return Err(refusal(message.to_owned(), help.to_owned()));
        }
    }
    Ok(first)
}

/// The toolset behind a data store, if it has documents and its conditions are those of the data store.
fn local_toolset_of_store<'a>(
    keys: &VertexKeys,
    name: &str,
    LocalStoreKeys { filter, toolset }: &'a LocalStoreKeys,
    siblings: Siblings<'_>,
) -> Result<&'a str, Option<SettingFinding>> {
    let at = format!("/data_stores/{}", pointer_segment(name));
    // A missing name is reported where it is read.
    let toolset = toolset.as_deref().ok_or(None)?;
    if !siblings.has(toolset, "documents") {
        let message = format!("expected a toolset with documents, got: `{toolset}`");
        let help = "write the name of a toolset that has `documents`";
        let (code, at) = (KindCode::UnknownToolset.as_str(), format!("{at}/toolset"));
        return Err(Some(SettingFinding::error(code, at, message, help)));
    }
    if keys.has_filter() && filter.is_none() {
        let message = format!(
            "expected a data store without a filter, got one, which a folder does not read: `{name}`"
        );
        let help = format!(
            "write the same condition as `where` into `documents` of `{toolset}`, and `filter: where` beside `toolset` here"
        );
        let code = VertexCode::VertexUnavailable.as_str();
        return Err(Some(SettingFinding::error(code, at, message, help)));
    }
    Ok(toolset)
}

/// The finding about what Google would do with a question and a folder does not.
pub(crate) fn google_only_keys_finding(keys: &VertexKeys, pointer: &str) -> Option<SettingFinding> {
    let stores = || keys.data_stores.iter().flatten();
    let has_boosts = keys.boosts.is_some() || stores().any(|store| store.boosts.is_some());
    let mut modes = stores().map(|store| store.mode).chain([keys.mode]).flatten();
    let unused = [
        ("answer", keys.answer == Some(true)),
        ("boosts", has_boosts),
        ("extractive_answers", keys.extractive_answers.is_some()),
        ("extractive_segments", keys.extractive_segments.is_some()),
        ("fields", keys.fields.is_some()),
        ("filter_argument", keys.filter_argument == Some(true)),
        ("grounding", keys.grounding.is_some()),
        ("mode", modes.any(|mode| mode == ResultMode::Chunks)),
        ("snippets", keys.snippets == Some(false)),
    ];
    let unused: Vec<&str> = unused.iter().filter(|(_, is)| *is).map(|(key, _)| *key).collect();
    if unused.is_empty() {
        return None;
    }
    let message = format!(
        "expected keys that a search of a folder has, got others, which have no effect there: `{}`",
        unused.join("`, `")
    );
    let help =
        "no step is needed if snippets are enough: no model writes an answer, and words alone rank";
    Some(SettingFinding::warning(SettingCode::UnusedKey.as_str(), pointer, message, help))
}
