//! The table of words: each member of a request × each way in × each kind of tool. What a request wishes is obeyed, or refused by its
//! name. The members come from the sidecar's own description, so that a new one without a row fails; over the command, a member is the
//! flag of its name.

use crate::prelude::*;

use super::{MODEST, OWNER, Trial, rows::Asked};

/// The fate of a wish.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    /// The model of the agent is asked.
    Asked,
    /// The call waits for its client.
    Client,
    /// The result has the journal.
    Journal,
    /// The request is shown, and nothing is sent.
    Planned,
    /// The wish is refused, and its name is said.
    Refused,
    /// The call is made.
    Run,
    /// The tool is not provided.
    Withheld,
}
use Cell::{Asked as AsksModel, Client, Journal, Planned, Refused, Run, Withheld};

/// A wish as a member of a request, and its cells: calls over HTTP, calls of a model's message, and calls over MCP as a member of
/// `_meta` and of the call itself, turns of an agent, the command, and a single call over HTTP.
const WISHES: &[(&str, &str, [Cell; 7])] = &[
    ("dryRun", "true", [Planned, Planned, Refused, Refused, Refused, Planned, Refused]),
    ("execution", "\"client\"", [Client, Client, Refused, Refused, Refused, Refused, Refused]),
    ("form", "\"usual\"", [Refused, Run, Refused, Refused, Refused, Refused, Refused]),
    ("functions", "[]", [Refused, Withheld, Refused, Refused, Refused, Refused, Refused]),
    ("idempotencyKey", "\"k-1\"", [Refused, Refused, Run, Refused, Refused, Refused, Run]),
    ("journal", "true", [Journal, Refused, Refused, Refused, Refused, Refused, Refused]),
    ("mode", "\"sequential\"", [Run, Run, Refused, Refused, Refused, Refused, Refused]),
    (
        "session",
        "{\"id\": \"s-1\", \"parameters\": {\"a\": 1}}",
        [Run, Run, Run, Refused, AsksModel, Run, Refused],
    ),
    ("timeout", "\"1h\"", [Refused, Refused, Refused, Refused, Refused, Run, Run]),
];

/// The places of ways among the cells.
const OVER_MCP: [usize; 2] = [2, 3];
const TURN: usize = 4;
const COMMAND: usize = 5;
const CALL: usize = 6;

/// The kinds whose tools take no time that a command could limit.
const TIMELESS: [&str; 2] = ["documents", "functions"];

/// An agent with the name that its place has in a path.
const AGENT: &str =
    "models: {main: {dialect: openai, url: 'http://127.0.0.1:9', model: m, auth: none}}
agents: {agent: {model: main, instructions: Look.}}
";

/// The members that are the request itself, and those that are a call.
const ITSELF: [&str; 2] = ["calls", "message"];
const CALL_ITSELF: [&str; 3] = ["args", "id", "tool"];

/// Sends a call with a wish over a way, and returns the answer's text.
fn answer(trial: &Trial, asked: &Asked, way: usize, (name, value): (&str, &str)) -> String {
    let arguments = &asked.arguments;
    let wish = Value::parse(value).unwrap();
    let mut call = json!({"id": "1", "tool": asked.tool, "args": arguments.clone()});
    let (path, mut body) = match way {
        0 => ("/v1/calls", json!({"calls": [call]})),
        CALL => {
            // A key of another way has a result already.
            call[name] = if name == "idempotencyKey" { json!("k-2") } else { wish.clone() };
            ("/v1/calls", json!({"calls": [call]}))
        }
        1 => {
            let function = json!({"name": asked.tool, "arguments": arguments.to_string()});
            let calls = json!([{"id": "1", "type": "function", "function": function}]);
            let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
            ("/v1/dialects/openai/calls", json!({"message": message}))
        }
        TURN => ("/v1/agents/agent/turns", json!({"input": "Go."})),
        COMMAND => return run_command(trial, (name, &wish)),
        _ => {
            let mut params = json!({"name": asked.tool, "arguments": arguments.clone()});
            if way == OVER_MCP[0] {
                params["_meta"] = json!({(format!("callgate/{name}")): wish.clone()});
            } else {
                params[name] = wish.clone();
            }
            ("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
        }
    };
    if !OVER_MCP.contains(&way) && way != CALL {
        body[name] = wish;
    }
    let headers = format!(
        "Authorization: Bearer {OWNER}\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n"
    );
    let is_over_mcp = OVER_MCP.contains(&way);
    let headers = if is_over_mcp { headers } else { headers.replace(", text/event-stream", "") };
    trial.sidecar.answer(&format!("POST {path}"), &headers, &body.to_string())
}

/// Makes a call by the command, with a wish as the flag of its name, and returns what it prints in the words of an answer.
fn run_command(trial: &Trial, (name, wish): (&str, &Value)) -> String {
    let written: String = name
        .chars()
        .map(
            |c| if c.is_ascii_uppercase() { format!("-{c}").to_lowercase() } else { c.to_string() },
        )
        .collect();
    let mut flags = vec![format!("--{written}")];
    match wish {
        Value::Bool(_) => {}
        Value::Object(_) => {
            fs::write(trial.folder.path().join("session.json"), wish.to_string()).unwrap();
            flags.push("session.json".to_owned());
        }
        wish => flags.push(wish.as_str().unwrap_or("[]").to_owned()),
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let ended = trial.call_by_command(&flags);
    let text = format!("{}{}", ended.out, ended.err).replace(&format!("--{written}"), name);
    match ended.code {
        Some(2) => format!("HTTP/1.1 400\r\n\r\n{text}"),
        Some(0) if name == "dryRun" => format!("\"request\":{text}"),
        Some(0) => text,
        code => format!("\"error\":{{{code:?} {text}"),
    }
}

/// The cell that an answer is.
fn cell(name: &str, answer: &str) -> Option<Cell> {
    let answer = &answer.replace("\\\"", "\"").replace(": ", ":");
    let says = |text: &str| answer.contains(text);
    if says("HTTP/1.1 400") || says("\"code\":-32602") {
        return says(name).then_some(Refused);
    }
    if says("model_failed") {
        return Some(AsksModel);
    }
    if says("unknown_tool") {
        return Some(Withheld);
    }
    if says("\"error\":{") || says("\"isError\":true") {
        return None;
    }
    let cells =
        [("\"journal\":[", Journal), ("\"kind\":\"client\"", Client), ("\"request\":", Planned)];
    cells.iter().find(|(sign, _)| says(sign)).map(|(_, cell)| *cell).or(Some(Run))
}

#[test]
fn a_wish_is_obeyed_or_refused_by_its_name_for_each_kind_and_way_in() {
    for kind in super::rows::kinds() {
        let trial = &Trial::start_with(kind, "", AGENT);
        for (name, value, cells) in WISHES {
            for (way, expected) in cells.iter().enumerate() {
                // The client runs functions in any case.
                let is_of_client = trial.kind.name == "functions" && *expected == Run;
                let before = (trial.kind.n_requests)();
                let answer = answer(trial, &trial.kind.reads, way, (name, value));
                let got = cell(name, &answer);
                // A dry run asks no connection, and says so.
                let is_told = way == COMMAND
                    && answer.contains("as in every dry run")
                    && !answer.contains("shows its request");
                let is_timeless = way == COMMAND && TIMELESS.contains(&trial.kind.name);
                let is_expected = got == Some(*expected)
                    || is_timeless && *name == "timeout" && got == Some(Refused)
                    || is_told && *expected == Planned
                    || is_of_client && got == Some(Client)
                    || trial.kind.name == "functions" && answer.contains("runs this");
                assert!(is_expected, "{}, {name}, {way}: {answer}", trial.kind.name);
                let n_sent = (trial.kind.n_requests)() - before;
                assert!(matches!(expected, Run | Journal) || n_sent == 0, "{name}, {way}: sent");
            }
        }
    }
}

#[test]
fn a_member_of_a_request_has_a_row_and_refuses_another_type_by_its_name() {
    let trial = Trial::start_with(super::rows::kinds().remove(1), "", AGENT);
    let description = body_of(&trial.sidecar.answer(
        "GET /openapi.json",
        &format!("Authorization: Bearer {OWNER}\r\n"),
        "",
    ));
    let (mut n_members, mut n_items) = (0, 0);
    for (path, item) in description["paths"].as_object().unwrap().iter() {
        // The requests of Google's agents are Google's.
        if path.contains("sessions") || path.contains("projects") {
            continue;
        }
        let body = &item["post"]["requestBody"]["content"]["application/json"]["schema"];
        let members = resolved(&description, body)["properties"].clone();
        for name in members.as_object().into_iter().flat_map(callgate::Object::keys) {
            let is_listed = ITSELF.contains(&&**name) || WISHES.iter().any(|row| row.0 == *name);
            assert!(is_listed || !path.ends_with("/calls"), "a row for `{name}` of `{path}`");
            // A turn reads files of its input in the session that keeps the conversation.
            let is_turn = path.ends_with("/turns");
            let mut request = if is_turn { json!({"session": {"id": "s"}}) } else { json!({}) };
            request[name.as_str()] = json!(-1.5);
            assert_refused(&trial, path, &request, name);
            n_members += 1;
        }
        if !body.is_null() {
            assert_refused(&trial, path, &json!({"zzqq": 1}), "zzqq");
        }
        // A member of an item of a list, such as an approval.
        for (name, schema) in members.as_object().into_iter().flat_map(callgate::Object::iter) {
            let item = resolved(&description, &resolved(&description, schema)["items"]).clone();
            let Some(own) = item["properties"].as_object() else { continue };
            let mut whole = json!({"zzqq": 1});
            for required in item["required"].as_array().into_iter().flatten() {
                whole[required.as_str().unwrap()] = json!("approve");
            }
            assert_refused(&trial, path, &json!({(name.as_str()): [whole]}), "zzqq");
            let is_listed = |own: &String| {
                CALL_ITSELF.contains(&&**own) || WISHES.iter().any(|row| row.0 == *own)
            };
            let are_listed = own.keys().all(is_listed);
            assert!(are_listed || !path.ends_with("/calls"), "a row for each of {item}");
            n_items += own.len();
        }
    }
    assert!(n_members >= 15 && n_items >= 8, "{n_members} members, {n_items} of items");
}

#[test]
fn an_unknown_member_of_a_session_is_refused_by_its_name_over_each_way() {
    let trial = &Trial::start_with(super::rows::kinds().remove(1), "", AGENT);
    let (_, _, cells) = WISHES.iter().find(|row| row.0 == "session").unwrap();
    for (way, _) in cells.iter().enumerate().filter(|(_, cell)| **cell != Refused) {
        let session = ("session", "{\"id\": \"s-1\", \"zzqq\": 1}");
        let answer = answer(trial, &trial.kind.reads, way, session);
        assert_eq!(cell("zzqq", &answer), Some(Refused), "{way}: {answer}");
    }
}

/// Checks that a request is refused, and that the reason names the member.
#[track_caller]
fn assert_refused(trial: &Trial, path: &str, request: &Value, name: &str) {
    let line = format!("POST {}", path.replace("{dialect}", "openai").replace(['{', '}'], ""));
    let headers = format!("Authorization: Bearer {MODEST}\r\n");
    let answer = trial.sidecar.answer(&line, &headers, &request.to_string());
    let is_refused = answer.starts_with("HTTP/1.1 4") && answer.contains(name);
    assert!(is_refused, "{path}, {name}: {answer}");
}

fn body_of(answer: &str) -> Value {
    Value::parse(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn resolved<'d>(description: &'d Value, schema: &'d Value) -> &'d Value {
    let Some(reference) = schema["$ref"].as_str() else { return schema };
    let names = reference.trim_start_matches("#/").split('/');
    names.fold(description, |node, name| &node[name])
}
