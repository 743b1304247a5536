//! The body of `POST /v1/calls`, and what bodies with calls share. Unknown keys are refused, never dropped.

use std::{collections::BTreeSet, time::Duration};

use callgate_dialect::Dialect;
use callgate_executor::{Decided, Execution};
use callgate_policy::IdempotencyKey;
use callgate_tool::{Arguments, InvalidValue, Object, ToolCall, Value, deserialize_call_id};
use serde::{Deserialize, Deserializer, de::Error};
use utoipa::{
    ToSchema,
    openapi::{
        ObjectBuilder, OneOfBuilder, Schema,
        schema::{SchemaType, Type},
    },
};

use crate::sessions::{InlineSession, SessionInput};

/// Calls, and the session they run in
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CallsRequest {
    #[serde(deserialize_with = "deserialize_calls")]
    #[schema(value_type = Vec<CallBody>, min_items = 1, max_items = 256)]
    pub(super) calls: Vec<RequestedCall>,
    #[serde(default)]
    #[schema(value_type = Option<InlineSession>)]
    pub(super) session: SessionInput,
    /// Show the requests instead of sending them, with `****` for credentials
    #[serde(default)]
    #[schema(default = false)]
    pub(super) dry_run: bool,
    /// Add the journal to each result: the decisions that were made while the call ran
    #[serde(default)]
    #[schema(default = false)]
    pub(super) journal: bool,
    #[serde(default)]
    #[schema(inline)]
    pub(super) mode: Mode,
    #[serde(default, deserialize_with = "execution_of")]
    #[schema(value_type = Executor, inline)]
    pub(super) execution: Execution,
}

/// One call that a model asks for
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Call)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CallBody {
    #[serde(default, deserialize_with = "id")]
    #[schema(schema_with = id_schema, required = false)]
    id: Option<String>,
    /// The tool's name
    tool: String,
    /// The arguments as the model filled them in
    #[serde(alias = "arguments")]
    #[schema(value_type = Option<Object>, additional_properties)]
    args: Option<Arguments>,
    #[serde(default)]
    #[schema(schema_with = timeout_schema, required = false)]
    timeout: TimeLimit,
    /// Equal keys and calls get the first result, and no second request is sent
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 255, pattern = r"^[^\u0000-\u001f\u007f-\u009f]*$")]
    idempotency_key: OwnKey,
}

#[derive(Debug)]
pub(crate) struct RequestedCall {
    pub(crate) call: ToolCall,
    pub(super) timeout: Option<Duration>,
    pub(super) idempotency_key: Option<String>,
    pub(super) decided: Option<Decided>,
    pub(super) approval: Option<String>,
    pub(super) origin: Option<(Dialect, Object)>,
}

/// The order of the calls: all at the same time, or one after the other
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(default = "parallel")]
pub(crate) enum Mode {
    #[default]
    Parallel,
    Sequential,
}

/// `client`: checked calls are handed back as `pending` for the client to run
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Executor {
    Client,
}

/// The time limit of a call: a number of seconds, or a text such as `500ms`, `30s`, `2m`, `1h`.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Value")]
struct TimeLimit(Option<Duration>);

/// The idempotency key of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Value")]
struct OwnKey(Option<String>);

impl From<ToolCall> for RequestedCall {
    fn from(call: ToolCall) -> Self {
        Self {
            call,
            timeout: None,
            idempotency_key: None,
            decided: None,
            approval: None,
            origin: None,
        }
    }
}

impl RequestedCall {
    #[must_use]
    pub(crate) fn with_timeout(self, timeout: Option<Duration>) -> Self {
        Self { timeout, ..self }
    }

    #[must_use]
    pub(crate) fn with_idempotency_key(self, idempotency_key: Option<String>) -> Self {
        Self { idempotency_key, ..self }
    }

    /// Marks the call as part of a model's message.
    #[must_use]
    pub(crate) fn with_origin(self, dialect: Dialect, origin: &Object) -> Self {
        Self { origin: Some((dialect, origin.clone())), ..self }
    }

    #[must_use]
    pub(crate) fn with_decision(self, decided: Decided) -> Self {
        Self { decided: Some(decided), ..self }
    }

    /// Makes the call under an approval that somebody else gives.
    #[must_use]
    pub(crate) fn with_approval_id(self, approval: &str) -> Self {
        Self { approval: Some(approval.to_owned()), ..self }
    }
}

/// Reads calls. One without an id gets its place among the calls, or the next number that no other call has.
fn deserialize_calls<'de, D: Deserializer<'de>>(calls: D) -> Result<Vec<RequestedCall>, D::Error> {
    let calls = Vec::<CallBody>::deserialize(calls)?;
    let n_calls = calls.len();
    if !(1..=MOST_CALLS).contains(&n_calls) {
        let expected = format!("expected 1 to {MOST_CALLS} calls, got: {n_calls}");
        return Err(D::Error::custom(expected));
    }
    let mut taken = BTreeSet::new();
    if calls.iter().any(|call| call.id.is_none()) {
        taken.extend(calls.iter().filter_map(|call| call.id.clone()));
    }
    let requested = |(at, call): (usize, CallBody)| {
        let id = call.id.unwrap_or_else(|| {
            // One of so many numbers is free.
            let mut numbers = (at + 1..=at + 1 + taken.len()).map(|number| number.to_string());
            let free = numbers.find(|id| !taken.contains(id)).unwrap_or_default();
            taken.insert(free.clone());
            free
        });
        let requested = ToolCall { id, tool: call.tool, arguments: call.args.unwrap_or_default() };
        let requested = RequestedCall::from(requested).with_timeout(call.timeout.0);
        requested.with_idempotency_key(call.idempotency_key.0)
    };
    Ok(calls.into_iter().enumerate().map(requested).collect())
}

fn id<'de, D: Deserializer<'de>>(id: D) -> Result<Option<String>, D::Error> {
    deserialize_call_id(id).map(Some)
}

/// Reads the side that runs calls. Only the configuration can move calls from the client to callgate.
pub(crate) fn execution_of<'de, D: Deserializer<'de>>(side: D) -> Result<Execution, D::Error> {
    Executor::deserialize(side).map(|Executor::Client| Execution::Client)
}

/// A duration over a day counts as a day, because a call ends by its tool's own limit anyway.
impl TryFrom<Value> for TimeLimit {
    type Error = InvalidValue;

    fn try_from(value: Value) -> Result<Self, InvalidValue> {
        let seconds = match &value {
            Value::Number(number) if number.to_string().starts_with('-') => None,
            Value::Number(_) => value.as_f64().or(Some(f64::MAX)).filter(|seconds| *seconds > 0.0),
            Value::String(text) => parse_seconds(text),
            _ => None,
        };
        let expected = "seconds, or a text such as `500ms`, `30s` or `2m`";
        let seconds =
            seconds.ok_or_else(|| InvalidValue::new_showing_value("", expected, Some(&value)))?;
        Ok(Self(Some(Duration::from_secs_f64(seconds.clamp(SHORTEST, A_DAY)))))
    }
}

impl TryFrom<Value> for OwnKey {
    type Error = InvalidValue;

    fn try_from(value: Value) -> Result<Self, InvalidValue> {
        match value {
            Value::String(key) if IdempotencyKey::of_text(&key).is_some() => Ok(Self(Some(key))),
            other => {
                let expected = "a text of 1 to 255 characters, none of them a control character";
                Err(InvalidValue::new("", expected, Some(&other)))
            }
        }
    }
}

fn parse_seconds(text: &str) -> Option<f64> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (digits, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let number: f64 = digits.parse().ok().filter(|_| is_number && digits.len() <= 9)?;
    Some(number * unit)
}

fn id_schema() -> Schema {
    let kinds = SchemaType::from_iter([Type::String, Type::Number]);
    let description =
        "The caller's own id of the call, handed back unchanged; `1` unless it is given";
    ObjectBuilder::new().schema_type(kinds).description(Some(description)).build().into()
}

fn timeout_schema() -> Schema {
    let seconds = ObjectBuilder::new().schema_type(Type::Number).exclusive_minimum(Some(0));
    let text = ObjectBuilder::new().schema_type(Type::String);
    let text = text.pattern(Some("^[1-9][0-9]{0,8}(ms|s|m|h)$"));
    let description = "The time limit of the call: seconds, or a text such as `500ms`, `30s` or `2m`. It only shortens the tool's own limit, and the time of a client that runs the call";
    OneOfBuilder::new().item(seconds).item(text).description(Some(description)).build().into()
}

/// The calls of 64 models that each ask for four in a turn; limits the work that one request starts.
const MOST_CALLS: usize = 256;
/// The shortest time limit in seconds.
const SHORTEST: f64 = 0.001;
const A_DAY: f64 = 86_400.0;
