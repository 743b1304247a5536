//! The rows of the seed about function calling with chat completion, A1 to A18, each as a test of that name.

use callgate_agent::{AgentSettings, Answer, Calls, Choice, EndReason, Given, Input, Transcript};
use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::{Made, agent, context, unasked},
};

/// A turn over chat completions with these replies, and what the fake and the tools saw.
async fn chat(
    replies: &[Said],
    settings: AgentSettings,
) -> (callgate_agent::End, std::sync::Arc<Fake>, Made) {
    let (fake, made) =
        (Fake::new(Dialect::OpenAi, replies.iter().cloned().map(Step::Says)), Made::default());
    let agent = agent(&fake, &made, settings);
    let mut transcript = Transcript::new(Dialect::OpenAi).unwrap();
    let end = agent.turn(&mut transcript, Input::text("Hello."), &context()).await.unwrap();
    fake.refused_nothing();
    (end, fake, made)
}

fn messages(fake: &Fake) -> Vec<Value> {
    fake.last()["messages"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a1_every_offered_tool_is_declared_with_its_schema() {
    let (_, fake, _) = chat(&[], unasked()).await;
    let body = fake.last();
    let tools = body["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 6);
    let parameters = &tools[0]["function"]["parameters"];
    assert_eq!(*parameters, json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
    assert_eq!(tools[0]["function"]["name"], "shop-menu");
    assert!(!body.to_string().contains("output"), "what tools return is not declared");
}

#[tokio::test]
async fn a2_history_and_declarations_go_together() {
    let settings = AgentSettings { instructions: "Take orders.".to_owned(), ..unasked() };
    let (_, fake, _) = chat(&[], settings).await;
    let body = fake.last();
    let expected = json!([{"role": "system", "content": "Take orders."}, {"role": "user", "content": "Hello."}]);
    assert_eq!(body["messages"], expected);
    assert!(body.get("tools").is_some());
}

#[tokio::test]
async fn a3_words_end_the_turn_and_a_call_goes_on() {
    let replies = [Said::calls(&[("shop-menu", "{}")]), Said::text("Margherita.")];
    let (end, fake, _) = chat(&replies, unasked()).await;
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "Margherita."));
    assert_eq!((fake.n_requests(), end.n_rounds, end.n_calls), (2, 2, 1));
}

#[tokio::test]
async fn a4_a_question_to_the_user_is_an_answer_and_the_next_input_continues() {
    let (fake, made) =
        (Fake::new(Dialect::OpenAi, [Step::Says(Said::text("Which size?"))]), Made::default());
    let agent = agent(&fake, &made, unasked());
    let mut transcript = Transcript::new(Dialect::OpenAi).unwrap();
    let end = agent.turn(&mut transcript, Input::text("A pizza."), &context()).await.unwrap();
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "Which size?"));
    agent.turn(&mut transcript, Input::text("Large."), &context()).await.unwrap();
    fake.refused_nothing();
    let roles: Vec<_> = messages(&fake).iter().map(|message| message["role"].to_string()).collect();
    assert_eq!(roles, [r#""user""#, r#""assistant""#, r#""user""#]);
}

#[tokio::test]
async fn a5_arguments_come_as_text_and_become_values() {
    let (_, _, made) =
        chat(&[Said::calls(&[("shop-add", r#"{"n": 12345678901234567890}"#)])], unasked()).await;
    assert_eq!(made.all(), [r#"shop-add {"n":12345678901234567890}"#]);
}

#[tokio::test]
async fn a6_a7_the_call_and_its_result_are_in_the_history_with_one_id() {
    for dialect in DIALECTS {
        let steps = [Step::Says(Said::calls(&[("shop-add", r#"{"n":1}"#)]))];
        let (fake, made) = (Fake::new(dialect, steps), Made::default());
        let agent = agent(&fake, &made, unasked());
        let mut transcript = Transcript::new(dialect).unwrap();
        agent.turn(&mut transcript, Input::text("Add."), &context()).await.unwrap();
        // The fake compares the ids, the order and the bytes of the call.
        fake.refused_nothing();
        assert!(transcript.messages().len() >= 4, "{dialect}");
    }
}

#[tokio::test]
async fn a8_rounds_repeat_until_the_model_ends() {
    let calls = |n: &str| Said::calls(&[("shop-add", &format!(r#"{{"n":{n}}}"#))]);
    let (end, _, made) = chat(&[calls("1"), calls("2"), calls("3")], unasked()).await;
    assert_eq!((end.reason, end.n_rounds, made.all().len()), (EndReason::Answered, 4, 3));
}

#[tokio::test]
async fn a9_a12_an_unknown_tool_is_answered_with_the_nearest_names_and_the_turn_goes_on() {
    let (end, fake, made) = chat(&[Said::calls(&[("shopPlugin-menu", "{}")])], unasked()).await;
    assert_eq!(end.reason, EndReason::Answered);
    assert!(made.all().is_empty());
    let said = messages(&fake)[2]["content"].to_string();
    assert!(said.contains("unknown_tool") && said.contains("shop-menu"), "{said}");
}

#[tokio::test]
async fn a10_a11_a_failure_is_a_result_that_says_how_to_correct_it() {
    let replies = [Said::calls(&[("shop-broken", "{}")]), Said::calls(&[("shop-menu", "{}")])];
    let (end, fake, made) = chat(&replies, unasked()).await;
    assert_eq!((end.reason, made.all().len()), (EndReason::Answered, 2));
    let said = messages(&fake)[2]["content"].to_string();
    assert!(said.contains("the oven is cold; use the other one"), "{said}");
    assert!(said.contains("correct_arguments"), "{said}");
}

#[tokio::test]
async fn a13_a14_calls_that_the_caller_makes_end_the_turn_and_their_results_continue_it() {
    for dialect in DIALECTS {
        let steps = [Step::Says(Said::calls(&[("shop-add", r#"{"n":1}"#), ("shop-menu", "{}")]))];
        let (fake, made) = (Fake::new(dialect, steps), Made::default());
        let agent = agent(&fake, &made, AgentSettings { calls: Calls::Manual, ..unasked() });
        let mut transcript = Transcript::new(dialect).unwrap();
        let end = agent.turn(&mut transcript, Input::text("Add."), &context()).await.unwrap();
        assert_eq!((end.reason, end.pending.len()), (EndReason::Waiting, 2), "{dialect}");
        assert!(end.pending.iter().all(|pending| pending.kind == "result"));
        let answer = |id: &str| Answer::new(id, Given::Output(json!({"ok": true})));
        let first = Input::Answers(vec![answer(&end.pending[1].id)]);
        let text = transcript.to_text();
        let (mut transcript, _) =
            Transcript::of_text(&text, |name| agent.offered_tool(name)).unwrap();
        let waiting = agent.turn(&mut transcript, first, &context()).await.unwrap();
        assert_eq!((waiting.reason, waiting.pending.len()), (EndReason::Waiting, 1));
        let second = Input::Answers(vec![answer(&end.pending[0].id)]);
        let end = agent.turn(&mut transcript, second, &context()).await.unwrap();
        assert_eq!(end.reason, EndReason::Answered, "{dialect}");
        assert!(made.all().is_empty(), "callgate made none of them");
        fake.refused_nothing();
    }
}

#[tokio::test]
async fn a15_several_calls_of_one_message_take_one_round_trip_and_keep_their_order() {
    for dialect in DIALECTS {
        let calls =
            [("shop-menu", r#"{"n":1}"#), ("shop-add", r#"{"n":2}"#), ("shop-cart", r#"{"n":3}"#)];
        let (fake, made) = (Fake::new(dialect, [Step::Says(Said::calls(&calls))]), Made::default());
        let agent = agent(&fake, &made, unasked());
        let mut transcript = Transcript::new(dialect).unwrap();
        let end = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
        assert_eq!((end.n_rounds, end.n_calls), (2, 3), "{dialect}");
        let expected = [r#"shop-menu {"n":1}"#, r#"shop-add {"n":2}"#, r#"shop-cart {"n":3}"#];
        assert_eq!(made.all(), expected, "{dialect}");
        fake.refused_nothing();
    }
}

// A17, that long results are cut, is tested with a service: `crates/cli/tests/turns/lengths.rs`.
#[tokio::test]
async fn a17_the_model_reads_the_text_of_a_result_and_nothing_else() {
    let (_, fake, _) = chat(&[Said::calls(&[("shop-menu", r#"{"n":7}"#)])], unasked()).await;
    assert_eq!(messages(&fake)[2]["content"], r#"{"n":7,"done":true}"#);
}

#[tokio::test]
async fn a18_a_required_choice_holds_in_the_first_round_alone_and_others_in_each() {
    let call = || [Said::calls(&[("shop-menu", "{}")])];
    let choices = |fake: &Fake| -> Vec<String> {
        let requests = fake.requests.lock().unwrap();
        requests.iter().map(|body| Value::parse(body).unwrap()["tool_choice"].to_string()).collect()
    };
    let with = |choice| AgentSettings { choice, ..unasked() };
    let (_, fake, _) = chat(&call(), with(Choice::Auto)).await;
    assert_eq!(choices(&fake), [r#""auto""#, r#""auto""#]);
    let (_, fake, _) = chat(&call(), with(Choice::Required)).await;
    assert_eq!(choices(&fake), [r#""required""#, r#""auto""#]);
    let (_, fake, _) = chat(&call(), with(Choice::Tool("shop-menu".to_owned()))).await;
    let forced = r#"{"type":"function","function":{"name":"shop-menu"}}"#;
    assert_eq!(choices(&fake), [forced, r#""auto""#]);
    let (_, fake, made) = chat(&call(), with(Choice::None)).await;
    assert_eq!(choices(&fake), [r#""none""#, r#""none""#]);
    assert!(made.all().is_empty(), "a call against the choice is not made");
}
