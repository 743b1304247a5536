//! Follows folders of documents between two builds: files that changed are read again at once, not first when a search needs them,
//! and new findings about files are logged and counted.

use std::{collections::BTreeSet, path::PathBuf};

use callgate_config::{Built, Finding, OpenedSource};

use crate::observe::prometheus;

/// The documents of the served build, as they were when they were looked at last.
#[derive(Debug)]
pub(super) struct FollowedDocuments {
    findings: Vec<Finding>,
    folders: BTreeSet<PathBuf>,
}

impl FollowedDocuments {
    /// The documents of a build, whose findings are logged with it.
    pub(super) fn from_build(built: &Built) -> Self {
        let mut followed = Self { findings: Vec::new(), folders: BTreeSet::new() };
        followed.take_build(built);
        followed
    }

    pub(super) fn take_build(&mut self, built: &Built) {
        self.findings = document_findings(built);
        self.folders = followed_folders(built);
    }

    pub(super) fn folders(&self) -> &BTreeSet<PathBuf> {
        &self.folders
    }

    /// Compares the folders with their indexes. True if there are other folders to watch.
    pub(super) async fn refresh_indexes_and_folder_set(&mut self, built: &Built) -> bool {
        for followed in built.sources.iter().filter_map(|source| source.followed.as_ref()) {
            followed.refresh().await;
        }
        let findings = document_findings(built);
        for finding in findings.iter().filter(|finding| !self.findings.contains(finding)) {
            tracing::warn!("{finding}");
        }
        self.findings = findings;
        let folders = followed_folders(built);
        let is_other = folders != self.folders;
        self.folders = folders;
        is_other
    }
}

/// The findings about all documents, which are counted.
fn document_findings(built: &Built) -> Vec<Finding> {
    set_document_metrics(built);
    built.sources.iter().flat_map(OpenedSource::findings).collect()
}

/// Sets the metrics of all documents.
pub(super) fn set_document_metrics(built: &Built) {
    for source in &built.sources {
        prometheus::set_document_metrics(source);
    }
}

fn followed_folders(built: &Built) -> BTreeSet<PathBuf> {
    let followed = built.sources.iter().filter_map(|source| source.followed.as_ref());
    followed.flat_map(|followed| followed.watched_folders()).take(MOST_FOLDERS).collect()
}

/// The most folders that are watched: systems watch a limited number. The others are compared every ten seconds.
const MOST_FOLDERS: usize = 1000;
