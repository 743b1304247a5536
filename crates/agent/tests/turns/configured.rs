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
async fn words_of_instructions_that_no_session_gives_are_refused() {
    let words = "$session.parameters.name $session.param.name $session.id $session.credentials.x
        $caller.token ${session.params.name";
    for word in words.split_whitespace() {
        let agent = format!("{{model: main, instructions: 'Greet {word}.'}}");
        let found = findings(&format!("{TOOLSETS}\nagents: {{a: {agent}}}")).await;
        let expected =
            format!("/agents/a/instructions expected a value of the session, got: `{word}`");
        assert_eq!(found, [expected]);
    }
    let agent = "{model: main, instructions: 'Size $session.params.größe for $5.'}";
    let found = warnings(&format!("{TOOLSETS}\nagents: {{a: {agent}}}")).await;
    assert!(!found.iter().any(|said| said.starts_with("/agents")), "{found:?}");
}

#[tokio::test]
async fn an_agent_of_a_principal_that_does_not_exist_is_refused() {
    let access = "access: {principals: {kim: {bearer: env:KIM, agents: [keper]}}}";
    let found =
        findings(&format!("{TOOLSETS}\nagents: {{keeper: {{model: main}}}}\n{access}")).await;
    let expected = "/access/principals/kim/agents expected the name of an agent, got: `keper`";
    assert!(found.iter().any(|said| said == expected), "{found:?}");
}

/// The findings that do not stop a build.
async fn warnings(text: &str) -> Vec<String> {
    let built =
        Config::from_text(text, "").unwrap().build(&Environment::new(), None).await.unwrap();
    let said = built.findings().into_iter();
    said.map(|finding| format!("{} {} {}", finding.pointer, finding.message, finding.help))
        .collect()
}

#[tokio::test]
async fn patterns_that_no_tool_has_are_warnings_with_the_nearest_name() {
    let tools = "{include: [app-*, app-opne], exclude: ['shop-*']}";
    let found =
        warnings(&format!("{TOOLSETS}\nagents: {{a: {{model: main, tools: {tools}}}}}")).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("/agents/a/tools/include/1 expected a pattern"), "{found:?}");
    assert!(found[0].contains("did you mean `app-open`?"), "{found:?}");
    assert!(found[1].starts_with("/agents/a/tools/exclude/0"), "{found:?}");
}

#[tokio::test]
async fn a_choice_of_a_tool_that_does_not_exist_or_is_not_offered_is_refused() {
    let agents = "{a: {model: main, choice: app-opne}, b: {model: main, choice: requierd}, c: {model: main, choice: app-open, tools: {exclude: [app-open]}}, d: {model: main, choice: app-open}}";
    let found = findings(&format!("{TOOLSETS}\nagents: {agents}")).await;
    let of = |pointer: &str| found.iter().find(|said| said.starts_with(pointer)).cloned();
    assert!(of("/agents/a/choice").unwrap().contains("got: `app-opne`"), "{found:?}");
    assert!(of("/agents/b/choice").unwrap().contains("`required` or the name"), "{found:?}");
    assert!(of("/agents/c/choice").unwrap().contains("a tool that the agent offers"), "{found:?}");
    assert_eq!(of("/agents/d/"), None);
}

#[tokio::test]
async fn a_budget_needs_both_of_its_keys_and_a_minute() {
    let with = |budget: &str| {
        let text = format!("{TOOLSETS}\nagents: {{a: {{model: main, budget: {budget}}}}}");
        let error = Config::from_text(&text, "").and_then(Config::faultless).unwrap_err();
        error.findings().iter().map(ToString::to_string).collect::<String>()
    };
    assert!(with("{tokens: 10}").contains("per"));
    assert!(with("{per: 1h}").contains("tokens"));
    assert!(with("{tokens: 10, per: 1s}").contains("a minute or more"));
    assert!(with("{tokens: 0, per: 1h}").contains("expected"));
}

#[tokio::test]
async fn an_agent_that_does_not_exist_is_refused_with_the_names_of_those_that_do() {
    let text = format!("{TOOLSETS}\nagents: {{keeper: {{model: main}}}}");
    let config = Config::from_text(&text, "").unwrap();
    let built = config.build(&Environment::new(), None).await.unwrap();
    let error = Agent::from_configuration(&built, "keper").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownAgent);
    assert!(error.to_string().contains("`keeper`"), "{error}");
    assert!(Agent::from_configuration(&built, "keeper").is_ok());
}
