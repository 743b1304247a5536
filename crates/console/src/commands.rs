//! The same call in other ways: as a request to the service, by the command, to the sidecar, over MCP, in Python.

use callgate_tool::{Value, json};
use maud::{Markup, html};

use crate::{json_view, layout::member_text, tried_call::TriedCall};

/// The ways, each as a text to copy.
pub(crate) fn copyable_commands(sent: &TriedCall<'_>, planned: Option<&Value>) -> Markup {
    let name = member_text(sent.tool, "name");
    let origin = sent.request.origin();
    // The token of the caller stays out of pages.
    let has_token = sent.request.principal().is_some();
    let token = if has_token { " -H \"authorization: Bearer $TOKEN\"" } else { "" };
    let has_session = sent.session.as_object().is_some_and(|session| !session.is_empty());
    let mut body = json!({"calls": [{"tool": name, "args": (sent.arguments.clone())}]});
    if let (true, Some(members)) = (has_session, body.as_object_mut()) {
        members.insert("session", sent.session.clone());
    }
    let arguments = sent.arguments.to_string();
    let mut command = format!(
        "callgate call callgate.yaml {} --args {}",
        shell_word(name),
        shell_word(&arguments)
    );
    if has_session {
        let session = shell_word(&sent.session.to_string());
        command = format!("printf %s {session} > session.json\n{command} --session session.json");
    }
    let request = format!(
        "curl {origin}/v1/calls{token} -H 'content-type: application/json' -d {}",
        shell_word(&body.to_string())
    );
    let mut parameters = json!({"name": name, "arguments": (sent.arguments.clone())});
    if let (true, Some(members)) = (has_session, parameters.as_object_mut()) {
        members.insert("_meta", json!({"callgate/session": (sent.session.clone())}));
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters});
    // JSON's escapes mean the same in a text of Python.
    let data = Value::from(body.to_string());
    let python = python_program(&origin, &data, has_token);
    let ways = [
        (
            "curl to the service",
            planned.map(|it| member_text(it, "curl").to_owned()).unwrap_or_default(),
        ),
        ("callgate call", command),
        ("curl to the sidecar", request),
        ("MCP", json_view::indented_json(&message)),
        ("Python", python),
    ];
    html! {
        details.ways {
            summary { "The same call elsewhere" }
            @for (way, text) in ways.iter().filter(|(_, text)| !text.is_empty()) {
                h3 { (way) }
                @if text.len() > json_view::MOST_SHOWN { p.quiet { "The call is too long for a line. “Save as a fixture” has all of it." } }
                @else { div.copy { (json_view::shortened_text_frame(text, way)) } }
            }
        }
    }
}

/// The command that takes a turn and records it.
pub(crate) fn recording_command(agent: &str, words: &str) -> String {
    format!(
        "callgate chat callgate.yaml {} --once {} --record fixtures/turns/a-new-turn",
        shell_word(agent),
        shell_word(words)
    )
}

fn python_program(origin: &str, data: &Value, has_token: bool) -> String {
    let (import, token) = if has_token {
        (
            "import json, os, urllib.request",
            ", \"authorization\": \"Bearer \" + os.environ[\"TOKEN\"]",
        )
    } else {
        ("import json, urllib.request", "")
    };
    format!(
        "{import}\n\ndata = {data}\nheaders = {{\"content-type\": \"application/json\"{token}}}\nrequest = urllib.request.Request(\"{origin}/v1/calls\", data.encode(), headers)\nprint(json.dumps(json.load(urllib.request.urlopen(request))[\"results\"][0]))"
    )
}

/// A text as one word of a shell.
fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
