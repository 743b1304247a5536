//! The journal as others than the operator may see it: each decision under its name. A sentence that names a host, an address, a
//! store of secrets or a recorded request is for the operator alone.

use serde::Serialize;

use super::{Event, Journal};

/// One decision in the form for a result: `{"event", "text"}`.
///
/// ```
/// use callgate_tool::{Event, Journal, Audience};
///
/// let mut journal = Journal::default();
/// journal.note(Event::Approved);
/// journal.note(Event::Redirected { to: "https://internal.example.com".to_owned(), path: None, is_other_host: true });
/// let shown = serde_json::to_string(&journal.entries(Audience::Caller))?;
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
    pub fn entries(&self, audience: Audience) -> Vec<JournalEntry> {
        let entry = |event: &Event| {
            let (name, reach) = event.class();
            let is_shown = audience == Audience::Operator || reach != Reach::Operator;
            JournalEntry { event: name, text: is_shown.then(|| event.to_string()) }
        };
        self.events.iter().map(entry).collect()
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

impl Event {
    /// The name of the decision, and the readers of its sentence.
    pub(super) fn class(&self) -> (&'static str, Reach) {
        use Reach::{Caller, Note, Operator};
        match self {
            Self::ApprovalOutdated => ("approval_outdated", Caller),
            Self::Approved => ("approved", Caller),
            Self::Attempt { .. } => ("attempt", Caller),
            Self::ConfiguredUsed { .. } => ("configured_used", Caller),
            Self::Converted { .. } => ("converted", Note),
            Self::CredentialAbsent { .. } => ("credential_absent", Operator),
            Self::CredentialEchoed => ("credential_echoed", Caller),
            Self::CredentialRefused { .. } => ("credential_refused", Operator),
            Self::CredentialRenewed => ("credential_renewed", Caller),
            Self::DefaultExcluded { .. } => ("default_excluded", Note),
            Self::DefaultUnfit { .. } => ("default_unfit", Note),
            Self::DefaultUsed { .. } => ("default_used", Caller),
            Self::DefaultWithheld { .. } => ("default_withheld", Note),
            Self::EmptyOmitted { .. } => ("empty_omitted", Note),
            Self::FormatIgnored { .. } => ("format_ignored", Note),
            Self::HiddenIgnored { .. } => ("hidden_ignored", Note),
            Self::MediaChosen { .. } => ("media_chosen", Note),
            Self::ModelAsked { .. } => ("model_asked", Note),
            Self::NextPageRepeated { .. } => ("next_page_repeated", Note),
            Self::NextPageUndeclared { .. } => ("next_page_undeclared", Note),
            // The answer itself says it.
            Self::NextPageUnnamed => ("next_page_unnamed", Caller),
            Self::NothingRecorded { .. } => ("nothing_recorded", Operator),
            Self::NotRetried { .. } => ("not_retried", Caller),
            Self::NullOmitted { .. } => ("null_omitted", Note),
            Self::OutsidePartsIgnored { .. } => ("outside_parts_ignored", Note),
            Self::Redirected { .. } => ("redirected", Operator),
            Self::Refused { .. } => ("refused", Operator),
            Self::Replayed => ("replayed", Caller),
            Self::ResultKeptLocally => ("result_kept_locally", Note),
            Self::ResultNotKept => ("result_not_kept", Note),
            Self::Retried { .. } => ("retried", Note),
            Self::SentAgain => ("sent_again", Caller),
            Self::SessionValueAbsent { .. } => ("session_value_absent", Note),
            Self::SessionValueWithheld { .. } => ("session_value_withheld", Operator),
            Self::SessionValueWon { .. } => ("session_value_won", Note),
            Self::RowsCounted { .. } => ("rows_counted", Caller),
            Self::SignInRequired { .. } => ("sign_in_required", Operator),
            Self::StatementSent { .. } => ("statement_sent", Operator),
            Self::CharactersReplaced { .. } => ("characters_replaced", Note),
            Self::TextForJson { .. } => ("text_for_json", Note),
            Self::ToolFolded { .. } => ("tool_folded", Note),
            Self::Unauthorized { .. } => ("unauthorized", Operator),
            Self::Unanswered { .. } => ("unanswered", Operator),
            Self::UndeclaredSent { .. } => ("undeclared_sent", Note),
            Self::UnseenRemoved { .. } => ("unseen_removed", Note),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Remedy;

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
        let shown = |audience| serde_json::to_string(&journal.entries(audience)).unwrap();
        assert!(!shown(Audience::Caller).contains("canary"), "{}", shown(Audience::Caller));
        assert_eq!(journal.entries(Audience::Caller).len(), 10);
        for entry in journal.entries(Audience::Operator) {
            assert!(entry.text.is_some_and(|text| text.contains("canary")), "{}", entry.event);
        }
    }
}
