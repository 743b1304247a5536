//! Makes one build, away from the threads that handle requests: reading large descriptions takes time.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use callgate_config::{Built, Error};
use callgate_executor::Changes;
use tokio::runtime::Handle;

use super::documents;
use crate::{
    gateway::Gateway,
    observe::{prometheus, unread},
    reloads::End,
    source::Source,
    stamps::Stamps,
};

#[derive(Debug)]
pub(super) struct RebuildOutcome {
    pub(super) end: End,
    /// The files that affect the next build.
    pub(super) files: BTreeSet<PathBuf>,
    /// The known files, as they were before they were read.
    pub(super) stamps: Stamps,
}

/// Builds again, and serves the result if it has no faults.
pub(super) async fn rebuild(
    gateway: &Gateway,
    source: &Source,
    previous_files: &BTreeSet<PathBuf>,
) -> RebuildOutcome {
    let (gateway, source, previous_files) =
        (gateway.clone(), source.clone(), previous_files.clone());
    let runtime = Handle::current();
    let before = previous_files.clone();
    let rebuilt = tokio::task::spawn_blocking(move || {
        let stamps = Stamps::from_files_before_reading(&previous_files);
        let previous = gateway.current_build();
        let built = runtime.block_on(source.build(Some(&previous)));
        let (end, files) = replace_unless_faulty(&gateway, &previous, built);
        // After a fault, the known files stay watched: changing them may correct it.
        let files = if matches!(end, End::Refused(_)) { &files | &previous_files } else { files };
        RebuildOutcome { end, files, stamps }
    });
    rebuilt.await.unwrap_or_else(|_| RebuildOutcome {
        end: End::Refused(vec!["the build broke off".to_owned()]),
        stamps: Stamps::from_files(&before),
        files: before,
    })
}

fn replace_unless_faulty(
    gateway: &Gateway,
    previous: &Built,
    built: Result<Built, Error>,
) -> (End, BTreeSet<PathBuf>) {
    let built = match built {
        Ok(built) => built,
        Err(error) => {
            let findings = error.findings().iter().take(MOST_FAULTS);
            let faults = findings.map(ToString::to_string).collect();
            return (End::Refused(faults), error.files().clone());
        }
    };
    let files = built.files().clone();
    let lost = newly_unreadable_toolsets(previous, &built);
    if !lost.is_empty() {
        return (End::Refused(lost), files);
    }
    let changes = Changes::between(&previous.executor, &built.executor);
    let waiting = gateway.at_start().keys_needing_restart(&built);
    let built = Arc::new(built);
    gateway.replace(Arc::clone(&built));
    // Whoever reads the log finds the tools and the numbers that it is about.
    documents::set_document_metrics(&built);
    prometheus::set_build_metrics(&built, true);
    unread::log_new_findings(previous, &built);
    unread::log_newly_unread_toolsets(Some(previous), &built);
    (End::Replaced(changes, waiting), files)
}

/// Toolsets whose description was good and cannot be read any more. A text that is neither a configuration nor a description
/// counts as an unreadable bare description, so that it never replaces a configuration.
fn newly_unreadable_toolsets(previous: &Built, built: &Built) -> Vec<String> {
    let is_lost = |name: &str| {
        let previous_toolset = previous.toolsets.iter().find(|toolset| toolset.name == name);
        previous_toolset
            .map_or(name.is_empty(), |previous_toolset| previous_toolset.failure().is_none())
    };
    let lost = built.toolsets.iter().filter(|toolset| is_lost(&toolset.name));
    lost.filter_map(|toolset| {
        let (file, why) = (toolset.file.display(), toolset.failure()?);
        Some(format!("{file}: {why}"))
    })
    .collect()
}

const MOST_FAULTS: usize = 20;
