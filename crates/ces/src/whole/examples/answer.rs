//! The response of a service in an example: under its status in Dialogflow, under `output` in Customer Engagement
//! Suite. A failure without a status does not contain the service's response.

use callgate_tool::Value;

/// The status and the body of an action's output; `None` if it is empty.
pub(super) fn action_status_and_body(output: &Value) -> Option<(u16, Value)> {
    // Earlier versions: `[{"name": "ACTION output", "value": …}]`.
    if let Some(items) = output.as_array() {
        return action_status_and_body(items.first()?.get("value")?);
    }
    let Some(members) = output.as_object() else {
        return (!output.is_null()).then(|| (OK, output.clone()));
    };
    let mut each = members.iter();
    let (name, body) = each.next()?;
    let status = name.parse::<u16>().ok().filter(|status| (100..600).contains(status));
    match status {
        Some(status) if each.next().is_none() => Some((status, body.clone())),
        _ => Some((OK, output.clone())),
    }
}

/// Removes the files of a code interpreter's answer that have no name and no contents: examples have one in the place of none.
pub(super) fn remove_nameless_files(answer: &mut Value) {
    let is_empty = |file: &Value| {
        let parts = ["name", "contents"].map(|part| file.get(part).and_then(Value::as_str));
        parts.iter().all(|part| part.is_none_or(str::is_empty))
    };
    if let Some(Value::Array(files)) = answer.get_mut("output_files") {
        files.retain(|file| !is_empty(file));
    }
}

/// The status and the body of a response.
pub(super) fn response_status_and_body(response: &Value) -> Option<(u16, Value)> {
    let members = response.as_object()?;
    if members.contains_key("error") || members.is_empty() {
        return None;
    }
    Some((OK, members.get("output").unwrap_or(response).clone()))
}

/// The status of a response that states none.
const OK: u16 = 200;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn the_output_of_an_example_is_the_body_or_has_it_under_its_status() {
        for (output, expected) in [
            (json!({"200": {"id": 7}}), Some((200, json!({"id": 7})))),
            (json!({"404": null}), Some((404, Value::Null))),
            (json!({"temperature": 28}), Some((200, json!({"temperature": 28})))),
            (json!({"200": 1, "201": 2}), Some((200, json!({"200": 1, "201": 2})))),
            (json!({"999": 1}), Some((200, json!({"999": 1})))),
            (
                json!([{"name": "find output", "value": {"201": {"a": 1}}}]),
                Some((201, json!({"a": 1}))),
            ),
            (json!([]), None),
            (json!({}), None),
            (Value::Null, None),
        ] {
            assert_eq!(action_status_and_body(&output), expected, "{output}");
        }
    }

    #[test]
    fn the_body_of_a_recorded_response_is_its_output_or_all_of_it_without_failures() {
        for (response, expected) in [
            (json!({"output": [1]}), Some((200, json!([1])))),
            (json!({"name": "x"}), Some((200, json!({"name": "x"})))),
            (json!({"error": "no"}), None),
            (json!({}), None),
        ] {
            assert_eq!(response_status_and_body(&response), expected, "{response}");
        }
    }
}
