//! The body of `POST /v1/dialects/{dialect}/calls`. Unknown keys are refused, never dropped; the message itself may hold
//! anything.

use callgate_dialect::Form;
use callgate_executor::Execution;
use callgate_tool::{InvalidValue, Value};
use serde::{Deserialize, Deserializer, de::Error};
use utoipa::{
    ToSchema,
    openapi::{
        ArrayBuilder, ObjectBuilder, Schema,
        schema::{AdditionalProperties, AnyOfBuilder, Type},
    },
};

use crate::{
    calls::{Executor, Mode, execution_of},
    sessions::{InlineSession, SessionInput},
};

/// A message of a model, and the session its calls run in
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct DialectRequest {
    #[serde(deserialize_with = "deserialize_object_or_list")]
    #[schema(schema_with = message_schema)]
    pub(super) message: Value,
    #[serde(default, deserialize_with = "deserialize_form")]
    #[schema(schema_with = form_schema, required = false)]
    pub(super) form: Form,
    #[serde(default)]
    #[schema(value_type = Option<InlineSession>)]
    pub(super) session: SessionInput,
    /// The only tools that may be called; calls of others are told so
    #[serde(default, deserialize_with = "deserialize_functions")]
    #[schema(max_items = 1024)]
    pub(super) functions: Option<Vec<String>>,
    /// Show the requests instead of sending them, with `****` for credentials
    #[serde(default)]
    #[schema(default = false)]
    pub(super) dry_run: bool,
    #[serde(default)]
    #[schema(inline)]
    pub(super) mode: Mode,
    #[serde(default, deserialize_with = "execution_of")]
    #[schema(value_type = Executor, inline)]
    pub(super) execution: Execution,
}

fn deserialize_object_or_list<'de, D: Deserializer<'de>>(message: D) -> Result<Value, D::Error> {
    match Value::deserialize(message)? {
        message @ (Value::Object(_) | Value::Array(_)) => Ok(message),
        other => Err(D::Error::custom(InvalidValue::new("", "an object or a list", Some(&other)))),
    }
}

fn deserialize_form<'de, D: Deserializer<'de>>(form: D) -> Result<Form, D::Error> {
    match Value::deserialize(form)? {
        Value::String(name) => name.parse().map_err(D::Error::custom),
        other => Err(D::Error::custom(InvalidValue::new_showing_value("", "a text", Some(&other)))),
    }
}

fn deserialize_functions<'de, D: Deserializer<'de>>(
    functions: D,
) -> Result<Option<Vec<String>>, D::Error> {
    let functions = Option::<Vec<String>>::deserialize(functions)?;
    match functions.as_ref().map_or(0, Vec::len) {
        0..=MOST_FUNCTIONS => Ok(functions),
        got => Err(D::Error::custom(format!("expected at most {MOST_FUNCTIONS}, got: {got}"))),
    }
}

fn form_schema() -> Schema {
    let description =
        "The form in which the tools were declared to the model, as `GET /v1/tools` takes it";
    let form = ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    let form = form.enum_values(Some(Form::ALL.iter().map(|form| form.as_str())));
    form.default(Some(Form::default().as_str().into())).build().into()
}

fn message_schema() -> Schema {
    let object = || {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
    };
    let description = "The model's own message as its provider's interface gave it, or its list of items, parts or calls";
    let list = ArrayBuilder::new().items(object().build());
    AnyOfBuilder::new().item(object()).item(list).description(Some(description)).build().into()
}

/// Many times the number that a provider accepts in one request; each one is looked up.
const MOST_FUNCTIONS: usize = 1024;
