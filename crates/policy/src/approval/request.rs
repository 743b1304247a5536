//! The request that a person is asked about: the text shown, and the digest that recognises it later.

use callgate_executor::{Backend, Call, PausableCall, Review, fingerprint};
use callgate_tool::{
    Approvers, PlannedRequest, Preview, Value, escape_and_quote_lines, escape_invisible_in_line,
    hexadecimal, json,
};
use sha2::{Digest as _, Sha256};

use crate::digest::Digest;

/// A request as a person sees it: `{"method", "url", "headers", "body"}`, or `{"text"}` for a tool that sends no request.
pub(super) struct Shown {
    pub(super) request: Value,
    /// The request as JSON. It may be large, and is written once.
    pub(super) json: String,
}

impl Shown {
    pub(super) fn new(preview: &Preview) -> Self {
        let request = match preview {
            Preview::Request(request) => without_command(request),
            Preview::Text(text) => json!({"text": text.as_str()}),
        };
        Self { json: request.to_string(), request }
    }

    /// The request with the place that its call has in a program, if a program makes it.
    pub(super) fn with_program(
        mut self,
        pausable: Option<PausableCall>,
        digest: &Digest,
        approvers: Approvers,
    ) -> Self {
        let Some(PausableCall(mut facts)) = pausable else { return self };
        if approvers == Approvers::Others {
            facts.remove(COVERS);
        }
        facts.insert("digest", hexadecimal(digest).into());
        if let Value::Object(members) = &mut self.request {
            members.insert("program", Value::Object(facts));
        }
        Self { json: self.request.to_string(), request: self.request }
    }
}

/// The request like that of a dry run, but without the command line: a person does not decide about it.
fn without_command(request: &PlannedRequest) -> Value {
    let PlannedRequest { method, url, headers, body, curl: _ } = request;
    let (method, url, headers) = (method.clone(), url.clone(), headers.clone());
    let head = PlannedRequest { method, url, headers, body: None, curl: String::new() };
    let written = serde_json::to_vec(&head).unwrap_or_default();
    let mut shown = Value::from_slice(&written).unwrap_or_else(|_| json!({}));
    if let Some(members) = shown.as_object_mut() {
        members.remove("curl");
        members.remove("body");
        members.insert("body", body.as_deref().map_or(Value::Null, Value::from));
    }
    shown
}

/// A request that waits for an approval, as a person reads it. Characters that would control a terminal or a window are
/// escaped, and each line of a body is a quotation, so that it cannot pass for the question.
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
        Some(said) if said.contains(['\n', '\r']) => format!("{}\n", escape_and_quote_lines(said)),
        Some(said) => format!("{}\n", escape_invisible_in_line(said)),
        None => {
            let named = |name| escape_invisible_in_line(text(name).unwrap_or("?"));
            format!("{} {}\n", named("method"), named("url"))
        }
    };
    if let Some(program) = request.get("program") {
        shown.push_str(&program_place_text(program));
    }
    let headers = request.get("headers").and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        let (name, value) = (escape_invisible_in_line(name), escape_invisible_in_line(&value));
        shown.push_str(&format!("{name}: {value}\n"));
    }
    if let Some(body) = text("body") {
        shown.push_str(&format!("\n{}\n", escape_and_quote_lines(body)));
    }
    shown
}

/// The place of a call in a program, in one line.
fn program_place_text(program: &Value) -> String {
    let number = |name: &str| program.get(name).and_then(Value::as_u64).unwrap_or_default();
    let lines = program.get("lines").and_then(Value::as_array).map(Vec::as_slice);
    let lines: Vec<_> = lines.unwrap_or_default().iter().map(Value::to_string).collect();
    let line = match lines.as_slice() {
        [] => String::new(),
        [line] => format!(", line {line}"),
        lines => format!(", one of the lines {}", lines.join(", ")),
    };
    let (call, ran) = (number("call"), number("ran"));
    let line = escape_invisible_in_line(&line);
    let covered = match number(COVERS) {
        0 => String::new(),
        n => format!(
            "a yes also covers up to {n} further calls of this tool by the program, whatever they send\n"
        ),
    };
    format!("call {call} of a program{line}; calls of this tool before: {ran}\n{covered}")
}

/// The digest of what a call would do and for whom: its fingerprint, the state that it would change, and its request without
/// credentials.
pub(super) fn approval_digest(
    call: &Call<'_>,
    backend: &dyn Backend,
    review: &Review,
    shown: &Shown,
) -> Digest {
    let mut hash = Sha256::new();
    hash.update(fingerprint(call, Some(backend)).as_bytes());
    hash.update([u8::from(review.state.is_some())]);
    hash.update(review.state.unwrap_or_default());
    hash.update(shown.json.as_bytes());
    hash.finalize().into()
}

/// The fact how many further calls of the tool a yes covers.
const COVERS: &str = "covers";

#[cfg(test)]
mod tests {
    use callgate_tool::is_invisible_or_control;

    use super::*;

    #[test]
    fn a_request_is_shown_whole_with_its_invisible_characters_escaped() {
        let request = json!({
            "method": "PUT",
            "url": "https://api.example.com/pets/7",
            "headers": {"x-key": "****", "x-tag": ["a", "b"]},
            "body": "{\"name\":\"\u{1b}[2KRex\u{202e}\"}",
        });
        let expected = "PUT https://api.example.com/pets/7\nx-key: ****\nx-tag: [\"a\",\"b\"]\n\n> {\"name\":\"\\u001b[2KRex\\u202e\"}\n";
        assert_eq!(approval_text(&request), expected);
        assert_eq!(approval_text(&json!({"text": "asks the client"})), "asks the client\n");
        let request = json!({"method": "POST", "url": "https://a.example", "body": "a\r\n\nSend this? [y/N] y"});
        let expected = "POST https://a.example\n\n> a\n>\n> Send this? [y/N] y\n";
        assert_eq!(approval_text(&request), expected);
        let program = json!({"call": 4, "lines": [3], "ran": 1});
        let request = json!({"method": "POST", "url": "https://a.example", "program": program});
        let expected =
            "POST https://a.example\ncall 4 of a program, line 3; calls of this tool before: 1\n";
        assert_eq!(approval_text(&request), expected);
        let program = json!({"call": 4, "lines": [], "ran": 0, "covers": 9});
        let request = json!({"text": "asks", "program": program});
        let expected = "asks\ncall 4 of a program; calls of this tool before: 0\na yes also covers up to 9 further calls of this tool by the program, whatever they send\n";
        assert_eq!(approval_text(&request), expected);
        let request = json!({"text": "asks\nSend this? [y/N] y\u{ad}"});
        assert_eq!(approval_text(&request), "> asks\n> Send this? [y/N] y\\u00ad\n");
    }

    #[test]
    fn a_shown_request_is_that_of_a_dry_run_without_its_command() {
        let request = |body: Option<&str>| PlannedRequest {
            method: "PUT".to_owned(),
            url: "https://api.example.com/pets/7".to_owned(),
            headers: ["a", "b"].map(|value| ("x-tag".to_owned(), value.to_owned())).into(),
            body: body.map(str::to_owned),
            curl: "curl".to_owned(),
        };
        let texts = [Preview::Text("says \"it\"".to_owned())];
        let requests = [request(None), request(Some("{\"a\": \"\u{7}\"}"))].map(Preview::Request);
        for preview in requests.into_iter().chain(texts) {
            let mut expected = Value::from_slice(&serde_json::to_vec(&preview).unwrap()).unwrap();
            expected.as_object_mut().unwrap().remove("curl");
            let shown = Shown::new(&preview);
            assert_eq!((shown.json, shown.request), (expected.to_string(), expected));
        }
    }

    #[test]
    fn no_text_of_a_request_hides_or_imitates_the_question() {
        let unseen: String =
            ('\u{1}'..='\u{e0fff}').filter(|one| is_invisible_or_control(*one)).take(400).collect();
        let forged = "\n\nSend this request?\n\nGET https://a.example\u{2028}Send this? [y/N] y\r";
        let text = format!("{unseen}{forged}");
        let request =
            json!({"method": text, "url": text, "headers": {(&*text): text}, "body": text});
        for request in [request, json!({"text": text}), json!({"text": "\u{85}Send this request?"})]
        {
            let shown = approval_text(&request);
            let hidden = shown
                .chars()
                .find(|one| *one != '\n' && *one != '\t' && is_invisible_or_control(*one));
            assert_eq!(hidden, None, "{shown:?}");
            assert!(!shown.lines().any(|line| line.starts_with("Send")), "{shown}");
        }
    }
}
