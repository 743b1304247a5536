//! `callgate call`: results, dry runs, faults and batches.

use crate::prelude::*;

const DEMO: &str = "config/demo.yaml";

#[test]
fn a_call_prints_the_answer_of_the_recording() {
    let ended = callgate(&["call", DEMO, "pets-getPet", "petId=7"]).exits(0);
    let answer = ended.json();
    assert_eq!(answer["id"], json!(7));
}

#[test]
fn a_request_that_no_recording_answers_is_quoted_line_by_line() {
    let ended = callgate(&["call", DEMO, "pets-getPet", "petId=999999"]).exits(1);
    let ended = ended.says("note: nothing is recorded for this request\n> request:\n");
    ended.says("\n> GET https://api.pets.example/v1/pets/999999 HTTP/1.1\n");
}

#[test]
fn an_operation_id_names_its_tool() {
    callgate(&["call", DEMO, "getPet", "petId=7"]).exits(0);
}

#[test]
fn a_wrong_argument_is_reported_with_its_name_expectation_and_help() {
    let ended = callgate(&["call", DEMO, "pets-getPet", "petId=rex"]).exits(1);
    ended.says("invalid_arguments").says("`petId`: expected integer").says("rex").says("help: ");
}

#[test]
fn with_json_a_failed_call_is_printed_as_data() {
    let fault = callgate(&["call", DEMO, "pets-getPet", "petId=rex", "--json"]).exits(1).json();
    let error = &fault["error"];
    assert_eq!(error["code"], "invalid_arguments");
    assert_eq!(error["reached"], "no");
    assert_eq!(error["next"], "correct_arguments");
    assert_eq!(error["problems"][0]["at"], "petId");
}

#[test]
fn a_dry_run_shows_the_request_and_hides_the_credential() {
    let ended = callgate(&["call", DEMO, "pets-getPet", "petId=7", "--dry-run"]).exits(0);
    let ended = ended.prints("GET https://").prints("x-api-key: ****").prints("curl ");
    assert!(!ended.out.contains("demo-key"), "{ended:#?}");
}

#[test]
#[expect(clippy::print_stdout, reason = "says why it checks nothing on a machine without curl")]
fn the_curl_line_of_a_dry_run_sends_the_same_request() {
    let server = Server::start();
    let description = root().join("fixtures/pets/spec.yaml");
    let description = description.to_str().unwrap();
    let url = server.url("/v1");
    let args = r#"{"name": "Rex's \"dog\" $HOME `x`", "species": "dog", "tags": ["a b", "c&d"]}"#;
    let line = ["call", description, "createPet", "--args", args, "--server", &url, "--dry-run"];
    let planned = callgate(&[&line[..], &["--json"]].concat()).exits(0).json();
    let curl = planned["request"]["curl"].as_str().unwrap();
    let ran = Ended::of(Command::new("sh").args(["-c", &format!("{curl} --silent")]));
    if ran.code == Some(127) {
        println!("curl absent");
        return;
    }
    ran.exits(0);
    let seen = server.requests();
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].starts_with("POST /v1/"), "{seen:?}");
    let body = planned["request"]["body"].as_str().unwrap();
    assert!(seen[0].ends_with(body), "{seen:?} does not end with {body}");
}

#[test]
fn a_word_that_is_no_tool_is_answered_with_the_tools_that_fit() {
    for (words, fitting) in [
        (&["pets-getPett"][..], "  pets-getPet "),
        (&["chip"], "Find out which pet carries a chip"),
        (&["book", "services", "petId=7"], "  pets-createBooking "),
    ] {
        for more in [&[][..], &["--dry-run"]] {
            let all = [&["call", DEMO], words, more].concat();
            let told = callgate(&all).exits(2).says("unknown_tool").says(fitting);
            assert!(told.out.is_empty(), "{told:?}");
            assert!(told.err.matches("\n  ").count() <= 5, "{told:?}");
        }
    }
    let none = callgate(&["call", DEMO, "zzz"]).exits(2).says("`callgate tools config/demo.yaml`");
    assert_eq!(none.err.matches("\n  ").count(), 0, "{none:?}");
    // A program gets a result.
    let json = callgate(&["call", DEMO, "chip", "--json"]).exits(1).json();
    assert_eq!(json["error"]["code"], "unknown_tool", "{json}");
    callgate(&["tools", DEMO, "chip"]).exits(1).says("pets-getChip");
}

#[test]
fn a_call_over_tcp_reaches_a_real_server() {
    let server = Server::start();
    let url = server.url("/v1");
    let line = ["call", "fixtures/pets/spec.yaml", "getPet", "petId=7", "--server", &url];
    assert_eq!(callgate(&line).exits(0).json()["path"], "/v1/pets/7");
}

#[test]
fn a_bearer_token_of_the_session_reaches_the_server_and_nothing_else() {
    let server = Server::start();
    let (_folder, session) =
        folder_with("session.json", r#"{"id": "s", "parameters": {"user_token": "tok-51"}}"#);
    let url = server.url("");
    let line = ["call", "fixtures/pets/spec.yaml", "getPet", "petId=7", "--server", &url];
    let login = ["--bearer", "$session.params.user_token", "--session", session];
    let ended = callgate(&[&line[..], &login].concat()).exits(0);
    let seen = server.requests().join("");
    assert!(seen.contains("authorization: Bearer tok-51"), "{seen}");
    assert!(!ended.err.contains("tok-51"), "{ended:#?}");
}

#[test]
fn a_batch_answers_each_line_in_order() {
    let lines = [
        r#"{"id": "a", "tool": "pets-getPet", "args": {"petId": 7}}"#,
        "",
        r#"{"tool": "getPet", "args": {"petId": "rex"}}"#,
    ];
    let (_folder, file) = folder_with("calls.jsonl", lines.join("\n"));
    let ended = callgate(&["call", DEMO, "--batch", file]).exits(1);
    let results: Vec<Value> =
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0]["id"], &results[0]["status"]), (&json!("a"), &json!(200)));
    assert_eq!(results[1]["id"], "3");
    assert_eq!(results[1]["error"]["code"], "invalid_arguments");
    let verbose = ["call", DEMO, "--batch", file, "-v"];
    callgate(&verbose).exits(1).says("> GET https://api.pets.example");
}

#[test]
fn flags_about_a_part_of_an_answer_are_refused_for_messages_and_dry_runs() {
    let message = ["call", DEMO, "--dialect", "openai", "--message", "m.json"];
    for flags in [["--select", "id"], ["--jsonpath", "$.id"]] {
        let line = [&message[..], &flags[..]].concat();
        callgate(&line).exits(2).says("cannot be used with").says(flags[0]);
    }
    let planned = ["call", DEMO, "pets-getPet", "petId=7", "--dry-run", "--as-model"];
    callgate(&planned).exits(2).says("cannot be used with");
}

#[test]
fn a_malformed_batch_sends_nothing() {
    let server = Server::start();
    let (_folder, file) = folder_with(
        "calls.jsonl",
        "{\"tool\": \"getPet\", \"args\": {\"petId\": 7}}\n{\"tool\": 5}\n{\n",
    );
    let url = server.url("");
    let line = ["call", "fixtures/pets/spec.yaml", "--server", &url, "--batch", file];
    let ended = callgate(&line).exits(2).says("calls.jsonl:3: ").says("nothing was sent");
    ended.says("calls.jsonl:2: `tool`: expected a text, got: a number");
    assert!(server.requests().is_empty());
}

#[test]
fn usage_and_missing_files_exit_2() {
    callgate(&["call"]).exits(2);
    let ended = callgate(&["call", "no-such-file.yaml", "x"]).exits(2).says("cannot read");
    ended.says("no-such-file.yaml");
    callgate(&["call", DEMO, "pets-getPet", "petId"]).exits(2).says("expected `name=value`");
    callgate(&["call", DEMO, "pets-getPet", "--args", "[]"]).exits(2).says("JSON object");
    let ended = callgate(&["call", DEMO, "pets-getPet", "--server", "http://x"]).exits(2);
    ended.says("bare descriptions");
}

#[test]
fn an_unreadable_description_is_reported_instead_of_an_unknown_tool() {
    let (_folder, file) = folder_with("empty.yaml", "");
    callgate(&["call", file, "getPet"]).exits(2).says("not-a-description").says("empty.yaml");
    callgate(&["tools", file]).exits(2).says("not-a-description");
}

#[test]
fn a_call_of_an_operation_that_is_not_offered_says_so() {
    let ended = callgate(&["call", "fixtures/faulty/spec.yaml", "nope"]).exits(2);
    ended.says("2 operations of `fixtures/faulty/spec.yaml` are not offered");
    callgate(&["call", "fixtures/faulty/spec.yaml", "askAnotherProtocol"])
        .exits(1)
        .says("the tool `askAnotherProtocol` is not offered")
        .says(
            "its operation is refused, `invalid-server`: expected a server with `http` or `https`",
        );
}

#[test]
fn rows_20_and_22_keys_that_occur_twice_and_half_characters_are_refused() {
    let server = Server::start();
    let description = root().join("fixtures/pets/spec.yaml");
    let url = server.url("/v1");
    for arguments in [
        r#"{"name": "Rex", "n\u0061me": "Tom", "species": "dog"}"#,
        r#"{"name": "Rex", "species": "dog", "species": "cat"}"#,
        r#"{"name": "\ud800", "species": "dog"}"#,
        r#"{"name": "Rex", "species": "dog", "__proto__": {"admin": true}}"#,
    ] {
        let path = description.to_str().unwrap();
        let ended = callgate(&["call", path, "createPet", "--server", &url, "--args", arguments]);
        assert_ne!(ended.code, Some(0), "{arguments}: {ended:?}");
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn a_message_is_read_in_the_form_that_its_tools_were_declared_in() {
    let folder = tempfile::tempdir().unwrap();
    let (file, description) = (folder.path().join("m.json"), folder.path().join("pets.yaml"));
    let body = "{type: object, required: [owner], properties: {owner: {type: object, properties: {first-name: {type: string}}}}}";
    let operation = format!(
        "{{operationId: tag, requestBody: {{required: true, content: {{application/json: {{schema: {body}}}}}}}, responses: {{}}}}"
    );
    let text = format!(
        "openapi: 3.1.0\ninfo: {{title: a, version: '1'}}\nservers: [{{url: 'http://a.example'}}]\npaths: {{/pets: {{post: {operation}}}}}\n"
    );
    fs::write(&description, text).unwrap();
    let arguments = json!({"owner": {"first_name": "Kim"}});
    let message =
        json!({"role": "model", "parts": [{"functionCall": {"name": "tag", "args": arguments}}]});
    fs::write(&file, message.to_string()).unwrap();
    let (file, description) = (file.to_str().unwrap(), description.to_str().unwrap());
    let call = |dialect: &str, form: &str| {
        let from = ["--dialect", dialect, "--form", form, "--message", file];
        callgate(&[&["call", description, "--dry-run"][..], &from].concat())
    };
    let answers = call("gemini", "schema").exits(0).json();
    let request = &answers[0]["parts"][0]["functionResponse"]["response"]["output"]["request"];
    assert_eq!(request["body"], r#"{"owner":{"first-name":"Kim"}}"#, "{answers}");
    call("openai", "schema").exits(2).says("expected a form of `openai`");
}

#[test]
fn the_calls_of_a_message_are_answered_as_messages() {
    let message = json!({"role": "assistant", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "pets-getPet", "arguments": "{\"petId\":7}"}},
        {"id": "b", "type": "function", "function": {"name": "pets-getPet", "arguments": "{"}},
        {"id": "c", "type": "function", "function": {"name": "pets-deletePet", "arguments": "{\"petId\":7}"}},
    ]});
    let (_folder, file) = folder_with("message.json", message.to_string());
    let base =
        ["call", DEMO, "--dialect", "openai", "--message", file, "--function", "pets-getPet"];
    let answers = callgate(&base).exits(1).json();
    let content = |at: usize| answers[at]["content"].as_str().unwrap().to_owned();
    assert_eq!(answers[1]["tool_call_id"], json!("b"));
    assert!(content(0).contains("Rex"), "{answers}");
    assert!(content(1).contains("not JSON"), "{answers}");
    assert!(content(2).contains("call one of `pets-getPet`"), "{answers}");
    let planned = callgate(&[&base[..], &["--dry-run", "--jobs", "4"]].concat()).exits(1).json();
    assert!(planned[0]["content"].as_str().unwrap().contains("****"), "{planned}");
    let ended = callgate(&["call", DEMO, "--dialect", "gemini", "--message", file]).exits(2);
    ended.says("got one of `openai`");
    callgate(&["call", DEMO, "--message", file]).exits(2).says("--dialect");
}

#[test]
fn a_call_that_has_to_be_approved_is_refused_without_a_terminal_and_made_with_yes() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join(DEMO)).unwrap();
    let at = |path: &str| root().join(path).display().to_string();
    let text = text.replace("../fixtures", &at("fixtures"));
    let text = text.replace("demo.key", &at("config/demo.key"));
    let text = text.replace("    openapi:", "    confirm: always\n    openapi:");
    let file = write(&folder, "callgate.yaml", text);
    let ended = callgate(&["call", file, "pets-getPet", "petId=7"]).exits(1).says("needs_approval");
    ended.says("help: `--yes` approves the call");
    let ended = callgate(&["call", file, "pets-getPet", "petId=7", "--yes"]).exits(0);
    assert_eq!(ended.json()["id"], json!(7));
    let ended = callgate(&["call", file, "pets-getPet", "petId=7", "--dry-run"]).exits(0);
    ended.prints("GET https://");
    let line = "{\"id\": \"a\", \"tool\": \"pets-getPet\", \"args\": {\"petId\": 7}}\n";
    let batch = write(&folder, "calls.jsonl", line);
    callgate(&["call", file, "--batch", batch]).exits(1).prints("needs_approval");
    callgate(&["call", file, "--batch", batch, "--yes"]).exits(0).prints("Rex");
}
