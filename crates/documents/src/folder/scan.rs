//! Walks through a folder within limits: the documents with their versions, and a finding for whatever is left out.

use std::{fmt::Display, io, path::Path};

use callgate_tree::SettingFinding;

use super::{Member, MemberKind, Patterns, Stamp, system::OpenFolder};
use crate::{
    finding::{self, LEFT_OUT, UNREADABLE},
    settings::DocumentsLimits,
};

/// The documents of a folder at one time.
#[derive(Debug, Default)]
pub(crate) struct ScannedFolder {
    /// The paths of the documents, in order.
    pub(crate) files: Vec<(String, Stamp)>,
    pub(crate) findings: Vec<SettingFinding>,
}

pub(super) fn scan(
    root: &Path,
    patterns: &Patterns,
    limits: &DocumentsLimits,
) -> io::Result<ScannedFolder> {
    let mut walk =
        Walk { patterns, limits, bytes: 0, n_members: 0, scanned: ScannedFolder::default() };
    let mut open = walk.scan_folder(&OpenFolder::root(root)?, "", 1)?;
    while let Some(Below { parents, name, path }) = open.pop() {
        let folder =
            parents.iter().try_fold(OpenFolder::root(root)?, |folder, part| folder.folder(part));
        let listed = folder.and_then(|folder| folder.folder(&name));
        let depth = parents.len() + 2;
        match listed.and_then(|folder| walk.scan_folder(&folder, &path, depth)) {
            Ok(below) => open.extend(below),
            Err(error) => {
                let message = format!("expected a folder that can be read, got: {}", error.kind());
                walk.add_finding_within_limit(
                    UNREADABLE,
                    &path,
                    message,
                    "allow callgate to read it, or leave it out by `exclude`",
                );
            }
        }
    }
    walk.scanned.files.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Ok(walk.scanned)
}

/// A folder that is still to be listed.
struct Below {
    parents: Vec<String>,
    name: String,
    path: String,
}

struct Walk<'a> {
    patterns: &'a Patterns,
    limits: &'a DocumentsLimits,
    bytes: u64,
    n_members: usize,
    scanned: ScannedFolder,
}

impl Walk<'_> {
    fn scan_folder(
        &mut self,
        folder: &OpenFolder,
        at: &str,
        depth: usize,
    ) -> io::Result<Vec<Below>> {
        let most = self.limits.files.saturating_mul(4).saturating_sub(self.n_members);
        let mut members = folder.visible_members(most)?;
        members.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.n_members += members.len();
        if members.len() == most {
            let help = "raise `files` of `limits`, or move other files elsewhere";
            self.add_finding_within_limit(LEFT_OUT, at, "expected fewer members of the folder, got more than four for each file of the limit", help);
        }
        let mut below = Vec::new();
        for member in members {
            let path =
                if at.is_empty() { member.name.clone() } else { format!("{at}/{}", member.name) };
            if member.kind != MemberKind::Folder {
                self.add_file_if_admitted(&member, path);
            } else if depth <= self.limits.depth {
                let parents = at.split('/').filter(|part| !part.is_empty());
                let parents = parents.map(str::to_owned).collect();
                below.push(Below { parents, name: member.name, path });
            } else {
                let depth = self.limits.depth;
                let message =
                    format!("expected at most {depth} folders in each other, got one more");
                self.add_finding_within_limit(LEFT_OUT, &path, message, "move its files up");
            }
        }
        Ok(below)
    }

    fn add_file_if_admitted(&mut self, member: &Member, path: String) {
        // A link may be a folder, whose files would be documents.
        let is_folder_link = member.kind == MemberKind::Link && !member.name.contains('.');
        if !is_folder_link && !self.patterns.admits(&path) {
            return;
        }
        let wrong = match member.kind {
            MemberKind::Link => Some((
                "a file, got a symbolic link",
                "put the file itself there, or leave the link out by `exclude`",
            )),
            MemberKind::Other => {
                Some(("a file, got a pipe, a socket or a device", "leave it out by `exclude`"))
            }
            MemberKind::Unnamed => Some(("a name in UTF-8, got other bytes", "rename the file")),
            MemberKind::File | MemberKind::Folder => None,
        };
        if let Some((got, help)) = wrong {
            self.add_finding_within_limit(LEFT_OUT, &path, format!("expected {got}"), help);
            return;
        }
        let limits = self.limits;
        let message = if member.stamp.bytes > limits.file_bytes as u64 {
            format!(
                "expected a file of at most {} bytes, got: {}",
                limits.file_bytes, member.stamp.bytes
            )
        } else if self.scanned.files.len() >= limits.files {
            format!("expected at most {} files, got one more", limits.files)
        } else if self.bytes + member.stamp.bytes > limits.bytes {
            format!("expected at most {} bytes in all files, got more", limits.bytes)
        } else {
            self.bytes += member.stamp.bytes;
            self.scanned.files.push((path, member.stamp));
            return;
        };
        self.add_finding_within_limit(
            LEFT_OUT,
            &path,
            message,
            "raise `limits`, or leave files out by `exclude`",
        );
    }

    fn add_finding_within_limit(
        &mut self,
        code: &'static str,
        path: &str,
        message: impl Display,
        help: &str,
    ) {
        if self.scanned.findings.len() < MOST_FINDINGS {
            self.scanned.findings.push(finding::file_finding(code, path, message, help));
        }
    }
}

/// The most findings of one walk; nobody reads more.
const MOST_FINDINGS: usize = 1000;
