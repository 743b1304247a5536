//! Certificates from the configuration to the connection: real files, a real TLS server, and what a caller and an operator
//! are told when something is wrong. Threat 41 of `SECURITY.md`.

use crate::prelude::*;

use callgate::config::Error;

async fn answer(acceptor: TlsAcceptor, stream: TcpStream) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    if read_head(&mut stream).await.is_none() {
        return;
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\r\n";
    stream.write_all(format!("{head}true").as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

fn load_in(folder: &Path, root: &str, toolset: &str) -> Result<Built, Error> {
    let description = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\npaths: { /a: { get: { operationId: a, responses: { 200: { description: ok } } } } }\n";
    load_described(folder, description, (root, toolset))
}

fn load_described(
    folder: &Path,
    description: &str,
    (root, toolset): (&str, &str),
) -> Result<Built, Error> {
    fs::write(folder.join("spec.yaml"), description).unwrap();
    let text = format!("{root}\ntoolsets:\n  a: {{ openapi: spec.yaml, prefix: '', {toolset} }}\n");
    fs::write(folder.join("callgate.yaml"), text).unwrap();
    build(&Config::from_file(folder.join("callgate.yaml"))?)
}

async fn called(executor: &Executor) -> Result<(), Box<Fault>> {
    called_by(executor, "a").await
}

async fn called_by(executor: &Executor, tool: &str) -> Result<(), Box<Fault>> {
    let call = ToolCall::new("1", tool, Arguments::new());
    match executor.call(&call, &Session::default()).await.outcome {
        Outcome::Answered(_) => Ok(()),
        Outcome::Failed(fault) => Err(fault),
        other => panic!("{other:?}"),
    }
}

const IDENTITY: &str = "client_certificate: client.pem, client_key: 'file:client.key'";

#[tokio::test]
async fn the_certificates_of_the_root_serve_every_toolset_and_a_toolsets_own_win() {
    let authority = Authority::new();
    let server = format!("server: 'https://localhost:{}'", authority.serve(answer).await);
    authority.issue("client", 3000);
    let stranger = Authority::new();
    let their_ca = stranger.folder.path().join("ca.pem");
    let their_ca = their_ca.to_str().unwrap();
    let both = format!("tls: {{ ca: [ca.pem], {IDENTITY} }}");
    for (root, toolset) in [
        (both.clone(), server.clone()),
        (String::new(), format!("{server}, {both}")),
        (format!("tls: {{ {IDENTITY} }}"), format!("{server}, tls: {{ ca: [ca.pem] }}")),
        ("tls: { ca: [ca.pem] }".to_owned(), format!("{server}, tls: {{ {IDENTITY} }}")),
        (format!("tls: {{ ca: ['{their_ca}'] }}"), format!("{server}, {both}")),
    ] {
        let built = load_in(authority.folder.path(), &root, &toolset).unwrap();
        called(&built.executor).await.unwrap_or_else(|fault| panic!("{toolset}: {fault:?}"));
    }
    let own = format!("{server}, tls: {{ ca: ['{their_ca}'] }}");
    let fault =
        called(&load_in(authority.folder.path(), &both, &own).unwrap().executor).await.unwrap_err();
    assert!(fault.message.contains("nobody who is trusted vouches"), "{fault:?}");
}

#[tokio::test]
async fn an_authority_may_be_a_text_of_the_configuration() {
    let authority = Authority::new();
    let server = format!("server: 'https://localhost:{}'", authority.serve(answer).await);
    authority.issue("client", 3000);
    let pem = fs::read_to_string(authority.folder.path().join("ca.pem")).unwrap();
    for ca in [pem.replace("\r\n", "\\n").replace('\n', "\\n"), STANDARD.encode(&authority.der)] {
        let toolset = format!("{server}, tls: {{ ca: [\"{ca}\"], {IDENTITY} }}");
        let built = load_in(authority.folder.path(), "", &toolset).unwrap();
        called(&built.executor).await.unwrap();
    }
}

#[tokio::test]
async fn a_tls_fault_names_the_cause_and_no_host() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let port = authority.serve(answer).await;
    authority.issue("client", 3000);
    stranger.issue("strange", 3000);
    let strange = stranger.folder.path().join("strange");
    let strange = strange.to_str().unwrap();
    for (host, tls, word) in [
        ("localhost", IDENTITY.to_owned(), "nobody who is trusted vouches"),
        ("127.0.0.1", format!("ca: [ca.pem], {IDENTITY}"), "another host name"),
        ("localhost", "ca: [ca.pem]".to_owned(), "asks for a client certificate"),
        (
            "localhost",
            format!(
                "ca: [ca.pem], client_certificate: '{strange}.pem', client_key: 'file:{strange}.key'"
            ),
            "does not accept our client certificate",
        ),
    ] {
        let toolset = format!("server: 'https://{host}:{port}', tls: {{ {tls} }}");
        let built = load_in(authority.folder.path(), "", &toolset).unwrap();
        let fault = called(&built.executor).await.unwrap_err();
        assert_eq!(fault.code.as_str(), "unreachable");
        assert_ne!(fault.reached, Reached::Yes);
        assert!(fault.message.contains(word), "{word}: {fault:?}");
        assert!(!fault.message.contains(host), "{fault:?}");
    }
}

const DEMANDING: &str = "openapi: 3.1.0
info: { title: t, version: '1' }
components:
  securitySchemes:
    certificate: { type: mutualTLS }
    key: { type: apiKey, in: header, name: X-Key }
security: [{ certificate: [] }]
paths:
  /a: { get: { operationId: a, summary: s } }
  /b: { get: { operationId: b, summary: s, security: [{ certificate: [], key: [] }] } }
";

/// The description asks for a client certificate (OpenAPI 3.1.0 §4.8.27), and so does the server.
#[tokio::test]
async fn a_mutual_tls_scheme_is_satisfied_by_a_client_certificate() {
    let authority = Authority::new();
    let server = format!("server: 'https://localhost:{}'", authority.serve(answer).await);
    authority.issue("client", 3000);
    let folder = authority.folder.path();
    let load = |root: &str, settings: &str| {
        let toolset = format!("{server}, {settings}");
        let built = load_described(folder, DEMANDING, (root, &toolset));
        built.unwrap().executor
    };
    let key = "credentials: { key: { api_key: { value: 'literal:canary' } } }";
    let shown = format!("tls: {{ ca: [ca.pem], {IDENTITY} }}");
    for (root, settings) in [("", format!("{shown}, {key}")), (&*shown, key.to_owned())] {
        let executor = load(root, &settings);
        for tool in ["a", "b"] {
            called_by(&executor, tool).await.unwrap_or_else(|fault| panic!("{tool}: {fault:?}"));
        }
    }
    // Of what an operation asks for together, the certificate alone is not enough, nor is the rest without it.
    for (settings, tool, missing) in [
        (&*format!("tls: {{ ca: [ca.pem] }}, {key}"), "a", "`certificate`"),
        (&*format!("tls: {{ ca: [ca.pem] }}, {key}"), "b", "`certificate`"),
        (&*shown, "b", "`key`"),
    ] {
        let fault = called_by(&load("", settings), tool).await.unwrap_err();
        assert_eq!((fault.code.as_str(), fault.reached), ("auth_failed", Reached::No), "{fault:?}");
        assert!(fault.message.contains(missing), "{tool}: {fault:?}");
    }
}

#[test]
fn faults_of_certificates_are_reported_when_they_are_loaded() {
    let authority = Authority::new();
    authority.issue("client", 3000);
    authority.issue("old", 2001);
    fs::write(authority.folder.path().join("text.pem"), "canary").unwrap();
    for [tls, code, word] in rows(
        "
        ca: [] => wrong-value => at least
        ca: ca.pem => wrong-value => a list of texts
        ca: [none.pem] => unreadable-file => none.pem
        ca: [text.pem] => certificate => expected a certificate
        client_key: 'file:client.key' => missing-key => `client_certificate`
        client_certificate: client.pem => missing-key => `client_key`
        client_certificate: client.pem, client_key: canary => secret-reference => reference
        client_certificate: client.pem, client_key: 'file:none' => secret => there is no secret
        client_certificate: client.pem, client_key: 'file:text.pem' => certificate => private key
        client_certificate: client.pem, client_key: 'file:old.key' => certificate => belong together
        client_certificate: old.pem, client_key: 'file:old.key' => certificate => has expired
        client_certifcate: client.pem => unknown-key => `client_certifcate`
        ",
    ) {
        for (root, toolset) in [
            (format!("tls: {{ {tls} }}"), String::new()),
            (String::new(), format!("tls: {{ {tls} }}")),
        ] {
            let toolset = format!("server: 'https://localhost', {toolset}");
            let error = load_in(authority.folder.path(), &root, &toolset).unwrap_err();
            let found = error.findings().iter().find(|finding| finding.code == code);
            let found = found.unwrap_or_else(|| panic!("{tls}: {error}"));
            assert!(found.message.contains(word), "{tls}: {found}");
            assert!(found.position.is_some(), "{found}");
            assert!(!error.to_string().contains("canary"), "{error}");
        }
    }
}

#[test]
fn a_toolset_that_answers_from_recordings_reads_no_certificates() {
    let authority = Authority::new();
    fs::create_dir(authority.folder.path().join("cases")).unwrap();
    let tls =
        "tls: { ca: [none.pem], client_certificate: none.pem, client_key: 'env:CALLGATE_NONE' }";
    let replay = "server: 'https://api.example.com', upstream: replay";
    load_in(authority.folder.path(), tls, &format!("{replay}, {tls}")).unwrap();
}

#[tokio::test]
async fn services_of_every_kind_are_trusted_by_the_authorities_of_their_toolset() {
    let authority = Authority::new();
    let server = format!("https://localhost:{}", authority.serve(answer).await);
    authority.issue("client", 3000);
    let identity = json!({"client_certificate": "client.pem", "client_key": "file:client.key"});
    let mut trusting = identity.clone();
    trusting["ca"] = json!(["ca.pem"]);
    for service in services() {
        for (tls, is_trusted) in [(&identity, false), (&trusting, true)] {
            let further = json!({"server": server, "tls": tls});
            let result = result_of_service(authority.folder.path(), &service, &further).await;
            assert_eq!(result.contains("vouches"), !is_trusted, "{result}");
        }
    }
}
