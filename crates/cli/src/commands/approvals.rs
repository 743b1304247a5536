//! `callgate approvals`: the calls that wait for a person, as a running sidecar lists them to its caller.

use callgate_config::Kinds;
use callgate_tool::{Value, json};
use clap::ValueEnum as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::call::block_on;
use crate::{
    args::{ApprovalState, ApprovalsArguments},
    exit::{Failure, Verdict},
    output,
    sidecar::Sidecar,
    table::Table,
};

pub(crate) fn run(arguments: &ApprovalsArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let approvals = block_on(async {
        let sidecar = Sidecar::client_of_running_sidecar(&arguments.sidecar, kinds).await?;
        list_approvals(&sidecar, arguments.state).await
    })??;
    if arguments.json {
        let approvals: Vec<_> = approvals.into_iter().map(|Approval(value)| value).collect();
        output::print_result(&format!("{}\n", json!({"approvals": approvals})));
    } else {
        output::print_result(&approvals_table(&approvals));
    }
    Ok(Verdict::Fine)
}

/// A call that waits for an approval, or was decided and not made yet, as a sidecar lists it.
#[derive(Debug)]
pub(super) struct Approval(pub(super) Value);

impl Approval {
    /// The text of a member; `""` without one.
    pub(super) fn member_text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn is_own(&self) -> bool {
        self.0.get("own").and_then(Value::as_bool) == Some(true)
    }

    pub(super) fn request(&self) -> &Value {
        self.0.get("request").unwrap_or(&Value::Null)
    }

    pub(super) fn caller_words(&self) -> &str {
        match self.member_text("caller") {
            _ if self.is_own() => "you",
            "" => "a caller without a name",
            caller => caller,
        }
    }
}

async fn list_approvals(
    sidecar: &Sidecar,
    state: Option<ApprovalState>,
) -> Result<Vec<Approval>, Failure> {
    let state = state.and_then(|state| Some(state.to_possible_value()?.get_name().to_owned()));
    let state = state.map(|state| format!("&state={state}")).unwrap_or_default();
    let (mut approvals, mut cursor) = (Vec::new(), String::new());
    for _ in 0..MOST_PAGES {
        let answer = sidecar.get(&format!("/v1/approvals?limit={PAGE}{state}{cursor}")).await?;
        if !answer.status.is_success() {
            return Err(sidecar.refusal_failure(&answer));
        }
        let page = answer.value.get("approvals").and_then(Value::as_array);
        let page = page.ok_or_else(|| sidecar.foreign_response_failure())?;
        approvals.extend(page.iter().cloned().map(Approval));
        let Some(next) = answer.value.get("nextCursor").and_then(Value::as_str) else {
            return Ok(approvals);
        };
        cursor = format!("&cursor={}", utf8_percent_encode(next, NON_ALPHANUMERIC));
    }
    Err(sidecar.foreign_response_failure())
}

/// The approvals as a table. No column is cut: ids are typed, and names decide.
fn approvals_table(approvals: &[Approval]) -> String {
    if approvals.is_empty() {
        return "no call waits for an approval that you may see\n".to_owned();
    }
    let mut table = Table::new(["id", "tool", "caller", "state", "expires"]);
    for approval in approvals {
        let cells = ["id", "tool", "", "state", "expires"].map(|name| match name {
            "" => approval.caller_words(),
            name => approval.member_text(name),
        });
        table.push_row(cells.map(ToOwned::to_owned));
    }
    let n = approvals.len();
    format!("{}{n} listed; `callgate approve ID` shows one and decides\n", table.text(None))
}

const PAGE: usize = 100;
/// More pages than a sidecar keeps approvals for.
const MOST_PAGES: usize = 10_000;
