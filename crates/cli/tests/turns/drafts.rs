//! `callgate draft --describe`: a model behind chat completions names a draft, and may do no more.

use crate::prelude::*;
use std::fs;

use tempfile::TempDir;

use crate::{http, model::check_request};

const SECRET: &str = "k7Qp2Zx9Vb4Nm8Ls3Td6Wf1Rg5Yh0Jc2";
const KEY: &str = "key-of-the-model-0123456789";

/// A model that always says the same, and a folder with its configuration.
struct Trial {
    folder: TempDir,
    requests: Arc<Mutex<Vec<Value>>>,
}

/// The exit code of a draft, and what it printed to both ways out.
struct Drafted {
    code: Option<i32>,
    result: String,
    said: String,
}

impl Trial {
    fn new(reply: &str) -> Self {
        let requests = Arc::<Mutex<Vec<Value>>>::default();
        let (own, reply) = (Arc::clone(&requests), reply.to_owned());
        let origin = http::serve(move |line, body, stream| {
            assert_eq!(line, "POST /v1/chat/completions HTTP/1.1");
            let request = Value::parse(body).unwrap();
            check_request(&request);
            own.lock().unwrap().push(request);
            let message = json!({"role": "assistant", "content": reply});
            let reply =
                json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
            let head = http::head(200, "application/json");
            stream.write_all(format!("{head}{reply}").as_bytes()).unwrap();
        });
        let folder = tempfile::tempdir().unwrap();
        // What the toolset and the agent name is not there: nothing but the model is opened.
        let configuration = format!(
            "models: {{main: {{dialect: openai, url: {origin}/v1, model: m, auth: {{bearer: {{token: 'literal:{KEY}'}}}}}}}}\n\
             agents: {{keeper: {{model: main, instructions: file:absent.txt}}}}\n\
             toolsets: {{shop: {{openapi: absent.yaml}}}}\n"
        );
        fs::write(folder.path().join("callgate.yaml"), configuration).unwrap();
        Self { folder, requests }
    }

    fn draft(&self, more: &[&str]) -> Drafted {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
        command.args(["draft", "--describe", "main", "--prompt", "Pets"]).args(more);
        for method in ["GET", "DELETE"] {
            let url = "https://api.pets.example/pets/7";
            let line = format!(
                "curl -X {method} {url} -H 'Authorization: Bearer {SECRET}' -H 'X-Note: {SECRET}'"
            );
            command.args(["--curl", &line]);
        }
        let ended = command.current_dir(self.folder.path()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Drafted {
            code: ended.status.code(),
            result: text(&ended.stdout),
            said: text(&ended.stderr),
        }
    }
}

fn overlay(target: &str, action: &Value) -> String {
    let mut action = action.clone();
    action.as_object_mut().unwrap().insert("target", Value::from(target));
    json!({"overlay": "1.0.0", "info": {"title": "Names", "version": "1"}, "actions": [action]})
        .to_string()
}

const GET: &str = "$.paths['/pets/{petId}'].get";

#[test]
fn a_model_names_a_draft_and_the_difference_is_shown() {
    let named = json!({"update": {"operationId": "showPet", "summary": "Show a pet"}});
    let trial = Trial::new(&format!("```json\n{}\n```", overlay(GET, &named)));
    let drafted = trial.draft(&["--out", "spec.yaml"]);
    assert_eq!(drafted.code, Some(0), "{}", drafted.said);
    let place = "/paths/~1pets~1{petId}/get";
    let expected = format!(
        "{place}/operationId\n- \"getPet\"\n+ \"showPet\"\n{place}/summary\n+ \"Show a pet\"\n"
    );
    assert!(drafted.said.contains(&expected), "{}", drafted.said);
    let spec = fs::read_to_string(trial.folder.path().join("spec.yaml")).unwrap();
    assert!(spec.contains("operationId: showPet"), "{spec}");
    assert!(spec.contains("summary: Show a pet"), "{spec}");
    let requests = trial.requests.lock().unwrap();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    let request = request.to_string();
    assert!(request.contains("getPet") && request.contains("OpenAPI Overlay"), "{request}");
    assert!(!request.contains("\"tools\""), "{request}");
    for secret in [SECRET, KEY] {
        assert!(!request.contains(secret) && !spec.contains(secret), "{request}");
    }
}

#[test]
fn an_answer_that_does_more_is_refused_with_its_place_and_nothing_is_written() {
    let updated = |target: &str, update: Value| overlay(target, &json!({"update": update}));
    let removed = |target: &str| overlay(target, &json!({"remove": true}));
    let server = || json!({"url": "https://evil.example"});
    let own = json!({"x-callgate": {"server": "https://evil.example"}});
    let control = json!({"summary": "\u{1b}]0;x\u{7}"});
    let rows = [
        (updated("$", json!({"servers": [server()]})), "`/servers`: a model may only write"),
        (updated("$.servers[0]", server()), "`/servers/0/url`: a model may only"),
        (removed(&format!("{GET}.security")), "/get/security`: a model may only write"),
        (removed(GET), "{petId}/get`: a model may only write"),
        (updated(GET, json!({"operationId": "deletePet"})), "has this name, too"),
        (updated(GET, json!({"operationId": "rm -rf /"})), "/get/operationId`: expected a name"),
        (updated(GET, control), "/get/summary`: expected a text without control"),
        (updated(GET, own), "/get/x-callgate`: a model"),
        (updated("$..[", json!({})), "is no overlay for the draft: `/actions/0/target`"),
        ("I cannot help with that.".to_owned(), "is no overlay for the draft"),
        ("{\"overlay\": \"1.0.0\"".to_owned(), "is no overlay for the draft"),
        (String::new(), "no"),
    ];
    for (reply, expected) in rows {
        let trial = Trial::new(&reply);
        let drafted = trial.draft(&["--out", "spec.yaml"]);
        assert_eq!(drafted.code, Some(2), "{reply}: {}", drafted.said);
        assert!(drafted.said.contains(expected), "{reply}: {}", drafted.said);
        assert!(!drafted.said.contains('\u{1b}'), "{reply}: {}", drafted.said);
        assert!(!Path::exists(&trial.folder.path().join("spec.yaml")), "{reply}");
        assert_eq!(drafted.result, "", "{reply}");
    }
}

#[test]
fn a_model_that_no_configuration_has_is_refused_with_those_there_are() {
    let trial = Trial::new("");
    let ended = Command::new(env!("CARGO_BIN_EXE_callgate"))
        .args(["draft", "--describe", "other", "--url", "https://a.example/pets/7"])
        .current_dir(trial.folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains("got: `other`\nhelp: its models are `main`"), "{said}");
    assert!(trial.requests.lock().unwrap().is_empty());
}
