//! The body of `POST /v1/calls`: `{"calls", "session", "dryRun", "mode", "execution"}`. Unknown keys are refused, never dropped.

use std::{borrow::Cow, collections::BTreeSet, time::Duration};

use callgate_dialect::{Dialect, read_call};
use callgate_executor::{Decided, Execution};
use callgate_tool::{Object, ToolCall, Value};

use crate::{json_body::malformed, problem::Problem, sessions::Inline};

/// The content of a request.
#[derive(Debug)]
pub(super) struct Envelope {
    pub(super) calls: Vec<Asked>,
    pub(super) session: Inline,
    pub(super) is_dry_run: bool,
    pub(super) mode: Mode,
    /// The side that runs the calls, as the request asks.
    pub(super) execution: Execution,
}

/// One call of a request.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) call: ToolCall,
    pub(super) timeout: Option<Duration>,
    pub(super) idempotency_key: Option<String>,
    /// The decision of a person about the call.
    pub(super) decided: Option<Decided>,
    /// The format of the message with the call, and the message's other members.
    pub(super) origin: Option<(Dialect, Object)>,
}

/// The order in which calls run.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Mode {
    /// Calls run at once.
    #[default]
    Parallel,
    /// Calls run one after the other.
    Sequential,
}

impl From<ToolCall> for Asked {
    fn from(call: ToolCall) -> Self {
        Self { call, timeout: None, idempotency_key: None, decided: None, origin: None }
    }
}

impl Asked {
    /// Sets the time limit of the call.
    #[must_use]
    pub(crate) fn within(self, timeout: Option<Duration>) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the idempotency key of the call.
    #[must_use]
    pub(crate) fn keyed(self, idempotency_key: Option<String>) -> Self {
        Self { idempotency_key, ..self }
    }

    /// Marks the call as part of a model's message.
    #[must_use]
    pub(crate) fn of_message(self, dialect: Dialect, origin: &Object) -> Self {
        Self { origin: Some((dialect, origin.clone())), ..self }
    }

    /// Adds a person's decision about the call.
    #[must_use]
    pub(crate) fn decided(self, decided: Decided) -> Self {
        Self { decided: Some(decided), ..self }
    }
}

impl Envelope {
    /// Reads a body.
    pub(super) fn read(body: Value) -> Result<Self, Problem> {
        let Value::Object(mut members) = body else {
            return Err(wrong("the body", "an object", Some(&body)));
        };
        let calls = calls(members.remove("calls"))?;
        let session = Inline::read(members.remove("session"))?;
        let is_dry_run = match members.remove("dryRun") {
            None => false,
            Some(Value::Bool(is_dry_run)) => is_dry_run,
            Some(other) => return Err(wrong_setting("dryRun", "a boolean", Some(&other))),
        };
        let mode = mode(members.remove("mode").as_ref())?;
        let execution = execution(members.remove("execution").as_ref())?;
        match members.keys().next() {
            None => Ok(Self { calls, session, is_dry_run, mode, execution }),
            Some(key) => Err(malformed(format!(
                "expected the keys `calls`, `session`, `dryRun`, `mode`, `execution`, got: `{key}`"
            ))),
        }
    }
}

fn calls(value: Option<Value>) -> Result<Vec<Asked>, Problem> {
    let calls = match value {
        Some(Value::Array(calls)) => calls,
        other => return Err(wrong("calls", "an array", other.as_ref())),
    };
    if !(1..=MOST_CALLS).contains(&calls.len()) {
        let got = calls.len();
        return Err(malformed(format!("`calls`: expected 1 to {MOST_CALLS} calls, got: {got}")));
    }
    // A list that grows makes room for four, and most requests have one call, which is large.
    let mut made = Vec::with_capacity(calls.len());
    for (at, value) in identified(calls).into_iter().enumerate() {
        made.push(asked(at, value)?);
    }
    Ok(made)
}

/// Calls that have an id each: one without gets its place among the calls, or the next number that no other call has.
fn identified(mut calls: Vec<Value>) -> Vec<Value> {
    if calls.iter().all(|call| id(call).is_some()) {
        return calls;
    }
    let mut taken: BTreeSet<_> = calls.iter().filter_map(id).map(text_of).collect();
    for (at, call) in calls.iter_mut().enumerate() {
        let Value::Object(members) = call else { continue };
        if members.contains_key("id") {
            continue;
        }
        // One of so many numbers is free.
        let mut numbers = (at + 1..=at + 1 + taken.len()).map(|number| number.to_string());
        let free = numbers.find(|id| !taken.contains(id)).unwrap_or_default();
        taken.insert(free.clone());
        members.insert("id".to_owned(), Value::String(free));
    }
    calls
}

fn id(call: &Value) -> Option<&Value> {
    call.as_object()?.get("id")
}

/// An id as results show it.
fn text_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

fn asked(at: usize, value: Value) -> Result<Asked, Problem> {
    let at = format!("calls[{at}]");
    let Value::Object(mut members) = value else {
        return Err(wrong(&at, "an object", Some(&value)));
    };
    let timeout = timeout(&at, members.remove("timeout"))?;
    let idempotency_key = match members.remove("idempotencyKey") {
        None => None,
        Some(Value::String(key)) if is_key(&key) => Some(key),
        other => {
            let expected = format!("a text of 1 to {LONGEST_KEY} characters");
            return Err(wrong(&format!("{at}.idempotencyKey"), &expected, other.as_ref()));
        }
    };
    let call = read_call(Value::Object(members));
    let call = call.map_err(|error| malformed(format!("{at}: {error}")))?;
    Ok(Asked::from(call).within(timeout).keyed(idempotency_key))
}

/// Reads a duration: a number of seconds, or a text such as `500ms`, `30s`, `2m`, `1h`. A duration over a day counts as a
/// day, because a call ends by its tool's own limit anyway.
fn timeout(at: &str, value: Option<Value>) -> Result<Option<Duration>, Problem> {
    let Some(value) = value else { return Ok(None) };
    let seconds = match &value {
        Value::Number(number) if number.to_string().starts_with('-') => None,
        Value::Number(_) => value.as_f64().or(Some(f64::MAX)).filter(|seconds| *seconds > 0.0),
        Value::String(text) => seconds(text),
        _ => None,
    };
    if let Some(seconds) = seconds {
        return Ok(Some(Duration::from_secs_f64(seconds.clamp(SHORTEST, A_DAY))));
    }
    let expected = "seconds, or a text such as `500ms`, `30s` or `2m`";
    Err(wrong_setting(&format!("{at}.timeout"), expected, Some(&value)))
}

fn seconds(text: &str) -> Option<f64> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (digits, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let number: f64 = digits.parse().ok().filter(|_| is_number && digits.len() <= 9)?;
    Some(number * unit)
}

/// True if a text may be an idempotency key.
pub(super) fn is_key(text: &str) -> bool {
    (1..=LONGEST_KEY).contains(&text.chars().count())
}

/// Reads the order in which calls run.
pub(crate) fn mode(value: Option<&Value>) -> Result<Mode, Problem> {
    match value.map(Value::as_str) {
        None => Ok(Mode::default()),
        Some(Some("parallel")) => Ok(Mode::Parallel),
        Some(Some("sequential")) => Ok(Mode::Sequential),
        Some(_) => Err(wrong_setting("mode", "`parallel` or `sequential`", value)),
    }
}

/// Reads the side that runs calls. Only the configuration can move calls from the client to callgate.
pub(crate) fn execution(value: Option<&Value>) -> Result<Execution, Problem> {
    match value.map(Value::as_str) {
        None => Ok(Execution::Server),
        Some(Some("client")) => Ok(Execution::Client),
        Some(_) => Err(wrong_setting("execution", "`client`", value)),
    }
}

/// The refusal of a member that may hold a user's data or a credential: only the kind of its value is shown.
pub(crate) fn wrong(at: &str, expected: &str, got: Option<&Value>) -> Problem {
    unexpected(at, expected, got.map_or("nothing", Value::kind))
}

/// The refusal of a member that holds a setting, such as a word of a closed set, a number or the name of a tool: a short value
/// is shown as it was written.
pub(crate) fn wrong_setting(at: &str, expected: &str, got: Option<&Value>) -> Problem {
    let got = got.map_or(Cow::Borrowed("nothing"), shown);
    unexpected(at, expected, &got)
}

fn unexpected(at: &str, expected: &str, got: &str) -> Problem {
    malformed(format!("`{at}`: expected {expected}, got: {got}"))
}

/// A short scalar as it was written; the kind of any other value.
fn shown(value: &Value) -> Cow<'static, str> {
    let is_short = |text: &str| {
        text.chars().nth(LONGEST_SHOWN).is_none() && !text.chars().any(char::is_control)
    };
    match value {
        Value::Bool(is_set) => is_set.to_string().into(),
        Value::Number(number) if is_short(&number.to_string()) => number.to_string().into(),
        // A text such as `true` keeps its quotes, which tell it from the value `true`.
        Value::String(text)
            if is_short(text) && (text.is_empty() || Value::parse(text).is_ok()) =>
        {
            format!("`{value}`").into()
        }
        Value::String(text) if is_short(text) => format!("`{text}`").into(),
        _ => value.kind().into(),
    }
}

/// The calls of 64 models that each ask for four in a turn; limits the work that one request starts.
const MOST_CALLS: usize = 256;
/// The longest idempotency key: keys are compared and kept, and longer ones are mistakes.
const LONGEST_KEY: usize = 255;
/// The most characters of a setting that are shown; right words and numbers are shorter.
const LONGEST_SHOWN: usize = 40;
/// The shortest time limit in seconds.
const SHORTEST: f64 = 0.001;
const A_DAY: f64 = 86_400.0;
