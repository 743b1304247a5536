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
        followed.take(built);
        followed
    }

    pub(super) fn take(&mut self, built: &Built) {
        self.findings = findings(built);
        self.folders = folders(built);
    }

    pub(super) fn folders(&self) -> &BTreeSet<PathBuf> {
        &self.folders
    }

    /// Compares the folders with their indexes. True if there are other folders to watch.
    pub(super) async fn follow(&mut self, built: &Built) -> bool {
        for followed in built.sources.iter().filter_map(|source| source.followed.as_ref()) {
            followed.refresh().await;
        }
        let findings = findings(built);
        for finding in findings.iter().filter(|finding| !self.findings.contains(finding)) {
            tracing::warn!("{finding}");
        }
        self.findings = findings;
        let folders = folders(built);
        let is_other = folders != self.folders;
        self.folders = folders;
        is_other
    }
}

/// The findings about all documents, which are counted.
fn findings(built: &Built) -> Vec<Finding> {
    count(built);
    built.sources.iter().flat_map(OpenedSource::findings).collect()
}

/// Sets the metrics of all documents.
pub(super) fn count(built: &Built) {
    for source in &built.sources {
        prometheus::tell_documents(source);
    }
}

fn folders(built: &Built) -> BTreeSet<PathBuf> {
    let followed = built.sources.iter().filter_map(|source| source.followed.as_ref());
    followed.flat_map(|followed| followed.folders()).take(MOST_FOLDERS).collect()
}

/// The most folders that are watched: systems watch a limited number. The others are compared every ten seconds.
const MOST_FOLDERS: usize = 1000;
