//! A call as the files of a case below `fixtures`: the call with the contents of its files, and its session.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Object, Value, json};

use crate::{json_view, layout::member_text, paths};

/// The `call.json` of a case. Handles end, so the case holds the bytes of files in their place; the error names a file that is
/// kept no more.
pub(crate) async fn call_json_file(
    request: &PageRequest,
    tool: &Value,
    arguments: Value,
    session: &str,
) -> Result<PageResponse, String> {
    let mut contents = BTreeMap::new();
    for handle in handles_in(&arguments) {
        let query = paths::query(&[("session", session)]);
        let address = format!("/v1/results/{}{query}", paths::percent_encoded(&handle));
        let answer = request.get_own_path(&address, &[]).await;
        let (is_kept, media_type) = (answer.is_success(), answer.header("content-type").to_owned());
        let bytes = answer.bytes().await.filter(|_| is_kept).ok_or_else(|| {
            format!("the file `{handle}` is kept no more for this session: choose it again")
        })?;
        let members = [("data", STANDARD.encode(&bytes)), ("content_type", media_type)];
        contents.insert(handle, members.map(|(name, value)| (name, value.into())));
    }
    let arguments = replace_handles_by_contents(arguments, &contents);
    // A fixture is one toolset, so its tools have no prefix.
    let (name, toolset) = (member_text(tool, "name"), member_text(tool, "toolset"));
    let own_name = name.strip_prefix(toolset).and_then(|name| name.strip_prefix('-'));
    let case = json!({"tool": (own_name.unwrap_or(name)), "arguments": arguments});
    Ok(PageResponse::download("call.json", json_view::indented_json(&case) + "\n"))
}

/// The `session.json` of a case, which names its credentials and holds neither them nor other values that credentials read.
pub(crate) fn session_json_file(request: &PageRequest, mut session: Value) -> PageResponse {
    request.mask_session(&mut session);
    let credentials = session.get_mut("credentials").and_then(Value::as_object_mut);
    for (name, credential) in credentials.into_iter().flat_map(Object::iter_mut) {
        let letter =
            |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' };
        *credential = format!("env:{}", name.chars().map(letter).collect::<String>()).into();
    }
    PageResponse::download("session.json", json_view::indented_json(&session) + "\n")
}

/// The members that take the place of a handle.
type Content = [(&'static str, Value); 2];

/// The handle of an object that names a file.
fn handle_of(object: &Object) -> Option<&str> {
    object.get("handle").and_then(Value::as_str).filter(|handle| handle.starts_with("result:"))
}

fn handles_in(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(handles_in).collect(),
        Value::Object(members) => match handle_of(members) {
            Some(handle) => vec![handle.to_owned()],
            None => members.iter().flat_map(|(_, member)| handles_in(member)).collect(),
        },
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn replace_handles_by_contents(value: Value, contents: &BTreeMap<String, Content>) -> Value {
    match value {
        Value::Array(items) => {
            items.into_iter().map(|item| replace_handles_by_contents(item, contents)).collect()
        }
        Value::Object(mut members) => {
            if let Some(content) = handle_of(&members).and_then(|handle| contents.get(handle)) {
                members.remove("handle");
                for (name, value) in content {
                    members.entry(*name).or_insert(value.clone());
                }
            }
            let members = members.into_iter();
            Value::Object(
                members
                    .map(|(name, it)| (name, replace_handles_by_contents(it, contents)))
                    .collect(),
            )
        }
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_case_hold_their_bytes_in_place_of_a_handle() {
        let arguments = json!({"files": [{"handle": "result:7", "filename": "a"}, {"handle": "result:8"}], "handle": "h"});
        assert_eq!(handles_in(&arguments), ["result:7", "result:8"]);
        let content: Content = [("data", "aGk=".into()), ("content_type", "text/plain".into())];
        let contents = BTreeMap::from([("result:7".to_owned(), content)]);
        let expected = json!({"files": [{"filename": "a", "data": "aGk=", "content_type": "text/plain"}, {"handle": "result:8"}], "handle": "h"});
        assert_eq!(replace_handles_by_contents(arguments, &contents), expected);
    }
}
