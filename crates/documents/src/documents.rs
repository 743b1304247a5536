//! A loaded folder, for whoever watches it: what is indexed, what is wrong with files, and where changes are to be expected.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use callgate_executor::Backend;
use callgate_kind::Counts;
use callgate_tool::ToolName;
use callgate_tree::SettingFinding;
use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep_until},
};

use crate::{
    collection::{Collection, LEAST_PAUSE},
    declaration,
    settings::DocumentsSettings,
    tools::{Action, DocumentsTool, Shared},
};

/// The documents of a folder, which its tools search.
#[derive(Clone, Debug)]
pub struct Documents {
    settings: Arc<DocumentsSettings>,
    collection: Arc<Collection>,
}

impl Documents {
    pub(crate) fn new(settings: DocumentsSettings, collection: Arc<Collection>) -> Self {
        Self { settings: Arc::new(settings), collection }
    }

    /// The index, if these settings read the files in the same way.
    pub(crate) fn collection_if_same_files(
        &self,
        settings: &DocumentsSettings,
    ) -> Option<Arc<Collection>> {
        let current_settings = &*self.settings;
        let is_same = current_settings.folder == settings.folder
            && current_settings.include == settings.include
            && current_settings.exclude == settings.exclude
            && current_settings.uri == settings.uri
            && current_settings.metadata == settings.metadata
            && current_settings.extractor == settings.extractor
            && current_settings.limits == settings.limits;
        is_same.then(|| Arc::clone(&self.collection))
    }

    /// Compares the index with the folder, and reads again what has changed: at once, or a second after the last comparison. A folder
    /// whose comparison takes long is left alone for ten times as long. A search does that by itself.
    pub async fn refresh(&self) {
        let collection = Arc::clone(&self.collection);
        let next = collection.next_comparison_time();
        if let Some(next) = next.filter(|next| *next <= Instant::now() + LEAST_PAUSE) {
            sleep_until(next).await;
        }
        spawn_blocking(move || collection.refresh_if_due()).await.ok();
    }

    /// The search as a tool of another toolset, for an agent that knows one tool with a `query`: no conditions of the model. Those of
    /// the operator bind it. `description` is the documents' unless it is empty.
    pub fn standalone_search_tool(
        &self,
        toolset: &str,
        name: ToolName,
        description: &str,
    ) -> Arc<dyn Backend> {
        let shared = Arc::new(Shared {
            toolset: toolset.to_owned(),
            collection: Arc::clone(&self.collection),
            bound: self.settings.bound.clone(),
            search: name.as_str().to_owned(),
        });
        let tool = declaration::standalone_search_tool(&self.settings, name, description);
        Arc::new(DocumentsTool { tool, action: Action::Search, shared })
    }

    /// The findings about the files, as they are now.
    pub fn findings(&self) -> Vec<SettingFinding> {
        self.collection.findings()
    }

    /// The size of the index now.
    pub fn counts(&self) -> Counts {
        let index = self.collection.index();
        let [files, documents, pieces] = index.file_document_piece_counts();
        Counts { files, documents, pieces, bytes: index.bytes() }
    }

    /// The folders that have documents now.
    pub fn document_folders(&self) -> BTreeSet<PathBuf> {
        self.collection.document_folders()
    }
}
