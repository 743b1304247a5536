//! The ids of calls as they are sent: each as its provider and its model take it, those of its own as they were.

use callgate_agent::{Agent, Input, Transcript};
use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

use super::{Drawn, calls_and_results, sent};
use crate::{
    fake::{DIALECTS, Fake},
    loops::Random,
    shop::{Made, Talk, agent, context, executor, unasked},
};

#[tokio::test]
async fn models_that_know_calls_by_the_form_of_ids_get_each_id_in_it() {
    let is_nine = |id: &str| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_numbered = |id: &str| {
        let number = id.strip_prefix("functions.shop-add:").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut random = Random(5);
    for n in 0..400 {
        let (from, to) = (DIALECTS[n % 5], [Dialect::OpenAi, Dialect::Responses][n / 5 % 2]);
        let messages = Drawn { random: &mut random, dialect: from, n_calls: 100 }.messages();
        let shown = format!("{from} to {to}: {}", Value::Array(messages.clone()));
        let (transcript, _) = Transcript::from_messages(from, messages).unwrap();
        let (transcript, _) = transcript.into_dialect(to, |_| None).unwrap();
        let n_results = shown.matches("result 1").count();
        for model in ["Devstral-Small-2507", "mixtral:8x7b", "moonshotai/Kimi-K2-Instruct"] {
            let (body, n_paired) = sent(transcript.clone(), model, &shown).await;
            assert_eq!(n_paired, n_results, "{model}: {shown}");
            let mut ids = calls_and_results(to, &body).into_iter().map(|(id, ..)| id);
            let is_kimi = model.starts_with("moonshotai");
            let is_its = |id: String| is_kimi && is_numbered(&id) || !is_kimi && is_nine(&id);
            assert!(ids.all(is_its), "{model}: {shown}");
        }
    }
}

#[tokio::test]
async fn the_long_ids_of_kimi_go_back_to_it_and_calls_of_others_are_numbered_among_them() {
    let long = format!("functions.shop-{}:0", "a".repeat(60));
    let call = |id: &str| json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": {"name": "shop-add", "arguments": "{}"}}]});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "done"});
    let user = json!({"role": "user", "content": "Go."});
    let messages = vec![user, call(&long), result(&long), call("toolu_1"), result("toolu_1")];
    for (model, expected) in [
        ("kimi-k2.7-code", [long.as_str(), "functions.shop-add:1"]),
        ("gpt-5", ["call00001", "toolu_1"]),
    ] {
        let (mut transcript, _) =
            Transcript::from_messages(Dialect::OpenAi, messages.clone()).unwrap();
        let (fake, made) = (Fake::new(Dialect::OpenAi, []), Made::default());
        let agent = Agent::new(executor(&made), fake.model_named(model), unasked());
        drop(agent.turn(&mut transcript, Input::text("And?"), &context()).await);
        let sent = Value::parse(&fake.requests.lock().unwrap()[0]).unwrap();
        let ids: Vec<_> = calls_and_results(Dialect::OpenAi, &sent);
        let ids: Vec<_> = ids.iter().map(|(id, ..)| id.as_str()).collect();
        let [first, second] = expected;
        assert_eq!(ids, [first, first, second, second], "{model}");
    }
}

#[tokio::test]
async fn a_server_of_kimi_or_mistral_gets_its_ids_in_the_format_of_anthropic_too() {
    let id = "functions.shop-add:0";
    let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "shop-add", "input": {}}]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]});
    let messages = vec![json!({"role": "user", "content": "Go."}), call, result];
    for (dialect, model, expected) in [
        (Dialect::Anthropic, "kimi-k2-thinking", id),
        (Dialect::Anthropic, "Devstral-Small-2507", "call00001"),
        (Dialect::Anthropic, "claude-sonnet-5", "call00001"),
        // The ids of Converse are its own, whatever the model.
        (Dialect::Bedrock, "moonshot.kimi-k2-thinking", "call_1_0"),
    ] {
        let (transcript, _) =
            Transcript::from_messages(Dialect::Anthropic, messages.clone()).unwrap();
        let (mut transcript, _) = transcript.into_dialect(dialect, |_| None).unwrap();
        let (fake, made) = (Fake::new(dialect, []), Made::default());
        let agent = Agent::new(executor(&made), fake.model_named(model), unasked());
        drop(agent.turn(&mut transcript, Input::text("And?"), &context()).await);
        let sent = Value::parse(&fake.requests.lock().unwrap()[0]).unwrap();
        let ids = calls_and_results(dialect, &sent).into_iter().map(|(id, ..)| id);
        assert_eq!(ids.collect::<Vec<_>>(), [expected, expected], "{dialect}: {model}");
    }
}

#[tokio::test]
async fn ids_that_repeat_over_messages_are_replaced_where_a_provider_takes_them_once() {
    let call = |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "shop-add", "input": {}}]});
    let result = |id: &str, text: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]});
    let user = json!({"role": "user", "content": "Go."});
    let messages = [user, call("a"), result("a", "one"), call("a"), result("a", "two")];
    let (transcript, repair) =
        Transcript::from_messages(Dialect::Anthropic, messages.to_vec()).unwrap();
    assert!(repair.is_nothing(), "{repair}");
    let kept: Vec<_> =
        transcript.messages_with_results().iter().map(|it| it.value().clone()).collect();
    assert_eq!(kept, messages, "what is kept has the ids of its provider");
    let mut talk = Talk { transcript, ..Talk::new(Dialect::Anthropic, [], unasked()) };
    talk.say("And?").await;
    talk.refused_nothing();
    let sent = talk.last()["messages"].clone();
    assert_eq!(sent[1], messages[1], "the first id stays");
    assert_eq!(sent[3]["content"][0]["id"], "call00002");
    assert_eq!(sent[4]["content"][0]["tool_use_id"], "call00002");
}

#[tokio::test]
async fn an_id_that_carries_a_signature_goes_back_to_its_server() {
    let id = format!("call_1__thought__{}", "Ab+/=".repeat(40));
    let messages = vec![
        json!({"role": "user", "content": "Go."}),
        json!({"role": "assistant", "tool_calls": [{"id": id.as_str(), "type": "function", "function": {"name": "shop-add", "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": id.as_str(), "content": "done"}),
    ];
    let (mut transcript, _) = Transcript::from_messages(Dialect::OpenAi, messages).unwrap();
    let (fake, made) = (Fake::new(Dialect::OpenAi, []), Made::default());
    let agent = agent(&fake, &made, unasked());
    drop(agent.turn(&mut transcript, Input::text("And?"), &context()).await);
    assert!(fake.requests.lock().unwrap()[0].contains(&id));
}
