//! An agent with many tools declares the one that finds the others. What it finds is declared, called, and known in later turns.

use callgate_agent::{AgentSettings, Choice, EndReason, ToolSearch, Transcript};
use callgate_dialect::Dialect;
use callgate_executor::{Executor, Function};
use callgate_policy::Confirm;
use callgate_tool::{Value, json};

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::Talk,
};

/// Tools that each give a thing back.
fn executor(n_tools: usize) -> Executor {
    let builder = (0..n_tools).fold(Executor::builder(), |builder, n| {
        let words = ["refund", "invoice", "parcel", "coupon", "reminder"];
        let about = format!("Shows the {} number {n} of a customer", words[n % words.len()]);
        let schema = json!({"type": "object", "description": about});
        let function = Function::new("shop", &format!("tool{n:03}"), schema, move |_| async move {
            json!({"number": n})
        });
        builder.backend(function.unwrap())
    });
    builder.build().unwrap()
}

fn settings(search: ToolSearch) -> AgentSettings {
    AgentSettings { search, confirm: Confirm::Never, ..AgentSettings::default() }
}

/// The names of the tools in a request of chat completions.
fn declared(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

fn requests(fake: &Fake) -> Vec<Value> {
    let requests = fake.requests.lock().unwrap();
    requests.iter().map(|body| Value::parse(body).unwrap()).collect()
}

#[tokio::test]
async fn many_tools_are_found_by_words_declared_and_called() {
    let search = r#"{"query":"coupon number 53 of a customer"}"#;
    let steps = [
        Step::Says(Said::calls(&[("find_tools", search)])),
        Step::Says(Said::calls(&[("shop-tool053", "{}")])),
    ];
    let mut talk = Talk::with(Dialect::OpenAi, steps, executor(100), settings(ToolSearch::Auto));
    let end = talk.say("Help.").await;
    assert_eq!((end.reason, end.n_rounds, end.n_calls), (EndReason::Answered, 3, 1), "{end:?}");
    let seen = requests(&talk.fake);
    assert_eq!(declared(&seen[0]), ["find_tools"]);
    let after = declared(&seen[1]);
    assert!(after.contains(&"shop-tool053".to_owned()) && after.len() <= 9, "{after:?}");
    let result = seen[2]["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(result.contains("53"), "{result}");
    let text = talk.transcript.to_text();
    (talk.transcript, _) =
        Transcript::from_text(&text, |name| talk.agent.offered_tool(name)).unwrap();
    talk.say("And now?").await;
    assert!(declared(&talk.last()).contains(&"shop-tool053".to_owned()), "a later turn knows it");
    talk.refused_nothing();
}

#[tokio::test]
async fn forty_tools_are_declared_and_more_only_where_the_agent_says_never() {
    for (n_tools, search, n_declared) in [
        (40, ToolSearch::Auto, 40),
        (41, ToolSearch::Auto, 1),
        (41, ToolSearch::Never, 41),
        (3, ToolSearch::Always, 1),
    ] {
        let mut talk = Talk::with(Dialect::OpenAi, [], executor(n_tools), settings(search));
        talk.say("Help.").await;
        assert_eq!(declared(&talk.last()).len(), n_declared, "{n_tools} {search:?}");
    }
}

#[tokio::test]
async fn a_search_without_words_is_answered_and_the_conversation_can_be_sent_in_each_dialect() {
    for dialect in DIALECTS {
        let calls = [("find_tools", "{}"), ("find_tools", r#"{"query":"refund"}"#)];
        let mut talk = Talk::with(
            dialect,
            [Step::Says(Said::calls(&calls))],
            executor(50),
            settings(ToolSearch::Auto),
        );
        let end = talk.say("Help.").await;
        assert_eq!((end.reason, end.n_calls), (EndReason::Answered, 0), "{dialect}: {end:?}");
        let said = talk.last().to_string();
        assert!(said.contains("what a tool is wanted for"), "{dialect}: {said}");
        talk.refused_nothing();
    }
}

#[tokio::test]
async fn the_tool_of_a_choice_is_declared_without_a_search() {
    let choice = Choice::Tool("shop-tool007".to_owned());
    let settings = AgentSettings { choice, ..settings(ToolSearch::Auto) };
    let mut talk = Talk::with(Dialect::OpenAi, [], executor(50), settings);
    talk.say("Help.").await;
    assert_eq!(declared(&talk.last()), ["find_tools", "shop-tool007"]);
}
