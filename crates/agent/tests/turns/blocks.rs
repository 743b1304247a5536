//! The blocks of a provider that other programs lose come back byte for byte: those of `Messages`, `Responses`, Gemini and
//! chat completions with thoughts, signatures, encrypted contents, calls of the provider's own, citations, odd numbers.

use callgate_dialect::Dialect;

use crate::{
    fake::Step,
    shop::{Talk, unasked},
};

/// Sends a reply in which `kept` must come back as it stands.
async fn check(dialect: Dialect, reply: String, kept: &[&str]) {
    let mut talk = Talk::new(dialect, [Step::Raw(reply)], unasked());
    talk.say("Go.").await;
    talk.refused_nothing();
    assert_eq!(talk.made().len(), 2, "{dialect}");
    let requests = talk.fake.requests.lock().unwrap();
    let mut rest = requests[1].as_str();
    for block in kept {
        let found = rest.split_once(block);
        let (_, after) = found.unwrap_or_else(|| {
            panic!("{dialect}: not byte-equal or out of order: {block}\n{rest}")
        });
        rest = after;
    }
}

#[tokio::test]
async fn seven_blocks_of_anthropic_come_back_byte_equal() {
    let blocks = [
        r#"{ "type":"thinking","thinking":"I look.","signature":"EqQBCg==" }"#,
        r#"{"type":"redacted_thinking","data":"EmwKAhgB"}"#,
        r#"{"type":"text","text":"So\u00fc","citations":[{"type":"char_location","cited_text":"x","document_index":0}]}"#,
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"pizza"}}"#,
        r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","encrypted_content":"Ab+/="}]}"#,
        r#"{"type":"tool_use","id":"toolu_1","name":"shop-menu","input":{"n":1.0},"caller":{"type":"direct"}}"#,
        r#"{"type":"tool_use","id":"toolu_2","name":"shop-cart","input":{},"caller":{"type":"direct"}}"#,
    ];
    let reply = format!(r#"{{"content":[{}],"stop_reason":"tool_use"}}"#, blocks.join(", "));
    check(Dialect::Anthropic, reply, &blocks).await;
}

#[tokio::test]
async fn six_items_of_responses_come_back_byte_equal_and_in_order() {
    let items = [
        r#"{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA="}"#,
        r#"{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search"}}"#,
        r#"{"id":"msg_1","type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"One moment.","annotations":[]}]}"#,
        r#"{"id":"fc_1","type":"function_call","call_id":"call_1","name":"shop-menu","arguments":"{ }"}"#,
        r#"{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"gBBB="}"#,
        r#"{"id":"fc_2","type":"function_call","call_id":"call_2","name":"shop-cart","arguments":"{}"}"#,
    ];
    let reply = format!(r#"{{"status":"completed","output":[{}]}}"#, items.join(","));
    let mut talk = Talk::new(Dialect::Responses, [Step::Raw(reply)], unasked());
    talk.say("Go.").await;
    assert_eq!(talk.made().len(), 2);
    let texts: Vec<_> =
        talk.transcript.messages_with_results().iter().map(|item| item.text().to_owned()).collect();
    assert_eq!(texts[1..7], items);
}

#[tokio::test]
async fn five_parts_of_gemini_come_back_byte_equal() {
    let parts = [
        r#"{"text":"I think.","thought":true}"#,
        r#"{"executableCode":{"language":"PYTHON","code":"print(1)"}}"#,
        r#"{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1\n"}}"#,
        r#"{"functionCall":{"name":"shop-menu","args":{"n":1.0}},"thoughtSignature":"CpUB/+="}"#,
        r#"{"functionCall":{"name":"shop-cart","args":{}}}"#,
    ];
    let reply = format!(
        r#"{{"candidates":[{{"content":{{"parts":[{}],"role":"model"}},"finishReason":"STOP"}}]}}"#,
        parts.join(",")
    );
    check(Dialect::Gemini, reply, &parts).await;
}

#[tokio::test]
async fn the_unknown_members_of_chat_completions_come_back_byte_equal() {
    let message = r#"{"role":"assistant","content":null,"reasoning_content":"I think.","reasoning_details":[{"type":"reasoning.encrypted","data":"x="}],"x_unknown":{"a":1.10,"b":1e400},"tool_calls":[{"id":"a","type":"function","function":{"name":"shop-menu","arguments":"{\"n\":1.0}"},"extra_content":{"google":{"thought_signature":"sig=="}}},{"id":"b","type":"function","function":{"name":"shop-cart","arguments":""}}]}"#;
    let reply = format!(r#"{{"choices":[{{"message":{message},"finish_reason":"tool_calls"}}]}}"#);
    check(Dialect::OpenAi, reply, &[message]).await;
}

#[tokio::test]
async fn the_blocks_of_bedrock_come_back_byte_equal() {
    let message = r#"{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"I think.","signature":"s="}}},{"reasoningContent":{"redactedContent":"AAE="}},{"text":"So"},{"toolUse":{"toolUseId":"t1","name":"shop-menu","input":{"n":1.0}}},{"toolUse":{"toolUseId":"t2","name":"shop-cart","input":{}}}]}"#;
    let reply = format!(r#"{{"output":{{"message":{message}}},"stopReason":"tool_use"}}"#);
    check(Dialect::Bedrock, reply, &[message]).await;
}
