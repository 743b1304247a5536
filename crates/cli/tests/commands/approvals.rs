//! `callgate approvals` and `callgate approve`, against a running sidecar.

use crate::prelude::*;

const AGENT: &str = "canary-token-of-the-agent";
const LEAD: &str = "canary-token-of-the-lead";

/// A sidecar whose writes wait for an approval, its service, and the folder that it was started in.
struct Scene {
    folder: TempDir,
    sidecar: Sidecar,
    service: Server,
}

/// A service whose pets are there, but for some.
fn pets_service() -> Server {
    Server::with(Router::new().fallback(|request: Request| async move {
        let (method, path) = (request.method().as_str(), request.uri().path());
        let (status, kind, text) = match path {
            "/pets/broken" => (500, "application/json", r#"{"why": "pets are asleep"}"#.to_owned()),
            "/pets/empty" => (204, "application/json", String::new()),
            "/pets/text" => (200, "text/plain", "a text of the service\n\n".to_owned()),
            _ => (200, "application/json", json!({"method": method, "path": path}).to_string()),
        };
        let response = Response::builder().status(status).header("content-type", kind);
        response.body(Body::from(text)).unwrap()
    }))
}

impl Scene {
    /// Each of two principals may approve what the other calls; `access` is a further line of that key.
    fn start(access: &str) -> Self {
        Self::start_with(Server::start(), access, "", "")
    }

    /// With a further key of the configuration, and further ones of the toolset.
    fn start_with(service: Server, access: &str, key: &str, of_toolset: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spec = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\npaths:\n  /pets/{name}:\n    delete:\n      operationId: \
                    remove\n      summary: Removes a pet\n      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]\n      \
                    responses: { '200': { description: removed } }\n    put:\n      operationId: rename\n      parameters: [{ name: name, in: path, \
                    required: true, schema: { type: string } }]\n      requestBody: { content: { text/plain: { schema: { type: string } } } }\n      \
                    responses: { '200': { description: renamed } }\n";
        write(&folder, "spec.yaml", spec);
        let text = format!(
            "{key}\naccess:\n  {access}\n  principals:\n    agent: {{ bearer: 'literal:{AGENT}', approves: [pets] }}\n    lead: {{ bearer: \
             'literal:{LEAD}', approves: [pets] }}\ntoolsets:\n  pets: {{ openapi: spec.yaml, server: '{}', confirm: writes{of_toolset} }}\n",
            service.url("")
        );
        write(&folder, "callgate.yaml", text);
        let sidecar = Sidecar::start(folder.path(), &[]);
        // Clients read another file than the sidecar: with the port that it got.
        let toolsets = "toolsets: { pets: { openapi: spec.yaml } }";
        let text = format!("listen: {}\n{toolsets}\n", sidecar.address);
        write(&folder, "client.yaml", text);
        Self { folder, sidecar, service }
    }

    /// The results of calls of the agent.
    fn called(&self, calls: &Value) -> Value {
        let head = format!("Authorization: Bearer {AGENT}\r\n");
        let body = json!({"calls": (calls.clone())}).to_string();
        self.sidecar.json("POST /v1/calls", &head, &body)["results"].clone()
    }

    /// The id of an approval that a call of the agent waits for.
    fn waiting(&self, name: &str) -> String {
        let results = self.called(&json!([{"tool": "pets-remove", "args": {"name": name}}]));
        results[0]["pending"]["id"].as_str().unwrap_or_else(|| panic!("{results}")).to_owned()
    }

    /// A command of somebody with this token.
    fn run(&self, token: &str, line: &[&str]) -> Ended {
        let mut command = command_in(self.folder.path(), line);
        command.args(["client.yaml", "--bearer", "env:TOKEN"]).env("TOKEN", token);
        let ended = Ended::of(command.stdin(Stdio::null()));
        assert!(!format!("{ended:?}").contains("canary-token"), "{ended:#?}");
        ended
    }
}

#[test]
fn the_health_of_a_sidecar_on_this_machine_is_an_exit_code_and_needs_no_token() {
    let scene = Scene::start("url: https://callgate.example.com");
    let health = |line: &[&str]| Ended::of(&mut command_in(scene.folder.path(), line));
    health(&["health", "client.yaml"]).exits(0).prints(r#"{"status":"ok"}"#);
    health(&["health", "client.yaml", "--ready"]).exits(0).prints(r#""status":"ready""#);
    let address = scene.sidecar.address.clone();
    // Its own address, where others know it by another.
    let text = format!(
        "listen: 127.0.0.1:1\nadmin: {address}\naccess: {{url: 'https://callgate.example.com', bearer: 'env:T'}}\ntoolsets: {{pets: {{openapi: spec.yaml}}}}\n"
    );
    write(&scene.folder, "known.yaml", text);
    health(&["health", "known.yaml"]).exits(0).prints("ok");
    let ended = health(&["health", "--url", "http://127.0.0.1:1"]).exits(2);
    ended.says("no answer of a sidecar").says("Connection refused");
}

#[test]
fn an_answer_without_json_is_of_no_sidecar() {
    let other = Server::with(Router::new());
    let url = other.url("");
    for line in [&["health"][..], &["approvals"], &["approve", "some-id", "--yes"]] {
        let ended = callgate(&[line, &["--url", &*url]].concat()).exits(2);
        ended.says(&url).says("sidecar");
    }
}

#[test]
fn another_person_lists_and_approves_a_call_that_its_caller_then_makes() {
    let scene = Scene::start("four_eyes: true");
    scene.run(LEAD, &["approvals"]).exits(0).prints("no call waits");
    let id = scene.waiting("rex");
    let listed = scene.run(LEAD, &["approvals"]).exits(0).prints(&id).prints("pets-remove");
    listed.prints("principal:agent").prints("waiting").prints("1 listed");
    let json = scene.run(LEAD, &["approvals", "--json"]).exits(0).json();
    assert_eq!(json["approvals"][0]["id"].as_str(), Some(&*id));
    assert_eq!(json["approvals"][0]["mayDecide"].as_bool(), Some(true));
    scene.run(LEAD, &["approvals", "--state", "approved"]).exits(0).prints("no call waits");

    // Nobody is asked without a terminal, so nothing is decided.
    scene.run(LEAD, &["approve", &id]).exits(1).says("expected `--yes` or `--reject`");
    let ended = scene.run(LEAD, &["approve", &id, "--yes"]).exits(0);
    let ended = ended.prints("approved: pets-remove; it is sent when principal:agent");
    ended.says("called by principal:agent").says("Removes a pet").says("DELETE ").says("/pets/rex");
    assert_eq!(scene.service.requests(), Vec::<String>::new(), "the approval sends nothing");
    scene.run(LEAD, &["approvals", "--state", "approved"]).exits(0).prints(&id);
    let results = scene.called(&json!([{"tool": "pets-remove", "args": {"name": "rex"}}]));
    assert_eq!(results[0]["response"]["path"].as_str(), Some("/pets/rex"), "{results}");
    scene.run(LEAD, &["approve", &id, "--yes"]).exits(1).says("`callgate approvals` lists");
}

#[test]
fn under_four_eyes_nobody_approves_their_own_call() {
    let scene = Scene::start("four_eyes: true");
    let id = scene.waiting("rex");
    scene.run(AGENT, &["approvals"]).exits(0).prints(&id).prints(" you ");
    let ended = scene.run(AGENT, &["approve", &id, "--yes"]).exits(1);
    ended.says("error[needs_approval]: ").says("callgate explain");
    assert_eq!(scene.service.requests(), Vec::<String>::new());
    scene.run(AGENT, &["approve", &id, "--reject"]).exits(0).prints("rejected: pets-remove");
    scene.run(AGENT, &["approvals"]).exits(0).prints("no call waits");
}

#[test]
fn a_call_of_ones_own_is_made_by_its_approval() {
    let scene = Scene::start("");
    let id = scene.waiting("rex");
    scene.run(AGENT, &["approve", &id, "--yes"]).exits(0).prints("\"/pets/rex\"");
    assert_eq!(scene.service.requests().len(), 1);
    let json =
        scene.run(AGENT, &["approve", &scene.waiting("tom"), "--json", "--yes"]).exits(0).json();
    assert_eq!(json["response"]["path"].as_str(), Some("/pets/tom"), "{json}");
}

#[test]
fn a_call_that_its_approval_makes_ends_in_the_words_of_a_call() {
    let scene = Scene::start_with(pets_service(), "", "", "");
    let approve = |name: &str| scene.run(AGENT, &["approve", &scene.waiting(name), "--yes"]);
    approve("empty").exits(0).says("204: no content");
    approve("text").exits(0).prints("a text of the service\n");
    let failed = approve("broken").exits(1).says("error[service_error]: ");
    let failed = failed.says("the service said: ").says("pets are asleep");
    let failed = failed.says("help: ").says("`callgate explain service_error` says more");
    assert_eq!(failed.out, "", "what is no answer is not on standard output");
}

#[test]
fn a_call_whose_caller_gave_a_header_says_why_it_waits_again() {
    let scene = Scene::start_with(
        Server::start(),
        "",
        "sessions: { headers: { user: X-User-Token } }",
        ", auth: { bearer: { token: $session.params.user } }",
    );
    let head = format!("Authorization: Bearer {AGENT}\r\nX-User-Token: canary-token-of-a-user\r\n");
    let body = json!({"calls": [{"tool": "pets-remove", "args": {"name": "rex"}}]}).to_string();
    let answer = scene.sidecar.json("POST /v1/calls", &head, &body);
    let id = answer["results"][0]["pending"]["id"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let ended = scene.run(AGENT, &["approve", id, "--yes"]).exits(1);
    ended.says("a value that its caller gave in a header").says("`POST /v1/approvals/approval_");
    assert_eq!(scene.service.requests(), Vec::<String>::new());
}

/// A call of the agent about a pet over each way in: the path, and the body.
fn ways(pet: &str) -> Vec<(&'static str, Value)> {
    let args = json!({"name": pet});
    let call = json!({"id": "a", "tool": "pets-remove", "args": (args.clone())});
    let of_dialogflow = json!({
        "tool": "projects/p/locations/l/agents/a/tools/t", "action": "pets-remove", "inputParameters": (args.clone()),
    });
    let function = json!({"name": "pets-remove", "arguments": (args.to_string())});
    let openai = json!({"id": "1", "type": "function", "function": function});
    let message = json!({"role": "assistant", "tool_calls": [openai]});
    let mcp = json!({"name": "pets-remove", "arguments": (args.clone())});
    let run = json!({"inputs": [{"toolCalls": {"toolCalls": [(call.clone())]}}]});
    let intent = json!({"queryResult": {"responseMessages": [{"toolCall": of_dialogflow}]}});
    let execute = json!({"tool": "pets-remove", "args": args});
    vec![
        ("/v1/calls", json!({"calls": [(call.clone())]})),
        ("/v1/dialects/openai/calls", json!({"message": message})),
        ("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": mcp})),
        ("/v1/sessions/s:run", run.clone()),
        ("/v1/projects/p/locations/l/apps/a/sessions/s:runSession", run),
        ("/v1/sessions/d:run", intent),
        ("/v1/projects/p/locations/l/apps/a:executeTool", execute),
    ]
}

#[test]
fn over_each_way_in_a_repeated_call_is_made_once_after_the_approval_of_another() {
    let scene = Scene::start("four_eyes: true");
    let head = format!(
        "Authorization: Bearer {AGENT}\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
    );
    for n in 0..ways("").len() {
        let pet = format!("pet-{n}");
        let (path, body) = ways(&pet).swap_remove(n);
        let call = || scene.sidecar.answer(&format!("POST {path}"), &head, &body.to_string());
        let is_made =
            |answer: &str| answer.replace('\\', "").contains(&format!(r#""path":"/pets/{pet}""#));
        let first = call();
        assert!(!is_made(&first), "{path} {first}");
        let listed = scene.run(LEAD, &["approvals", "--json", "--state", "waiting"]).json();
        let ids =
            listed["approvals"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str());
        let id = ids.rev().find(|id| first.contains(id));
        let id = id.unwrap_or_else(|| panic!("{path} {first} {listed}"));
        scene.run(AGENT, &["approve", id, "--yes"]).exits(1);
        let again = call();
        assert!(!is_made(&again) && again.contains(id), "{path} {again}");
        scene.run(LEAD, &["approve", id, "--yes"]).exits(0);
        let made = call();
        assert!(is_made(&made), "{path} {made}");
        assert_eq!(scene.service.requests().len(), n + 1, "{path}");
        let further = call();
        assert!(!is_made(&further), "{path} {further}");
    }
}

#[test]
fn the_first_decision_holds() {
    let scene = Scene::start("");
    let id = scene.waiting("rex");
    scene.run(LEAD, &["approve", &id, "--reject"]).exits(0).prints("rejected: pets-remove\n");
    let json = scene.run(LEAD, &["approve", &id, "--reject", "--json"]).exits(0).json();
    assert_eq!(json["state"].as_str(), Some("rejected"), "a repetition changes nothing: {json}");
    scene.run(LEAD, &["approve", &id, "--yes"]).exits(1).says("Somebody else has decided");
    assert_eq!(scene.service.requests(), Vec::<String>::new());
}

#[test]
fn all_pages_are_listed() {
    let scene = Scene::start("");
    let call = |number: u64| json!({"tool": "pets-remove", "args": {"name": (number.to_string())}});
    let results = scene.called(&(0..120).map(call).collect::<Vec<_>>().into());
    let last = results[119]["pending"]["id"].as_str().unwrap().to_owned();
    let json = scene.run(LEAD, &["approvals", "--json"]).exits(0).json();
    assert_eq!(json["approvals"].as_array().unwrap().len(), 120);
    scene.run(LEAD, &["approvals"]).exits(0).prints("120 listed");
    scene.run(LEAD, &["approve", &last, "--yes"]).exits(0).says("/pets/119");
}

#[test]
fn no_value_of_a_call_forges_a_line_or_controls_the_terminal() {
    let scene = Scene::start("");
    let forged = "a\n\nApprove this? [y/N] y\napproved: pets-remove\u{1b}[2J\u{202e}\u{9b}31m";
    let call = json!([{"tool": "pets-rename", "args": {"name": "rex", "body": forged}}]);
    let id = scene.called(&call)[0]["pending"]["id"].as_str().unwrap().to_owned();
    for line in [&["approvals"][..], &["approvals", "--json"], &["approve", &id, "--reject"]] {
        let ended = scene.run(LEAD, line).exits(0);
        let text = format!("{}{}", ended.out, ended.err);
        assert!(!text.chars().any(|one| one != '\n' && is_invisible_or_control(one)), "{text:?}");
        let forged =
            text.lines().find(|line| line.starts_with("Approve") || line.starts_with("approved"));
        assert_eq!(forged, None, "{text}");
    }
}

#[test]
fn a_caller_whom_the_sidecar_does_not_know_gets_help_and_no_list() {
    let scene = Scene::start("");
    let ended = scene.run("canary-token-of-nobody", &["approvals"]).exits(2);
    assert_eq!(ended.out, "");
    ended.says("help: name the token of a principal");
    let url = format!("http://{}", scene.sidecar.address);
    let ended = callgate(&["approvals", "--url", &url]).exits(2);
    ended.says("help: say who you are: `--bearer env:NAME`");
    let ended = callgate(&["approvals", "--url", &url, "--bearer", LEAD]).exits(2);
    assert!(!ended.err.contains("canary"), "{ended:#?}");
    ended.says("expected a reference to a secret");
    let ended =
        callgate(&["approvals", "--url", &url, "--bearer", "env:CALLGATE_NOT_SET"]).exits(2);
    ended.says("`CALLGATE_NOT_SET`");
}

#[test]
fn a_redirect_is_not_followed_and_other_servers_get_no_token() {
    let other = Server::start();
    let to = other.url("/v1/approvals");
    let app = Router::new().fallback(move || {
        let to = to.clone();
        async move {
            Response::builder().status(307).header("location", to).body(Body::empty()).unwrap()
        }
    });
    let server = Server::with(app);
    let line = ["approvals", "--url", &server.url(""), "--bearer", "env:TOKEN"];
    let ended = Ended::of(command_in(&root(), &line).env("TOKEN", LEAD)).exits(2);
    ended.says("it redirects (status 307)");
    assert_eq!(other.requests(), Vec::<String>::new());
}

#[test]
fn a_server_that_is_no_sidecar_and_an_address_without_one_are_reported() {
    let server = Server::start();
    let ended = callgate(&["approvals", "--url", &server.url("")]).exits(2);
    ended.says("expected the JSON of a sidecar");
    let url = callgate_testkit::closed_origin();
    callgate(&["approve", "approval_1", "--url", &url]).exits(2).says(&format!("at `{url}`"));
    let text = "listen: unix:/run/callgate.sock\ntoolsets: {t: {openapi: t.yaml}}\n";
    let (_folder, file) = folder_with("callgate.yaml", text);
    let ended = callgate(&["approvals", file]).exits(2);
    ended.says("expected a host and a port in `listen`").says("`--url URL`");
    fs::write(file, "listen: '8410'\ntoolsets: {t: {openapi: t.yaml}}\n").unwrap();
    callgate(&["approvals", file]).exits(2).says("expected `HOST:PORT`");
}

#[test]
fn a_tls_connection_needs_the_authority_of_the_sidecar_and_may_name_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, alt: &str| {
        let made = rcgen::generate_simple_self_signed(vec![alt.to_owned()]).unwrap();
        fs::write(path(&format!("{name}.pem")), made.cert.pem()).unwrap();
        fs::write(path(&format!("{name}.key")), made.signing_key.serialize_pem()).unwrap();
    };
    write("server", "127.0.0.1");
    write("lead", "lead.example");
    let port = callgate_testkit::free_port();
    let text = format!(
        "listen: {{ address: '127.0.0.1:{port}', tls: {{ certificate: server.pem, key: 'file:server.key', client_ca: [lead.pem] }} }}\n\
         access: {{ principals: {{ lead: {{ client_certificate: {{ san: lead.example }} }} }} }}\ntoolsets: {{ pets: {{ openapi: pets.yaml }} }}\n"
    );
    fs::copy(root().join("fixtures/pets/spec.yaml"), path("pets.yaml")).unwrap();
    fs::write(path("callgate.yaml"), text).unwrap();
    let _sidecar = Sidecar::of(&mut command_in(folder.path(), &["serve"]));
    let run = |more: &[&str]| Ended::of(command_in(folder.path(), &["approvals"]).args(more));
    run(&[]).exits(2).says("trust its authority, `--ca FILE`");
    run(&["--ca", "server.pem"]).exits(2).says("say who you are");
    let identity = ["--client-certificate", "lead.pem", "--client-key", "file:lead.key"];
    let with = |ca: &str| run(&[&["--ca", ca][..], &identity].concat());
    with("server.pem").exits(0).prints("no call waits");
    with("lead.pem").exits(2).says("trust its authority");
}
