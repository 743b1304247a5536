//! The journal as others than the operator may see it: each decision under its name. A sentence that names a host, an address, a
//! store of secrets or a recorded request is for the operator alone.

use std::fmt;

use serde::Serialize;

use super::Journal;

/// One decision in the form for a result: `{"event", "text"}`.
///
/// ```
/// use callgate_tool::{Event, Journal, Audience};
///
/// let mut journal = Journal::default();
/// journal.note(Event::Approved);
/// journal.note(Event::Redirected { to: "https://internal.example.com".to_owned(), path: None, is_other_host: true });
/// let shown = serde_json::to_string(&journal.entries_for_audience(Audience::Caller))?;
/// assert_eq!(shown, r#"[{"event":"approved","text":"a person approved the request"},{"event":"redirected"}]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JournalEntry {
    /// The name of the decision.
    pub event: &'static str,
    /// The decision as a sentence; `None` if the audience may not know what it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The audience of a journal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Audience {
    /// Who made the call.
    Caller,
    /// Who runs callgate.
    Operator,
}

impl Journal {
    /// The decisions so far, as an audience may see them.
    #[doc(hidden)]
    pub fn entries_for_audience(&self, audience: Audience) -> Vec<JournalEntry> {
        let entry = |event, reach: Reach, sentence: fmt::Arguments<'_>| {
            let is_shown = audience == Audience::Operator || reach != Reach::Operator;
            JournalEntry { event, text: is_shown.then(|| sentence.to_string()) }
        };
        self.events.iter().map(|event| event.read_row(entry)).collect()
    }
}

/// The readers of the sentence of a decision.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Reach {
    /// A caller may read it.
    Caller,
    /// A caller has to know it, because it differs from what the caller asked for or from what the service sent.
    Note,
    /// It is for the operator alone.
    Operator,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Remedy};

    #[test]
    fn a_caller_learns_that_the_operator_has_to_look_and_not_at_which_place() {
        let canary = || "canary".to_owned();
        let events = [
            Event::CredentialAbsent { why: canary() },
            Event::CredentialRefused { credential: canary() },
            Event::NothingRecorded { detail: canary() },
            Event::Redirected { to: canary(), path: None, is_other_host: false },
            Event::Refused { why: Some(canary()), remedy: Remedy::NameServer { url: canary() } },
            Event::SessionValueWithheld { name: canary() },
            Event::SignInRequired { parameter: canary() },
            Event::StatementSent { text: canary(), values: String::new() },
            Event::Unauthorized { why: canary() },
            Event::Unanswered { server: canary(), why: canary() },
        ];
        let mut journal = Journal::default();
        for event in events {
            journal.note(event);
        }
        let shown =
            |audience| serde_json::to_string(&journal.entries_for_audience(audience)).unwrap();
        assert!(!shown(Audience::Caller).contains("canary"), "{}", shown(Audience::Caller));
        assert_eq!(journal.entries_for_audience(Audience::Caller).len(), 10);
        for entry in journal.entries_for_audience(Audience::Operator) {
            assert!(entry.text.is_some_and(|text| text.contains("canary")), "{}", entry.event);
        }
    }
}
