//! Logs the toolsets whose descriptions cannot be read or whose databases and connections do not answer, and the findings that a reload brings.

use callgate_config::{Built, BuiltToolset, OpenedSource};

/// Logs the findings that keep calls from working, unless the build before had them.
pub(crate) fn log_new_findings(previous: &Built, built: &Built) {
    let previous_findings = previous.findings();
    for finding in built.findings().iter().filter(|finding| !previous_findings.contains(finding)) {
        tracing::warn!("{finding}");
    }
}

/// Logs each such toolset that the build before did not report.
pub(crate) fn log_newly_unread_toolsets(previous: Option<&Built>, built: &Built) {
    for toolset in &built.toolsets {
        log_newly_unread_toolset(previous, toolset);
    }
    for source in &built.sources {
        warn_of_failing_source(previous, source);
    }
}

fn log_newly_unread_toolset(previous: Option<&Built>, toolset: &BuiltToolset) {
    let Some(why) = toolset.failure() else { return };
    let is_same = |candidate: &&BuiltToolset| candidate.name == toolset.name;
    let previous_toolset = previous.and_then(|previous| previous.toolsets.iter().find(is_same));
    if previous_toolset.and_then(BuiltToolset::failure) != Some(why) {
        let (name, file) = (toolset.name.as_str(), toolset.file.display());
        tracing::warn!(toolset = name, %file, why, "a toolset has no tools until its description can be read");
    }
}

fn warn_of_failing_source(previous: Option<&Built>, source: &OpenedSource) {
    let Some(why) = &source.failure else { return };
    let is_same = |candidate: &&OpenedSource| candidate.name == source.name;
    let before = previous.and_then(|previous| previous.sources.iter().find(is_same));
    if before.and_then(|before| before.failure.as_ref()) != Some(why) {
        let (name, kind) = (source.name.as_str(), source.key);
        tracing::warn!(toolset = name, why, "the tools of a {kind} fail until it answers");
    }
}
