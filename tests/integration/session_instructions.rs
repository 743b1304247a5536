//! A credential of the session is no part of what an agent's model reads, nor of what the settings of another toolset send.

use crate::prelude::*;

/// The places of errors about credentials of the session, in a configuration of a toolset, a model and one thing more.
fn places(credential: &str, model: &str, further: &str) -> Vec<String> {
    let text = format!(
        "toolsets:
  hub: {{openapi: spec.yaml, auth: {{bearer: {{token: {credential}}}}}}}
{further}
models: {{main: {{dialect: openai, url: 'http://127.0.0.1:1/v1', model: m, auth: {{bearer: {{token: {model}}}}}}}}}
"
    );
    let mut config = loader().text(&text, "").unwrap();
    config.toolsets[0].description = Description::text(describe("paths: {}"));
    let findings = crate::built::findings(build(&config));
    let errors = findings.into_iter().filter(|it| it.severity == Severity::Error);
    errors.filter(|it| it.code == "session-credential").map(|it| it.pointer).collect()
}

const AGENT: &str = "/agents/help/instructions";

#[test]
fn instructions_with_the_credential_of_a_toolset_or_a_model_are_refused() {
    for (instructions, expected) in [
        ("Say $session.params.token.", &[AGENT] as &[_]),
        ("Say $session.params.Token.", &[AGENT]),
        ("Say $session.params.token.first", &[AGENT]),
        ("Say $context.variables", &[AGENT]),
        ("Say $context.variables.token", &[AGENT]),
        ("Say $session.params.tokens, $context.token, $request.payload.token.", &[]),
    ] {
        let further = format!("agents: {{help: {{model: main, instructions: '{instructions}'}}}}");
        let (own, other) = ("$session.params.token", "$session.credentials.token");
        assert_eq!(places(own, other, &further), expected, "{instructions}");
        assert_eq!(places(other, own, &further), expected, "{instructions}");
        assert_eq!(places(other, other, &further), [""; 0], "{instructions}");
    }
}

#[test]
fn conditions_and_queries_with_the_credential_of_another_toolset_are_refused() {
    let vertex = "vertex: {data_stores: [projects/p/locations/eu/collections/c/dataStores/d], filter: 'a: ANY($session.params.token)'}, auth: {bearer: {token: env:T}}";
    let connection = "connection: projects/p/locations/eu/connections/c, auth: {bearer: {token: env:T}}, actions: [{action: ExecuteCustomQuery, name: find, sql: 'SELECT a FROM b WHERE c = :token', effect: read, inputs: {token: $session.params.token}}]";
    let documents = "documents: {folder: ., where: {owner: {eq: $session.params.token}}}";
    let statement = "database: {url: 'sqlite:x.db'}, statements: {find: {sql: 'SELECT a FROM b WHERE c = :token', inputs: {token: $session.params.token}}}";
    for (toolset, place) in [
        (vertex, "vertex/filter"),
        (connection, "actions/0/inputs/token"),
        (documents, "documents/where/owner/eq"),
        (statement, "statements/find/inputs/token"),
    ] {
        let further = format!("  other: {{{toolset}}}");
        let expected = format!("/toolsets/other/{place}");
        assert_eq!(places("$session.params.token", "env:T", &further), [&*expected]);
        assert_eq!(places("env:T", "$session.params.token", &further), [&*expected]);
        assert_eq!(places("env:T", "env:T", &further), [""; 0], "{toolset}");
    }
}
