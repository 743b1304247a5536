//! Replies that are no good: the request is sent again where another reply may be better, and the provider's words are said.

use callgate_agent::{End, EndReason};
use callgate_dialect::Dialect;

use crate::{
    fake::{DIALECTS, Said, Step},
    shop::Talk,
};

/// The end of a turn whose first replies are these, asked for whole or as streams, and the number of requests.
async fn ended(dialect: Dialect, replies: &[&str], is_streamed: bool) -> (End, usize) {
    let bytes = |reply: &&str| Step::Bytes(reply.as_bytes().to_vec());
    let steps = replies.iter().map(bytes).chain([Step::Says(Said::text("Done."))]);
    let mut talk = Talk::either(dialect, steps, is_streamed);
    let end = talk.say("Go.").await;
    talk.refused_nothing();
    (end, talk.n_requests())
}

#[tokio::test(start_paused = true)]
async fn a_malformed_call_of_gemini_is_requested_again_a_few_times() {
    for reason in ["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"] {
        let reply = format!(r#"{{"candidates":[{{"content":{{}},"finishReason":"{reason}"}}]}}"#);
        let event = format!("data: {reply}\n\n");
        for (reply, is_streamed) in [(&*reply, false), (&event, true)] {
            let (end, n_requests) = ended(Dialect::Gemini, &[reply], is_streamed).await;
            assert_eq!((end.reason, n_requests), (EndReason::Answered, 2), "{:?}", end.detail);
            let (end, n_requests) = ended(Dialect::Gemini, &[reply; 9], is_streamed).await;
            assert_eq!((end.reason, n_requests), (EndReason::ModelFailed, 3));
            assert!(end.detail.unwrap().contains(reason));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_its_server_calls_no_good_is_requested_again() {
    let openai = |reason: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"message":{{"role":"assistant","content":""}},"delta":{{}},"finish_reason":"{reason}"}}]}}"#
        )
    };
    let bedrock = |reason: &str| {
        format!(
            r#"{{"output":{{"message":{{"role":"assistant","content":[]}}}},"stopReason":"{reason}"}}"#
        )
    };
    let responses =
        r#"{"status":"failed","output":[],"error":{"code":"server_error","message":"It broke."}}"#;
    for (dialect, reply) in [
        (Dialect::OpenAi, openai("function_call_filter: MALFORMED_FUNCTION_CALL")),
        (Dialect::OpenAi, openai("malformed_function_call")),
        (Dialect::OpenAi, openai("error")),
        (Dialect::OpenAi, openai("network_error")),
        (Dialect::OpenAi, openai("insufficient_system_resource")),
        (Dialect::OpenAi, openai("abort")),
        (Dialect::Bedrock, bedrock("malformed_model_output")),
        (Dialect::Bedrock, bedrock("malformed_tool_use")),
        (Dialect::Responses, responses.to_owned()),
    ] {
        let event = format!("data: {reply}\n\n");
        // The events of Bedrock are binary, and those of Responses have names.
        let as_stream = (dialect == Dialect::OpenAi).then_some((&event, true));
        for (reply, is_streamed) in [Some((&reply, false)), as_stream].into_iter().flatten() {
            let (end, n_requests) = ended(dialect, &[reply], is_streamed).await;
            let ended = (end.reason, n_requests);
            assert_eq!(ended, (EndReason::Answered, 2), "{dialect}: {reply}: {:?}", end.detail);
        }
    }
    let unsigned = r#"{"candidates":[{"content":{},"finishReason":"MISSING_THOUGHT_SIGNATURE"}]}"#;
    for (dialect, reply) in [
        (Dialect::OpenAi, openai("sensitive")),
        (Dialect::Gemini, unsigned.to_owned()),
        (Dialect::Responses, responses.replace("server_error", "invalid_prompt")),
    ] {
        let (end, n_requests) = ended(dialect, &[&reply], false).await;
        assert_eq!(n_requests, 1, "{dialect}: {reply}: {end:?}");
        assert_ne!(end.reason, EndReason::Answered, "{dialect}: {reply}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_under_the_status_of_a_success_is_said_and_retried_if_it_passes() {
    for (error, n_requests) in [
        (r#"{"message":"upstream overloaded","code":503}"#, 3),
        (r#"{"message":"upstream overloaded","code":"rate_limit_exceeded"}"#, 3),
        (r#"{"message":"upstream overloaded","code":401}"#, 1),
        (r#""upstream overloaded""#, 1),
    ] {
        for dialect in DIALECTS {
            check_error(dialect, &format!(r#"{{"error":{error}}}"#), n_requests).await;
        }
    }
    let limit =
        r#"{"base_resp":{"status_code":1002,"status_msg":"upstream overloaded"},"choices":null}"#;
    let balance =
        r#"{"base_resp":{"status_code":1008,"status_msg":"upstream overloaded"},"choices":[]}"#;
    for (error, n_requests) in [
        (limit, 3),
        (balance, 1),
        (r#"{"code":"Throttling.RateQuota","message":"upstream overloaded","request_id":"7"}"#, 3),
        (r#"[{"error":{"code":429,"message":"upstream overloaded"}}]"#, 3),
    ] {
        check_error(Dialect::OpenAi, error, n_requests).await;
    }
    let whole = r#"{"object":"error","message":"the engine is dead","code":500}"#;
    let event = format!("data: {whole}\n\n");
    for (reply, is_streamed) in [(whole, false), (&event, true)] {
        let (end, n_requests) = ended(Dialect::OpenAi, &[reply; 9], is_streamed).await;
        assert_eq!(n_requests, 3, "{reply}");
        assert!(end.detail.unwrap().contains("the engine is dead"));
    }
}

/// Checks that an error in place of a reply, whole or as a stream, is said after so many requests.
async fn check_error(dialect: Dialect, reply: &str, expected: usize) {
    let event = format!("data: {reply}\n\n");
    let ways = [(reply, false), (reply, true), (&event, true)];
    // The events of Bedrock are binary.
    let is_sent = |is_event: bool| !is_event || dialect != Dialect::Bedrock;
    for (reply, is_streamed) in ways.into_iter().filter(|(reply, _)| is_sent(*reply == event)) {
        let (end, n_requests) = ended(dialect, &[reply; 9], is_streamed).await;
        let ended = (end.reason, n_requests);
        assert_eq!(ended, (EndReason::ModelFailed, expected), "{dialect}: {reply}");
        let said = end.detail.unwrap();
        assert!(said.contains("upstream overloaded"), "{dialect}: {reply}: {said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_in_place_of_the_rest_of_a_stream_is_part_of_the_failure() {
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"So\"}}]}\n\n";
    for rest in ["data: upstream connect error\n\n", "data: upstream connect error"] {
        let reply = format!("{begun}{rest}");
        let (end, n_requests) = ended(Dialect::OpenAi, &[&*reply; 9], true).await;
        assert_eq!((end.reason, n_requests), (EndReason::ModelFailed, 3), "{rest}");
        let expected = "the reply of the model ended before it was whole; its server also wrote: upstream connect error";
        assert_eq!(end.detail.as_deref(), Some(expected), "{rest}");
    }
}

#[tokio::test]
async fn the_words_of_a_provider_about_a_refusal_are_its_detail() {
    let anthropic = r#"{"content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"This was declined."}}"#;
    let delta = anthropic.replace(r#""content":[],"#, "");
    let streamed_anthropic = format!("data: {{\"type\":\"message_delta\",\"delta\":{delta}}}\n\n");
    let gemini = r#"{"candidates":[{"content":{},"finishReason":"PROHIBITED_CONTENT","finishMessage":"It is forbidden."}]}"#;
    let streamed_gemini = format!("data: {gemini}\n\n");
    let declined = "the model declined to answer: This was declined.";
    let stopped = "the provider stopped with `PROHIBITED_CONTENT`: It is forbidden.";
    for (dialect, reply, is_streamed, expected) in [
        (Dialect::Anthropic, anthropic, false, declined),
        (Dialect::Anthropic, &streamed_anthropic, true, declined),
        (Dialect::Gemini, gemini, false, stopped),
        (Dialect::Gemini, &streamed_gemini, true, stopped),
    ] {
        let (end, _) = ended(dialect, &[reply], is_streamed).await;
        assert_eq!(end.reason, EndReason::Refused, "{dialect}: {reply}");
        assert_eq!(end.detail.as_deref(), Some(expected), "{dialect}: {reply}");
    }
}

#[tokio::test]
async fn a_call_of_a_refused_reply_whose_input_is_cut_is_not_requested_again() {
    let reply = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"shop-add","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\""}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"refusal"}}"#,
    ];
    let reply = reply.map(|data| format!("data: {data}\n\n")).concat();
    let (end, n_requests) = ended(Dialect::Anthropic, &[&reply], true).await;
    assert_eq!((end.reason, n_requests), (EndReason::Refused, 1), "{:?}", end.detail);
}

#[tokio::test]
async fn an_error_about_the_content_of_a_request_is_a_refusal() {
    for error in [
        r#"{"error":{"code":"content_filter","message":"It is filtered.","status":400}}"#,
        r#"{"error":{"code":400,"message":"It is filtered.","type":"content_filter"}}"#,
        r#"{"detail":"It is filtered. Content Exists Risk"}"#,
        r#"{"base_resp":{"status_code":1026,"status_msg":"It is filtered."},"choices":null}"#,
    ] {
        let event = format!("data: {error}\n\n");
        for (reply, is_streamed) in [(error, false), (&event, true)] {
            let (end, n_requests) = ended(Dialect::OpenAi, &[reply; 9], is_streamed).await;
            assert_eq!((end.reason, n_requests), (EndReason::Refused, 1), "{reply}");
            assert!(end.detail.unwrap().contains("It is filtered."), "{reply}");
        }
    }
}
