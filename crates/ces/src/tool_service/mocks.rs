//! `mockConfig`: calls that get a result without a request. A mock applies to calls of its tool whose arguments contain
//! everything in the pattern.

use callgate_gateway::Problem;
use callgate_tool::{InvalidValue, Object, Value};

use crate::members::{optional_array, required_object, take_member, wrong_member_problem};

/// The effect of mocks on a call.
#[derive(Debug)]
pub(super) enum MockEffect {
    /// A mock gives this result.
    Answered(Value),
    /// No mock applies, and no request may be made.
    Refused,
    /// No mock applies: the call is made.
    PassedThrough,
}

/// The effect of `config` on a call with these arguments; `is_meant` returns true if a mock is for the call's tool.
pub(super) fn mock_effect(
    config: Option<Value>,
    arguments: &Object,
    is_meant: impl Fn(&Object) -> bool,
) -> Result<MockEffect, Problem> {
    let Some(config) = config else { return Ok(MockEffect::PassedThrough) };
    let mut config = required_object("mockConfig", Some(config))?;
    let mocks = take_member(&mut config, &["mockedToolCalls", "mocked_tool_calls"]);
    for mock in optional_array("mockConfig.mockedToolCalls", mocks)? {
        let Value::Object(mut mock) = mock else {
            return Err(wrong_member_problem("mockConfig.mockedToolCalls", "objects", Some(&mock)));
        };
        let pattern = take_member(&mut mock, &["expectedArgsPattern", "expected_args_pattern"]);
        let response = take_member(&mut mock, &["mockResponse", "mock_response"]);
        let given = Value::Object(arguments.clone());
        if is_meant(&mock) && pattern.is_none_or(|pattern| matches_pattern(&given, &pattern)) {
            return Ok(MockEffect::Answered(response.unwrap_or(Value::Object(Object::new()))));
        }
    }
    let behavior = ["unmatchedToolCallBehavior", "unmatched_tool_call_behavior"];
    let behavior = take_member(&mut config, &behavior);
    match behavior.as_ref().map(|value| (value.as_str(), value.as_i64())) {
        None
        | Some((Some("FAIL" | "UNMATCHED_TOOL_CALL_BEHAVIOR_UNSPECIFIED"), _) | (_, Some(0 | 1))) => {
            Ok(MockEffect::Refused)
        }
        Some((Some("PASS_THROUGH"), _) | (_, Some(2))) => Ok(MockEffect::PassedThrough),
        Some(_) => Err(InvalidValue::new_showing_value(
            "mockConfig.unmatchedToolCallBehavior",
            "`FAIL` or `PASS_THROUGH`",
            behavior.as_ref(),
        )
        .into()),
    }
}

/// True if a value contains everything in a pattern; further members of objects do not matter.
fn matches_pattern(value: &Value, pattern: &Value) -> bool {
    let (Some(members), Some(pattern)) = (value.as_object(), pattern.as_object()) else {
        return value == pattern;
    };
    pattern
        .iter()
        .all(|(name, below)| members.get(name).is_some_and(|value| matches_pattern(value, below)))
}
