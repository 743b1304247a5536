//! Tools whose arguments are the members of their body (`arguments`): what arrives of a call, what is told of one that is wrong,
//! and which tools a configuration may not name.

use crate::prelude::*;

use crate::target::json as json_of;

const DESCRIPTION: &str = concat!("\n", include_str!("body_arguments.yaml"));

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
    crate::built::found(toolset(DESCRIPTION, &format!("server: https://a.example\n{settings}")))
}

#[test]
fn body_arguments_of_an_unsuitable_operation_are_a_fault_and_of_an_unknown_one_a_warning() {
    assert_eq!(found(LISTED), [""; 0]);
    for [tools, expected] in rows(
        r"
        replaceContact: body => error /arguments/tools/replaceContact: expected a JSON object as the body and nothing else that a model gives, got the argument `id` beside it; remove `replaceContact` from `arguments`; `id` and the body are arguments side by side then
        createContct: body => warning /arguments/tools/createContct: expected the name of a tool that is offered, got: `createContct`; did you mean `createContact`?
        createContact: flat => error /arguments/tools/createContact: expected `body`, got: `flat`; `body` makes the members of the body the arguments; leave the tool out for the usual ones
        ",
    ) {
        assert_eq!(found(&format!("arguments: {{tools: {{{tools}}}}}")), [expected]);
    }
}
