//! The recorded faults as findings: with their positions in the text, or the options beside a description that made them.

use std::{iter, path::Path};

use callgate_tree::{Position, SettingFinding, nearest_positions};

use super::Reader;
use crate::finding::Finding;

impl Reader {
    /// All recorded findings, in the order of the text.
    pub fn into_findings(self, file: &Path, text: &[u8]) -> Vec<Finding> {
        let pointers = self.complaints.iter().map(|complaint| complaint.pointer.as_str());
        let places = nearest_positions(text, pointers).into_iter().chain(iter::repeat(None));
        let places: Vec<_> = places.take(self.complaints.len()).collect();
        let (names, options, looked_up) = (self.option_names, self.options, self.looked_up);
        let finding = |(mut complaint, position): (SettingFinding, Option<Position>)| {
            looked_up.replace_values_by_names(&mut complaint.message);
            if looked_up.replace_values_by_names(&mut complaint.help) {
                complaint.remedy = None;
            }
            let option = option_that_set_value(&complaint.pointer, names, &options);
            Finding {
                file: file.to_owned(),
                code: complaint.code,
                severity: complaint.severity,
                pointer: if option.is_some() { String::new() } else { complaint.pointer.clone() },
                position: position.filter(|_| option.is_none() && !text.is_empty()),
                message: complaint.message,
                help: complaint.help,
                remedy: complaint.remedy.map(|remedy| *remedy),
                option,
            }
        };
        let mut findings: Vec<_> = self.complaints.into_iter().zip(places).map(finding).collect();
        findings.sort_by_key(|finding| finding.position);
        findings.extend(self.elsewhere);
        findings
    }
}

/// The option at a pointer: the option itself, or the one that set a value there.
fn option_that_set_value(
    pointer: &str,
    names: &[&'static str],
    options: &[(&str, &'static str)],
) -> Option<&'static str> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        let name = pointer.split('/').next()?;
        return names.iter().copied().find(|option| *option == name);
    }
    let sets = |(at, _): &&(&str, &str)| pointer.starts_with(at);
    options.iter().find(sets).map(|(_, option)| *option)
}
