//! The rows of the seed about function calling with chat completion, A1 to A18, each as a test of that name.

use callgate_agent::{
    AgentSettings, Answer, Calls, Choice, End, EndReason, Given, Input, Transcript,
};
use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

use crate::{
    fake::{DIALECTS, Said, Step},
    shop::{Talk, unasked},
};

/// A turn over chat completions with these replies.
async fn chat(replies: &[Said], settings: AgentSettings) -> (End, Talk) {
    let mut talk = Talk::new(Dialect::OpenAi, replies.iter().cloned().map(Step::Says), settings);
    let end = talk.say("Hello.").await;
    talk.refused_nothing();
    (end, talk)
}

fn messages(talk: &Talk) -> Vec<Value> {
    talk.last()["messages"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a1_every_offered_tool_is_declared_with_its_schema() {
    let body = chat(&[], unasked()).await.1.last();
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
    let body = chat(&[], settings).await.1.last();
    let expected = json!([{"role": "system", "content": "Take orders."}, {"role": "user", "content": "Hello."}]);
    assert_eq!(body["messages"], expected);
    assert!(body.get("tools").is_some());
}

#[tokio::test]
async fn a3_words_end_the_turn_and_a_call_goes_on() {
    let replies = [Said::calls(&[("shop-menu", "{}")]), Said::text("Margherita.")];
    let (end, talk) = chat(&replies, unasked()).await;
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "Margherita."));
    assert_eq!((talk.n_requests(), end.n_rounds, end.n_calls), (2, 2, 1));
}

#[tokio::test]
async fn a4_a_question_to_the_user_is_an_answer_and_the_next_input_continues() {
    let mut talk = Talk::new(Dialect::OpenAi, [Step::Says(Said::text("Which size?"))], unasked());
    let end = talk.say("A pizza.").await;
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "Which size?"));
    talk.say("Large.").await;
    talk.refused_nothing();
    let roles: Vec<_> = messages(&talk).iter().map(|message| message["role"].to_string()).collect();
    assert_eq!(roles, [r#""user""#, r#""assistant""#, r#""user""#]);
}

#[tokio::test]
async fn a5_arguments_come_as_text_and_become_values() {
    let calls = Said::calls(&[("shop-add", r#"{"n": 12345678901234567890}"#)]);
    let made = chat(&[calls], unasked()).await.1.made();
    assert_eq!(made, [r#"shop-add {"n":12345678901234567890}"#]);
}

#[tokio::test]
async fn a6_a7_the_call_and_its_result_are_in_the_history_with_one_id() {
    for dialect in DIALECTS {
        let steps = [Step::Says(Said::calls(&[("shop-add", r#"{"n":1}"#)]))];
        let mut talk = Talk::new(dialect, steps, unasked());
        talk.say("Add.").await;
        // The fake compares the ids, the order and the bytes of the call.
        talk.refused_nothing();
        assert!(talk.transcript.messages_with_results().len() >= 4, "{dialect}");
    }
}

#[tokio::test]
async fn a8_rounds_repeat_until_the_model_ends() {
    let calls = |n: &str| Said::calls(&[("shop-add", &format!(r#"{{"n":{n}}}"#))]);
    let (end, talk) = chat(&[calls("1"), calls("2"), calls("3")], unasked()).await;
    assert_eq!((end.reason, end.n_rounds, talk.made().len()), (EndReason::Answered, 4, 3));
}

#[tokio::test]
async fn a9_a12_an_unknown_tool_is_answered_with_the_nearest_names_and_the_turn_goes_on() {
    let (end, talk) = chat(&[Said::calls(&[("shopPlugin-menu", "{}")])], unasked()).await;
    assert_eq!(end.reason, EndReason::Answered);
    assert!(talk.made().is_empty());
    let said = messages(&talk)[2]["content"].to_string();
    assert!(said.contains("unknown_tool") && said.contains("shop-menu"), "{said}");
}

#[tokio::test]
async fn a10_a11_a_failure_is_a_result_that_says_how_to_correct_it() {
    let replies = [Said::calls(&[("shop-broken", "{}")]), Said::calls(&[("shop-menu", "{}")])];
    let (end, talk) = chat(&replies, unasked()).await;
    assert_eq!((end.reason, talk.made().len()), (EndReason::Answered, 2));
    let said = messages(&talk)[2]["content"].to_string();
    assert!(said.contains("the oven is cold; use the other one"), "{said}");
    assert!(said.contains("correct_arguments"), "{said}");
}

#[tokio::test]
async fn a13_a14_calls_that_the_caller_makes_end_the_turn_and_their_results_continue_it() {
    for dialect in DIALECTS {
        let steps = [Step::Says(Said::calls(&[("shop-add", r#"{"n":1}"#), ("shop-menu", "{}")]))];
        let settings = AgentSettings { calls: Calls::Manual, ..unasked() };
        let mut talk = Talk::new(dialect, steps, settings);
        let end = talk.say("Add.").await;
        assert_eq!((end.reason, end.pending.len()), (EndReason::Waiting, 2), "{dialect}");
        assert!(end.pending.iter().all(|pending| pending.kind == "result"));
        let answer = |id: &str| Answer::new(id, Given::Output(json!({"ok": true})));
        let first = Input::Answers(vec![answer(&end.pending[1].id)]);
        let text = talk.transcript.to_text();
        (talk.transcript, _) =
            Transcript::from_text(&text, |name| talk.agent.offered_tool(name)).unwrap();
        let waiting = talk.turn(first).await;
        assert_eq!((waiting.reason, waiting.pending.len()), (EndReason::Waiting, 1));
        let end = talk.turn(Input::Answers(vec![answer(&end.pending[0].id)])).await;
        assert_eq!(end.reason, EndReason::Answered, "{dialect}");
        assert!(talk.made().is_empty(), "callgate made none of them");
        talk.refused_nothing();
    }
}

#[tokio::test]
async fn a15_several_calls_of_one_message_take_one_round_trip_and_keep_their_order() {
    for dialect in DIALECTS {
        let calls =
            [("shop-menu", r#"{"n":1}"#), ("shop-add", r#"{"n":2}"#), ("shop-cart", r#"{"n":3}"#)];
        let mut talk = Talk::new(dialect, [Step::Says(Said::calls(&calls))], unasked());
        let end = talk.say("Go.").await;
        assert_eq!((end.n_rounds, end.n_calls), (2, 3), "{dialect}");
        let expected = [r#"shop-menu {"n":1}"#, r#"shop-add {"n":2}"#, r#"shop-cart {"n":3}"#];
        assert_eq!(talk.made(), expected, "{dialect}");
        talk.refused_nothing();
    }
}

// A17, that long results are cut, is tested with a service: `crates/cli/tests/turns/lengths.rs`.
#[tokio::test]
async fn a17_the_model_reads_the_text_of_a_result_and_nothing_else() {
    let (_, talk) = chat(&[Said::calls(&[("shop-menu", r#"{"n":7}"#)])], unasked()).await;
    assert_eq!(messages(&talk)[2]["content"], r#"{"n":7,"done":true}"#);
}

#[tokio::test]
async fn a18_a_required_choice_holds_in_the_first_round_alone_and_others_in_each() {
    let call = || [Said::calls(&[("shop-menu", "{}")])];
    let choices = |talk: &Talk| -> Vec<String> {
        let requests = talk.fake.requests.lock().unwrap();
        requests.iter().map(|body| Value::parse(body).unwrap()["tool_choice"].to_string()).collect()
    };
    let with = |choice| AgentSettings { choice, ..unasked() };
    let (_, talk) = chat(&call(), with(Choice::Auto)).await;
    assert_eq!(choices(&talk), [r#""auto""#, r#""auto""#]);
    let (_, talk) = chat(&call(), with(Choice::Required)).await;
    assert_eq!(choices(&talk), [r#""required""#, r#""auto""#]);
    let (_, talk) = chat(&call(), with(Choice::Tool("shop-menu".to_owned()))).await;
    let forced = r#"{"type":"function","function":{"name":"shop-menu"}}"#;
    assert_eq!(choices(&talk), [forced, r#""auto""#]);
    let (_, talk) = chat(&call(), with(Choice::None)).await;
    assert_eq!(choices(&talk), [r#""none""#, r#""none""#]);
    assert!(talk.made().is_empty(), "a call against the choice is not made");
}
