//! `GET /v1/approvals`: the calls of the caller that wait for an approval, and those of others that the caller may decide about,
//! in pages; and `GET /v1/approvals/{id}`: one of them, with its request however large that is.

use std::time::{Duration, SystemTime};

use axum::extract::State;
use callgate_config::Built;
use callgate_executor::Entry;
use callgate_policy::{Approval, ApprovalState, Extent, Listing, approval_text};
use callgate_tool::{Approvers, Principal, Value, rfc_3339};
use serde::Serialize;
use utoipa::ToSchema;

use super::absent_approval;
use crate::{
    answer::JsonText,
    bodies,
    caller::Caller,
    gateway::Gateway,
    path_name::PathName,
    problem::Problem,
    query::{Query, malformed_query},
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
    /// The request that would be sent, with `****` for credentials; in a list only if it has at most 4 KiB
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    request: Option<&'a Value>,
    /// The request as a person reads it, where there is `request`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
}

/// Lists calls that wait for an approval: the caller's own, and those of others that the caller may decide about. A page is
/// bounded in bytes, too; a request of more than 4 KiB is shown by `showApproval` alone.
#[utoipa::path(
    get, path = "/v1/approvals",
    operation_id = "listApprovals", tag = "calls",
    params(
        ("state" = Option<String>, Query, description = "Only approvals in this state"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before", pattern = r"^[0-9a-f]{1,20}\.approval_[0-9a-f]{32}$"),
        ("limit" = Option<u16>, Query, description = "The most approvals of a page; 100 unless it is given. A page may have fewer and still a `nextCursor`", minimum = 1, maximum = 1000),
    ),
    responses((status = 200, description = "A page of approvals", body = Approvals<'_>,
        links(("NextApprovals" = (operation_id = "listApprovals", parameters(("cursor" = "$response.body#/nextCursor")))),
            ("ShowApproval" = (operation_id = "showApproval", parameters(("id" = "$response.body#/approvals/0/id")))),
            ("DecideApproval" = (operation_id = "decideApproval", parameters(("id" = "$response.body#/approvals/0/id"))))))),
)]
pub(crate) async fn list(
    State(gateway): State<Gateway>,
    caller: Caller,
    query: Query,
) -> Result<JsonText, Problem> {
    let page = Page::read(query)?;
    let built = gateway.current_build();
    let Some(approvals) = built.approvals() else {
        return Ok(JsonText::from_body(&Approvals { approvals: Vec::new(), next_cursor: None }));
    };
    let is_shown = |approval: &Approval| {
        page.state.as_ref().is_none_or(|state| state == approval.state.as_str())
            && is_visible(&built, &caller, approval)
    };
    let listing =
        Listing { extent: visible_extent(&caller), after: page.after.clone(), most: page.limit };
    let _permit = gateway.listing_permit(&caller).await?;
    let listed = approvals.page(&listing, is_shown).await?;
    let next_cursor = listed.approvals.last().filter(|_| listed.has_more).map(page_cursor);
    let approvals = listed.approvals.iter().map(|it| approval_body(&built, &caller, it)).collect();
    Ok(JsonText::from_body(&Approvals { approvals, next_cursor }))
}

/// Shows a call that waits for an approval, with its request.
#[utoipa::path(
    get, path = "/v1/approvals/{id}",
    operation_id = "showApproval", tag = "calls",
    params(("id" = String, Path, description = "The `pending.id` of a result, or the `id` of a listed approval")),
    responses(
        (status = 200, description = "The approval with `request` and `text`", body = ApprovalBody<'_>),
        (status = 404, description = "No call waits for this approval, or none that the caller made or may decide about"),
    ),
)]
pub(crate) async fn show(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
) -> Result<JsonText, Problem> {
    let built = gateway.current_build();
    let approvals = built.approvals().ok_or_else(absent_approval)?;
    let is_shown = |approval: &Approval| is_visible(&built, &caller, approval);
    let _permit = gateway.listing_permit(&caller).await?;
    let visible_approval = approvals
        .find_within(visible_extent(&caller), &id, is_shown)
        .await?
        .ok_or_else(absent_approval)?;
    Ok(JsonText::from_body(&approval_body(&built, &caller, &visible_approval)))
}

/// The approvals among which those are that the caller may see.
fn visible_extent(caller: &Caller) -> Extent<'_> {
    if caller.approves.is_empty() { Extent::Own(caller.principal.as_ref()) } else { Extent::All }
}

fn is_visible(built: &Built, caller: &Caller, approval: &Approval) -> bool {
    is_own_and_usable(built, caller, approval) || may_decide(built, caller, approval)
}

pub(super) fn approval_body<'a>(
    built: &Built,
    caller: &Caller,
    approval: &'a Approval,
) -> ApprovalBody<'a> {
    let (own, may_decide) = (is_from_caller(caller, approval), may_decide(built, caller, approval));
    let approvers = built.approvals().map(|approvals| approvals.approvers());
    let may_approve = if own { approvers != Some(Approvers::Others) } else { may_decide };
    ApprovalBody {
        id: &approval.id,
        tool: &approval.tool,
        toolset: &approval.toolset,
        effect: approval.effect.as_str(),
        description: approval_entry(built, approval).map(Entry::brief).unwrap_or_default(),
        state: approval.state.as_str(),
        caller: approval.caller.as_deref(),
        own,
        may_decide: may_approve && approval.state == ApprovalState::Waiting,
        decided_by: approval.state.by().filter(|_| may_decide && !own),
        asked: rfc_3339(approval.asked),
        expires: rfc_3339(approval.expires),
        request: request_if_small(approval),
        text: request_if_small(approval).map(approval_text),
    }
}

/// The request; `None` in a listing where it is too large.
fn request_if_small(approval: &Approval) -> Option<&Value> {
    Some(&approval.request).filter(|request| !request.is_null())
}

fn is_own_and_usable(built: &Built, caller: &Caller, approval: &Approval) -> bool {
    let toolset = approval_entry(built, approval).map(Entry::toolset);
    is_from_caller(caller, approval) && caller.may_use(toolset.unwrap_or(&approval.toolset))
}

fn is_from_caller(caller: &Caller, approval: &Approval) -> bool {
    caller.principal.as_ref().map(Principal::id) == approval.caller.as_deref()
}

/// True if the configuration lets the caller decide about calls of the tool now. Calls of nameless callers are their own alone.
pub(super) fn may_decide(built: &Built, caller: &Caller, approval: &Approval) -> bool {
    caller.principal.is_some()
        && approval.caller.is_some()
        && approval_entry(built, approval).is_some_and(|entry| {
            caller.approves.covers(entry.toolset(), &approval.tool, entry.effect())
        })
}

/// The tool of an approval, if there still is one of exactly this name.
fn approval_entry<'b>(built: &'b Built, approval: &Approval) -> Option<Entry<'b>> {
    built.executor.find(&approval.tool).filter(|entry| entry.name().as_str() == approval.tool)
}

fn page_cursor(approval: &Approval) -> String {
    let asked = approval.asked.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}.{}", asked.as_nanos(), approval.id)
}

/// The last approval of a page that its cursor names: when it was asked, and its id. `None` for a text that is no cursor.
fn parse_cursor(cursor: &str) -> Option<(SystemTime, String)> {
    let is_hex = |text: &str| text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let (asked, id) = cursor.split_once('.')?;
    let is_id = id.strip_prefix("approval_").is_some_and(|it| it.len() == 32 && is_hex(it));
    let asked = u128::from_str_radix(asked, 16).ok().filter(|_| is_hex(asked) && is_id)?;
    let seconds = u64::try_from(asked / NANOS).ok()?;
    let asked = Duration::new(seconds, u32::try_from(asked % NANOS).ok()?);
    Some((SystemTime::UNIX_EPOCH.checked_add(asked)?, id.to_owned()))
}

const NANOS: u128 = 1_000_000_000;

#[derive(Debug)]
struct Page {
    state: Option<String>,
    /// The last approval of the page before: when it was asked, and its id.
    after: Option<(SystemTime, String)>,
    limit: usize,
}

impl Page {
    fn read(mut query: Query) -> Result<Self, Problem> {
        let state = query.take_parameter("state")?;
        let words = bodies::ApprovalState::WORDS;
        if let Some(state) = state.as_ref().filter(|state| !words.contains(&state.as_str())) {
            let detail =
                format!("`state`: expected one of `{}`, got: `{state}`", words.join("`, `"));
            return Err(malformed_query(detail));
        }
        let after = query.take_parameter("cursor")?.map(|cursor| parse_cursor(&cursor));
        let after = after.map(|after| {
            after.ok_or_else(|| {
                malformed_query("`cursor`: expected the `nextCursor` of the page before")
            })
        });
        let expected = format!("a whole number from 1 to {MOST}");
        let limit = query.take_parsed("limit", &expected)?.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(malformed_query(format!("`limit`: expected {expected}, got: {limit}")));
        }
        query.refuse_remaining("`state`, `cursor` and `limit`")?;
        Ok(Self { state, after: after.transpose()?, limit })
    }
}

/// More than a person decides in one sitting.
const USUAL: usize = 100;
/// More than a page has room for.
const MOST: usize = 1000;
