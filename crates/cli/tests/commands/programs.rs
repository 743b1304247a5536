//! Programs whose calls are calls of tools, by the command: `run` and `call`, with the engine `monty`.

use crate::{prelude::*, run_at_home as run};

/// A folder with a configuration: a folder of documents, a service, and the tool that runs programs.
fn shop(origin: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let operations =
        "paths: {/pets: {get: {operationId: list, responses: {'200': {description: d}}}}}";
    write(&folder, "pets.yaml", callgate_testkit::describe(operations));
    let text = format!(
        "toolsets:\n  pets: {{openapi: pets.yaml, auth: none, server: '{origin}'}}\n  code: {{code_interpreter: {{engine: monty}}}}\n"
    );
    write(&folder, "callgate.yaml", text);
    folder
}

/// Lets a shop take orders, each of which a person approves. Returns its configuration.
fn take_orders(folder: &TempDir, origin: &str) -> String {
    let operations =
        "paths: {/orders: {post: {operationId: order, responses: {'200': {description: d}}}}}";
    write(folder, "orders.yaml", callgate_testkit::describe(operations));
    let text = format!(
        "toolsets:\n  shop: {{openapi: orders.yaml, auth: none, server: '{origin}', confirm: writes}}\n  code: {{code_interpreter: {{engine: monty, calls: {{effects: [read, write]}}}}}}\n"
    );
    write(folder, "callgate.yaml", &text);
    text
}

/// A shop whose service takes a token of the session, and its configuration after these lines.
fn signed_shop(origin: &str, before: &str, token: &str) -> (TempDir, String) {
    let folder = shop(origin);
    let text = fs::read_to_string(folder.path().join("callgate.yaml")).unwrap();
    let token = format!("auth: {{bearer: {{token: $session.{token}}}}}");
    let text = format!("{before}{}", text.replace("auth: none", &token));
    write(&folder, "callgate.yaml", &text);
    (folder, text)
}

/// The JSON of an answer that says that a request was obeyed.
#[track_caller]
fn send(sidecar: &Sidecar, line: &str, head: &str, body: &str) -> Value {
    let answer = sidecar.answer(line, head, body);
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    Value::parse(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// The call of a program.
fn program(input: &str) -> Value {
    json!({"tool": "code-generate_and_execute", "args": {"input": input}})
}

#[test]
fn a_program_is_run_and_its_calls_reach_the_service() {
    let answer = r#"[{"price": 1.10}, {"price": 2}]"#;
    let service = Blocking::start(Service::start(move |_| (200, answer.to_owned())));
    let folder = shop(&service.service.origin);
    let sum = run(&folder, &["run", "callgate.yaml", "-c", "print('hi')\n4 + 4"]).exits(0);
    assert_eq!(sum.out, "hi\n8\n");
    let prices = "sum([pet['price'] for pet in await pets.list()])";
    write(&folder, "prices.py", prices);
    let ran = run(&folder, &["run", "callgate.yaml", "prices.py"]).exits(0);
    assert_eq!(ran.out, "3.1\n");
    assert_eq!(service.service.received().len(), 1);
    let json = run(&folder, &["run", "callgate.yaml", "prices.py", "--json"]).exits(0).json();
    assert_eq!(json["response"]["calls"][0]["tool"], json!("pets-list"));
    run(&folder, &["run", "callgate.yaml", "-c", "1 / 0"]).exits(1).says("ZeroDivisionError");
    let ended = run(&folder, &["tools", "callgate.yaml", "code-generate_and_execute"]).exits(0);
    ended.prints("pets.list()");
}

#[test]
fn calls_that_need_a_person_are_approved_by_yes_and_refused_without_a_terminal() {
    let service = Blocking::start(Service::start(|_| (200, r#"{"made": 1}"#.to_owned())));
    let origin = &service.service.origin;
    let folder = shop(origin);
    take_orders(&folder, origin);
    let code = "n = 0\nfor _ in range(10):\n    n += (await shop.order())['made']\nn";
    let refused = run(&folder, &["run", "callgate.yaml", "-c", code]).exits(2);
    refused.says("a person has to approve this call");
    assert_eq!(service.service.received().len(), 0);
    let made = run(&folder, &["run", "callgate.yaml", "-c", code, "--yes"]).exits(0);
    assert_eq!(made.out, "10\n");
    assert_eq!(service.service.received().len(), 10);
}

#[test]
fn a_program_of_a_sidecar_waits_for_a_sign_in_and_goes_on_with_the_new_token() {
    let service = Blocking::start(Service::start(|_| (200, r#"[{"price": 1}]"#.to_owned())));
    let (folder, _) = signed_shop(&service.service.origin, "", "credentials.me");
    let sidecar = Sidecar::start(folder.path(), &[]);
    let send = |line: &str, body: &Value| send(&sidecar, line, "", &body.to_string());
    send("PUT /v1/sessions/s1", &json!({"parameters": {"lang": "en"}}));
    let call = program("len(await pets.list())");
    let answer = send("POST /v1/calls", &json!({"calls": [call], "session": {"id": "s1"}}));
    let pending = &answer["results"][0]["pending"];
    assert_eq!(pending["request"]["sign_in"]["code"], json!("sign_in_required"), "{answer}");
    assert_eq!(service.service.received().len(), 0);
    send("PATCH /v1/sessions/s1", &json!({"credentials": {"me": "token-of-kim"}}));
    let decision = format!("POST /v1/approvals/{}", pending["id"].as_str().unwrap());
    let answer = send(&decision, &json!({"decision": "approve"}));
    assert_eq!(answer["response"]["execution_result"], json!("1"), "{answer}");
    assert_eq!(service.service.received().len(), 1);
}

#[test]
fn a_sign_in_is_decided_by_the_command_and_its_request_may_come_again_under_its_key() {
    let service = Blocking::start(Service::start(|_| (200, r#"[{"price": 1}]"#.to_owned())));
    let (folder, text) = signed_shop(&service.service.origin, "", "credentials.me");
    let sidecar = Sidecar::start(folder.path(), &[]);
    // Clients read another file than the sidecar: with the port that it got.
    let client = format!("listen: {}\n{text}", sidecar.address);
    write(&folder, "client.yaml", client);
    let send = |line: &str, head: &str, body: &str| send(&sidecar, line, head, body);
    send("PUT /v1/sessions/s1", "", r#"{"parameters": {"lang": "en"}}"#);
    let call = program("len(await pets.list())");
    let body = json!({"calls": [call], "session": {"id": "s1"}}).to_string();
    let keyed = || send("POST /v1/calls", "Idempotency-Key: order-1\r\n", &body);
    let asked = keyed();
    let pending = &asked["results"][0]["pending"];
    let id = pending["id"].as_str().unwrap();
    let words = pending["request"]["text"].as_str().unwrap();
    assert!(words.contains(&format!("`POST /v1/approvals/{id}`")), "{words}");
    assert_eq!(send("GET /v1/approvals", "", "")["approvals"], json!([]));
    run(&folder, &["approve", id, "client.yaml"]).exits(1).says("nothing was decided");
    send("PATCH /v1/sessions/s1", "", r#"{"credentials": {"me": "token-of-kim"}}"#);
    run(&folder, &["approve", id, "client.yaml", "--yes"]).exits(0).prints("execution_result");
    let again = keyed();
    assert_eq!(again["results"][0]["response"]["execution_result"], json!("1"), "{again}");
    assert_eq!(service.service.received().len(), 1);
    // The request that goes on would have the same credentials as this one.
    let own = json!({"id": "s2", "credentials": {"other": "token-of-lee"}});
    let body = json!({"calls": [call], "session": own}).to_string();
    let raised = send("POST /v1/calls", "", &body);
    let error = raised["results"][0]["response"]["execution_error"].as_str();
    assert!(error.is_some_and(|error| error.contains("sign_in_required")), "{raised}");
}

#[test]
fn a_request_under_a_key_goes_on_with_the_token_in_a_header_of_the_decision() {
    let service = Blocking::start(Service::start(|_| (200, r#"[{"price": 1}]"#.to_owned())));
    let headers = "sessions: {headers: {token: X-User-Token}}\n";
    let (folder, _) = signed_shop(&service.service.origin, headers, "params.token");
    let sidecar = Sidecar::start(folder.path(), &[]);
    let call = program("len(await pets.list())");
    let send = |line: &str, head: &str, body: &Value| sidecar.json(line, head, &body.to_string());
    let key = "Idempotency-Key: order-1\r\n";
    let asked = send("POST /v1/calls", key, &json!({"calls": [call]}));
    let id = asked["results"][0]["pending"]["id"].as_str().unwrap();
    let (line, token) = (format!("POST /v1/approvals/{id}"), "X-User-Token: token-of-kim\r\n");
    let answer = send(&line, token, &json!({"decision": "approve"}));
    assert_eq!(answer["response"]["execution_result"], json!("1"), "{answer}");
    assert_eq!(service.service.received().len(), 1);
}

#[test]
fn the_command_that_approves_a_call_of_a_program_names_the_next_one_that_waits() {
    let service = Blocking::start(Service::start(|_| (200, r#"{"made": 1}"#.to_owned())));
    let (folder, origin) = (shop("http://127.0.0.1:9"), &service.service.origin);
    let text = take_orders(&folder, origin);
    let sidecar = Sidecar::start(folder.path(), &[]);
    let client = format!("listen: {}\n{text}", sidecar.address);
    write(&folder, "client.yaml", client);
    let call = program("for _ in range(2):\n    await shop.order()");
    let answer = sidecar.json("POST /v1/calls", "", &json!({"calls": [call]}).to_string());
    let id = answer["results"][0]["pending"]["id"].as_str().unwrap();
    let first = run(&folder, &["approve", id, "client.yaml", "--yes"]).exits(1);
    first.says("call 2 of a program, line 2").says("a call of the program waits");
    assert_eq!(service.service.received().len(), 1);
}

#[test]
fn a_configuration_without_programs_gets_the_key_to_add() {
    let folder = shop("http://127.0.0.1:9");
    let text = fs::read_to_string(folder.path().join("callgate.yaml")).unwrap();
    let text = text.lines().filter(|line| !line.contains("code:")).collect::<Vec<_>>().join("\n");
    write(&folder, "callgate.yaml", text);
    let refused = run(&folder, &["run", "callgate.yaml", "-c", "4"]).exits(2);
    refused.says("expected a tool that runs programs, got none").says("code_interpreter: {}");
}

#[test]
fn a_task_in_words_is_run_by_the_program_of_a_configured_model() {
    let reply = json!({"role": "assistant", "content": "```python\nlen(await pets.list())\n```"});
    let reply = json!({"choices": [{"index": 0, "message": reply, "finish_reason": "stop"}]});
    let reply = reply.to_string();
    let service = Blocking::start(Service::start(move |request| {
        let pets = r#"[{"price": 1}, {"price": 2}]"#;
        (200, if request.line.starts_with("POST") { reply.clone() } else { pets.to_owned() })
    }));
    let folder = shop(&service.service.origin);
    let text = fs::read_to_string(folder.path().join("callgate.yaml")).unwrap();
    let write = |model: &str, generate: &str| {
        let text = text.replace("engine: monty", &format!("engine: monty, generate: {generate}"));
        let models = format!(
            "models: {{main: {{dialect: openai, url: '{}/v1', model: m, auth: {model}}}}}\n",
            service.service.origin
        );
        write(&folder, "callgate.yaml", format!("{models}{text}"));
    };
    write("{bearer: {token: 'literal:key-of-the-model'}}", "main");
    run(&folder, &["check", "callgate.yaml"]).exits(0);
    let ran = run(&folder, &["run", "callgate.yaml", "-c", "how many pets are there?"]).exits(0);
    assert_eq!(ran.out, "2\n");
    let json = ["run", "callgate.yaml", "-c", "how many pets are there?", "--json"];
    let json = run(&folder, &json).exits(0).json();
    assert_eq!(json["response"]["generated_code"], json!("len(await pets.list())"));
    let notes = json["notes"].to_string();
    assert!(notes.contains("the tool asked a model, which took "), "{json}");
    let received = service.service.received();
    let asked = received.iter().find(|request| request.line.starts_with("POST")).unwrap();
    assert_eq!(asked.line, "POST /v1/chat/completions");
    let body = &asked.body;
    assert!(body.contains("how many pets are there?") && body.contains("pets.list()"), "{body}");
    write("none", "mian");
    let ended = run(&folder, &["check", "callgate.yaml"]).exits(2);
    let ended = ended.says("expected the name of a model below `models`, got: `mian`");
    ended.says("did you mean `main`?");
}

#[test]
fn a_dry_run_goes_as_far_as_cases_answer_and_shows_the_requests() {
    let service = Blocking::start(Service::start(|_| (200, "[]".to_owned())));
    let folder = shop(&service.service.origin);
    write(&folder, "fixtures/pets/toolset.yaml", "openapi: spec.yaml\n");
    let request = format!(
        "GET {}/pets HTTP/1.1\naccept: application/json, */*;q=0.1\n\n",
        service.service.origin
    );
    let response =
        "HTTP/1.1 200 OK\ncontent-type: application/json\n\n[{\"price\": 1}, {\"price\": 2}]\n";
    for (name, text) in
        [("call.json", "{}"), ("request.http", &*request), ("response.http", response)]
    {
        write(&folder, &format!("fixtures/pets/cases/two-pets/{name}"), text);
    }
    let code = "len(await pets.list())";
    let program = ["run", "callgate.yaml", "-c", code, "--dry-run"];
    let ran = run(&folder, &[&program[..], &["--fixtures", "fixtures"]].concat()).exits(0);
    let ran = ran.prints("request 1, answered by the case `two-pets`").prints("/pets HTTP/1.1");
    assert!(ran.out.ends_with("\n2\n"), "{}", ran.out);
    let stopped = run(&folder, &program).exits(1);
    stopped.prints("request 1, nothing is recorded").says("nothing_recorded");
    assert_eq!(service.service.received().len(), 0);
}

#[test]
fn keys_that_the_engine_would_ignore_are_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let check = |toolset: &str| {
        let text = format!("toolsets:\n  code: {{{toolset}}}\n");
        write(&folder, "callgate.yaml", text);
        run(&folder, &["check", "callgate.yaml"])
    };
    for toolset in [
        "code_interpreter: {engine: python, calls: {}}",
        "code_interpreter: {engine: python}, limits: {calls: 3}",
        "code_interpreter: {engine: python}, limits: {parallel: 3}",
    ] {
        let refused =
            check(toolset).exits(2).says("an engine whose code calls tools, got `python`");
        refused.says("write `engine: monty`, or remove the key");
    }
    check("code_interpreter: {engine: monty, packages: [numpy]}").exits(2).says("`engine: python`");
    check("code_interpreter: {calls: {}}").exits(0);
}

#[test]
fn a_call_that_lacks_the_login_of_the_user_raises_before_anything_is_sent() {
    let service = Blocking::start(Service::start(|_| (200, r#"[{"price": 1}]"#.to_owned())));
    let (folder, _) = signed_shop(&service.service.origin, "", "params.token");
    let code = "try:\n    r = len(await pets.list())\nexcept RuntimeError as e:\n    r = [fault(e)['code'], fault(e)['reached'], fault(e)['next']]\nr";
    let ran = run(&folder, &["run", "callgate.yaml", "-c", code]).exits(0);
    assert_eq!(ran.out, "[\"sign_in_required\",\"no\",\"ask_user\"]\n");
    assert_eq!(service.service.received().len(), 0);
    let session = json!({"id": "s", "parameters": {"token": "of-the-user-0123456789"}});
    write(&folder, "session.json", session.to_string());
    let with_login = ["run", "callgate.yaml", "-c", code, "--session", "session.json"];
    assert_eq!(run(&folder, &with_login).exits(0).out, "1\n");
    assert_eq!(service.service.received().len(), 1);
}
