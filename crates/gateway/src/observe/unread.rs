//! Logs the toolsets that have no tools because their descriptions cannot be read, and the findings that a reload brings.

use callgate_config::{Built, BuiltToolset};

/// Logs the findings that keep calls from working, unless the build before had them.
pub(crate) fn tell_findings(previous: &Built, built: &Built) {
    let known = previous.findings();
    for finding in built.findings().iter().filter(|finding| !known.contains(finding)) {
        tracing::warn!("{finding}");
    }
}

/// Logs each such toolset that the build before did not report.
pub(crate) fn tell(previous: Option<&Built>, built: &Built) {
    for toolset in &built.toolsets {
        let Some(why) = toolset.failure() else { continue };
        let is_same = |known: &&BuiltToolset| known.name == toolset.name;
        let known = previous.and_then(|previous| previous.toolsets.iter().find(is_same));
        if known.and_then(BuiltToolset::failure) == Some(why) {
            continue;
        }
        let (name, file) = (toolset.name.as_str(), toolset.file.display());
        tracing::warn!(toolset = name, %file, why, "a toolset has no tools until its description can be read");
    }
}
