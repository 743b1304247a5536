//! Values of a session, and servers that a description names for single operations: what credentials may not reach, values
//! of the session do not reach either.

use crate::prelude::*;

use callgate::json;

/// `SERVER` is the document's, `AWAY` that of single operations.
const DESCRIPTION: &str = r#"
servers: [{ url: "SERVER" }]
paths:
  /home: { get: { operationId: home, parameters: [{ name: c, in: query, schema: { type: string, x-agent-input-parameter: customer } }], responses: { 200: { description: ok } } } }
  /parameter: { get: { operationId: parameter, servers: [{ url: "AWAY" }], parameters: [{ name: c, in: query, schema: { type: string, x-agent-input-parameter: customer } }], responses: { 200: { description: ok } } } }
  /session: { get: { operationId: session, servers: [{ url: "AWAY" }], parameters: [{ name: s, in: header, required: true, schema: { $ref: "@dialogflow/sessionId" } }], responses: { 200: { description: ok } } } }
  /nested: { post: { operationId: nested, servers: [{ url: "AWAY" }], requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { a: { type: object, properties: { c: { type: string, x-agent-input-parameter: customer } } } } } } } }, responses: { 200: { description: ok } } } }
  /plain: { get: { operationId: plain, servers: [{ url: "AWAY" }], parameters: [{ name: c, in: query, schema: { type: string } }], responses: { 200: { description: ok } } } }
"#;

async fn load(server: &str, away: &str, listed: &str) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let description = DESCRIPTION.replace("SERVER", server).replace("AWAY", away);
    fs::write(folder.path().join("spec.yaml"), describe(&description)).unwrap();
    let toolset = folder.path().join("toolset.yaml");
    fs::write(&toolset, format!("credential_origins: [\"{listed}\"]\n")).unwrap();
    let config = Config::from_toolset_file(&toolset).unwrap();
    config.build(&Environment::new(), None).await.unwrap()
}

async fn call(built: &Built, tool: &str) -> Outcome {
    let parameters = json!({"customer": "canary-customer"});
    let session =
        Session::new("canary-session").with_parameters(parameters.as_object().cloned().unwrap());
    built.executor.call(&asked(tool, json!({})), &session).await.outcome
}

async fn failed(built: &Built, tool: &str) -> Fault {
    match call(built, tool).await {
        Outcome::Failed(fault) => *fault,
        other => panic!("{tool}: {other:?}"),
    }
}

#[tokio::test]
async fn an_unlisted_origin_gets_no_value_of_the_session() {
    let (server, away) = (Server::start().await, Server::start().await);
    let (own, other) = (server.url(""), away.url(""));
    let built = load(&own, "https://away.example", &own).await;
    for tool in ["parameter", "session", "nested"] {
        let fault = failed(&built, tool).await;
        assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No), "{tool}");
        assert!(fault.message.contains("`credential_origins`"), "{}", fault.message);
        assert!(!fault.message.contains("127.0.0.1"), "{}", fault.message);
    }
    let report = &built.toolsets[0].report;
    let told: Vec<_> =
        report.diagnostics.iter().filter(|known| known.code == Code::ForeignServer).collect();
    assert!(told.len() == 1 && told[0].help.contains("https://away.example"), "{told:?}");
    let listed = load(&own, &other, &other).await;
    for tool in ["parameter", "session", "nested"] {
        assert!(matches!(call(&listed, tool).await, Outcome::Answered(_)), "{tool}");
    }
    assert_eq!(away.total(), 3);
}
