//! Sentences about answers: what was cut from a result and how to ask for less or for more, and what happened to a response
//! that cannot be read.

use std::fmt::Write as _;

use callgate_tool::{Arguments, Cut, Effect, Fault, FaultCode, Next, Reached, Truncated, Unit};

use super::{fault_after_sending, fault_with_status, push_quoted_names};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum RedirectTarget {
    Below,
    /// Another scheme, port or base path of the same host.
    Elsewhere,
    OtherHost,
    /// The path of the operation, but for a slash at its end: this one.
    Slash(String),
    Unnamed,
}

pub(crate) fn too_deep_json(status: u16, most: usize, effect: Effect) -> Box<Fault> {
    let what = format!("JSON that is nested deeper than {most} levels, which is the bound");
    unreadable_answer(status, &what, effect)
}

/// The response is no JSON, although it says so.
pub(crate) fn unreadable_json(status: u16, effect: Effect) -> Box<Fault> {
    unreadable_answer(status, "a body that is not the JSON its headers announce", effect)
}

fn unreadable_answer(status: u16, what: &str, effect: Effect) -> Box<Fault> {
    let mut message = format!("the service answered with {what}");
    let (advice, next) = advice_when_unread(effect);
    if effect == Effect::Write {
        message.push_str(&format!("; {advice}"));
    }
    fault_with_status(FaultCode::UnreadableResponse, status, message, next)
}

pub(crate) fn redirect_fault(status: u16, target: &RedirectTarget, effect: Effect) -> Box<Fault> {
    // RFC 9110 §15.4.8, §15.4.9: only 307 and 308 ask for the same request again, which was not executed.
    let is_slash = matches!(target, RedirectTarget::Slash(_));
    let may_be_executed = effect == Effect::Write && status < 307 && !is_slash;
    let where_to = match target {
        RedirectTarget::Below if effect == Effect::Read => {
            "which is not followed; by `redirects: same_origin` the operator lets reads follow it, five times at most".to_owned()
        }
        RedirectTarget::Below => {
            "which a call that changes something never follows; the operator corrects the path of the description".to_owned()
        }
        RedirectTarget::Elsewhere => {
            "which leads elsewhere and is never followed; the operator corrects `server`".to_owned()
        }
        RedirectTarget::OtherHost => {
            "which leads to another host and is never followed; if that is its answer, the operator declares the status in the description".to_owned()
        }
        RedirectTarget::Slash(path) => format!(
            "because its path is `{path}` and that of the description differs by the slash at its end; the operator corrects the description"
        ),
        RedirectTarget::Unnamed => "which names no place to go to".to_owned(),
    };
    let mut message = format!("the service answered with a redirect (status {status}), {where_to}");
    if !may_be_executed {
        return fault_with_status(FaultCode::ServiceError, status, message, Next::GiveUp);
    }
    message.push_str("; the service received the call: ");
    message.push_str(EXECUTED);
    fault_with_status(FaultCode::ServiceError, status, message, Next::AskUser)
}

/// The service answered with a redirect, although this many were followed.
pub fn too_many_redirects(status: u16, most: usize) -> Box<Fault> {
    let message = format!(
        "the service answered with more than {most} redirects in turn (at last with status {status}), and {most} is the bound; the operator corrects the path of the description, or the service"
    );
    fault_with_status(FaultCode::ServiceError, status, message, Next::GiveUp)
}

/// The response is larger than `limit` bytes.
pub fn too_large_answer(limit: usize, effect: Effect) -> Box<Fault> {
    let what = format!("the service answered with more than {limit} bytes, which is the bound");
    over_limit_fault(&what, effect)
}

/// The response expands to more than `most` times its size when it is decoded.
pub fn answer_expands_too_much(most: u64, effect: Effect) -> Box<Fault> {
    let what =
        format!("the service compressed its answer more than {most} times, which is the bound");
    over_limit_fault(&what, effect)
}

fn advice_when_unread(effect: Effect) -> (&'static str, Next) {
    match effect {
        Effect::Write => (EXECUTED, Next::AskUser),
        Effect::Idempotent | Effect::Read => {
            ("do not call again with the same arguments", Next::GiveUp)
        }
    }
}

pub(crate) fn too_many_parts(most: usize, effect: Effect) -> Box<Fault> {
    let what = format!("the service answered with more than {most} parts, which is the bound");
    over_limit_fault(&what, effect)
}

pub(crate) fn broken_parts(effect: Effect, at: usize, expected: &str, got: &str) -> Box<Fault> {
    let (advice, next) = advice_when_unread(effect);
    let message = format!(
        "the service answered with parts that cannot be told apart: at byte {at} of its answer, expected {expected}, got {got}; {advice}"
    );
    fault_after_sending(FaultCode::UnreadableResponse, message, next, Reached::Yes)
}

/// The fault for a response above its limit. The model may ask for less, unless that repeats a write.
fn over_limit_fault(what: &str, effect: Effect) -> Box<Fault> {
    let (advice, next) = match effect {
        Effect::Write => (EXECUTED, Next::AskUser),
        Effect::Idempotent | Effect::Read => {
            ("ask for less, for example with a filter or a page size", Next::CorrectArguments)
        }
    };
    fault_after_sending(
        FaultCode::ResponseTooLarge,
        format!("{what}; {advice}"),
        next,
        Reached::Yes,
    )
}

/// The response has a content coding that was not requested, or does not follow the one it announces.
pub fn undecodable_content(effect: Effect) -> Box<Fault> {
    let (advice, next) = advice_when_unread(effect);
    let message = format!("the service answered in a content coding that cannot be read; {advice}");
    fault_after_sending(FaultCode::UnreadableResponse, message, next, Reached::Yes)
}

pub(crate) fn truncation_message(cuts: &[Cut], narrowing: &[&str], next: &Arguments) -> String {
    let mut message = String::from("showing ");
    for (at, cut) in cuts.iter().take(MAX_TOLD).enumerate() {
        if at > 0 {
            message.push_str(", ");
        }
        let Cut { at, shown, of, unit } = cut;
        // Writing to a string cannot fail.
        let _: std::fmt::Result = write!(message, "{shown} of {of} {}", unit.as_str());
        if !at.is_empty() {
            let _: std::fmt::Result = write!(message, " of `{}`", super::shortened_text(at));
        }
    }
    if cuts.len() > MAX_TOLD {
        let _: std::fmt::Result = write!(message, " and {} more cuts", cuts.len() - MAX_TOLD);
    }
    let narrows = cuts.iter().any(|cut| cut.unit != Unit::Bytes) && !narrowing.is_empty();
    if narrows {
        message.push_str("; narrow with ");
        push_quoted_names(&mut message, narrowing.iter().copied());
    }
    if !next.is_empty() {
        message.push_str("; the next page is in `next`");
    }
    message
}

/// The service had not ended its response when a limit was reached. `cut` is what was cut from the part that had arrived.
pub(crate) fn unfinished_truncation(cut: Option<Truncated>, size: usize) -> Truncated {
    let message = "the service was still sending; shown is what was complete within the time and the size allowed";
    match cut {
        Some(mut cut) => {
            cut.message = format!("{message}; {}", cut.message);
            cut
        }
        None => Truncated::new(message, size, Vec::new()),
    }
}

/// The words for a write whose response cannot be shown.
const EXECUTED: &str = "it may have been executed; do not repeat it before checking whether it was";
const MAX_TOLD: usize = 3;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    fn cut(at: &str, shown: usize, of: usize, unit: Unit) -> Cut {
        Cut { at: at.to_owned(), shown, of, unit }
    }

    #[test]
    fn the_message_of_a_cut_says_what_is_shown_and_how_to_narrow() {
        let items = cut("", 20, 812, Unit::Items);
        let text = cut("items[3].text", 100, 5000, Unit::Bytes);
        let next = Arguments::from_iter([("cursor".to_owned(), json!("abc"))]);
        for (cuts, narrowing, next, expected) in [
            (
                vec![items.clone()],
                &["limit", "status"][..],
                next,
                "showing 20 of 812 items; narrow with `limit`, `status`; the next page is in `next`",
            ),
            (
                vec![text.clone()],
                &["limit"],
                Arguments::new(),
                "showing 100 of 5000 bytes of `items[3].text`",
            ),
            (
                vec![items.clone(), text.clone(), text.clone(), text],
                &[],
                Arguments::new(),
                "showing 20 of 812 items, 100 of 5000 bytes of `items[3].text`, 100 of 5000 bytes of `items[3].text` \
                 and 1 more cuts",
            ),
        ] {
            assert_eq!(truncation_message(&cuts, narrowing, &next), expected);
        }
    }
}
