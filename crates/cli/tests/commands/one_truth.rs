//! One truth: what `check` finds wrong with a configuration, `doctor` and `serve` report with the same codes, and the findings
//! that keep calls from working in the same sentences; and neither of them knows of others.

use crate::prelude::*;

const TOOL: &str = "{ operationId: a, responses: { 200: { description: ok } } }";

/// A configuration, the description beside it, and the codes that are found.
struct Row {
    config: String,
    spec: String,
    codes: &'static [&'static str],
}

/// A description with these members.
fn spec(members: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{ title: t, version: '1' }}\n{members}\n")
}

/// A description whose server is this machine, with these operations.
fn served(operations: &str) -> String {
    spec(&format!("servers: [{{ url: 'http://127.0.0.1:9' }}]\npaths: {{ {operations} }}"))
}

fn row(config: impl Into<String>, spec: String, codes: &'static [&'static str]) -> Row {
    Row { config: config.into(), spec, codes }
}

const USUAL: &str = "toolsets: { t: { openapi: spec.yaml } }";

/// The usual configuration with more members of its toolset.
fn with(members: &str) -> String {
    format!("toolsets: {{ t: {{ openapi: spec.yaml, {members} }} }}")
}

/// Rows in which something about credentials, secrets or servers is missing.
fn lacking() -> Vec<Row> {
    let secured = |schemes: &str| {
        format!(
            "{}components: {{ securitySchemes: {{ {schemes} }} }}\nsecurity: [{{ key: [] }}]\n",
            served(&format!("/a: {{ get: {TOOL} }}"))
        )
    };
    let key = "key: { type: apiKey, in: header, name: X-Key }";
    let oauth = "key: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://login.example.com/t', scopes: {} } } }";
    let elsewhere = format!(
        "/a: {{ servers: [{{ url: 'https://other.example.com' }}], get: {TOOL} }}, /b: {{ get: {{ responses: {{ 200: {{ description: ok }} }} }} }}"
    );
    let bearer = |secret: &str| format!("{{ bearer: {{ token: {secret} }} }}");
    let auth = |secret: &str| with(&format!("auth: {}", bearer(secret)));
    let login = "credentials: { key: { oauth2_client_credentials: { client_id: me, client_secret: env:THE_SECRET } } }";
    let misspelt = with(&format!("credentials: {{ kee: {} }}", bearer("env:THE_SECRET")));
    let plain = format!("/a: {{ get: {TOOL} }}");
    vec![
        row(USUAL, secured(key), &["missing-credential"]),
        row(with(login), secured(oauth), &["foreign-token-endpoint"]),
        row(auth("env:THE_SECRET"), served(&elsewhere), &["foreign-server"]),
        row(USUAL, spec(&format!("paths: {{ {plain} }}")), &["no-server"]),
        row(auth("env:NOT_SET_ANYWHERE"), served(&plain), &["missing-secret"]),
        row(misspelt, secured(key), &["unknown-scheme"]),
    ]
}

/// Rows with faults of the configuration itself, or of what it names.
fn wrong() -> Vec<Row> {
    let plain = || served(&format!("/a: {{ get: {TOOL} }}"));
    let twice = "toolsets: { t: { openapi: spec.yaml, prefix: '' }, u: { openapi: spec.yaml, prefix: '' } }";
    let parameters = "parameters: [{ $ref: '#/none' }]";
    let referring = format!("/a: {{ get: {TOOL} }}, /b: {{ get: {{ {parameters} }} }}");
    let unsatisfiable = "/a: { get: { operationId: a, parameters: [{ name: q, in: query, schema: { type: object, additionalProperties: false, required: [x], properties: { y: { type: string } } } }], responses: { 200: { description: ok } } } }";
    vec![
        row("toolsetz: { t: { openapi: spec.yaml } }", plain(), &["unknown-key"]),
        row("toolsets: { t: { openapi: none.yaml } }", plain(), &["unreadable-file"]),
        row(USUAL, "asyncapi: 3.0.0\n".to_owned(), &["not-a-description"]),
        row(USUAL, "a: [\n".to_owned(), &["unreadable-text"]),
        row(with("server: env:NOT_SET_ANYWHERE"), plain(), &["missing-variable"]),
        row(format!("{USUAL}\nlisten: '0.0.0.0:0'"), plain(), &["open-listener"]),
        row(with("tools: { include: [a, z] }"), plain(), &["selects-nothing"]),
        row(with("tools: { exclude: [a] }"), plain(), &["no-tools"]),
        row(USUAL, served(""), &["no-tools"]),
        row("toolsets: {}", plain(), &["wrong-value"]),
        row(twice, plain(), &["duplicate-tool"]),
        row(USUAL, served(&referring), &["missing-reference"]),
        row(USUAL, served(unsatisfiable), &["unsatisfiable-schema"]),
        #[cfg(not(feature = "otel"))]
        row(
            format!("{USUAL}\ntelemetry: {{ otlp: 'http://127.0.0.1:4318' }}"),
            plain(),
            &["missing-feature"],
        ),
    ]
}

fn command(folder: &Path, line: &[&str]) -> Command {
    let mut command = command_in(folder, line);
    command.env("THE_SECRET", "s");
    command
}

/// All that a command writes.
fn written(folder: &Path, line: &[&str]) -> String {
    let ended = command(folder, line).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&ended.stdout), text(&ended.stderr))
}

/// The lines at the start of a sidecar, which is ended then; or those of its refusal.
fn started(folder: &Path, line: &[&str]) -> String {
    let mut child = command(folder, line).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    while !text.contains("\nmanual: ") {
        if said.read_line(&mut text).unwrap() == 0 {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(said.read_to_string(&mut String::new()));
    text
}

/// The findings of `check` with their codes and messages, without notes about descriptions.
fn checked(folder: &Path) -> Vec<(String, String)> {
    let ended = command(folder, &["check", "callgate.yaml", "--json"]).output().unwrap();
    let json = Value::parse(&String::from_utf8(ended.stdout).unwrap()).unwrap();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let described = list(&json["documents"]).into_iter().flat_map(|one| list(&one["diagnostics"]));
    let described = described.filter(|one| one["severity"].as_str() != Some("note"));
    let found = described.chain(list(&json["configuration"]));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    found.map(|one| (text(&one["code"]), text(&one["message"]))).collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_lowercase() && c != '-').collect()
}

/// Findings that `doctor` and `serve` only count.
const COUNTED: [&str; 2] = ["missing-reference", "unsatisfiable-schema"];

#[track_caller]
fn check(Row { config, spec, codes }: &Row) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("callgate.yaml"), format!("{config}\n")).unwrap();
    fs::write(folder.join("spec.yaml"), spec).unwrap();
    let found = checked(folder);
    let of_check: BTreeSet<_> = found.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(of_check, codes.iter().copied().collect(), "{config}\n{spec}");
    let listen: &[&str] =
        if codes.contains(&"open-listener") { &[] } else { &["--listen", "127.0.0.1:0"] };
    let serve: Vec<_> = ["serve"].iter().chain(listen).copied().collect();
    let said = [
        ("check", written(folder, &["check", "callgate.yaml"])),
        ("doctor", written(folder, &["doctor"])),
        ("serve", started(folder, &serve)),
    ];
    for (command, text) in &said {
        for (code, message) in &found {
            let is_counted = COUNTED.contains(&code.as_str());
            assert!(is_counted || text.contains(message), "{command}, {message}: {text}");
            let shows_code = *code == "no-tools" || words(text).contains(code.as_str());
            assert!(shows_code, "{command}, {code}: {text}");
        }
        assert!(
            !text.contains("none is missing") || !codes.iter().any(|code| MISSING.contains(code))
        );
    }
    let json = written(folder, &["doctor", "--json"]);
    let lines = Value::parse(&json).ok();
    let lines = lines.as_ref().and_then(|json| json["checks"].as_array()).into_iter().flatten();
    let of_doctor: BTreeSet<_> = lines.filter_map(|line| line["code"].as_str()).collect();
    assert!(of_doctor.is_subset(&of_check), "{of_doctor:?}, {of_check:?}");
}

const MISSING: [&str; 2] = ["missing-credential", "missing-secret"];

#[test]
fn check_doctor_and_serve_report_a_finding_in_the_same_sentence() {
    let rows: Vec<_> = lacking().into_iter().chain(wrong()).collect();
    rows.iter().for_each(check);
    assert!(rows.len() >= 19);
}

#[test]
fn check_doctor_and_serve_accept_a_correct_configuration() {
    check(&row(USUAL, served(&format!("/a: {{ get: {TOOL} }}")), &[]));
}

#[test]
fn an_address_of_the_command_line_is_judged_in_the_same_sentence() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "callgate.yaml", USUAL);
    write(&folder, "spec.yaml", served(&format!("/a: {{ get: {TOOL} }}")));
    let said = started(folder.path(), &["serve", "--listen", "0.0.0.0:0"]);
    assert!(said.contains("open-listener"), "{said}");
    assert!(said.contains("`0.0.0.0:0` can be reached"), "{said}");
}
