//! Members of an export that have no meaning here, such as those of a newer version of its interface: one note names
//! them all.

use std::path::PathBuf;

use callgate_config::{Finding, Severity};

use crate::import::RemarkKind;

pub(crate) fn ignored_finding(members: &[(PathBuf, String)]) -> Option<Finding> {
    let (file, _) = members.first()?;
    let mut pointers: Vec<_> = members.iter().map(|(_, pointer)| format!("`{pointer}`")).collect();
    pointers.sort();
    pointers.dedup();
    let n_more = pointers.len().saturating_sub(SHOWN);
    pointers.truncate(SHOWN);
    let more = if n_more > 0 { format!(" and {n_more} others") } else { String::new() };
    let message =
        format!("members that mean nothing here are left out: {}{more}", pointers.join(", "));
    let finding = Finding::new(file, Severity::Note, RemarkKind::Ignored.as_str(), message);
    Some(finding.with_help("no step is needed: calls are not changed by it"))
}

/// The number of members that the note names.
const SHOWN: usize = 8;
