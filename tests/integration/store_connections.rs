//! Connections to a store of secrets: secured by what the configuration says of that store, over real TLS with a vault
//! that demands a certificate.

use crate::prelude::*;

/// An authority, and a client of it with its key in the authority's folder.
fn authority() -> Authority {
    let authority = Authority::new();
    authority.issue("client", 3000);
    authority
}

/// A vault that demands a certificate of the authority; answers its address.
async fn vault(authority: &Authority) -> String {
    format!("https://localhost:{}", authority.serve(answer).await)
}

/// One answer a connection: the mount `secret/`, or the secret in it.
async fn answer(acceptor: TlsAcceptor, stream: TcpStream) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let Some(head) = read_head(&mut stream).await else { return };
    let (status, body) = match head.split(' ').nth(1).unwrap() {
        path if path.starts_with("/v1/sys/internal/ui/mounts/") => (
            "200 OK",
            r#"{"data": {"path": "secret/", "type": "kv", "options": {"version": "2"}}}"#,
        ),
        "/v1/secret/data/pets" => ("200 OK", r#"{"data": {"data": {"key": "from-the-vault"}}}"#),
        _ => ("404 Not Found", "{}"),
    };
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

fn executor(folder: &Path, (vault, tls): (&str, &str), (root, service): (&str, &str)) -> Executor {
    let description = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\npaths: { /echo: { post: { operationId: echo, responses: { 200: { description: ok } } } } }\n";
    fs::write(folder.join("spec.yaml"), description).unwrap();
    let text = format!(
        "{root}\nsecrets: {{ vault: {{ address: '{vault}', token: 'literal:t', {tls} }} }}\n\
         toolsets:\n  a: {{ openapi: spec.yaml, prefix: '', server: '{service}', auth: {{ bearer: {{ token: 'vault:secret/pets#key' }} }} }}\n"
    );
    fs::write(folder.join("callgate.yaml"), text).unwrap();
    build(&Config::from_file(folder.join("callgate.yaml")).unwrap()).unwrap().executor
}

/// The outcome of a call, and why there was no credential.
async fn called(executor: &Executor) -> (Outcome, String) {
    let call = ToolCall::new("1", "echo", Object::default());
    let result = executor.call(&call, &Session::default()).await;
    let whys = result.journal.events().iter().filter_map(|event| match event {
        Event::CredentialAbsent { why } => Some(why.as_str()),
        _ => None,
    });
    (result.outcome.clone(), whys.collect())
}

const IDENTITY: &str = "client_certificate: client.pem, client_key: 'file:client.key'";

#[tokio::test]
async fn a_stores_own_certificates_secure_its_connections() {
    let authority = authority();
    let (vault, service) = (vault(&authority).await, Server::start().await);
    let tls = format!("tls: {{ ca: [ca.pem], {IDENTITY} }}");
    let executor = executor(authority.folder.path(), (&vault, &tls), ("", &service.url("")));
    let (outcome, why) = called(&executor).await;
    assert!(
        matches!(&outcome, Outcome::Answered(answer) if answer.status == Some(200)),
        "{outcome:?} {why}"
    );
}

#[tokio::test]
async fn a_store_without_its_certificates_gets_no_request_and_the_operator_gets_the_reason() {
    let authority = authority();
    let (vault, service) = (vault(&authority).await, Server::start().await);
    let root = format!("tls: {{ ca: [ca.pem], {IDENTITY} }}");
    for (root, tls, words) in [
        ("", format!("tls: {{ {IDENTITY} }}"), "nobody who is trusted vouches"),
        ("", "tls: { ca: [ca.pem] }".to_owned(), "asks for a client certificate"),
        // What secures toolsets is shown to no store.
        (&root, String::new(), "nobody who is trusted vouches"),
    ] {
        let executor = executor(authority.folder.path(), (&vault, &tls), (root, &service.url("")));
        let (outcome, why) = called(&executor).await;
        let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
        assert_eq!(fault.code, FaultCode::AuthFailed);
        assert!(why.contains(words), "{tls}: {why}");
        assert!(!fault.message.contains("localhost"), "{fault:?}");
    }
}
