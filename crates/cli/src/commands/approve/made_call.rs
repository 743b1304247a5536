//! Shows what a call brought that was made by its approval, from the JSON of a sidecar, as `call` shows a call of its own.

use std::fmt::Write as _;

use callgate_policy::approval_text;
use callgate_tool::{Value, escape_invisible_in_line};

use super::{Approval, member_text};
use crate::{commands::call::formatted_answer, exit::Failure, output, sidecar::Sidecar};

/// Prints the answer of a service: what came on standard output, everything about it on standard error.
pub(super) fn print_answer(result: &Value) {
    let response = result.get("response").unwrap_or(&Value::Null);
    match (response, file_description(response)) {
        (Value::Null, _) => {
            let status = result.get("status").map(|status| format!("{status}: "));
            output::print_message_line(&format!("{}no content", status.unwrap_or_default()));
        }
        (Value::String(text), _) => output::print_result(&format!("{}\n", text.trim_end())),
        (_, Some(text)) => {
            output::print_result(&text);
            output::print_message_line("help: `--json` prints the whole result");
        }
        (value, None) => output::print_styled(&formatted_answer(value)),
    }
    for (name, value) in result.get("headers").and_then(Value::as_object).into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        output::print_message_line(&format!("{name}: {text}"));
    }
    let truncated = result.get("truncated").map(|cut| member_text(cut, "message").to_owned());
    let next = result.get("next").map(|next| format!("there is a next page: {next}"));
    for note in truncated.into_iter().chain(next) {
        output::print_message_line(&format!("note: {note}"));
    }
}

/// An image, a sound or another file as a person reads it: its bytes are no text.
fn file_description(response: &Value) -> Option<String> {
    let members = response.as_object()?;
    let is_file =
        |name: &String| matches!(&**name, "data" | "filename" | "mediaType" | "sha256" | "size");
    let (media_type, size) = (members.get("mediaType")?.as_str()?, members.get("size")?);
    let has_bytes = members.contains_key("data") || members.contains_key("sha256");
    let is_it = has_bytes && members.keys().all(is_file);
    is_it.then(|| format!("{size} bytes of `{}`\n", escape_invisible_in_line(media_type)))
}

/// The words for a call that failed: its code, each argument that was not as expected, what the service said, what to do.
pub(super) fn error_report(error: &Value) -> String {
    let code = member_text(error, "code");
    let message = escape_invisible_in_line(member_text(error, "message"));
    let mut text = format!("error[{}]: {message}\n", escape_invisible_in_line(code));
    let problems = error.get("problems").and_then(Value::as_array);
    for problem in problems.into_iter().flatten() {
        let part = |name| escape_invisible_in_line(member_text(problem, name));
        let _infallible = writeln!(
            text,
            "  `{}`: expected {}, got {}",
            part("at"),
            part("expected"),
            part("got")
        );
    }
    if let Some(body) = error.get("body") {
        let _infallible = writeln!(text, "the service said: {body:#}");
    }
    let wait = error.get("retryAfter").map(|wait| format!(" in {wait} s")).unwrap_or_default();
    let step = match (member_text(error, "reached"), member_text(error, "next")) {
        ("maybe", _) => {
            "the call may have been executed: look before it is made again; ".to_owned()
        }
        (_, "try_later") => format!("it can be made again{wait}; "),
        _ => String::new(),
    };
    let _infallible = writeln!(
        text,
        "help: {step}`callgate explain {}` says more",
        escape_invisible_in_line(code)
    );
    text
}

/// The words for a program one of whose calls waits.
pub(super) fn waiting_call_text(request: &Value, id: &str) -> String {
    let help = format!("`callgate approve {}` decides about it", escape_invisible_in_line(id));
    let Failure(text) = Failure::with_help("a call of the program waits", &help);
    format!("{}\n{text}\n", approval_text(request))
}

/// The words for a call that waits again under another id, since its request would be another one now, and why.
pub(super) async fn fetch_changed_request_text(
    sidecar: &Sidecar,
    approved: &Approval,
    id: &str,
    path: &str,
) -> Result<String, Failure> {
    let now = Approval(sidecar.get(path).await?.value);
    let (before, after) = (approval_text(approved.request()), approval_text(now.request()));
    let id = escape_invisible_in_line(id);
    if before == after || now.member_text("id") != id {
        let why = "another request would be sent now than was approved, with the same text: a value that its caller gave in a header (`sessions: {headers: …}`) is not kept with the call";
        let help = format!(
            "its caller decides with these headers, by `POST /v1/approvals/{id}`, or makes the call again"
        );
        return Ok(format!("{}\n", Failure::with_help(why, &help).0));
    }
    let why = "another request would be sent now than was approved, so the call waits again";
    let Failure(text) =
        Failure::with_help(why, &format!("`callgate approve {id}` decides about it"));
    Ok(format!("it would send now:\n\n{after}\n\n{text}\n"))
}
