//! Shapes by the servers that send them, as their documentation and public reports have them.

use callgate_agent::{Agent, EndReason, Input, Transcript};
use callgate_dialect::Dialect;

use super::{TWO, check, check_bytes, event};
use crate::{
    fake::{Fake, Step, frame},
    shop::{Made, context, executor, unasked},
};

/// Streams of Chat Completions: the server with its shape, and the data of each event.
const OPENAI: &[(&str, &[&str])] = &[
    (
        "Ollama: whole calls under one index, with the reason of an answer",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","index":0,"type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_b","index":0,"type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ],
    ),
    (
        "vLLM: the last piece again, whole, with the reason",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-a","type":"function","index":0,"function":{"name":"shop-add"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\":1}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-b","type":"function","index":1,"function":{"name":"shop-remove"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"n\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":""}}]},"finish_reason":"tool_calls","stop_reason":null}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":3,"total_tokens":7,"completion_tokens":4}}"#,
            "[DONE]",
        ],
    ),
    (
        "SGLang: ids and names that are null in later pieces",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":null,"tool_calls":[{"id":"call_a","index":0,"type":"function","function":{"name":"shop-add","arguments":""}}]},"finish_reason":null,"matched_stop":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":null,"content":null,"reasoning_content":null,"tool_calls":[{"id":null,"index":0,"type":"function","function":{"name":null,"arguments":"{\"n\":1}"}}]},"finish_reason":null,"matched_stop":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":null,"content":null,"tool_calls":[{"id":"call_b","index":1,"type":"function","function":{"name":"shop-remove","arguments":""}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":null,"content":null,"tool_calls":[{"id":null,"index":1,"type":"function","function":{"name":null,"arguments":"{\"n\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":null,"content":null,"tool_calls":null},"finish_reason":"tool_calls","matched_stop":null}]}"#,
            "[DONE]",
        ],
    ),
    (
        "LiteLLM before Bedrock: indices after that of the words",
        &[
            r#"{"choices":[{"index":0,"delta":{"content":"So.","role":"assistant"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"tooluse_a","function":{"arguments":"","name":"shop-add"},"type":"function","index":1}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":null,"function":{"arguments":"{\"n\":1}","name":null},"type":"function","index":1}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"tooluse_b","function":{"arguments":"","name":"shop-remove"},"type":"function","index":2}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":null,"function":{"arguments":"{\"n\":2}","name":null},"type":"function","index":2}]}}]}"#,
            r#"{"choices":[{"finish_reason":"tool_calls","index":0,"delta":{}}]}"#,
            "[DONE]",
        ],
    ),
    (
        "DashScope: empty ids in later pieces",
        &[
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"id":"call_d1","type":"function","function":{"name":"shop-add","arguments":""}}],"role":"assistant"},"finish_reason":null,"index":0}]}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"function":{"arguments":"{\"n\": ","name":null},"index":0,"id":"","type":"function"}]},"finish_reason":null,"index":0}]}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"function":{"arguments":"1}","name":null},"index":0,"id":"","type":"function"}]},"finish_reason":null,"index":0}]}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":1,"id":"call_d2","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":null,"index":0}]}"#,
            r#"{"choices":[{"delta":{"content":"","reasoning_content":null},"finish_reason":"tool_calls","index":0}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
            "[DONE]",
        ],
    ),
    (
        "OpenRouter: details of thoughts, and the reason of the provider behind it",
        &[
            r#"{"provider":"X","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Hm","reasoning_details":[{"type":"reasoning.text","text":"Hm","format":"unknown","index":0}]},"finish_reason":null,"native_finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"toolu_a","index":0,"type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"id":"toolu_b","index":1,"type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls","native_finish_reason":"tool_use"}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":3,"completion_tokens":4,"cost":0.1}}"#,
            "[DONE]",
        ],
    ),
    (
        "Gemini's address for OpenAI: whole calls without an index, ids that are empty",
        &[
            r#"{"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"s="}},"function":{"arguments":"{\"n\":1}","name":"shop-add"},"id":"","type":"function"},{"function":{"arguments":"{\"n\":2}","name":"shop-remove"},"id":"","type":"function"}]},"finish_reason":"stop","index":0}]}"#,
            "[DONE]",
        ],
    ),
    (
        "Azure: a filter before and after",
        &[
            r#"{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}"#,
            r#"{"choices":[{"content_filter_results":{},"delta":{"content":null,"refusal":null,"role":"assistant","tool_calls":[{"function":{"arguments":"","name":"shop-add"},"id":"call_a","index":0,"type":"function"}]},"finish_reason":null,"index":0,"logprobs":null}]}"#,
            r#"{"choices":[{"content_filter_results":{},"delta":{"tool_calls":[{"function":{"arguments":"{\"n\":1}"},"index":0}]},"finish_reason":null,"index":0}]}"#,
            r#"{"choices":[{"content_filter_results":{},"delta":{"tool_calls":[{"function":{"arguments":"{\"n\":2}","name":"shop-remove"},"id":"call_b","index":1,"type":"function"}]},"finish_reason":null,"index":0}]}"#,
            r#"{"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"tool_calls","index":0}]}"#,
            r#"{"choices":[{"content_filter_offsets":{"check_offset":1},"content_filter_results":{},"delta":{},"finish_reason":null,"index":0}]}"#,
            "[DONE]",
        ],
    ),
    (
        "Mistral: all calls in the event of the reason",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"","tool_calls":[{"id":"D681PevKs","function":{"name":"shop-add","arguments":"{\"n\": 1}"},"index":0},{"id":"aB3dE5fG7","function":{"name":"shop-remove","arguments":"{\"n\": 2}"},"index":1}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
            "[DONE]",
        ],
    ),
    (
        "Moonshot: tokens in the choice, ids of functions",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"functions.shop-add:0","type":"function","function":{"name":"shop-add","arguments":""}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\":1}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"functions.shop-remove:1","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls","usage":{"prompt_tokens":3,"completion_tokens":4}}]}"#,
            "[DONE]",
        ],
    ),
    (
        "Groq: tokens beside the choices",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}],"x_groq":{"id":"r"}}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_a","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"},"index":0},{"id":"call_b","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"},"index":1}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"id":"r","usage":{"prompt_tokens":3}}}"#,
            "[DONE]",
        ],
    ),
    (
        "Cerebras: numbers of pieces",
        &[
            r#"{"choices":[{"delta":{"role":"assistant"},"index":0}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"shop-add","arguments":"{\"n\":1}"},"type":"function","id":"a","index":0}]},"index":0}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"shop-remove","arguments":"{\"n\":2}"},"type":"function","id":"b","index":1}]},"index":0}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls","index":0}]}"#,
            "[DONE]",
        ],
    ),
    (
        "llama.cpp: nothing but the beginning of an object at first",
        &[
            r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}]}"#,
            r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"shop-add","arguments":"{"}}]}}]}"#,
            r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"n\":1}"}}]}}]}"#,
            r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"shop-remove","arguments":"{"}}]}}]}"#,
            r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"n\":2}"}}]}}]}"#,
            r#"{"choices":[{"finish_reason":"tool_calls","index":0,"delta":{}}],"timings":{}}"#,
            "[DONE]",
        ],
    ),
    (
        "DeepSeek: thoughts first",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Hm"},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_0_a","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_1_b","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
            "[DONE]",
        ],
    ),
    (
        "Text Generation Inference: a call that is no list",
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":{"index":0,"id":"","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}}},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":{"index":1,"id":"","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}},"finish_reason":"eos_token"}]}"#,
            "[DONE]",
        ],
    ),
    (
        "a server that marks the end and names no reason",
        &[
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]}}]}"#,
            "[DONE]",
        ],
    ),
    (
        "a server that sends messages in place of pieces",
        &[
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}},{"id":"b","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ],
    ),
    (
        "a server that gives each call one id",
        &[
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_0","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}},{"index":1,"id":"call_0","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ],
    ),
    (
        "a server whose calls come after the reason",
        &[
            r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}},{"index":1,"id":"b","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}]},"finish_reason":null}]}"#,
            "[DONE]",
        ],
    ),
];

#[tokio::test(start_paused = true)]
async fn servers_of_chat_completions_send_each_call_once() {
    for (name, events) in OPENAI {
        let plain: Vec<String> = events.iter().map(|data| event(data)).collect();
        check(Dialect::OpenAi, name, &plain, &TWO).await;
        let mut marked = plain.clone();
        marked[0].insert(0, '\u{feff}');
        check(Dialect::OpenAi, &format!("{name}, after a mark"), &marked, &TWO).await;
    }
}

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
    let (fake, made) = (Fake::new(Dialect::OpenAi, [Step::Raw(whole.to_owned())]), Made::default());
    let agent = Agent::new(executor(&made), fake.model(), unasked());
    let mut transcript = Transcript::new(Dialect::OpenAi).unwrap();
    let end = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
    assert_eq!((end.reason, &*made.all()), (EndReason::Answered, &[TWO[0].to_owned()][..]));
    fake.refused_nothing();
}

#[tokio::test(start_paused = true)]
async fn a_signature_beside_a_call_goes_back_with_it() {
    let (_, events) = OPENAI.iter().find(|(name, _)| name.starts_with("Gemini")).unwrap();
    let stream: String = events.iter().map(|data| event(data)).collect();
    let (fake, made) = (Fake::new(Dialect::OpenAi, [Step::Bytes(stream.into())]), Made::default());
    let agent = Agent::new(executor(&made), fake.streamed(), unasked());
    let mut transcript = Transcript::new(Dialect::OpenAi).unwrap();
    agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
    assert!(fake.last().to_string().contains(r#""thought_signature":"s=""#), "{}", fake.last());
}

/// Streams of Anthropic's format: the server with its shape, and the data of each event.
const ANTHROPIC: &[(&str, &[&str])] = &[
    (
        "a proxy that leaves out the beginning of words and the last event",
        &[
            r#"{"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"So."}}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"shop-add","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1}"}}"#,
            r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t2","name":"shop-remove","input":{}}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"n\":2}"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":4}}"#,
        ],
    ),
    (
        "a proxy that gives each call one id",
        &[
            r#"{"type":"message_start","message":{"usage":{"input_tokens":3}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_0","name":"shop-add","input":{"n":1}}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_0","name":"shop-remove","input":{"n":2}}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            r#"{"type":"message_stop"}"#,
        ],
    ),
];

#[tokio::test(start_paused = true)]
async fn servers_of_messages_send_each_call_once() {
    for (name, events) in ANTHROPIC {
        let events: Vec<String> = events.iter().map(|data| event(data)).collect();
        check(Dialect::Anthropic, name, &events, &TWO).await;
    }
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
    let (fake, made) = (Fake::new(Dialect::Gemini, steps), Made::default());
    let agent = Agent::new(executor(&made), fake.streamed(), unasked());
    let mut transcript = Transcript::new(Dialect::Gemini).unwrap();
    let end = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
    assert_eq!(made.all(), TWO.map(str::to_owned));
    assert_eq!(end.reason, EndReason::ModelFailed, "a list that breaks off is no reply");
    fake.refused_nothing();
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
