//! Collects the findings of all operations within limits. A finding about a part that many operations share is reported
//! for the first of them, then counted; so are findings beyond a useful number.

use std::hash::BuildHasher as _;

use callgate_tree::{Diagnostic, Severity};
use hashbrown::{DefaultHashBuilder, HashMap};

use crate::{code::Code, findings::MORE};

#[derive(Debug, Default)]
pub(crate) struct FindingCollector {
    diagnostics: Vec<Diagnostic>,
    hasher: DefaultHashBuilder,
    /// The number of times a finding was made, by its text and place, for all operations together.
    said: HashMap<u64, Repetitions>,
    n_bytes: usize,
    n_more: usize,
    worst_more: Option<Severity>,
}

#[derive(Debug)]
struct Repetitions {
    times: usize,
    /// The index of the last one that is reported separately.
    last: usize,
}

impl FindingCollector {
    pub(crate) fn new(diagnostics: Vec<Diagnostic>) -> Self {
        let mut gathered = Self::default();
        gathered.extend(diagnostics);
        gathered
    }

    pub(crate) fn extend(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            self.add_diagnostic(diagnostic);
        }
    }

    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let Self { mut diagnostics, said, n_more, worst_more, .. } = self;
        let mut shared: Vec<_> =
            said.into_values().filter(|said| said.times > ONE_BY_ONE).collect();
        shared.sort_by_key(|said| said.last);
        for Repetitions { times, last } in shared {
            let Some(diagnostic) = diagnostics.get(last) else { continue };
            let n_more = times - ONE_BY_ONE;
            diagnostics.push(Diagnostic { operation: None, n_more, ..diagnostic.clone() });
        }
        if let Some(severity) = worst_more {
            let message = format!("expected fewer findings, got more than are shown: {n_more}");
            diagnostics.push(Diagnostic::new(Code::MoreFindings, severity, message, MORE));
        }
        diagnostics
    }

    fn add_diagnostic(&mut self, diagnostic: Diagnostic) {
        let Diagnostic { code, severity, file, pointer, message, help, operation, .. } =
            &diagnostic;
        // Errors are reported for each operation, except the one that is not the operation's own fault.
        let is_counted =
            operation.is_some() && (*severity < Severity::Error || *code == Code::TooComplex);
        // Most places of these findings need no change: the first one is reported, and the others are counted.
        let is_of_places = *code == Code::HiddenText || *code == Code::UndefinedForm;
        let place = (!is_of_places).then_some((file, pointer));
        let key = self.hasher.hash_one((code.as_str(), place, message));
        if let Some(said) = self.said.get_mut(&key).filter(|_| is_counted) {
            if is_of_places && let Some(first) = self.diagnostics.get_mut(said.last) {
                first.n_more += 1;
                return;
            }
            said.times += 1;
            if said.times > ONE_BY_ONE {
                return;
            }
        }
        let operation = operation.as_ref().map_or(0, String::len);
        let n_bytes = pointer.len() + message.len() + help.len() + operation;
        if self.diagnostics.len() >= MOST || self.n_bytes + n_bytes > MOST_BYTES {
            self.n_more += 1;
            self.worst_more = self.worst_more.max(Some(*severity));
            return;
        }
        if is_counted {
            let said = self.said.entry(key).or_insert(Repetitions { times: 1, last: 0 });
            said.last = self.diagnostics.len();
        }
        self.n_bytes += n_bytes;
        self.diagnostics.push(diagnostic);
    }
}

/// The number of operations for which one finding about one part is reported separately.
const ONE_BY_ONE: usize = 100;

/// The number of findings in a report. No report about a real description has as many, and more are not useful.
const MOST: usize = 5_000;

/// The total size of the findings: each may quote names of any length.
const MOST_BYTES: usize = 8 << 20;
