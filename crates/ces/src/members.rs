//! Reads members of a body, in either spelling of Protocol Buffers' JSON, and of a path.

use callgate_gateway::{Problem, RouteRequest};
use callgate_tool::{InvalidValue, Object, Value};

/// Takes a member by the first of its spellings that has a value; `null` is no value.
pub(crate) fn take_member(members: &mut Object, names: &[&str]) -> Option<Value> {
    names.iter().filter_map(|name| members.remove(name)).find(|value| !value.is_null())
}

pub(crate) fn optional_object(at: &str, value: Option<Value>) -> Result<Option<Object>, Problem> {
    match value {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members)),
        other => Err(wrong_member_problem(at, "an object", other.as_ref())),
    }
}

pub(crate) fn required_object(at: &str, value: Option<Value>) -> Result<Object, Problem> {
    optional_object(at, value)?.ok_or_else(|| wrong_member_problem(at, "an object", None))
}

/// An array, which is empty if there is no value.
pub(crate) fn optional_array(at: &str, value: Option<Value>) -> Result<Vec<Value>, Problem> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        other => Err(wrong_member_problem(at, "an array", other.as_ref())),
    }
}

/// The refusal of a member that may hold a user's data: only the kind of its value is shown.
pub(crate) fn wrong_member_problem(at: &str, expected: &str, got: Option<&Value>) -> Problem {
    InvalidValue::new(at, expected, got).into()
}

/// The path's values that `$context` reads.
pub(crate) fn project_location_and_app(request: &RouteRequest) -> Object {
    let members = [("project_id", "project"), ("location", "location"), ("app_id", "app")];
    let members = members.map(|(name, parameter)| (name, request.path_parameter(parameter)));
    let named = members.into_iter().filter(|(_, value)| !value.is_empty());
    named.map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}
