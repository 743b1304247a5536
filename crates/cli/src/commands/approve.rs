//! `callgate approve ID`: shows the request of a call that waits, and approves or rejects it at a running sidecar.

mod made_call;

use callgate_config::Kinds;
use callgate_policy::approval_text;
use callgate_tool::{Pending, Value, escape_invisible_in_line, json};
use http::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{approvals::Approval, call::block_on};
use crate::{
    args::ApproveArguments,
    exit::{Failure, Verdict},
    output, question,
    sidecar::Sidecar,
};

pub(crate) fn run(arguments: &ApproveArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    block_on(decide_approval(arguments, kinds))?
}

async fn decide_approval(arguments: &ApproveArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let sidecar = Sidecar::client_of_running_sidecar(&arguments.sidecar, kinds).await?;
    if arguments.id.starts_with(Pending::SIGN_IN) {
        // A program waits for it, and no listing has it.
        let question = "Has the user signed in? [y/N] ";
        return ask_and_send_decision(&sidecar, &Approval(Value::Null), question, arguments).await;
    }
    let answer = sidecar.get(&approval_path(&arguments.id)).await?;
    if answer.status == StatusCode::NOT_FOUND && answer.value != Value::Null {
        let message = format!("no approval `{}` that you may see waits", arguments.id);
        return Ok(print_not_decided(&message, "`callgate approvals` lists those that wait"));
    }
    if !answer.status.is_success() {
        return Err(sidecar.refusal_failure(&answer));
    }
    let approval = Approval(answer.value);
    if approval.member_text("id") != arguments.id {
        return Err(sidecar.foreign_response_failure());
    }
    output::print_message(&approval_details(&approval));
    ask_and_send_decision(&sidecar, &approval, "Approve this? [y/N] ", arguments).await
}

async fn ask_and_send_decision(
    sidecar: &Sidecar,
    approval: &Approval,
    question: &str,
    arguments: &ApproveArguments,
) -> Result<Verdict, Failure> {
    let is_decided = arguments.reject || arguments.yes;
    if !is_decided && !question::can_ask_person() {
        let message = "expected `--yes` or `--reject` where there is no terminal to ask on; nothing was decided";
        return Ok(print_not_decided(message, "add one of them"));
    }
    // Only `y` and `yes` approve.
    if !is_decided && !question::ask_for_confirmation(question) {
        output::print_message_line("nothing was decided; `--reject` rejects it");
        return Ok(Verdict::Findings);
    }
    let word = if arguments.reject { "reject" } else { "approve" };
    let path = approval_path(&arguments.id);
    let answer = sidecar.post(&path, &json!({"decision": word})).await?;
    match answer.status {
        StatusCode::OK => {}
        StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::CONFLICT => {
            return Ok(print_not_decided(
                &answer.problem_text(),
                "`callgate approvals` shows its state",
            ));
        }
        _ => return Err(sidecar.refusal_failure(&answer)),
    }
    if !ENDINGS.iter().any(|name| answer.value.get(name).is_some()) {
        return Err(sidecar.foreign_response_failure());
    }
    if arguments.json {
        output::print_result(&format!("{}\n", answer.value));
    }
    report_decision(sidecar, &answer.value, approval, arguments).await
}

/// The members of which an approval or a result has one.
const ENDINGS: [&str; 4] = ["state", "error", "pending", "response"];

/// The call as a person sees it before the decision. Texts of others stay in their lines.
fn approval_details(approval: &Approval) -> String {
    let line = |name| escape_invisible_in_line(approval.member_text(name));
    let mut text = format!(
        "{} ({}), called by {}, {} until {}\n",
        line("tool"),
        line("effect"),
        escape_invisible_in_line(approval.caller_words()),
        line("state"),
        line("expires"),
    );
    let description = line("description");
    if !description.is_empty() {
        text.push_str(&format!("  {description}\n"));
    }
    format!("{text}\n{}\n", approval_text(approval.request()))
}

async fn report_decision(
    sidecar: &Sidecar,
    answer: &Value,
    approval: &Approval,
    arguments: &ApproveArguments,
) -> Result<Verdict, Failure> {
    let tool = escape_invisible_in_line(approval.member_text("tool"));
    if let Some(state) = answer.get("state").and_then(Value::as_str) {
        let caller = escape_invisible_in_line(approval.caller_words());
        let then = format!("; it is sent when {caller} makes the call again");
        let then = if arguments.reject { "" } else { &then };
        print_unless_json(
            &format!("{}: {tool}{then}\n", escape_invisible_in_line(state)),
            arguments,
        );
        return Ok(Verdict::Fine);
    }
    if let Some(error) = answer.get("error") {
        if arguments.reject && member_text(error, "code") == "rejected" {
            print_unless_json(&format!("rejected: {tool}\n"), arguments);
            return Ok(Verdict::Fine);
        }
        output::print_message(&made_call::error_report(error));
        return Ok(Verdict::Findings);
    }
    if let Some(pending) = answer.get("pending") {
        let id = member_text(pending, "id");
        let request = pending.get("request").filter(|request| request.get("program").is_some());
        let text = if let Some(request) = request {
            made_call::waiting_call_text(request, id)
        } else {
            let path = approval_path(id);
            made_call::fetch_changed_request_text(sidecar, approval, id, &path).await?
        };
        output::print_message(&text);
        return Ok(Verdict::Findings);
    }
    if !arguments.json {
        made_call::print_answer(answer);
    }
    Ok(Verdict::Fine)
}

fn print_unless_json(text: &str, arguments: &ApproveArguments) {
    if !arguments.json {
        output::print_result(text);
    }
}

fn approval_path(id: &str) -> String {
    format!("/v1/approvals/{}", utf8_percent_encode(id, NON_ALPHANUMERIC))
}

fn member_text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn print_not_decided(message: &str, help: &str) -> Verdict {
    let Failure(text) = Failure::with_help(message, help);
    output::print_message(&format!("{text}\n"));
    Verdict::Findings
}
