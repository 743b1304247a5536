//! A file of known findings: `check` reports only findings outside it, so that a description with a history is guarded
//! against new faults. File, code and pointer identify a finding; lines may move.

use std::{collections::BTreeSet, fs, path::Path};

use callgate::openapi::{Diagnostic, Severity};
use callgate_tool::{Value, json};

use crate::{
    exit::Failure,
    partial_file::{Readers, write_file_atomically},
};

#[derive(Default)]
pub(crate) struct Baseline {
    finding_keys: BTreeSet<(String, String, String)>,
    met: BTreeSet<(String, String, String)>,
}

impl Baseline {
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let shown = file.display();
        let text = fs::read(file).map_err(|error| {
            Failure(format!(
                "error: cannot read `{shown}`: {error}\nhelp: write it by `callgate check FILE --write-baseline {shown}`"
            ))
        })?;
        let entries = Value::from_slice(&text).ok();
        let entries = entries.as_ref().and_then(|root| root.get("findings")?.as_array());
        let key = |entry: &Value| {
            let text = |name: &str| Some(entry.get(name)?.as_str()?.to_owned());
            Some((text("file")?, text("code")?, text("pointer")?))
        };
        let finding_keys: Option<BTreeSet<_>> =
            entries.and_then(|entries| entries.iter().map(key).collect());
        let Some(finding_keys) = finding_keys else {
            return Err(Failure(format!(
                "error: expected a baseline, got another file: `{shown}`\nhelp: write it by `callgate check FILE --write-baseline {shown}`"
            )));
        };
        Ok(Self { finding_keys, met: BTreeSet::new() })
    }

    /// Removes the findings that the baseline holds. Returns their number.
    pub(crate) fn remove_known_findings(
        &mut self,
        file: impl Fn(&Diagnostic) -> String,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> usize {
        let before = diagnostics.len();
        diagnostics.retain(|diagnostic| {
            let key = finding_identity(file(diagnostic), diagnostic);
            let is_known = self.finding_keys.contains(&key);
            if is_known {
                self.met.insert(key);
            }
            !is_known
        });
        before.saturating_sub(diagnostics.len())
    }

    pub(crate) fn n_stale(&self) -> usize {
        self.finding_keys.difference(&self.met).count()
    }

    /// Adds a finding that later checks shall know: any finding but a note.
    pub(crate) fn add_finding(&mut self, file: String, diagnostic: &Diagnostic) {
        if diagnostic.severity > Severity::Note {
            self.finding_keys.insert(finding_identity(file, diagnostic));
        }
    }

    pub(crate) fn write(&self, file: &Path) -> Result<usize, Failure> {
        let entry = |(file, code, pointer): &(String, String, String)| json!({"file": &**file, "code": &**code, "pointer": &**pointer});
        let entries: Vec<Value> = self.finding_keys.iter().map(entry).collect();
        let text = format!("{:#}\n", json!({"version": 1, "findings": entries}));
        write_file_atomically(file, text.as_bytes(), Readers::Anyone).map_err(|error| {
            Failure(format!("error: cannot write `{}`: {error}", file.display()))
        })?;
        Ok(self.finding_keys.len())
    }
}

fn finding_identity(file: String, diagnostic: &Diagnostic) -> (String, String, String) {
    (file, diagnostic.code.as_str().to_owned(), diagnostic.pointer.clone())
}
