//! `callgate chat`: a conversation is recorded without credentials and replayed without its model and its service; a recording that
//! was changed fails with what differs; a dry run shows the first request and sends nothing.

use std::os::unix::fs::PermissionsExt as _;

use crate::prelude::*;

const KEY: &str = "canary-of-a-key";
const TOKEN: &str = "canary-of-a-token";

const SPEC: &str = r#"
openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /menu:
    get: { operationId: menu, summary: Returns the menu, responses: { "200": { description: it } } }
  /carts/{cart}/items:
    post:
      operationId: add
      summary: Adds an item
      parameters: [{ name: cart, in: path, required: true, schema: { type: string }, x-agent-input-parameter: cart }]
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }
      responses: { "200": { description: it } }
"#;

/// A model and a service on loopback, and a configuration with both.
struct Shop {
    folder: TempDir,
    server: Option<Server>,
}

/// Answers as a model that asks for two calls, or as the service; each repeats its credential.
async fn answer(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
    let said = |name: &str| parts.headers.get(name).map_or("", |value| value.to_str().unwrap());
    let answer = match parts.uri.path() {
        "/v1/chat/completions" if body.contains("call_2") => json!({"choices": [
            {"message": {"role": "assistant", "content": format!("Done. {}", said("x-key"))}, "finish_reason": "stop"},
        ], "usage": {"prompt_tokens": 20, "completion_tokens": 2}}),
        "/v1/chat/completions" => {
            json!({"choices": [{"message": {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "shop-menu", "arguments": "{}"}},
            {"id": "call_2", "type": "function", "function": {"name": "shop-add", "arguments": "{\"n\":1.0}"}},
        ]}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 10, "completion_tokens": 5}})
        }
        path => json!({"path": path, "token": said("authorization")}),
    };
    ([("content-type", "application/json"), ("x-account", "kim")], answer.to_string())
        .into_response()
}

impl Shop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::with(Router::new().fallback(answer));
        let configuration = format!(
            "models:\n  main: {{ dialect: openai, url: '{}', model: m, auth: {{ api_key: {{ in: header, name: X-Key, value: 'env:THE_KEY' }} }} }}\n\
             agents:\n  keeper: {{ model: main, instructions: Help., confirm: never }}\n\
             toolsets:\n  shop:\n    openapi: spec.yaml\n    server: {}\n    egress: {{ allow: [127.0.0.0/8] }}\n    session_inputs: strict\n    auth: {{ bearer: {{ token: $session.params.token }} }}\n",
            server.url("/v1"),
            server.url(""),
        );
        write(&folder, "spec.yaml", SPEC);
        write(&folder, "callgate.yaml", configuration);
        let session = json!({"parameters": {"cart": "c-1", "token": TOKEN}});
        write(&folder, "session.json", session.to_string());
        Self { folder, server: Some(server) }
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let mut command = command_in(self.folder.path(), arguments);
        command.stdin(Stdio::null());
        match &self.server {
            Some(_) => command.env("THE_KEY", KEY),
            None => command.env_remove("THE_KEY"),
        };
        Ended::of(&mut command)
    }

    fn chat(&self, flags: &[&str]) -> Ended {
        let chat =
            ["chat", "callgate.yaml", "keeper", "--once", "One item.", "--session", "session.json"];
        self.run(&[&chat, flags].concat())
    }

    /// A recording, whose model and service are gone.
    fn recorded() -> Self {
        let mut shop = Self::new();
        shop.chat(&["--record", "turn"]).exits(0).says("recorded in `turn`");
        drop(shop.server.take());
        shop
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("turn").join(name)
    }

    /// Replaces a part of a file of the recording.
    fn change(&self, name: &str, part: &str, by: &str) {
        let text = fs::read_to_string(self.file(name)).unwrap();
        assert!(text.contains(part), "no {part} in {text}");
        fs::write(self.file(name), text.replacen(part, by, 1)).unwrap();
    }

    #[track_caller]
    fn fails(&self, sentences: &[&str]) {
        let ended = self.run(&["test", "turn"]).exits(1);
        sentences.iter().fold(ended, |ended, sentence| ended.prints(sentence));
    }
}

#[test]
fn a_recorded_turn_holds_no_credential_is_private_and_passes_without_model_and_service() {
    let shop = Shop::recorded();
    let written = files(&shop.file(""));
    assert_eq!(written.len(), 3 + 2 * 2 + 2 * 2, "{written:?}");
    for file in written {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("canary"), "{}: {text}", file.display());
        let is_of_model = file.parent().unwrap().ends_with("model");
        assert!(!is_of_model || !text.contains("kim"), "{}: {text}", file.display());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let form = json!({"configuration": "../callgate.yaml", "agent": "keeper", "inputs": [{"input": "One item."}]});
    let read = Value::parse(&fs::read_to_string(shop.file("turn.json")).unwrap()).unwrap();
    assert_eq!(read, form);
    shop.run(&["test", "turn"]).exits(0).prints("1 passed, 0 failed");
    shop.run(&["test", ".", "--case", "tur"]).exits(0).prints("1 passed, 0 failed");
    shop.chat(&["--record", "turn"]).exits(2).says("`turn` has a recording");
}

#[test]
fn a_changed_recording_fails_with_a_sentence_about_what_differs() {
    let arguments = [
        "the request to the model differs from `model/02.request.json` at `/messages/2/tool_calls/1/function/arguments`",
        r#"expected "{\"n\":1.0}", got "{\"n\":2.0}""#,
        "`services/02.request.http` was not sent",
        "this was sent, and is not recorded:\nPOST http://",
    ];
    let differs = "the request to the model differs from `model/01.request.json` at `/tools/";
    let declared = [differs, r#"expected "Adds items", got "Adds an item""#];
    let card = ["differs from `model/02.request.json` at `/messages/3/content`"];
    let words = ["at `/messages/1/content`: expected \"One item.\", got \"Two items.\""];
    let unsent = ["`services/01.request.http` was not sent"];
    let changes: [(&str, &str, &str, &[&str]); 6] = [
        // A reply of the model.
        ("model/01.response.http", r#"{\"n\":1.0}"#, r#"{\"n\":2.0}"#, &arguments),
        ("model/02.response.http", "Done.", "Gone.", &["`ends.json` differs", "Gone."]),
        // A request to the model, as from another declaration.
        ("model/01.request.json", "Adds an item", "Adds items", &declared),
        // A request to the service.
        ("services/01.request.http", "/menu", "/menus", &unsent),
        ("services/01.response.http", "/menu", "/card", &card),
        ("turn.json", "One item.", "Two items.", &words),
    ];
    let shop = Shop::recorded();
    for (file, part, by, sentences) in changes {
        shop.change(file, part, by);
        shop.fails(sentences);
        shop.change(file, by, part);
    }
    shop.run(&["test", "turn"]).exits(0);
}

#[test]
fn a_reply_or_an_exchange_that_is_missing_fails() {
    let shop = Shop::recorded();
    fs::remove_file(shop.file("model/02.response.http")).unwrap();
    shop.fails(&["the model was asked 2 times, and 1 of its replies are recorded", "model_failed"]);
    let shop = Shop::recorded();
    fs::remove_file(shop.file("services/02.response.http")).unwrap();
    shop.fails(&["this was sent, and is not recorded:\nPOST http://"]);
    // A call that the model does not ask for any more.
    let shop = Shop::recorded();
    fs::copy(shop.file("model/02.response.http"), shop.file("model/01.response.http")).unwrap();
    shop.fails(&[
        "the model was asked 1 times, and 2 of its replies are recorded",
        "`services/01.request.http` was not sent",
    ]);
}

#[test]
fn a_changed_declaration_fails_and_update_writes_what_is_expected_now() {
    let shop = Shop::recorded();
    let spec = shop.folder.path().join("spec.yaml");
    fs::write(&spec, SPEC.replace("Adds an item", "Adds one item").replace("/items", "/lines"))
        .unwrap();
    shop.fails(&[
        r#"at `/tools/1/function/description`: expected "Adds an item", got "Adds one item""#,
        "`services/02.request.http` was not sent",
    ]);
    shop.run(&["test", "turn", "--update"]).exits(0).says("services/02.request.http");
    shop.run(&["test", "turn"]).exits(0);
    let request = fs::read_to_string(shop.file("services/02.request.http")).unwrap();
    assert!(request.contains("/carts/c-1/lines"), "{request}");
}

#[test]
fn a_dry_run_shows_the_first_request_and_the_tools_and_sends_nothing() {
    let shop = Shop::new();
    let ended = shop.chat(&["--dry-run", "--transcript", "kept.json"]).exits(0);
    let ended =
        ended.prints("POST http://").prints("x-key: ****").prints(r#""content": "One item.""#);
    let ended = ended.prints("2 tools are offered:\n  shop-menu\n  shop-add\n");
    assert!(!ended.out.contains("canary"), "{ended:#?}");
    assert_eq!(shop.server.as_ref().unwrap().requests(), [""; 0]);
    assert!(!shop.folder.path().join("kept.json").exists());
    // Without the key, too.
    let mut without = Shop::new();
    drop(without.server.take());
    without.chat(&["--dry-run"]).exits(0).prints("x-key: ****");
}

#[test]
fn files_of_a_chat_go_with_the_words_to_the_model_and_into_its_recording() {
    let mut shop = Shop::new();
    for (name, bytes) in [("a.png", "PNG"), ("b.pdf", "%PDF"), ("c.tiff", "TIFF")] {
        write(&shop.folder, name, bytes);
    }
    let shown = shop.chat(&["--dry-run", "--file", "a.png", "--file", "b.pdf"]).exits(0);
    let shown = shown.prints(r#""text": "One item.""#).prints("data:image/png;base64,UE5H");
    shown.prints(r#""filename": "b.pdf""#).prints("data:application/pdf;base64,JVBERg==");
    let refused = "`input.1`: expected a file that `openai` takes";
    shop.chat(&["--file", "c.tiff"]).exits(2).says(refused);
    shop.chat(&["--file", "none.png"]).exits(2).says("cannot read `none.png`");
    shop.chat(&["--file", "a.png", "--record", "turn"]).exits(0).says("recorded in `turn`");
    drop(shop.server.take());
    shop.run(&["test", "turn"]).exits(0).prints("1 passed, 0 failed");
}

#[test]
fn an_agent_whose_model_has_a_setting_that_the_turn_writes_is_found_by_check() {
    let folder = tempfile::tempdir().unwrap();
    let write = |dialect: &str, setting: &str| {
        let model = format!(
            "{{ dialect: {dialect}, url: 'http://127.0.0.1:9/v1', model: m, auth: none, settings: {{ {setting} }} }}"
        );
        let text = format!(
            "models: {{ main: {model} }}\nagents: {{ helper: {{ model: main }} }}\ntoolsets: {{ app: {{ functions: [{{ name: open_page }}] }} }}\n"
        );
        write(&folder, "callgate.yaml", text);
    };
    let check = || Ended::of(&mut command_in(folder.path(), &["check", "callgate.yaml"]));
    for (dialect, setting) in [
        ("openai", "tools: []"),
        ("openai", "n: 2"),
        ("anthropic", "system: Hm"),
        ("gemini", "toolConfig: {}"),
        ("responses", "previous_response_id: r"),
        ("bedrock", "messages: []"),
    ] {
        write(dialect, setting);
        let name = setting.split(':').next().unwrap();
        check().exits(2).says("the agent `helper` can take no turn").says(&format!("`{name}`"));
    }
    write("openai", "temperature: 0");
    check().exits(0);
}
