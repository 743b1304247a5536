//! Groups findings by their cause: a problem of many operations at one place is one finding, with their number and the
//! first of their names. `render` prints it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate::openapi::{Diagnostic, Severity};

use crate::number::grouped_digits;

#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) diagnostic: Diagnostic,
    pub(crate) operations: Vec<String>,
    pub(crate) n_operations: usize,
    pub(crate) n_places: usize,
    counted: BTreeSet<String>,
}

/// The key of findings that share a cause.
type Key = (Severity, &'static str, Option<Arc<str>>, String, String);

/// The causes, in the order of their first findings.
pub(crate) fn group_into_causes(diagnostics: &[Diagnostic]) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    let mut cause_indexes: BTreeMap<Key, usize> = BTreeMap::new();
    for diagnostic in diagnostics {
        let Diagnostic { severity, code, file, pointer, message, .. } = diagnostic;
        let key = (*severity, code.as_str(), file.clone(), pointer.clone(), message.clone());
        let at = *cause_indexes.entry(key).or_insert_with(|| {
            causes.push(Cause {
                diagnostic: diagnostic.clone(),
                operations: Vec::new(),
                n_operations: 0,
                n_places: 1,
                counted: BTreeSet::new(),
            });
            causes.len().saturating_sub(1)
        });
        if let Some(cause) = causes.get_mut(at) {
            cause.count_operations_of(diagnostic);
        }
    }
    causes
}

/// Joins causes that report one problem at several places, by their codes; a code stands where its first cause does.
pub(crate) fn causes_by_code(causes: Vec<Cause>) -> Vec<Vec<Cause>> {
    let mut groups: Vec<Vec<Cause>> = Vec::new();
    let mut group_indexes: BTreeMap<(Severity, &'static str), usize> = BTreeMap::new();
    for cause in causes {
        let Diagnostic { severity, code, .. } = cause.diagnostic;
        let at = *group_indexes.entry((severity, code.as_str())).or_insert(groups.len());
        let Some(group) = groups.get_mut(at) else {
            groups.push(vec![cause]);
            continue;
        };
        let says = |grouped_cause: &&mut Cause| {
            grouped_cause.diagnostic.message == cause.diagnostic.message
        };
        match group.iter_mut().find(says) {
            Some(matching_cause) => matching_cause.merge(cause),
            None => group.push(cause),
        }
    }
    groups
}

impl Cause {
    fn merge(&mut self, other: Self) {
        // Operations that no finding names come from the other cause's number.
        let n_unnamed = other.n_operations.saturating_sub(other.operations.len());
        self.n_operations = self.n_operations.saturating_add(n_unnamed);
        other.operations.into_iter().for_each(|operation| self.count_operation(operation));
        self.n_places = self.n_places.saturating_add(1);
    }

    fn count_operation(&mut self, operation: String) {
        if self.counted.insert(operation.clone()) {
            self.n_operations = self.n_operations.saturating_add(1);
            self.operations.push(operation);
        }
    }

    fn count_operations_of(&mut self, diagnostic: &Diagnostic) {
        if let Some(operation) = &diagnostic.operation {
            self.count_operation(operation.clone());
        }
        self.n_operations = self.n_operations.saturating_add(diagnostic.n_more);
    }

    /// The message, with the operation's name if it concerns only one.
    pub(crate) fn message(&self) -> String {
        match (&*self.operations, self.n_operations) {
            ([only], 1) => format!("{only}: {}", self.diagnostic.message),
            _ => self.diagnostic.message.clone(),
        }
    }

    /// Writes `at 2 places, in 439 operations: GET /a, GET /b, …`; `None` for one place and one operation.
    pub(crate) fn occurrence_summary(&self) -> Option<String> {
        let n_more = self.n_operations.saturating_sub(self.operations.len().min(NAMED));
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        let named: Vec<_> = self.operations.iter().take(NAMED).map(String::as_str).collect();
        let named = named.join(", ");
        let operations = (self.n_operations > 1)
            .then(|| format!("in {} operations: {named}{more}", grouped_digits(self.n_operations)));
        let places =
            (self.n_places > 1).then(|| format!("at {} places", grouped_digits(self.n_places)));
        match (places, operations) {
            (Some(places), Some(operations)) => Some(format!("{places}, {operations}")),
            (places, operations) => places.or(operations),
        }
    }
}

const NAMED: usize = 3;

#[cfg(test)]
mod tests {
    use callgate::openapi::Code;

    use super::*;

    fn found(pointer: &str, operation: Option<&str>, n_more: usize) -> Diagnostic {
        let message = "expected a, got b".to_owned();
        let found = Diagnostic::new(Code::UnusedPathParameter, Severity::Warning, message, "");
        let (pointer, operation) = (pointer.to_owned(), operation.map(str::to_owned));
        Diagnostic { pointer, operation, n_more, ..found }
    }

    #[track_caller]
    fn check(found: &[Diagnostic], expected: &[&str]) {
        let causes = group_into_causes(found);
        let shown = causes.iter().map(|cause| {
            let concerned = cause.occurrence_summary().map(|text| format!("; {text}"));
            format!(
                "{} {}{}",
                cause.diagnostic.pointer,
                cause.message(),
                concerned.unwrap_or_default()
            )
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_finding_about_many_operations_is_one_cause() {
        let about = |operation| found("/a", Some(operation), 0);
        check(&[about("GET /a")], &["/a GET /a: expected a, got b"]);
        check(&[found("/a", None, 0)], &["/a expected a, got b"]);
        check(
            &[about("GET /a"), found("/b", Some("GET /a"), 0), about("GET /b")],
            &[
                "/a expected a, got b; in 2 operations: GET /a, GET /b",
                "/b GET /a: expected a, got b",
            ],
        );
        let places = [found("/a", Some("GET /a"), 0), found("/b", Some("GET /a"), 0)];
        let groups = causes_by_code(group_into_causes(&places));
        let [one] = &*groups[0] else { panic!("{groups:?}") };
        assert_eq!(one.occurrence_summary().as_deref(), Some("at 2 places"));
        assert_eq!(one.message(), "GET /a: expected a, got b");
        let many = ["GET /a", "GET /b", "GET /c", "GET /d"].map(about);
        let counted = [&many[..], &[found("/a", None, 50)]].concat();
        check(
            &counted,
            &["/a expected a, got b; in 54 operations: GET /a, GET /b, GET /c and 51 more"],
        );
    }
}
