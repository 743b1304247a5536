//! What an operator is told about secrets, on standard error: what was done to one, why there is none.

use crate::prelude::*;

const SECRET: &str = "canary-of-a-secret";

/// Calls a tool `times` times whose token is this secret, in a folder with a file `key` that ends in a line break.
fn called(reference: &str, times: usize) -> Ended {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let description = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\n\
        paths: { /a: { get: { operationId: a, responses: { 200: { description: ok } } } } }\n";
    write("spec.yaml", description);
    write("key", &format!("{SECRET}\n"));
    let toolset = format!("openapi: spec.yaml, prefix: '', server: '{}'", server.url(""));
    let auth = format!("auth: {{ bearer: {{ token: '{reference}' }} }}");
    write("callgate.yaml", &format!("toolsets: {{ t: {{ {toolset}, {auth} }} }}\n"));
    let mut command = command_in(folder.path(), &["call", "callgate.yaml"]);
    if times > 1 {
        write("batch", &"{\"id\": \"1\", \"tool\": \"a\", \"args\": {}}\n".repeat(times));
        command.args(["--batch", "batch"]);
    } else {
        command.arg("a");
    }
    let ended = Ended::of(&mut command);
    assert!(!format!("{ended:?}").contains(SECRET), "{ended:?}");
    ended
}

#[test]
fn a_removed_line_break_is_reported_once() {
    let warning = "warning: the line break at the end of a stored secret was removed: file:key\n";
    for times in [1, 5] {
        let ended = called("file:key", times).exits(0).says(warning);
        assert_eq!(ended.err.matches("line break").count(), 1, "{ended:#?}");
    }
    let ended = called("literal:abc", 1).exits(0);
    assert!(!ended.err.contains("line break"), "{ended:#?}");
}

#[test]
fn a_missing_secret_is_reported_with_the_reason() {
    let ended = called("file:none", 1).exits(1);
    ended.says("there is no secret at: `file:none`: No such file").says("error[auth_failed]");
    let ended = called("env:CALLGATE_TEST_UNSET", 1).exits(1);
    ended.says("the environment variable is not set: `CALLGATE_TEST_UNSET`");
}

/// A call that waits for an answer, looked at from outside.
#[cfg(target_os = "linux")]
#[test]
fn the_process_of_the_command_can_be_neither_dumped_nor_traced() {
    use std::{net::TcpListener, process::Stdio};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let description = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\n\
        paths: { /a: { get: { operationId: a, responses: { 200: { description: ok } } } } }\n";
    let (_folder, file) = folder_with("spec.yaml", description);
    let server = format!("--server=http://{}", listener.local_addr().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.args(["call", file, "a", &server]).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let waiting = listener.accept();
    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let numbers: Vec<_> = core.split_whitespace().skip(4).take(2).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(waiting.is_ok());
    // One byte is no core either, and what a sandbox raises it to.
    assert_eq!(numbers, ["0", "1"], "{core}");
}

#[test]
fn the_remedy_of_several_secrets_that_are_missing_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(root().join("fixtures/pets/spec.yaml"), path("pets.yaml")).unwrap();
    let text = "access: {bearer: 'directory:canary-one'}\nsecrets: {directory: gone}\ntoolsets:\n  pets: {openapi: pets.yaml, \
                credentials: {key: {api_key: {value: 'directory:canary-two'}}}}\n";
    fs::write(path("callgate.yaml"), text).unwrap();
    let ended = Ended::of(&mut command_in(folder.path(), &["check", "callgate.yaml"]));
    let ended = ended.says("`directory:canary-one`").says("`directory:canary-two`");
    assert_eq!(ended.err.matches("put the secret there").count(), 1, "{}", ended.err);
}
