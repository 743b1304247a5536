//! Text of others in files that the command writes and reads, in what a shell is offered, in the log of a sidecar and in its
//! audit file: nothing of it is obeyed or hidden, and no line of it passes for one of the command's own.

use crate::prelude::*;

use crate::foreign::{check, description, payloads, service, write};

/// Runs the command in a folder, with this folder as its home.
fn callgate_in(folder: &Path, arguments: &[&str]) -> Ended {
    Ended::of(&mut command_at_home(folder, arguments))
}

/// Checks that a text shows all of its characters, and that no line of it is forged.
#[track_caller]
fn check_text(text: &str, what: &str) {
    let hidden = text.chars().find(|one| *one != '\n' && is_invisible_or_control(*one));
    assert_eq!(hidden, None, "{what}: {text:?}");
    let forged = text.lines().find(|line| {
        let line = line.trim_start_matches("\u{1b}[8m").trim_start();
        ["error[forged]", "help: forged", "note: forged", "warning: forged"]
            .iter()
            .any(|begin| line.starts_with(begin))
    });
    assert_eq!(forged, None, "{what}: {text}");
}

/// Texts that end a scalar of YAML, begin a comment, or are something else there.
fn yaml_payloads() -> Vec<String> {
    let texts = [
        "'\nforged: true\n#",
        "\"\nforged: true\n#",
        "a: b # c",
        "|\n  a",
        "- a",
        "*a",
        "&a b",
        "!!binary a",
        "<<",
        "---\nforged: true",
        "...\nforged: true",
        "%YAML 1.2",
        "{forged: true}",
        "\\\nforged: true",
        "a\u{85}forged: true",
        "a\u{2028}forged: true",
        "\t# a",
    ];
    texts.map(str::to_owned).into_iter().chain(payloads()).collect()
}

#[test]
fn files_that_init_writes_have_each_text_as_one_value() {
    for text in yaml_payloads() {
        let folder = tempfile::tempdir().unwrap();
        let scheme = json!({"type": "apiKey", "in": "header", "name": text, "description": text});
        let oauth = json!({"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://a.example/token", "scopes": {(&*text): text}}}});
        let mut file = description(&text, "https://a.example");
        file["components"]["securitySchemes"] =
            json!({(&*text): scheme, "plain": scheme, "oauth": oauth});
        let file = write(&folder, "api.json", &file.to_string());
        let key = format!("{text}=env:A_KEY");
        for line in [
            &["init", "mine", &file][..],
            &["init", "other", &file, "--credential", &key],
            &["init", "third", &file, "--credential", "plain=env:A_KEY", "--server", &text],
            &["init", &text, &file],
        ] {
            check(&callgate_in(folder.path(), line), &line.join(" "));
        }
        for path in files(&folder.path().join(".config")) {
            let written = fs::read_to_string(&path).unwrap();
            check_text(&written, &path.display().to_string());
            let read: Value = serde_yaml::from_str(&written).unwrap();
            let names: Vec<_> = read.as_object().unwrap().keys().collect();
            assert_eq!(names, ["toolsets"], "{written}");
        }
    }
}

#[test]
fn files_that_import_writes_have_each_text_as_one_value() {
    for text in yaml_payloads() {
        let folder = tempfile::tempdir().unwrap();
        let spec = json!({"openapi": "3.0.3", "info": {"title": text, "version": text}, "servers": [{"url": "https://a.example"}],
            "paths": {"/a": {"get": {"operationId": "a", "summary": text, "responses": {"200": {"description": text}}}}}});
        let tool = json!({"displayName": text, "description": text, "openApiSpec": {"textSchema": spec.to_string(),
            "authentication": {"apiKeyConfig": {"keyName": text, "apiKey": text, "requestLocation": "HEADER"}}}});
        let agent = json!({"displayName": text, "description": text, "defaultLanguageCode": "en", "timeZone": text, (&*text): text});
        write(&folder, "export/agent.json", &agent.to_string());
        write(&folder, "export/tools/pets/pets.json", &tool.to_string());
        write(&folder, "export/tools/pets/schema.yaml", &spec.to_string());
        let export = folder.path().join("export").display().to_string();
        let line = ["import", &export, "--out", "out"];
        check(&callgate_in(folder.path(), &line), &line.join(" "));
        for path in files(&folder.path().join("out")) {
            let written = fs::read_to_string(&path).unwrap();
            check_text(&written, &path.display().to_string());
            let is_yaml = path.extension().is_some_and(|extension| extension == "yaml");
            let read: Option<Value> = is_yaml.then(|| serde_yaml::from_str(&written).unwrap());
            assert!(read.is_none_or(|read| read.get("forged").is_none()), "{written}");
        }
    }
}

#[test]
fn completions_offer_no_text_that_a_shell_executes() {
    for text in payloads() {
        let folder = tempfile::tempdir().unwrap();
        let file = write(&folder, "api.json", &description(&text, "https://a.example").to_string());
        for words in [
            &["call", &file, ""][..],
            &["call", &file, "json", ""],
            &["call", &file, "json", "q="],
            &["call", &file, "json", "q=a"],
            &["tools", &file, ""],
            &["explain", ""],
        ] {
            for shell in ["bash", "zsh", "fish"] {
                let line = [&["complete", shell, "--", "callgate"], words].concat();
                let ended = callgate_in(folder.path(), &line);
                check(&ended, &line.join(" "));
                check_text(&ended.out.replace('\t', " "), &line.join(" "));
            }
        }
    }
}

#[test]
fn test_and_record_print_foreign_text_escaped() {
    for text in payloads() {
        let server = service(&text);
        let folder = tempfile::tempdir().unwrap();
        write(&folder, "pets/spec.json", &description(&text, &server.url("")).to_string());
        let toolset = json!({"openapi": "spec.json", "server": server.url("")});
        write(&folder, "pets/toolset.yaml", &toolset.to_string());
        let call = json!({"tool": "json", "arguments": {"q": text}, "id": text});
        write(&folder, "pets/cases/a-case/call.json", &call.to_string());
        let plain: String = text.chars().filter(|one| !one.is_control()).collect();
        let request =
            format!("GET {}/json?q={plain} HTTP/1.1\nx-a: {plain}\n\n{text}", server.url(""));
        write(&folder, "pets/cases/a-case/request.http", &request);
        let har = json!({"log": {"version": text, "creator": {"name": text}, "entries": [{"comment": text, "request": {"url": text,
            "headers": [{"name": text, "value": text}]}, "response": {"content": {"text": text, "mimeType": text}}}]}});
        let har = write(&folder, "browser.har", &har.to_string());
        for line in [
            &["test", "pets"][..],
            &["test", "pets", "--json"],
            &["test", "pets", "--record", "--force"],
            &["test", "pets", "--update"],
            &["test", "pets", "--filter", &text],
            &["check", &har],
            &["init", "mine", &har],
            &["call", &har, "a"],
            &["explain", &text],
            &["diff", &har, "pets/spec.json"],
            &["diff", "pets/spec.json", "pets/spec.json", "--json"],
            &["audit", "verify", &har, "--key", &text],
            &["login", &text],
            &["logout", &text],
        ] {
            check(&callgate_in(folder.path(), line), &line.join(" "));
        }
    }
}

#[test]
fn names_in_a_multipart_body_are_shown_as_text() {
    let parts = json!({"type": "object", "additionalProperties": {"type": "string"},
        "properties": {"file": {"type": "string", "format": "binary"}}});
    let upload = json!({"operationId": "upload", "responses": {"200": {"description": "ok"}},
        "requestBody": {"content": {"multipart/form-data": {"schema": parts}}}});
    let spec = json!({"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://a.example"}],
        "paths": {"/a": {"post": upload}}});
    for text in payloads() {
        let folder = tempfile::tempdir().unwrap();
        let file = write(&folder, "api.json", &spec.to_string());
        let visible: String = text.chars().filter(|one| !one.is_control()).collect();
        for name in [&text, &visible] {
            let bytes = json!({"data": "aGk=", "filename": name, "content_type": "a/b"});
            let typed = json!({"data": "aGk=", "content_type": name});
            let bodies = [
                json!({(&**name): "a"}),
                json!({"file": bytes}),
                json!({"file": typed}),
                json!({"a": name}),
            ];
            for body in bodies {
                let arguments = json!({"body": body}).to_string();
                let line = ["call", &file, "upload", "--args", &arguments, "--dry-run", "--json"];
                check(&callgate_in(folder.path(), &line), &line.join(" "));
                check(&callgate_in(folder.path(), &line[..6]), &line.join(" "));
            }
        }
    }
}

#[test]
fn no_line_of_a_log_or_an_audit_file_is_forged() {
    for (n, text) in payloads().into_iter().enumerate() {
        let server = service(&text);
        let folder = tempfile::tempdir().unwrap();
        write(&folder, "api.json", &description(&text, &server.url("")).to_string());
        let form = if n % 2 == 0 { "json" } else { "text" };
        let configuration = json!({"toolsets": {"api": {"openapi": "api.json", "server": server.url(""), "prefix": ""}},
            "audit": {"file": "audit.jsonl", "key": "literal:0123456789abcdef"}, "idempotency": {}, "log": {"format": form, "level": "debug"}});
        write(&folder, "callgate.yaml", &configuration.to_string());
        let mut sidecar = Sidecar::start(folder.path(), &[]);
        for (tool, args) in [
            ("json", json!({})),
            ("problem", json!({})),
            ("text", json!({"q": text})),
            (&*text, json!({(&*text): text})),
        ] {
            // A key with control characters is refused, and no call is made.
            let key = text.replace(char::is_control, "");
            let call = json!({"tool": tool, "args": args, "id": text, "idempotencyKey": key});
            let body =
                json!({"calls": [call], "session": {"id": text, "parameters": {(&*text): text}}});
            let answer = sidecar.answer(
                "POST /v1/calls",
                "traceparent: \u{9b}\u{202e}\r\nuser-agent: \u{9b}a\u{202e}\r\n",
                &body.to_string(),
            );
            let body = answer.split_once("\r\n\r\n").unwrap().1;
            assert!(answer.starts_with("HTTP/1.1 ") && Value::parse(body).is_ok(), "{answer}");
        }
        sidecar.answer("POST /v1/\u{202e}%0aerror", "", "{}");
        sidecar.process.kill().unwrap();
        check_text(&sidecar.ended().1.replace('\t', " "), form);
        let audit = fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
        assert!(audit.lines().count() > 1, "{audit}");
        for line in audit.lines() {
            assert!(Value::parse(line).is_ok_and(|line| line.is_object()), "{line}");
        }
        check_text(&audit, "audit");
    }
}
