//! Notes about a whole export, reported once for all affected tools: ignored members become one note, and the remarks
//! of all tools about the account of their tokens become one warning.

use std::path::{Path, PathBuf};

use callgate_config::{Finding, Severity};

use crate::import::{Imported, Remark, RemarkKind, ignored_finding};

/// The notes of an export so far.
#[derive(Debug, Default)]
pub(super) struct Notes {
    ignored: Vec<(PathBuf, String)>,
    findings: Vec<(Finding, usize)>,
    /// The number of findings beyond the limit, which are not kept.
    n_more: usize,
}

struct Note<'a> {
    kind: RemarkKind,
    severity: Severity,
    pointer: &'a str,
    message: String,
    help: &'a str,
}

impl Notes {
    /// Adds the remarks about a tool. For a tool that is left out, the help of each remark says so.
    pub(super) fn take_remarks(&mut self, file: &Path, imported: &Imported, is_left_out: bool) {
        for remark in &imported.remarks {
            match remark.kind {
                RemarkKind::Ignored => self.ignored.push((file.to_owned(), remark.pointer.clone())),
                // A tool that does not exist requests no tokens.
                RemarkKind::Account | RemarkKind::MissingSecret if is_left_out => {}
                _ => self.add_remark(file, remark, is_left_out),
            }
        }
    }

    pub(super) fn note_omission(&mut self, file: &Path, message: String) {
        self.advise(file, message, "no step is needed: the rest is taken over without it");
    }

    /// Records that a part of the export behaves differently here.
    pub(super) fn advise(&mut self, file: &Path, message: String, help: &str) {
        let (kind, severity) = (RemarkKind::NoEquivalent, Severity::Warning);
        self.add_note_once(file, Note { kind, severity, pointer: "", message, help });
    }

    fn add_remark(&mut self, file: &Path, remark: &Remark, is_left_out: bool) {
        let severity = match remark.kind {
            RemarkKind::Invalid => Severity::Error,
            _ => Severity::Warning,
        };
        let help = match (remark.kind, is_left_out) {
            (RemarkKind::Invalid, _) => "correct the export; this tool is left out",
            (_, true) => "no step is needed: this tool is left out, and the rest is taken over",
            (RemarkKind::Account, _) => {
                "no other step is needed; another account is named by another `auth:`"
            }
            (RemarkKind::MissingSecret, _) => {
                "or write another reference in the place of this one: `env:NAME`, `gcp:projects/…`"
            }
            (_, false) => "write what it should be into the configuration, if it matters",
        };
        // One account requests the tokens of all tools: the place of the remark does not matter.
        let pointer = if remark.kind == RemarkKind::Account { "" } else { &remark.pointer };
        let message = match pointer {
            "" => remark.message.clone(),
            pointer => format!("`{pointer}`: {}", remark.message),
        };
        self.add_note_once(file, Note { kind: remark.kind, severity, pointer, message, help });
    }

    fn add_note_once(&mut self, file: &Path, note: Note<'_>) {
        let Note { kind, severity, pointer, message, help } = note;
        let is_same = |entry: &(Finding, usize)| {
            entry.0.message == message && (entry.0.file == *file || kind == RemarkKind::Account)
        };
        if let Some((_, n_more)) = self.findings.iter_mut().find(|entry| is_same(entry)) {
            *n_more += 1;
            return;
        }
        if self.findings.len() >= MOST_FINDINGS {
            self.n_more += 1;
            return;
        }
        let finding = Finding::new(file, severity, kind.as_str(), message);
        let finding = finding.at(pointer).with_help(help);
        self.findings.push((finding, 0));
    }

    /// All findings, without repetitions.
    pub(super) fn findings(mut self) -> Vec<Finding> {
        if let (Some((last, _)), 1..) = (self.findings.last_mut(), self.n_more) {
            last.message.push_str(&format!("; {} other findings are not shown", self.n_more));
        }
        let counted = |(mut finding, n_more): (Finding, usize)| {
            if n_more > 0 {
                finding.message.push_str(&format!(" (and {n_more} times more)"));
            }
            finding
        };
        let ignored = ignored_finding(&self.ignored);
        ignored.into_iter().chain(self.findings.into_iter().map(counted)).collect()
    }
}

/// The number of findings: more are not useful.
const MOST_FINDINGS: usize = 1_000;
