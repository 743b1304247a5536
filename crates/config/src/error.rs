//! The failure of a configuration: all of its faults, reported at once.

use std::{
    collections::BTreeSet,
    error, fmt,
    path::{Path, PathBuf},
};

use callgate_settings::{Finding, Severity};

/// A configuration that cannot be built, with all of its faults.
///
/// ```
/// use callgate_config::Config;
///
/// let error = Config::from_text("toolsets: {pets: {sever: https://api.example.com}}", "").unwrap_err();
/// for finding in error.findings() {
///     println!("{} at {}: {}", finding.code, finding.pointer, finding.help);
/// }
/// assert!(error.to_string().contains("sever"));
/// ```
#[derive(Debug)]
pub struct Error {
    findings: Vec<Finding>,
    files: BTreeSet<PathBuf>,
}

impl Error {
    pub(crate) fn from_findings(findings: Vec<Finding>) -> Self {
        Self { findings, files: BTreeSet::new() }
    }

    #[must_use]
    pub(crate) fn with_files(self, files: BTreeSet<PathBuf>) -> Self {
        Self { files, ..self }
    }

    /// A fault of a file as a whole: the stable word for its kind, the message, and the remedy.
    #[doc(hidden)]
    pub fn for_file(file: &Path, code: &'static str, message: String, help: &str) -> Self {
        Self::from_findings(vec![
            Finding::new(file, Severity::Error, code, message).with_help(help),
        ])
    }

    /// All faults, in the order of the file.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The files that were read, or should have been, up to the fault: a change to one of them may fix it.
    pub fn files(&self) -> &BTreeSet<PathBuf> {
        &self.files
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut findings = self.findings.iter();
        if let Some(first) = findings.next() {
            write!(f, "{first}")?;
        }
        findings.try_for_each(|finding| write!(f, "\n{finding}"))
    }
}

impl error::Error for Error {}
