//! Findings about a file. `SQLite` has no logins: what callgate's own statements may do is decided by their rights, and what
//! others may do to the file by the system.

use std::path::Path;

use rusqlite::Connection;

use super::rights::Rights;
use crate::{
    login::{Grade, LoginFinding, Needs, finding},
    transaction::Access,
};

pub(super) fn file_findings(
    connection: &Connection,
    file: &Path,
    access: Access,
) -> rusqlite::Result<Vec<LoginFinding>> {
    let mut findings = Vec::new();
    if access == Access::Write && connection.is_readonly("main")? {
        findings.push(finding(
            Grade::Missing,
            "write:file",
            "tools write, but the process may not write the file of the database",
            "give the user of the process the right to write the file and its folder",
        ));
    }
    if is_writable_by_all(file) {
        findings.push(finding(
            Grade::Unused,
            "world-writable:file",
            "every user of the machine may write the file of the database",
            "chmod o-w on the file",
        ));
    }
    if file.parent().is_some_and(is_writable_by_all) {
        findings.push(finding(
            Grade::Unused,
            "world-writable:folder",
            "every user of the machine may replace the file of the database: its folder is writable by all",
            "chmod o-w on the folder, or move the file",
        ));
    }
    Ok(findings)
}

/// Views that show SQL of a model what the session decides elsewhere.
pub(super) fn of_views(rights: &Rights, needs: &Needs) -> Vec<LoginFinding> {
    let of_view = |view: &str| {
        finding(
            Grade::Dangerous,
            format!("view:{view}"),
            "the view shows rows of a table that an entity offers with `rows`, whoever asks",
            "leave the view out of `query`",
        )
    };
    rights.views_reading(&needs.withheld).into_iter().map(of_view).collect()
}

#[cfg(unix)]
fn is_writable_by_all(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    // In a sticky folder only the owner replaces a file.
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o1002 == 0o0002)
}

#[cfg(not(unix))]
fn is_writable_by_all(_: &Path) -> bool {
    false
}
