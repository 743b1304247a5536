//! The request that a person is asked about: the text shown, and the digest that recognises it later.

use callgate_executor::Call;
use callgate_tool::{Preview, Value, json};
use sha2::{Digest as _, Sha256};

use crate::digest::{self, Digest};

/// A request as a person sees it: `{"method", "url", "headers", "body"}`, or `{"text"}` for a tool that sends no request.
pub(super) fn shown(preview: &Preview) -> Value {
    // Written like a dry run, but without the command line: a person does not decide about it.
    let written = serde_json::to_vec(preview).unwrap_or_default();
    let mut shown = Value::from_slice(&written).unwrap_or_else(|_| json!({}));
    if let Some(members) = shown.as_object_mut() {
        members.remove("curl");
    }
    shown
}

/// A request that waits for an approval, as a person reads it. Characters that would control a terminal or a window are
/// escaped.
///
/// ```
/// use callgate_policy::approval_text;
/// use callgate_tool::json;
///
/// let request = json!({"method": "DELETE", "url": "https://api.example.com/pets/7"});
/// assert_eq!(approval_text(&request), "DELETE https://api.example.com/pets/7\n");
/// ```
pub fn approval_text(request: &Value) -> String {
    let text = |name: &str| request.get(name).and_then(Value::as_str);
    let mut shown = match text("text") {
        Some(said) => format!("{said}\n"),
        None => format!("{} {}\n", text("method").unwrap_or("?"), text("url").unwrap_or("?")),
    };
    let headers = request.get("headers").and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        shown.push_str(&format!("{name}: {value}\n"));
    }
    if let Some(body) = text("body") {
        shown.push_str(&format!("\n{body}\n"));
    }
    visible(&shown)
}

fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_obeyed(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Returns true for control characters, characters that change the direction of text, and invisible ones.
fn is_obeyed(letter: char) -> bool {
    let is_control = letter.is_control() && letter != '\n';
    is_control
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The digest of what a call would do: its arguments and its request, without credentials.
pub(super) fn digest(call: &Call<'_>, preview: &Preview) -> Digest {
    let mut hash = Sha256::new();
    hash.update(digest::of_arguments(call.arguments()));
    hash.update(shown(preview).to_string().as_bytes());
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_shown_whole_and_nothing_of_it_is_obeyed() {
        let request = json!({
            "method": "PUT",
            "url": "https://api.example.com/pets/7",
            "headers": {"x-key": "****", "x-tag": ["a", "b"]},
            "body": "{\"name\":\"\u{1b}[2KRex\u{202e}\"}",
        });
        let expected = "PUT https://api.example.com/pets/7\nx-key: ****\nx-tag: [\"a\",\"b\"]\n\n{\"name\":\"\\u{1b}[2KRex\\u{202e}\"}\n";
        assert_eq!(approval_text(&request), expected);
        assert_eq!(approval_text(&json!({"text": "asks the client"})), "asks the client\n");
    }
}
