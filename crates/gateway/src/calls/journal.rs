//! Results with their journals, for a caller that asks for them: `"journal": true`. Only a principal with `admin: true` reads the
//! sentences that name hosts, addresses or secret references.

use callgate_dialect::json_result;
use callgate_tool::{Audience, ToolResult};

use crate::{answer::JsonText, caller::Caller};

pub(super) fn audience(caller: &Caller) -> Audience {
    if caller.is_admin { Audience::Operator } else { Audience::Caller }
}

pub(super) fn results_with_journals(results: &[ToolResult], audience: Audience) -> String {
    let results: Vec<_> = results.iter().map(|result| with_journal(result, audience)).collect();
    format!(r#"{{"results":[{}]}}"#, results.join(","))
}

pub(super) fn with_journal(result: &ToolResult, audience: Audience) -> String {
    let text = json_result(result);
    let JsonText(journal) = JsonText::from_body(&result.journal.entries_for_audience(audience));
    // A service's JSON stays as it is, so the member is added to the text.
    let members = text.text().strip_suffix('}').unwrap_or_default();
    format!(r#"{members},"journal":{journal}}}"#)
}
