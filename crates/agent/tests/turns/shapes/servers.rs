//! Shapes by the servers that send them, as their documentation and public reports have them.

use callgate_agent::EndReason;
use callgate_dialect::Dialect;

use super::{TWO, check, check_bytes, event};
use crate::{
    fake::{Step, frame},
    shop::{Talk, unasked},
};

#[tokio::test(start_paused = true)]
async fn the_only_call_of_the_first_format_is_made_whole_and_in_pieces() {
    let events = [
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","function_call":{"name":"shop-add","arguments":""}},"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{\"n\""}},"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"function_call":{"arguments":":1}"}},"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}"#,
        "[DONE]",
    ];
    let events = events.map(event);
    check(Dialect::OpenAi, "LocalAI", &events, &TWO[..1]).await;
    let whole = r#"{"choices":[{"message":{"role":"assistant","content":null,"function_call":{"name":"shop-add","arguments":"{\"n\":1}"}},"finish_reason":"function_call"}]}"#;
    let mut talk = Talk::new(Dialect::OpenAi, [Step::Raw(whole.to_owned())], unasked());
    let end = talk.say("Go.").await;
    assert_eq!((end.reason, &*talk.made()), (EndReason::Answered, &[TWO[0].to_owned()][..]));
    talk.refused_nothing();
}

#[tokio::test(start_paused = true)]
async fn a_signature_beside_a_call_goes_back_with_it() {
    let function = r#"{"extra_content":{"google":{"thought_signature":"s="}},"function":{"arguments":"{}","name":"shop-menu"},"id":"","type":"function"}"#;
    let choice = format!(
        r#"{{"choices":[{{"delta":{{"tool_calls":[{function}]}},"finish_reason":"stop"}}]}}"#
    );
    let stream = event(&choice);
    let mut talk = Talk::either(Dialect::OpenAi, [Step::Bytes(stream.into())], true);
    talk.say("Go.").await;
    assert!(talk.last().to_string().contains(r#""thought_signature":"s=""#), "{}", talk.last());
}

#[tokio::test(start_paused = true)]
async fn an_emulator_of_bedrock_may_number_all_blocks_alike_and_send_objects() {
    for input in [[r#""{\"n\":1}""#, r#""{\"n\":2}""#], [r#"{"n":1}"#, r#"{"n":2}"#]] {
        let event = |name: &str, rest: &str| {
            frame("event", name, &format!(r#"{{"contentBlockIndex":0,{rest}}}"#))
        };
        let call = |id: &str, tool: &str, input: &str| {
            [
                event(
                    "contentBlockStart",
                    &format!(
                        r#""start":{{"toolUse":{{"toolUseId":"{id}","name":"shop-{tool}"}}}}"#
                    ),
                ),
                event(
                    "contentBlockDelta",
                    &format!(r#""delta":{{"toolUse":{{"input":{input}}}}}"#),
                ),
                event("contentBlockStop", r#""p":"a""#),
            ]
        };
        let mut events = vec![frame("event", "messageStart", r#"{"role":"assistant"}"#)];
        events.push(event("contentBlockDelta", r#""delta":{"text":"So."}"#));
        events.extend(call("t1", "add", input[0]));
        events.extend(call("t2", "remove", input[1]));
        events.push(frame("event", "messageStop", r#"{"stopReason":"end_turn"}"#));
        check_bytes(Dialect::Bedrock, input[0], &events, &TWO).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_of_responses_of_gemini_is_read_in_place_of_events() {
    let part = |name: &str, n: u64| {
        format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"functionCall":{{"name":"shop-{name}","args":{{"n":{n}}}}},"thoughtSignature":"s="}}]}}}}]}}"#
        )
    };
    let end = r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3}}"#;
    let list = format!("[{},\n{}\n,{end}]", part("add", 1), part("remove", 2));
    let steps =
        [Step::Bytes(list.clone().into()), Step::Bytes(list.as_bytes()[..list.len() - 1].to_vec())];
    let mut talk = Talk::either(Dialect::Gemini, steps, true);
    let end = talk.say("Go.").await;
    assert_eq!(talk.made(), TWO.map(str::to_owned));
    assert_eq!(end.reason, EndReason::ModelFailed, "a list that breaks off is no reply");
    talk.refused_nothing();
}

#[tokio::test(start_paused = true)]
async fn the_last_event_of_responses_may_have_another_name() {
    let item = |id: &str, tool: &str, n: u64| {
        format!(
            r#"{{"type":"response.output_item.done","item":{{"type":"function_call","call_id":"{id}","name":"shop-{tool}","arguments":"{{\"n\":{n}}}"}}}}"#
        )
    };
    let done = r#"{"type":"response.done","response":{"status":"completed","output":[]}}"#;
    let events = [event(&item("c", "add", 1)), event(&item("c", "remove", 2)), event(done)];
    check(Dialect::Responses, "one id, `response.done`", &events, &TWO).await;
}
