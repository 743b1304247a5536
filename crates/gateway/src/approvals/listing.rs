//! `GET /v1/approvals`: the calls of the caller that wait for an approval, and those of others that the caller may decide about.

use std::time::SystemTime;

use axum::extract::State;
use callgate_config::Built;
use callgate_executor::Entry;
use callgate_policy::{Approval, ApprovalState, approval_text};
use callgate_tool::{Approvers, Principal, Value};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    answer::JsonText,
    bodies,
    caller::Caller,
    gateway::Gateway,
    problem::Problem,
    query::{Query, malformed},
    timestamp::timestamp,
};

/// Calls that wait for an approval, or were decided and not made yet
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Approvals<'a> {
    /// The oldest first
    approvals: Vec<ApprovalBody<'a>>,
    /// The beginning of the next page; none on the last one
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// A call that waits for an approval, or was decided and not made yet
#[derive(Serialize, ToSchema)]
#[schema(as = Approval)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApprovalBody<'a> {
    id: &'a str,
    tool: &'a str,
    toolset: &'a str,
    #[schema(inline, value_type = bodies::Effect)]
    effect: &'a str,
    /// The purpose of the tool, in a line
    description: String,
    #[schema(inline, value_type = bodies::ApprovalState)]
    state: &'a str,
    /// The principal that made the call; none where callers have no names
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    caller: Option<&'a str>,
    /// True if it is a call of the caller of this request
    own: bool,
    /// True if the caller of this request may approve it now
    may_decide: bool,
    /// The principal that decided; only those see it who may decide
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    decided_by: Option<&'a str>,
    /// The time when the call was made
    #[schema(format = DateTime)]
    asked: String,
    /// The time when the approval ends, decided or not
    #[schema(format = DateTime)]
    expires: String,
    /// The request that would be sent, with `****` for credentials
    request: &'a Value,
    /// The request as a person reads it
    text: String,
}

/// Lists calls that wait for an approval: the caller's own, and those of others that the caller may decide about.
#[utoipa::path(
    get, path = "/v1/approvals",
    operation_id = "listApprovals", tag = "calls",
    params(
        ("state" = Option<String>, Query, description = "Only approvals in this state"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before", pattern = r"^[0-9a-f]{1,32}\.approval_[0-9a-f]{32}$"),
        ("limit" = Option<u16>, Query, description = "The most approvals of a page; 100 unless it is given", minimum = 1, maximum = 1000),
    ),
    responses((status = 200, description = "A page of approvals", body = Approvals<'_>,
        links(("NextApprovals" = (operation_id = "listApprovals", parameters(("cursor" = "$response.body#/nextCursor")))),
            ("DecideApproval" = (operation_id = "decideApproval", parameters(("id" = "$response.body#/approvals/0/id"))))))),
)]
pub(crate) async fn list(
    State(gateway): State<Gateway>,
    caller: Caller,
    query: Query,
) -> Result<JsonText, Problem> {
    let page = Page::read(query)?;
    let built = gateway.built();
    let mut found = Vec::new();
    if let Some(approvals) = built.approvals() {
        let is_shown = |approval: &Approval| {
            page.state.as_ref().is_none_or(|state| state == approval.state.as_str())
                && (is_own(&built, &caller, approval) || covers(&built, &caller, approval))
        };
        found = approvals.list(is_shown).await?;
    }
    found.sort_by(|one, other| place(one).cmp(&place(other)));
    if let Some((asked, id)) = &page.after {
        found.retain(|approval| place(approval) > (*asked, id));
    }
    let has_more = found.len() > page.limit;
    found.truncate(page.limit);
    let next_cursor = found.last().filter(|_| has_more).map(cursor);
    let approvals = found.iter().map(|approval| body(&built, &caller, approval)).collect();
    Ok(JsonText::of(&Approvals { approvals, next_cursor }))
}

pub(super) fn body<'a>(built: &Built, caller: &Caller, approval: &'a Approval) -> ApprovalBody<'a> {
    let (own, may_decide) = (is_callers(caller, approval), covers(built, caller, approval));
    let approvers = built.approvals().map(|approvals| approvals.approvers());
    let may_approve = if own { approvers != Some(Approvers::Others) } else { may_decide };
    ApprovalBody {
        id: &approval.id,
        tool: &approval.tool,
        toolset: &approval.toolset,
        effect: approval.effect.as_str(),
        description: entry(built, approval).map(Entry::brief).unwrap_or_default(),
        state: approval.state.as_str(),
        caller: approval.caller.as_deref(),
        own,
        may_decide: may_approve && approval.state == ApprovalState::Waiting,
        decided_by: approval.state.by().filter(|_| may_decide && !own),
        asked: timestamp(approval.asked),
        expires: timestamp(approval.expires),
        request: &approval.request,
        text: approval_text(&approval.request),
    }
}

fn is_own(built: &Built, caller: &Caller, approval: &Approval) -> bool {
    let toolset = entry(built, approval).map(Entry::toolset);
    is_callers(caller, approval) && caller.may_use(toolset.unwrap_or(&approval.toolset))
}

fn is_callers(caller: &Caller, approval: &Approval) -> bool {
    caller.principal.as_ref().map(Principal::id) == approval.caller.as_deref()
}

/// True if the configuration lets the caller decide about calls of the tool now. Calls of nameless callers are their own alone.
pub(super) fn covers(built: &Built, caller: &Caller, approval: &Approval) -> bool {
    caller.principal.is_some()
        && approval.caller.is_some()
        && entry(built, approval).is_some_and(|entry| {
            caller.approves.covers(entry.toolset(), &approval.tool, entry.effect())
        })
}

/// The tool of an approval, if there still is one of exactly this name.
fn entry<'b>(built: &'b Built, approval: &Approval) -> Option<Entry<'b>> {
    built.executor.find(&approval.tool).filter(|entry| entry.name().as_str() == approval.tool)
}

fn place(approval: &Approval) -> (u128, &str) {
    let since = approval.asked.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (since.as_nanos(), &approval.id)
}

fn cursor(approval: &Approval) -> String {
    let (asked, id) = place(approval);
    format!("{asked:x}.{id}")
}

/// The place that a cursor says; `None` for a text that is no cursor.
fn place_of(cursor: &str) -> Option<(u128, String)> {
    let is_hex = |text: &str| text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let (asked, id) = cursor.split_once('.')?;
    let is_id = id.strip_prefix("approval_").is_some_and(|it| it.len() == 32 && is_hex(it));
    let asked = u128::from_str_radix(asked, 16).ok().filter(|_| is_hex(asked))?;
    is_id.then(|| (asked, id.to_owned()))
}

#[derive(Debug)]
struct Page {
    state: Option<String>,
    /// The last approval of the page before: when it was asked, and its id.
    after: Option<(u128, String)>,
    limit: usize,
}

impl Page {
    fn read(mut query: Query) -> Result<Self, Problem> {
        let state = query.take("state")?;
        let words = bodies::ApprovalState::WORDS;
        if let Some(state) = state.as_ref().filter(|state| !words.contains(&state.as_str())) {
            let detail =
                format!("`state`: expected one of `{}`, got: `{state}`", words.join("`, `"));
            return Err(malformed(detail));
        }
        let after = query.take("cursor")?.map(|cursor| place_of(&cursor));
        let after = after.map(|after| {
            after.ok_or_else(|| malformed("`cursor`: expected the `nextCursor` of the page before"))
        });
        let expected = format!("a whole number from 1 to {MOST}");
        let limit = query.parse("limit", &expected)?.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(malformed(format!("`limit`: expected {expected}, got: {limit}")));
        }
        query.finish("`state`, `cursor` and `limit`")?;
        Ok(Self { state, after: after.transpose()?, limit })
    }
}

/// More than a person decides in one sitting.
const USUAL: usize = 100;
/// Each shows its whole request.
const MOST: usize = 1000;
