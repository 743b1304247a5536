//! `callgate doctor` and `check --connect`: what calls need is tried, no operation is called and nothing secret is shown.

use crate::prelude::*;

const SECRET: &str = "canary-of-a-secret";

/// Examines a configuration of one toolset with these settings; the variable `THE_SECRET` is set.
fn examined(settings: &str, line: &[&str]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let spec = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\n\
        paths: { /a: { get: { operationId: a, responses: { 200: { description: ok } } } } }\n";
    fs::write(folder.path().join("spec.yaml"), spec).unwrap();
    let text = format!("toolsets:\n  t:\n    openapi: spec.yaml\n{settings}");
    fs::write(folder.path().join("callgate.yaml"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.current_dir(folder.path()).env("THE_SECRET", SECRET).args(line);
    let ended = Ended::of(&mut command);
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
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = format!(
        "    server: http://127.0.0.1:{port}\n    headers: {{ X-Key: env:NOT_SET_ANYWHERE }}\n    auth:\n      \
         oauth2_client_credentials: {{ token_url: 'http://127.0.0.1:{port}/token', client_id: me, client_secret: env:THE_SECRET }}\n"
    );
    let ended = examined(&settings, &["doctor"]).exits(1);
    let ended =
        ended.prints("fault  secret ").prints("`NOT_SET_ANYWHERE`").prints("ok     secret ");
    let ended = ended.prints("fault  credential ").prints("oauth2_client_credentials");
    ended
        .prints("fault  server ")
        .prints("could not be connected to")
        .prints("5 tried, 3 at fault");
    examined(&settings, &["check", "callgate.yaml", "--connect"]).exits(1).prints("fault  server ");
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
    examined(session, &["doctor"])
        .exits(1)
        .prints("$session.credentials.me, which each session brings");
}
