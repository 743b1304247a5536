//! Text of others at every border of the command: in every text of a description, in everything a service and a token
//! endpoint answer, and in names that a caller types. No terminal obeys it, nothing of it is hidden, and no line of it passes
//! for one of the command's own messages.

use crate::prelude::*;

use axum::http::{HeaderValue, header};

/// Lines that look like those of the command.
pub(crate) const FORGED: &str =
    "\nerror[forged]: obey\nhelp: forged\nnote: forged\nwarning: forged\nSend this? [y/N] forged\n";

/// Every unseen character once, spread over texts of a dozen.
pub(crate) fn payloads() -> Vec<String> {
    let unseen: Vec<char> = ('\u{1}'..='\u{e0fff}')
        .filter(|one| is_invisible_or_control(*one) && !matches!(*one, '\u{e0080}'..='\u{e0fff}'))
        .filter(|one| !matches!(*one, '\u{13430}'..='\u{1343f}' | '\u{1d173}'..='\u{1d17a}'))
        .collect();
    let n = unseen.len();
    let texts = unseen.chunks(n / 12 + 1).map(|some| {
        let parts = some.iter().map(|one| format!("a{one}"));
        format!("{}\u{1b}[8m\u{1b}]0;t\u{7}{FORGED}", parts.collect::<String>())
    });
    texts.collect()
}

/// A description with the text wherever one may stand.
pub(crate) fn description(text: &str, server: &str) -> Value {
    let responses = json!({"200": {"description": text}});
    let mut paths = BTreeMap::new();
    for (path, id) in [
        ("/json", "json"),
        ("/text", "text"),
        ("/problem", "problem"),
        ("/html", "html"),
        ("/parts", "parts"),
    ] {
        paths.insert(path.to_owned(), json!({"get": {
            "operationId": id, "summary": text, "description": text, "tags": [text], "responses": responses,
            "parameters": [{"name": "q", "in": "query", "description": text, "schema": {
                "type": "string", "title": text, "enum": [text, "b"], "default": "b", "example": text}}],
        }}));
    }
    // Findings about these quote their names.
    paths.insert("/bad/{x}".to_owned(), json!({"get": {
        "operationId": text, "summary": text, "responses": responses,
        "parameters": [
            {"name": text, "in": text, "schema": {"type": text}},
            {"name": "r", "in": "query", "schema": {"$ref": format!("#/components/schemas/{text}")}},
            {"name": "p", "in": "query", "schema": {"type": "string", "pattern": format!("({text}")}},
            {"name": "s", "in": "query", "style": text, "schema": {"type": "array"}},
            {"name": "e", "in": "query", "schema": {"type": "integer", "enum": [text], "default": text}},
        ],
        "security": [{text: [text]}],
    }}));
    paths.insert(format!("/{text}"), json!({"post": {
        "summary": text, "responses": responses,
        "requestBody": {"content": {text: {"schema": {"type": "object", "properties": {text: {"type": text}}, "required": [text]}}}},
    }}));
    json!({
        "openapi": "3.0.3", "info": {"title": text, "version": text, "description": text}, "tags": [{"name": text}],
        "servers": [{"url": server}, {"url": text}], "paths": paths, text: text,
        "components": {
            "securitySchemes": {text: {"type": "apiKey", "in": text, "name": text}},
            "schemas": {"a": {"$ref": text}, "b": {text: text, "discriminator": {"propertyName": text}}},
        },
    })
}

/// A service whose every answer consists of the text.
pub(crate) fn service(text: &str) -> Server {
    let text: Arc<str> = text.into();
    let app = Router::new().fallback(move |request: Request| {
        let text = Arc::clone(&text);
        async move { answer(request.uri().path(), &text) }
    });
    Server::with(app)
}

fn answer(path: &str, text: &str) -> Response {
    let problem = json!({"type": text, "title": text, "detail": text, "error": text, "error_description": text, (text): text});
    let part = format!(
        "--b\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name=\"a\u{9b}\u{202e}\"\r\n\r\n{text}\r\n--b--\r\n"
    );
    let (status, kind, body) = match path {
        "/json" => (200, "application/json", json!({"a": text, (text): [text]}).to_string()),
        "/text" => (200, "text/plain; charset=utf-8", text.to_owned()),
        "/html" => (200, "text/html; charset=utf-8", format!("<p>{text}</p>&#x9b;&#x202e;")),
        "/parts" => (200, "multipart/mixed; boundary=b", part),
        _ => (400, "application/problem+json", problem.to_string()),
    };
    let mut answer = Response::new(Body::from(body));
    *answer.status_mut() = StatusCode::from_u16(status).unwrap();
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let plain = "x\u{9b}31m\u{202e}\u{85}";
    let value = HeaderValue::from_bytes(plain.as_bytes()).unwrap();
    for name in
        ["x-note", "www-authenticate", "link", "retry-after", "deprecation", "content-language"]
    {
        headers.insert(name, value.clone());
    }
    answer
}

/// Checks that nothing in the output is obeyed or hidden, and that no line of messages is forged.
#[track_caller]
pub(crate) fn check(ended: &Ended, what: &str) {
    for (name, text) in [("out", &ended.out), ("err", &ended.err)] {
        let mut last = 'a';
        for letter in text.chars() {
            let joins = matches!(letter, '\u{200c}' | '\u{200d}') && !last.is_ascii();
            let is_plain =
                matches!(letter, '\n' | '\t') || joins || !is_invisible_or_control(letter);
            assert!(is_plain, "{what}: {name} has {letter:?}: {text:?}");
            last = letter;
        }
    }
    for line in ended.err.lines() {
        let forged = [
            "error[forged]",
            "help: forged",
            "note: forged",
            "warning: forged",
            "Send this? [y/N] forged",
        ];
        assert!(
            !forged.iter().any(|begin| line.starts_with(begin)),
            "{what}: {line:?} {}",
            ended.err
        );
    }
}

pub(crate) fn write(folder: &TempDir, name: &str, text: &str) -> String {
    write_file(folder.path(), name, text).to_str().unwrap().to_owned()
}

#[test]
fn no_text_of_a_description_is_obeyed_by_a_terminal() {
    for text in payloads() {
        let folder = tempfile::tempdir().unwrap();
        let description = description(&text, "https://a.example");
        let file = write(&folder, "api.json", &description.to_string());
        let other = write(&folder, "other.json", &description.to_string().replace("\"a", "\"b"));
        for line in [
            &["check", &file][..],
            &["check", &file, "--lint"],
            &["check", &file, "--json"],
            &["check", &file, "--format", "sarif"],
            &["tools", &file],
            &["tools", &file, "--json"],
            &["tools", &file, "--dialect", "gemini"],
            &["tools", &file, "json"],
            &["tools", &file, "--search", &text],
            &["tools", &file, &text],
            &["call", &file, "json", "--dry-run"],
            &["call", &file, "json", "--args", &json!({"q": text}).to_string(), "--dry-run"],
            &["call", &file, "json", "--args", &json!({(&*text): text}).to_string(), "--dry-run"],
            &["call", &file, &text],
            &["diff", &file, &other],
            &["doctor", &file],
        ] {
            check(&callgate(line), &line.join(" "));
        }
    }
}

#[test]
fn nothing_that_a_service_answers_is_obeyed_by_a_terminal() {
    for text in payloads() {
        let server = service(&text);
        let folder = tempfile::tempdir().unwrap();
        let file = write(&folder, "api.json", &description("a", &server.url("")).to_string());
        for tool in ["json", "text", "html", "parts", "problem"] {
            for more in ["-v", "-vv", "--json"] {
                let line = ["call", &file, tool, more];
                check(&callgate(&line), &line.join(" "));
            }
        }
        let configuration = format!(
            "toolsets: {{api: {{openapi: api.json, server: '{0}', auth: {{oauth2_client_credentials: {{token_url: '{0}/token', client_id: my-client, client_secret: 'literal:canary-secret'}}}}}}}}\n",
            server.url("")
        );
        let configuration = write(&folder, "callgate.yaml", &configuration);
        for line in [&["call", &configuration, "api-json"][..], &["doctor", &configuration]] {
            let ended = callgate(line);
            check(&ended, &line.join(" "));
            assert!(!ended.err.contains("canary-secret") && !ended.out.contains("canary-secret"));
        }
    }
}

#[test]
fn no_text_of_an_export_or_a_configuration_is_obeyed_by_a_terminal() {
    for text in payloads() {
        let folder = tempfile::tempdir().unwrap();
        let tool = json!({"displayName": text, "description": text, (&*text): text, "openApiSpec": {
            "textSchema": description(&text, "https://a.example").to_string(),
            "authentication": {"oauthConfig": {"oauthGrantType": text, "clientId": text, "tokenEndpoint": text}}}});
        let file = write(&folder, "tools/pets/pets.json", &tool.to_string());
        let out = folder.path().join("out");
        let configuration = json!({"toolsets": {"api": {"openapi": text, (&*text): text, "auth": {(&*text): {}}}}, (&*text): 1});
        let configuration = write(&folder, "callgate.json", &configuration.to_string());
        for line in [
            &["import", &file, "--out", out.to_str().unwrap()][..],
            &["check", &configuration],
            &["doctor", &configuration],
            &["call", &configuration, "a"],
        ] {
            check(&callgate(line), &line.join(" "));
        }
    }
}
