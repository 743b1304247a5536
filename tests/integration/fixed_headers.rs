//! `headers` of a toolset: they arrive on every request, with a value from a reference to a secret too, which no dry run, no
//! journal and no answer shows, and no argument replaces. Over TCP on loopback.

use crate::prelude::*;

const CANARY: &str = "canary-f1xed";

const DESCRIPTION: &str = "
paths:
  /echo:
    post:
      operationId: echo
      summary: Echo
      parameters:
        - { name: q, in: query, schema: { type: string } }
        - { name: X-Key, in: header, schema: { type: string } }
";

/// An executor whose requests have a header of a plain text, and one of what `file` holds.
fn executor(server: &Server, auth: &str, file: &tempfile::NamedTempFile) -> Executor {
    let reference = format!("file:{}", file.path().display());
    let settings = format!(
        "server: {}\n{auth}\nheaders: {{ X-Api-Version: \"2024-05-01\", X-Key: \"{reference}\" }}",
        server.url("")
    );
    toolset(DESCRIPTION, &settings).unwrap().executor
}

fn secret() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), CANARY).unwrap();
    file
}

/// What a caller sees of a call and of its dry run, the dry run first.
async fn shown(executor: &Executor, arguments: Value) -> [(Value, String); 2] {
    let call = asked("echo", arguments);
    let session = Session::default();
    let results = [executor.dry_run(&call, &session).await, executor.call(&call, &session).await];
    results.map(|result| {
        let told = json_result(&result).to_string();
        let told = Value::parse(&told).unwrap();
        let text = format!("{told} {:?}", result.journal);
        (told, text)
    })
}

#[tokio::test]
async fn a_fixed_header_arrives_and_its_secret_is_masked() {
    let (server, file) = (Server::start().await, secret());
    for auth in ["auth: none", "auth: { bearer: { token: 'literal:b' } }"] {
        let executor = executor(&server, auth, &file);
        let [(dry, dry_text), (_, text)] = shown(&executor, json!({"q": "a"})).await;
        let arrived = &server.last()["headers"];
        assert_eq!(arrived["x-key"], CANARY, "{auth}");
        assert_eq!(arrived["x-api-version"], "2024-05-01", "{auth}");
        assert_eq!(dry["request"]["headers"]["x-key"], "****", "{auth}: {dry}");
        assert_eq!(dry["request"]["headers"]["x-api-version"], "2024-05-01", "{auth}: {dry}");
        assert!(!dry_text.contains(CANARY), "{auth}: {dry_text}");
        // The service answers with the headers that arrived.
        assert!(!text.contains(CANARY), "{auth}: {text}");
        assert!(text.contains("2024-05-01"), "{auth}: {text}");
    }
}

/// A plain text is no secret, unless the name of its header says so: then it is masked, and the operator is told.
#[tokio::test]
async fn a_plain_header_is_masked_only_under_the_name_of_a_secret() {
    let rows = [
        ("X-Api-Version", "2024-05-01", "2024-05-01", false),
        ("X-N", "1", "1", false),
        ("X-Tenant", "literal:canary-t", "****", false),
        ("X-Api-Key", "canary-k", "****", true),
        ("X-Auth-Token", "canary-t", "****", true),
        ("X-Custom", "Bearer canary", "****", true),
        ("X-Pin", "literal:12", "12", true),
    ];
    for (name, text, shown, is_found) in rows {
        let server = Server::start().await;
        let settings =
            format!("server: {}\nauth: none\nheaders: {{ {name}: \"{text}\" }}", server.url(""));
        let built = toolset(DESCRIPTION, &settings).unwrap();
        let found = built.warnings.iter().any(|known| known.code == "literal-secret");
        assert_eq!(found, is_found, "{name}: {:?}", built.warnings);
        let asks = json!({"q": "valid from 2024-05-01, 112.1"});
        let [_, (told, _)] = self::shown(&built.executor, asks).await;
        let headers = &told["response"]["headers"];
        assert_eq!(headers[&*name.to_ascii_lowercase()], shown, "{told}");
        assert!(told["response"]["target"].to_string().contains("112.1"), "{told}");
    }
}

#[tokio::test]
async fn no_argument_replaces_a_fixed_header() {
    let (server, file) = (Server::start().await, secret());
    let executor = executor(&server, "auth: none", &file);
    let [(dry, _), (told, _)] = shown(&executor, json!({"X_Key": "mine"})).await;
    for told in [dry, told] {
        assert!(!told.to_string().contains("\"mine\""), "{told}");
    }
    assert!(server.total() == 0 || server.last()["headers"]["x-key"] == CANARY);
}

#[tokio::test]
async fn without_the_secret_of_a_fixed_header_nothing_is_sent() {
    let (server, file) = (Server::start().await, secret());
    let executor = executor(&server, "auth: none", &file);
    file.close().unwrap();
    let call = asked("echo", json!({"q": "a"}));
    let outcome = executor.call(&call, &Session::default()).await.outcome;
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    assert_eq!(server.total(), 0);
}

#[test]
fn a_fixed_header_that_carries_a_credential_is_refused() {
    let text = "toolsets:
  hub:
    openapi: spec.yaml
    server: http://127.0.0.1:1
    auth: { bearer: { token: 'literal:b' } }
    headers: { authorization: mine }
";
    let error = configured_with(DESCRIPTION, text).unwrap_err().to_string();
    assert!(error.contains("expected a header that no credential is put in"), "{error}");
}
