//! The body of `POST /v1/dialects/{dialect}/calls`: `{"message", "form", "session", "functions", "dryRun",
//! "mode", "execution"}`. Unknown keys are refused, never dropped; the message itself may hold anything.

use callgate_dialect::{Dialect, Form};
use callgate_executor::Execution;
use callgate_tool::Value;

use crate::{
    calls::{Mode, execution, mode, wrong, wrong_setting},
    json_body::malformed,
    problem::Problem,
    sessions::Inline,
    tools::form_of,
};

/// The content of a request.
#[derive(Debug)]
pub(super) struct Envelope {
    pub(super) message: Value,
    /// The form in which the tools were declared.
    pub(super) form: Form,
    pub(super) session: Inline,
    /// The tools that may be called; `None` if all may.
    pub(super) functions: Option<Vec<String>>,
    pub(super) is_dry_run: bool,
    pub(super) mode: Mode,
    pub(super) execution: Execution,
}

impl Envelope {
    /// Reads a body.
    pub(super) fn read(dialect: Dialect, body: Value) -> Result<Self, Problem> {
        let Value::Object(mut members) = body else {
            return Err(wrong("the body", "an object", Some(&body)));
        };
        let message = match members.remove("message") {
            Some(message @ (Value::Object(_) | Value::Array(_))) => message,
            other => return Err(wrong("message", "an object or a list", other.as_ref())),
        };
        let form = match members.remove("form") {
            None => Form::default(),
            Some(Value::String(name)) => {
                let form = name.parse().map_err(|error| malformed(format!("`form`: {error}")))?;
                form_of(dialect, form)?
            }
            Some(other) => return Err(wrong_setting("form", "a text", Some(&other))),
        };
        let session = Inline::read(members.remove("session"))?;
        let functions = functions(members.remove("functions"))?;
        let is_dry_run = match members.remove("dryRun") {
            None => false,
            Some(Value::Bool(is_dry_run)) => is_dry_run,
            Some(other) => return Err(wrong_setting("dryRun", "a boolean", Some(&other))),
        };
        let mode = mode(members.remove("mode").as_ref())?;
        let execution = execution(members.remove("execution").as_ref())?;
        match members.keys().next() {
            None => Ok(Self { message, form, session, functions, is_dry_run, mode, execution }),
            Some(key) => Err(malformed(format!(
                "expected the keys `message`, `form`, `session`, `functions`, `dryRun`, `mode`, `execution`, got: `{key}`"
            ))),
        }
    }
}

fn functions(value: Option<Value>) -> Result<Option<Vec<String>>, Problem> {
    let names = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(names)) => names,
        other => return Err(wrong_setting("functions", "a list of names", other.as_ref())),
    };
    if names.len() > MOST_FUNCTIONS {
        let got = names.len();
        return Err(malformed(format!(
            "`functions`: expected at most {MOST_FUNCTIONS}, got: {got}"
        )));
    }
    let name = |(at, name)| match name {
        Value::String(name) => Ok(name),
        other => Err(wrong_setting(&format!("functions[{at}]"), "a name", Some(&other))),
    };
    names.into_iter().enumerate().map(name).collect::<Result<_, _>>().map(Some)
}

/// Many times the number that a provider accepts in one request; each one is looked up.
const MOST_FUNCTIONS: usize = 1024;
