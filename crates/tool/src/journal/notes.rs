//! The notes of a result: the decisions of its journal that a caller has to know, as sentences.

use super::{Event, Journal, entries::Reach, sentences::failure_text};

impl Journal {
    /// The decisions that a caller has to know, each as a sentence, once: values that were left out, converted, ignored or
    /// chosen, and what was taken out of an answer. [`Journal::defaults`] has what defaults filled in.
    ///
    /// ```
    /// use callgate_tool::{Event, Journal};
    ///
    /// let mut journal = Journal::default();
    /// journal.note(Event::Approved);
    /// journal.note(Event::EmptyOmitted { argument: "tags".to_owned() });
    /// assert_eq!(journal.notes(), ["`tags` is empty and was left out"]);
    /// ```
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        let mut add = |note: String| {
            if !notes.contains(&note) {
                notes.push(note);
            }
        };
        // A model in strict mode gives `null` for each argument that it leaves out, so these share one sentence.
        let mut nulls: Vec<String> = Vec::new();
        let mut failures: Vec<String> = Vec::new();
        let is_note = |event: &&Event| event.read_row(|_, reach, _| reach == Reach::Note);
        for event in self.events.iter().filter(is_note) {
            match event {
                Event::NullOmitted { argument } => nulls.push(format!("`{argument}`")),
                Event::Retried { code, status, .. } => failures.push(failure_text(*code, *status)),
                event => add(event.to_string()),
            }
        }
        if let Some(n_attempts) = self.attempts() {
            failures.dedup();
            add(format!("the call took {n_attempts} attempts: {}", failures.join(", then ")));
        }
        nulls.dedup();
        if !nulls.is_empty() {
            add(format!("null and therefore omitted: {}", nulls.join(", ")));
        }
        notes
    }
}
