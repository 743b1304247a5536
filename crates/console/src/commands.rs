//! The same call in other ways: as a request to the service, by the command, to the sidecar, over MCP, in Python.

use callgate_tool::{Value, json};
use maud::{Markup, html};

use crate::{json_view, layout::text, tried_call::TriedCall};

/// The ways, each as a text to copy.
pub(crate) fn show(sent: &TriedCall<'_>, planned: Option<&Value>) -> Markup {
    let name = text(sent.tool, "name");
    let host = sent.request.header("host");
    let origin = format!("http://{host}");
    let has_session = sent.session.as_object().is_some_and(|session| !session.is_empty());
    let mut body = json!({"calls": [{"tool": name, "args": (sent.arguments.clone())}]});
    if let (true, Some(members)) = (has_session, body.as_object_mut()) {
        members.insert("session", sent.session.clone());
    }
    let arguments = sent.arguments.to_string();
    let command = format!(
        "callgate call callgate.yaml {} --args {}",
        shell_word(name),
        shell_word(&arguments)
    );
    let request = format!(
        "curl {origin}/v1/calls -H 'content-type: application/json' -d {}",
        shell_word(&body.to_string())
    );
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": name, "arguments": (sent.arguments.clone())},
    });
    // JSON's escapes mean the same in a text of Python.
    let data = Value::from(body.to_string());
    let python = format!(
        "import json, urllib.request\n\ndata = {data}\nrequest = urllib.request.Request(\"{origin}/v1/calls\", data.encode(), {{\"content-type\": \"application/json\"}})\nprint(json.load(urllib.request.urlopen(request))[\"results\"][0])"
    );
    let session = if has_session { " --session session.json" } else { "" };
    let ways = [
        ("curl to the service", planned.map(|it| text(it, "curl").to_owned()).unwrap_or_default()),
        ("callgate call", command + session),
        ("curl to the sidecar", request),
        ("MCP", json_view::pretty(&message)),
        ("Python", python),
    ];
    html! {
        details.ways {
            summary { "The same call elsewhere" }
            @for (way, text) in ways.iter().filter(|(_, text)| !text.is_empty()) {
                h3 { (way) }
                div.copy { (json_view::show_text(text, way)) }
            }
        }
    }
}

/// A text as one word of a shell.
fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
