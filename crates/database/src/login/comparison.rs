//! Rights that a login has beside rights that its tools need: what is beyond is revoked, what is missing is granted. The drivers say what the
//! login has, and which rights are dangerous.

use std::collections::BTreeSet;

use super::{Grade, LoginFinding, finding, right::allowance_clause};
use crate::engine::Engine;

/// A right as it was granted.
pub(crate) struct HeldRight<'a> {
    pub(crate) right: &'a str,
    /// The object in the name of a finding: `public.orders`.
    pub(crate) name: &'a str,
    /// The object as statements write it.
    pub(crate) on: &'a str,
    /// The columns that the right is one on; none for a right on the whole object alone.
    pub(crate) columns: &'a BTreeSet<String>,
    /// The columns that the grant itself names, where a server revokes a right on columns by these alone.
    pub(crate) named: &'a [String],
    pub(crate) grantees: Vec<String>,
}

/// The finding about a right, unless tools use all of it.
pub(crate) fn surplus_finding(
    engine: Engine,
    held: &HeldRight<'_>,
    grade: Grade,
    used: &BTreeSet<String>,
) -> Option<LoginFinding> {
    let beyond: Vec<&String> = held.columns.difference(used).collect();
    if beyond.is_empty() && !used.is_empty() {
        return None;
    }
    let HeldRight { right, name, on, .. } = held;
    let kept: Vec<&String> = held.columns.intersection(used).collect();
    let list = |columns: &[&String]| engine.column_list(columns.iter().copied());
    let remedies = held.grantees.iter().map(|grantee| {
        if !kept.is_empty() && !held.named.is_empty() {
            return format!("REVOKE {right} {} ON {on} FROM {grantee}", list(&beyond));
        }
        let named = if held.named.is_empty() {
            String::new()
        } else {
            format!(" {}", engine.column_list(held.named))
        };
        let revoke = format!("REVOKE {right}{named} ON {on} FROM {grantee}");
        if kept.is_empty() {
            return revoke;
        }
        format!("{revoke}; GRANT {right} {} ON {on} TO {grantee}", list(&kept))
    });
    let remedy = remedies.collect::<Vec<_>>().join("; ");
    let of_columns = if kept.is_empty() {
        ", which no tool uses".to_owned()
    } else {
        let beyond: Vec<_> = beyond.iter().map(|column| format!("`{column}`")).collect();
        format!(", on columns that no tool uses so: {}", beyond.join(", "))
    };
    let allowance = allowance_clause(engine, right);
    let message = format!("the login has the right {right} on `{name}`{of_columns}{allowance}");
    Some(finding(grade, format!("{}:{name}", hyphenated_right(right)), message, remedy))
}

/// The finding about a right that is missing: `what` is the right with its object as GRANT writes it, `who` lacks it.
pub(crate) fn missing_finding(name: String, what: &str, who: &str, grantee: &str) -> LoginFinding {
    let message = format!("the tools need the right {what}, which {who} does not have");
    finding(Grade::Missing, name, message, format!("GRANT {what} TO {grantee}"))
}

/// The right in the name of a finding: `create-user`.
pub(crate) fn hyphenated_right(right: &str) -> String {
    right.to_lowercase().replace(' ', "-")
}
