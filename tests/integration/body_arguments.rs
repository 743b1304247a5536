//! Tools whose arguments are the members of their body (`arguments`): what arrives of a call, what is told of one that is wrong,
//! and which tools a configuration may not name.

use crate::prelude::*;

use crate::target::json as json_of;

const DESCRIPTION: &str = r"
paths:
  /contacts:
    post:
      operationId: createContact
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties: { phone: { type: string }, email: { type: string }, age: { type: integer } }
              anyOf: [{ required: [phone] }, { required: [email] }]
  /contacts/{id}:
    put:
      operationId: replaceContact
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { type: object } } } }
";

const LISTED: &str = "arguments: {tools: {createContact: body}}";

#[tokio::test]
async fn with_body_arguments_the_arguments_are_sent_as_the_body() {
    let server = Server::start().await;
    let executor = target::executor(DESCRIPTION, &server.url(""), LISTED);
    let arguments = json!({"email": "ada@example.com", "age": 7});
    let arrived = json_of(call(&executor, "createContact", arguments.clone()).await.outcome);
    assert_eq!(Value::parse(arrived["body"].as_str().unwrap()).unwrap(), arguments);
    let wrong =
        fault(call(&executor, "createContact", json!({"age": "x", "phone": []})).await.outcome);
    let places: Vec<&str> = wrong.problems.iter().map(|problem| problem.at.as_str()).collect();
    assert_eq!(places, ["age", "phone"]);
    assert_eq!(server.total(), 1);
}

/// What is found wrong with these settings, each with its place.
fn found(settings: &str) -> Vec<String> {
    let settings = format!("server: https://a.example\n{settings}");
    let findings = match toolset(DESCRIPTION, &settings) {
        Ok(built) => built.warnings,
        Err(error) => error.findings().to_vec(),
    };
    let kind = |severity| if severity == Severity::Error { "error" } else { "warning" };
    let text = |found: &callgate::config::Finding| {
        format!("{} {}: {}; {}", kind(found.severity), found.pointer, found.message, found.help)
    };
    findings.iter().map(text).collect()
}

#[test]
fn body_arguments_of_an_unsuitable_operation_are_a_fault_and_of_an_unknown_one_a_warning() {
    assert_eq!(found(LISTED), [""; 0]);
    assert_eq!(
        found("arguments: {tools: {replaceContact: body}}"),
        [
            "error /arguments/tools/replaceContact: expected a JSON object as the body and nothing else that a model gives, got the argument `id` beside it; remove `replaceContact` from `arguments`; `id` and the body are arguments side by side then"
        ]
    );
    assert_eq!(
        found("arguments: {tools: {createContct: body}}"),
        [
            "warning /arguments/tools/createContct: expected the name of a tool that is offered, got: `createContct`; did you mean `createContact`?"
        ]
    );
    assert_eq!(
        found("arguments: {tools: {createContact: flat}}"),
        [
            "error /arguments/tools/createContact: expected `body`, got: `flat`; `body` makes the members of the body the arguments; leave the tool out for the usual ones"
        ]
    );
}
