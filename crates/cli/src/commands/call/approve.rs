//! Calls that a person has to approve: shows the request and asks on a terminal. `--yes` approves what is asked; where nobody can
//! be asked, the call is refused.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal},
};

use callgate::{
    Call, Decision, Executor, Outcome, Pending, PendingKind, Session, ToolCall, ToolResult,
};
use callgate_call::wording::approval as wording;
use callgate_tool::Value;

use super::wait;
use crate::{args::CallArguments, output};

/// The way in which calls are approved.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Consent {
    /// Whoever sits at the terminal is asked.
    Ask,
    /// All are approved.
    Given,
    /// Nobody can be asked.
    Refused,
}

impl Consent {
    /// The consent to one call.
    pub(super) fn to_one(arguments: &CallArguments) -> Self {
        let is_watched = io::stdin().is_terminal() && output::is_watched();
        if !arguments.yes && is_watched { Self::Ask } else { Self::to_many(arguments) }
    }

    /// The consent to calls that run at the same time, and may be read from standard input.
    pub(super) fn to_many(arguments: &CallArguments) -> Self {
        if arguments.yes { Self::Given } else { Self::Refused }
    }
}

/// Makes a call, once it is approved where it has to be.
pub(super) async fn made(
    executor: &Executor,
    (call, session): (&ToolCall, &Session),
    consent: Consent,
) -> ToolResult {
    let mut result = wait::shown(executor.call(call, session)).await;
    // Asked again where another request would be sent than was approved.
    for _ in 0..MOST_TIMES {
        let Some(pending) = asked(&result.outcome) else { return result };
        let decision = match consent {
            Consent::Ask => answer(&pending.request),
            Consent::Given => Decision::Approve,
            Consent::Refused => {
                result.outcome = Outcome::Failed(wording::nobody_asks());
                output::talk("help: `--yes` approves the call, `--dry-run` shows its request\n");
                return result;
            }
        };
        let decided = Call::new(call, session).with_decision(&*pending.id, decision);
        result = wait::shown(executor.run(decided)).await;
    }
    result
}

fn asked(outcome: &Outcome) -> Option<&Pending> {
    let Outcome::Pending(pending) = outcome else { return None };
    Some(&**pending).filter(|pending| pending.kind == PendingKind::Approval)
}

/// What whoever sits at the terminal says about a request. Only `y` and `yes` approve it.
fn answer(request: &Value) -> Decision {
    output::talk(&format!("{}\nSend this? [y/N] ", shown(request)));
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line);
    let is_yes = matches!(line.trim().to_lowercase().as_str(), "y" | "yes");
    if read.is_ok() && is_yes { Decision::Approve } else { Decision::Reject }
}

/// A request as a person reads it. What a terminal would obey is shown, not written.
fn shown(request: &Value) -> String {
    let text = |name: &str| request.get(name).and_then(Value::as_str);
    if let Some(said) = text("text") {
        return visible(&format!("{said}\n"));
    }
    let mut shown = format!("{} {}\n", text("method").unwrap_or("?"), text("url").unwrap_or("?"));
    let headers = request.get("headers").and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten() {
        let _infallible = match value.as_str() {
            Some(value) => writeln!(shown, "{name}: {value}"),
            None => writeln!(shown, "{name}: {value}"),
        };
    }
    if let Some(body) = text("body") {
        let _infallible = writeln!(shown, "\n{body}");
    }
    visible(&shown)
}

fn visible(text: &str) -> String {
    let escaped = |letter: char| letter.is_control() && letter != '\n';
    let letters = text.chars().map(|letter| {
        if escaped(letter) { letter.escape_default().to_string() } else { letter.to_string() }
    });
    letters.collect()
}

/// As often as a request may change while somebody reads it.
const MOST_TIMES: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_request_is_shown_whole_and_obeys_no_terminal() {
        let request = json!({
            "method": "PUT",
            "url": "https://api.example.com/pets/7",
            "headers": {"x-key": "****", "x-tag": ["a", "b"]},
            "body": "{\"name\":\"\u{1b}[2KRex\"}",
        });
        let expected = "PUT https://api.example.com/pets/7\nx-key: ****\nx-tag: [\"a\",\"b\"]\n\n{\"name\":\"\\u{1b}[2KRex\"}\n";
        assert_eq!(shown(&request), expected);
        assert_eq!(shown(&json!({"text": "asks the client"})), "asks the client\n");
    }
}
