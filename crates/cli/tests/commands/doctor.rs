//! `callgate doctor` and `check --connect`: what calls need is tried, no operation is called and nothing secret is shown.

use crate::prelude::*;

const SECRET: &str = "canary-of-a-secret";

/// Examines a configuration of one toolset with these settings; the variable `THE_SECRET` is set.
fn examined(settings: &str, line: &[&str]) -> Ended {
    examined_beside(&[], settings, line)
}

/// Examines the configuration beside these files.
fn examined_beside(files: &[(&str, &str)], settings: &str, line: &[&str]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let spec = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\n\
        paths: { /a: { get: { operationId: a, responses: { 200: { description: ok } } } } }\n";
    write(&folder, "spec.yaml", spec);
    for (file, content) in files {
        write(&folder, file, content);
    }
    let text = format!("toolsets:\n  t:\n    openapi: spec.yaml\n{settings}");
    write(&folder, "callgate.yaml", text);
    let ended = Ended::of(command_in(folder.path(), line).env("THE_SECRET", SECRET));
    assert!(!format!("{ended:?}").contains(SECRET), "{ended:#?}");
    ended
}

#[test]
fn healthy_parts_are_reported_with_their_time_and_nothing_is_called() {
    let server = Server::start();
    let settings = format!(
        "    server: {}\n    auth: {{ bearer: {{ token: env:THE_SECRET }} }}\n",
        server.url("")
    );
    let ended = examined(&settings, &["doctor"]).exits(0);
    let ended = ended.prints("ok     secret ").prints("env:THE_SECRET").prints("ok     server ");
    ended.prints(" ms  ").prints("3 tried, 0 at fault; no operation was called");
    assert_eq!(server.requests(), Vec::<String>::new());
    let json = examined(&settings, &["doctor", "callgate.yaml", "--json"]).exits(0).json();
    assert_eq!(json.get("checks").and_then(|checks| checks.as_array()).unwrap().len(), 3);
    examined(&settings, &["check", "callgate.yaml", "--connect"]).exits(0).prints("ok     server ");
}

#[test]
fn each_missing_secret_and_server_is_a_fault() {
    let away = callgate_testkit::closed_origin();
    let settings = format!(
        "    server: {away}\n    headers: {{ X-Key: env:NOT_SET_ANYWHERE }}\n    auth:\n      \
         oauth2_client_credentials: {{ token_url: '{away}/token', client_id: me, client_secret: env:THE_SECRET }}\n"
    );
    let ended = examined(&settings, &["doctor"]).exits(1);
    let ended =
        ended.prints("fault  secret ").prints("`NOT_SET_ANYWHERE`").prints("ok     secret ");
    let ended = ended.prints("fault  credential ").prints("oauth2_client_credentials");
    let ended = ended.prints("fault  server ").prints("could not be connected to");
    ended.prints("5 tried, 3 at fault");
    examined(&settings, &["check", "callgate.yaml", "--connect"]).exits(1).prints("fault  server ");
}

const SECRETS: [(&str, &str); 5] = [
    ("lines", "first\nsecond\n"),
    ("blank", "first second\n"),
    ("colon", "first:second\n"),
    ("semicolon", "first;second\n"),
    ("usable", "0123456789abcdef0123456789abcdef\n"),
];

#[test]
fn a_secret_that_cannot_be_used_where_it_is_named_is_a_fault() {
    let server = Server::start();
    let header = |file: &str| format!("    auth: none\n    headers: {{ X-Key: 'file:{file}' }}\n");
    let bearer = |file: &str| format!("    auth: {{ bearer: {{ token: 'file:{file}' }} }}\n");
    let cookie = |file: &str| {
        format!("    auth: {{ api_key: {{ in: cookie, name: key, value: 'file:{file}' }} }}\n")
    };
    let basic = |username: &str, password: &str| {
        format!(
            "    auth: {{ basic: {{ username: 'file:{username}', password: 'file:{password}' }} }}\n"
        )
    };
    let state =
        |file: &str| format!("    auth: none\nstate: {{ file: state.db, key: 'file:{file}' }}\n");
    for (settings, file, why) in [
        (header("lines"), "lines", Some("a control character")),
        (header("blank"), "blank", None),
        (bearer("blank"), "blank", Some("a blank")),
        (cookie("semicolon"), "semicolon", Some("a cookie cannot have")),
        (cookie("usable"), "usable", None),
        (basic("usable", "lines"), "lines", Some("a control character")),
        (basic("colon", "usable"), "colon", Some("must not hold a colon")),
        (basic("usable", "colon"), "colon", None),
        (state("blank"), "blank", Some("at least 32 bytes")),
        (state("usable"), "usable", None),
    ] {
        let settings = format!("    server: {}\n{settings}", server.url(""));
        let ended = examined_beside(&SECRETS, &settings, &["doctor", "--json"]);
        let json = ended.exits(i32::from(why.is_some())).json();
        let checks = json.get("checks").and_then(|checks| checks.as_array()).unwrap();
        let text = |check: &Value, member: &str| {
            check.get(member).and_then(Value::as_str).map(str::to_owned)
        };
        let faults: Vec<_> = checks
            .iter()
            .filter_map(|check| text(check, "fault").map(|fault| (text(check, "name"), fault)))
            .collect();
        let named: Vec<_> = faults.iter().map(|(name, _)| name.as_deref().unwrap()).collect();
        // It is there: it has no code of a secret that is missing.
        let mut failed = checks.iter().filter(|check| text(check, "fault").is_some());
        assert!(failed.all(|check| text(check, "code").is_none()), "{settings}");
        let expected: Vec<_> = why.iter().map(|_| format!("file:{file}")).collect();
        assert_eq!(named, expected, "{settings}");
        let says = |why: &str| faults.iter().all(|(_, fault)| fault.contains(why));
        assert!(why.is_none_or(says), "{faults:?}");
    }
}

#[cfg(feature = "agents")]
#[test]
fn the_secret_of_a_model_is_tested_as_its_credential() {
    let server = Server::start();
    let url = server.url("");
    let settings = format!(
        "    server: {url}\n    auth: none\n\
         models: {{ m: {{ dialect: openai, url: '{url}/v1', model: m, auth: {{ bearer: {{ token: 'file:lines' }} }} }} }}\n\
         agents: {{ a: {{ model: m, instructions: Help. }} }}\n"
    );
    let ended = examined_beside(&SECRETS, &settings, &["doctor"]).exits(1);
    let ended = ended.prints("fault  secret ").prints("file:lines").prints("a control character");
    ended.prints("help: put a secret there that can be used like this, or correct the reference");
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn a_user_name_that_is_a_reference_is_tried_as_a_secret() {
    let server = Server::start();
    let settings = |username: &str| {
        let auth = format!("basic: {{ username: {username}, password: env:THE_SECRET }}");
        format!("    server: {}\n    auth: {{ {auth} }}\n", server.url(""))
    };
    let ended = examined(&settings("env:NOT_SET_ANYWHERE"), &["doctor"]).exits(1);
    ended.prints("fault  secret ").prints("`NOT_SET_ANYWHERE`").prints("4 tried, 1 at fault");
    examined(&settings("pets"), &["doctor"]).exits(0).prints("3 tried, 0 at fault");
}

#[test]
fn the_store_of_state_is_tried() {
    let server = Server::start();
    let settings = |file| format!("    server: {}\nstate: {{ file: {file} }}\n", server.url(""));
    let ended = examined(&settings("state.db"), &["doctor"]).exits(0);
    ended.prints("ok     state ").prints("state.db: not made yet").prints("4 tried, 0 at fault");
    let ended = examined(&settings("absent/state.db"), &["doctor"]).exits(1);
    ended.prints("fault  state ").prints("[state]").prints("help: see that the folder is there");
}

/// An issuer that publishes `keys`, and a collector that answers with a status to those with its key.
fn issuer_and_collector(keys: &'static str) -> Server {
    let origin = Arc::<Mutex<String>>::default();
    let named = Arc::clone(&origin);
    let app = Router::new().fallback(move |request: Request| {
        let (path, origin) = (request.uri().path().to_owned(), named.lock().unwrap().clone());
        let has_key = request.headers().get("x-key").is_some_and(|key| key == SECRET);
        let (status, text) = match path.as_str() {
            "/.well-known/openid-configuration" => (
                200,
                json!({"issuer": origin.as_str(), "jwks_uri": format!("{origin}/keys")})
                    .to_string(),
            ),
            "/keys" => (200, keys.to_owned()),
            "/v1/traces" if has_key => (200, String::new()),
            "/v1/traces" => (403, String::new()),
            _ => (404, String::new()),
        };
        let status = StatusCode::from_u16(status).unwrap();
        async move { Response::builder().status(status).body(Body::from(text)).unwrap() }
    });
    let server = Server::with(app);
    *origin.lock().unwrap() = server.url("");
    server
}

/// The keys of a sidecar with this issuer and this collector.
fn sidecar(issuer: &str, collector: &str, key: &str) -> String {
    format!(
        "access: {{ jwt: [{{ issuer: '{issuer}', audience: callgate, algorithms: [EdDSA] }}] }}\n\
         telemetry: {{ otlp: '{collector}', headers: {{ x-key: {key} }} }}\n"
    )
}

const KEY: &str =
    r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

#[test]
fn the_issuer_and_the_collector_of_a_sidecar_are_tried() {
    let server = issuer_and_collector(KEY);
    let (url, toolset) = (server.url(""), format!("    server: {}\n", server.url("")));
    let settings = format!("{toolset}{}", sidecar(&url, &url, "env:THE_SECRET"));
    let ended = examined(&settings, &["doctor"]).exits(0);
    let ended = ended.prints("ok     issuer ").prints(&format!("{url}: 1 key, for EdDSA"));
    ended.prints("ok     collector ").prints(&format!("{url}/v1/traces: status 200 OK"));
}

#[test]
fn an_issuer_and_a_collector_that_cannot_be_used_are_faults() {
    let nobody = callgate_testkit::closed_origin();
    let rsa = r#"{"keys":[{"kty":"RSA","n":"sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1WlUzewbgBHod5pcM9H95GQRV3JDXboIRROSBigeC5yjU1hGzHHyXss8UDprecbAYxknTcQkhslANGRUZmdTOQ5qTRsLAt6BTYuyvVRdhS8exSZEy_c4gs_7svlJJQ4H9_NxsiIoLwAEk7-Q3UXERGYw_75IDrGA84-lA_-Ct4eTlXHBIY2EaV7t7LjJaynVJCpkv4LKjTTAumiGUIuQhrNhZLuF_RJLqHpM2kgWFLU7-VTdL1VbC2tejvcI2BlMkEpk1BzBZI0KQB0GaDWFLN-aEAw3vRw","e":"AQAB"}]}"#;
    let server = issuer_and_collector(rsa);
    let url = server.url("");
    let toolset = format!("    server: {url}\n");
    let absent = ["could not be connected to", "help: see that this machine reaches the issuer"];
    let other = ["expected a key for `EdDSA`", "expected a status of success, got: 403"];
    for (issuer, collector, key, texts) in
        [(&*nobody, &*nobody, "env:THE_SECRET", absent), (&*url, &*url, "env:PATH", other)]
    {
        let settings = format!("{toolset}{}", sidecar(issuer, collector, key));
        let ended = examined(&settings, &["doctor"]).exits(1);
        let ended = ended.prints("fault  issuer ").prints("fault  collector ");
        texts.iter().fold(ended, |ended, text| ended.prints(text));
    }
}

#[test]
fn a_server_without_the_tls_that_is_expected_is_a_fault() {
    let server = Server::start();
    let address = server.url("").replace("http://", "https://");
    let ended = examined(&format!("    server: {address}\n"), &["doctor"]).exits(1);
    ended.prints("fault  server ").prints(&address);
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn an_unreadable_configuration_is_not_examined() {
    examined("", &["doctor", "none.yaml"]).exits(2).says("error");
    examined("    opnapi: x\n", &["doctor"]).exits(2).says("unknown-key");
    let session = "    server: http://127.0.0.1:9\n    auth: { bearer: { token: $session.credentials.me } }\n";
    let ended = examined(session, &["doctor"]).exits(1);
    ended.prints("$session.credentials.me, which each session brings");
}

/// A configuration of this server, whose webhook is at this address and signs with this secret.
fn webhook(server: &str, url: &str, secret: &str) -> String {
    let toolset = format!("    server: {server}\n    auth: none\n    confirm: writes\n");
    format!("{toolset}approvals: {{ webhook: {{ url: '{url}', secret: '{secret}' }} }}\n")
}

const KEY_OF_A_WEBHOOK: &str = "literal:whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[test]
fn the_webhook_of_approvals_is_connected_to_and_gets_no_notice() {
    let server = Server::start();
    let url = server.url("");
    let settings = webhook(&url, &server.url("/canary-of-a-path"), KEY_OF_A_WEBHOOK);
    let ended = examined(&settings, &["doctor"]).exits(0);
    // Beside the finding about the literal stands its line of the file.
    assert!(!ended.out.contains("canary"), "{ended:#?}");
    ended.prints("ok     webhook ").prints(&server.url(""));
    assert_eq!(server.requests(), Vec::<String>::new());
    let hook = format!("{}/canary-of-a-path", callgate_testkit::closed_origin());
    let settings = webhook(&url, &hook, KEY_OF_A_WEBHOOK);
    for line in [&["doctor"][..], &["check", "callgate.yaml", "--connect"]] {
        let ended = examined(&settings, line).exits(1).prints("fault  webhook ");
        assert!(!ended.out.contains("canary"), "{ended:#?}");
        let ended = ended.prints("could not be connected to");
        ended.prints("correct `approvals: {webhook: {url: …}}`");
    }
}

#[test]
fn a_secret_of_the_webhook_that_is_missing_or_no_key_is_reported() {
    let server = "http://127.0.0.1:9";
    let missing = webhook(server, "http://127.0.0.1:9/hook", "env:NOT_SET_ANYWHERE");
    let ended = examined(&missing, &["check", "callgate.yaml"]);
    ended.says("`NOT_SET_ANYWHERE`").says("without it the sidecar does not start");
    examined(&missing, &["doctor"]).exits(1).prints("fault  secret ").prints("`NOT_SET_ANYWHERE`");
    // `THE_SECRET` is set, and no key.
    let no_key = webhook(server, "http://127.0.0.1:9/hook", "env:THE_SECRET");
    for line in [&["check", "callgate.yaml"][..], &["doctor"], &["serve"]] {
        let ended = examined(&no_key, line).exits(2).says("whsec_");
        ended.says("approvals: { webhook: { url: 'http://127.0.0.1:9/****");
    }
}

#[test]
fn a_connection_is_reported_as_a_connection_and_not_as_a_database() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let service = runtime.block_on(Connectors::start(UserRules::default()));
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "toolsets:\n  crm:\n    connection: {CONNECTION}\n    server: {}\n    \
         auth: {{ bearer: {{ token: 'literal:{CONNECTORS_TOKEN}' }} }}\n    \
         actions: [{{ entity: Case, operation: list }}]\n",
        service.origin
    );
    write(&folder, "callgate.yaml", text);
    let run = |line: &[&str]| Ended::of(&mut command_in(folder.path(), line));
    let checked = run(&["check", "callgate.yaml"]).exits(0);
    checked.prints("the connection of `crm` answers: 1 tool\n");
    run(&["doctor"]).exits(0).prints("ok     connection ");
    // The service is gone.
    drop(runtime);
    let doctored = run(&["doctor"]).exits(1).prints("fault  connection ");
    doctored.prints("expected a connection that the service describes, got none");
}
