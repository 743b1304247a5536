//! Every sentence about a failure that a model reads. A sentence says what happened, which argument, what was expected and
//! what came, what to do next, and whether the service was reached; never a host, header or secret. Callers pass the facts;
//! of other modules only `check::violation` writes sentences: those about a value that breaks its schema.

pub mod answer;
pub mod approval;
pub mod around;
pub(crate) mod body;
pub mod client;
pub mod code;
mod connection;
pub mod connector;
mod credential;
pub mod database;
pub mod documents;
pub(crate) mod key;
mod no_tool;
pub mod own_tool;
mod table;
pub mod turn;
pub mod values;
pub mod vertex;
pub(crate) mod xml;

use std::fmt::Write as _;

use callgate_openapi::ValueSource;
use callgate_tool::{Fault, FaultCode, Next, Problem, Reached, Value, nearest};

pub use connection::{
    connection_refused, no_secure_connection, stopped_call, timed_out, timed_out_before_sending,
    unreachable,
};
pub use credential::{
    auth_failed, auth_not_renewed, auth_refused, auth_wanted, no_header_value, open_call_refused,
    sign_in_refused, sign_in_required,
};
pub use no_tool::{refused_tool, refused_tool_sentence, unknown_tool, unknown_tool_sentence};

use crate::style::Unwritable;
use table::faults;

/// The most bytes of our own words in one fault.
pub const MAX_MESSAGE: usize = 600;

/// The most characters of a value that are shown.
const MAX_SHOWN: usize = 80;
const MAX_LISTED: usize = 20;

faults! {
    /// The call was made where there is no runtime to wait for an answer.
    pub fn no_runtime() = NotSupported, GiveUp:
        "this call was made outside a Tokio runtime, nothing was sent; make it inside one";

    /// The replay transport has no response for the request.
    pub fn nothing_recorded() = NothingRecorded, GiveUp:
        "no answer is recorded for this request, nothing was sent; use arguments of a recorded call";

    /// The request is not allowed: `why` says which rule it breaks.
    pub fn refused_request(why: &str) = Refused, GiveUp:
        "the request was refused, nothing was sent: {why}", why = clipped_text(why, 300);

    /// This build cannot write or read the format that the description asks for.
    pub fn not_supported(what: &str) = NotSupported, GiveUp:
        "this tool cannot be called, nothing was sent: {what}", what = clipped_text(what, 300);

    /// Nothing is stored under the session's id.
    pub fn unknown_session() = UnknownSession, GiveUp:
        "nothing is stored under the session that this call names, and the call brings no values itself, so nothing was sent; \
                   the program that makes the call stores the session first, or sends its values";

    pub(crate) fn no_server() = Refused, GiveUp:
        "The description names no server, so nothing was sent; the operator has to name one";
}

pub(crate) fn unwritable_body(media_type: &str) -> Box<Fault> {
    not_supported(&format!("bodies of type `{}` cannot be written yet", shortened_text(media_type)))
}

pub(crate) fn invalid_arguments(mut problems: Vec<Problem>) -> Box<Fault> {
    // A body of another type than an object has no members that could stand beside it.
    let lacks_body = problems.iter().any(|problem| {
        problem.at == WHOLE_BODY && problem.got == NOTHING && problem.expected == ANY_VALUE
    });
    let mut flat: Vec<_> =
        problems.iter_mut().filter(|problem| problem.got == UNKNOWN_ARGUMENT).collect();
    // Members of a body that stand beside the body argument that they belong in.
    let inside = |problem: &Problem| Some(format!("`{WHOLE_BODY}.{}`", problem.at));
    let are_members = flat.iter().all(|problem| problem.suggestion == inside(problem));
    let is_flat = (lacks_body || are_members) && !flat.is_empty();
    for problem in flat.iter_mut().filter(|_| is_flat) {
        problem.suggestion = inside(problem);
    }
    let advice = if is_flat {
        "; put them inside `body` and call again"
    } else {
        "; correct and call again"
    };
    fault_with_problems(FaultCode::InvalidArguments, problems, advice, Next::CorrectArguments)
}

pub(crate) fn missing_session_value(problems: Vec<Problem>, next: Next) -> Box<Fault> {
    let advice = "; the value comes from the session, not from arguments";
    fault_with_problems(FaultCode::MissingSessionValue, problems, advice, next)
}

pub(crate) fn too_many_session_values() -> Problem {
    let got = "more than can be filled in from the session";
    problem("", "arguments with fewer values", got, None)
}

pub(crate) fn unwritable(at: &str, why: Unwritable) -> Box<Fault> {
    let separated;
    let (expected, got) = match why {
        Unwritable::Control => ("text without control characters", "a control character"),
        Unwritable::Delimiter(delimiter) => {
            let delimiter = delimiter.escape_default();
            separated = format!("items without `{delimiter}`, which separates them");
            (&*separated, "an item that holds it")
        }
        Unwritable::DotSegment => ("a value without `.` and `..` as a path", "a dot segment"),
        Unwritable::Edge => ("text that neither begins nor ends with a space", "a space at an end"),
        Unwritable::Empty => ("a value that is not empty", "an empty value"),
        Unwritable::NameEscape => (
            "names without `%22`, `%0D` and `%0A`, which readers take for a quote and line breaks",
            "a name that holds one",
        ),
        Unwritable::Null => ("a value that is not null", "null"),
        Unwritable::Structure => {
            ("a text in the parameter's media type, which is not JSON", "a list or an object")
        }
        Unwritable::TooLong => ("a shorter value", "a value beyond the bound of 8192 bytes"),
    };
    let code = match why {
        Unwritable::Control | Unwritable::DotSegment | Unwritable::TooLong => FaultCode::Refused,
        _ => FaultCode::InvalidArguments,
    };
    let problems = vec![problem(at, expected, got, None)];
    fault_with_problems(code, problems, "; correct and call again", Next::CorrectArguments)
}

pub(crate) fn too_long(at: &str, what: &str, limit: usize) -> Box<Fault> {
    let expected = format!("{what} of at most {limit} bytes");
    let problems = vec![problem(at, expected, "more", Some("shorten the value"))];
    let advice = "; correct and call again";
    fault_with_problems(FaultCode::Refused, problems, advice, Next::CorrectArguments)
}

pub(crate) fn address_not_as_described() -> Box<Fault> {
    refused_request("the finished address is not the one the description declares")
}

pub(crate) fn service_error(status: u16, next: Next) -> Box<Fault> {
    let advice = match next {
        Next::AskUser => "ask the user",
        Next::CorrectArguments => "correct the arguments and call again",
        Next::GiveUp => "do not call again with the same arguments",
        Next::TryLater => "try again later",
    };
    let meaning = http::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason());
    let message = match meaning {
        Some(meaning) => format!("the service answered with status {status} ({meaning}); {advice}"),
        None => format!("the service answered with status {status}; {advice}"),
    };
    fault_with_status(FaultCode::ServiceError, status, message, next)
}

/// The check of the argument exceeds the budget of a call.
pub(crate) fn check_too_expensive(at: String) -> Problem {
    let expected = "a value that can be checked in 4,000,000 steps";
    problem(at, expected, "one that takes more", Some("give fewer or simpler values in one call"))
}

pub(crate) fn too_deep(at: String) -> Problem {
    let got = "one that is too deep to be checked";
    problem(at, "a value that is nested less deeply", got, Some("nest the values less deeply"))
}

pub(crate) fn missing_argument(at: String, expected: &str) -> Problem {
    problem(at, expected, NOTHING, None)
}

pub(crate) fn missing_from_session(at: String, source: &ValueSource) -> Problem {
    let reference = source.reference();
    let remedy = format!("set `{reference}` before the call");
    problem(at, format!("`{reference}` in the session"), NOTHING, Some(&remedy))
}

pub(crate) fn unknown_argument<'a>(
    name: &str,
    allowed: impl Iterator<Item = &'a str> + Clone,
) -> Problem {
    let mut expected = String::new();
    push_quoted_names(&mut expected, allowed.clone());
    let expected =
        if expected.is_empty() { "no argument".to_owned() } else { format!("one of {expected}") };
    let suggestion = nearest(name, allowed).map(|nearest_name| format!("`{nearest_name}`"));
    problem(shortened_text(name), expected, UNKNOWN_ARGUMENT, suggestion.as_deref())
}

/// The number of unknown arguments, of which only some are listed behind it.
pub(crate) fn many_unknown_arguments(n_unknown: usize, n_listed: usize) -> Problem {
    let got = format!("{n_unknown} unknown arguments, of which {n_listed} are listed");
    problem("", "known arguments alone", got, None)
}

/// The service returns the member, but it is never sent.
pub(crate) fn read_only_member(at: String, got: &Value) -> Problem {
    let expected = "nothing: the service sets it (`readOnly`)";
    problem(at, expected, got.kind(), Some("leave it out"))
}

/// Describes a value, without reading more of it than needed.
pub(crate) fn value_description(value: &Value) -> String {
    match value {
        Value::Array(items) => counted_parts("array", items.len(), "item"),
        Value::Bool(value) => format!("boolean {value}"),
        Value::Null => "null".to_owned(),
        Value::Number(number) => format!("number {}", shortened_text(&number.digits())),
        Value::Object(members) => counted_parts("object", members.len(), "member"),
        Value::String(text) => {
            format!("string {}", Value::String(shortened_text(text).into_owned()))
        }
    }
}

fn counted_parts(kind: &str, count: usize, part: &str) -> String {
    format!("{kind} of {count} {part}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn push_quoted_names<'a>(out: &mut String, names: impl Iterator<Item = &'a str>) {
    let mut more = 0_usize;
    for (at, name) in names.enumerate() {
        if at >= MAX_LISTED {
            more += 1;
            continue;
        }
        if at > 0 {
            out.push_str(", ");
        }
        out.push('`');
        out.push_str(&shortened_text(name));
        out.push('`');
    }
    if more > 0 {
        // Writing to a string cannot fail.
        let _: std::fmt::Result = write!(out, " and {more} more");
    }
}

pub(crate) fn shortened_text(text: &str) -> std::borrow::Cow<'_, str> {
    callgate_tool::shortened_text(text, MAX_SHOWN)
}

/// At most `limit` bytes of `text`, cut between characters.
pub(crate) fn clipped_text(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Changes the problems of a fault, and rewrites its message.
pub(crate) fn change_problems(fault: &mut Fault, change: impl FnMut(&mut Problem)) {
    let advice = fault.message.rfind("; ").and_then(|at| fault.message.get(at..));
    // A message that only lists problems ends with the advice.
    let advice = advice.filter(|advice| problems_message(&fault.problems, advice) == fault.message);
    let advice = advice.map(str::to_owned);
    fault.problems.iter_mut().for_each(change);
    if let Some(advice) = advice {
        fault.message = problems_message(&fault.problems, &advice);
    }
}

fn problems_message(problems: &[Problem], advice: &str) -> String {
    let mut message = String::new();
    let room = MAX_MESSAGE.saturating_sub(advice.len() + " and 1000000 more".len());
    for (at, problem) in problems.iter().enumerate() {
        let Problem { at: place, expected, got, .. } = problem;
        let place = if place.is_empty() { String::new() } else { format!("`{place}`: ") };
        let separator = if at > 0 { "; " } else { "" };
        let mut one = format!("{separator}{place}expected {expected}, got {got}");
        if let Some(suggestion) = problem.suggestion.as_deref().filter(|text| text.starts_with('`'))
        {
            one.push_str(", did you mean ");
            one.push_str(suggestion);
        }
        if message.len() + one.len() > room {
            if at == 0 {
                message.push_str(clipped_text(&one, room));
            }
            let left = problems.len() - at.max(1);
            if left > 0 {
                let _: std::fmt::Result = write!(message, " and {left} more");
            }
            break;
        }
        message.push_str(&one);
    }
    message.push_str(advice);
    message
}

fn problem(
    at: impl Into<String>,
    expected: impl Into<String>,
    got: impl Into<String>,
    suggestion: Option<&str>,
) -> Problem {
    let suggestion = suggestion.map(str::to_owned);
    Problem { at: at.into(), expected: expected.into(), got: got.into(), suggestion }
}

fn invalid_argument(
    at: &str,
    expected: impl Into<String>,
    got: impl Into<String>,
    suggestion: Option<&str>,
) -> Box<Fault> {
    invalid_arguments(vec![problem(at, expected, got, suggestion)])
}

fn fault_with_problems(
    code: FaultCode,
    mut problems: Vec<Problem>,
    advice: &str,
    next: Next,
) -> Box<Fault> {
    let n_problems = problems.len();
    if n_problems > MOST_PROBLEMS {
        problems.truncate(MOST_PROBLEMS);
        let got = format!("{n_problems} problems, of which {MOST_PROBLEMS} are listed");
        problems.insert(0, problem("", "arguments without problems", got, None));
    }
    Box::new(Fault::new(code, problems_message(&problems, advice), next).with_problems(problems))
}

fn fault(code: FaultCode, message: impl Into<String>, next: Next) -> Box<Fault> {
    let message: String = message.into();
    Box::new(Fault::new(code, clipped_text(&message, MAX_MESSAGE), next))
}

fn fault_after_sending(
    code: FaultCode,
    message: impl Into<String>,
    next: Next,
    reached: Reached,
) -> Box<Fault> {
    let mut fault = fault(code, message, next);
    fault.reached = reached;
    fault
}

fn fault_with_status(
    code: FaultCode,
    status: u16,
    message: impl Into<String>,
    next: Next,
) -> Box<Fault> {
    let mut fault = Fault::new(code, message, next).with_reached(Reached::Yes);
    fault.status = Some(status);
    Box::new(fault)
}

/// The most problems of a fault that are listed one by one.
const MOST_PROBLEMS: usize = 128;
const WHOLE_BODY: &str = "body";
/// A text in place of the object or list that it holds.
pub(crate) const JSON_IN_TEXT: &str = "JSON in a text: give it without quotes around it";
/// The expected value where an argument is missing.
pub(crate) const ANY_VALUE: &str = "a value";
const NOTHING: &str = "nothing";
const UNKNOWN_ARGUMENT: &str = "an unknown argument";
