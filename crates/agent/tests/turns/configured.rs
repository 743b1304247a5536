//! Agents of a configuration: names that do not exist are refused where the configuration is read.

use callgate_agent::{Agent, ErrorKind};
use callgate_config::{Config, Environment};

/// The messages of the findings of a configuration.
async fn findings(text: &str) -> Vec<String> {
    let config = Config::from_text(text, "").unwrap();
    let error = config.build(&Environment::new(), None).await.unwrap_err();
    error
        .findings()
        .iter()
        .map(|finding| format!("{} {}", finding.pointer, finding.message))
        .collect()
}

const TOOLSETS: &str = "toolsets: {app: {functions: [{name: open}]}}
models: {main: {dialect: openai, url: 'http://127.0.0.1:1/v1', model: m, auth: none}}";

#[tokio::test]
async fn a_model_that_is_not_named_and_one_that_does_not_exist_are_refused() {
    let found = findings(&format!("{TOOLSETS}\nagents: {{a: {{}}, b: {{model: mian}}}}")).await;
    let expected = [
        "/agents/a expected the key `model`, got none",
        "/agents/b/model expected the name of a model below `models`, got: `mian`",
    ];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn instructions_in_a_file_that_does_not_exist_are_refused() {
    let text =
        format!("{TOOLSETS}\nagents: {{a: {{model: main, instructions: 'file:absent.md'}}}}");
    let found = findings(&text).await;
    assert!(
        found[0].starts_with("/agents/a/instructions cannot read the instructions"),
        "{found:?}"
    );
}

#[tokio::test]
async fn an_agent_of_a_principal_that_does_not_exist_is_refused() {
    let access = "access: {principals: {kim: {bearer: env:KIM, agents: [keper]}}}";
    let found =
        findings(&format!("{TOOLSETS}\nagents: {{keeper: {{model: main}}}}\n{access}")).await;
    let expected = "/access/principals/kim/agents expected the name of an agent, got: `keper`";
    assert!(found.iter().any(|said| said == expected), "{found:?}");
}

#[tokio::test]
async fn an_agent_that_does_not_exist_is_refused_with_the_names_of_those_that_do() {
    let text = format!("{TOOLSETS}\nagents: {{keeper: {{model: main}}}}");
    let config = Config::from_text(&text, "").unwrap();
    let built = config.build(&Environment::new(), None).await.unwrap();
    let error = Agent::of_configuration(&built, "keper").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownAgent);
    assert!(error.to_string().contains("`keeper`"), "{error}");
    assert!(Agent::of_configuration(&built, "keeper").is_ok());
}
