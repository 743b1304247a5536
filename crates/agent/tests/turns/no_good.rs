//! Replies that are no good: the request is sent again where another reply may be better, and the provider's words are said.

use callgate_agent::{Agent, End, EndReason, Input, Transcript};
use callgate_dialect::Dialect;

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::{Made, context, executor, unasked},
};

/// The end of a turn whose first replies are these, asked for whole or as streams, and the number of requests.
async fn ended(dialect: Dialect, replies: &[&str], is_streamed: bool) -> (End, usize) {
    let bytes = |reply: &&str| Step::Bytes(reply.as_bytes().to_vec());
    let steps = replies.iter().map(bytes).chain([Step::Says(Said::text("Done."))]);
    let (fake, made) = (Fake::new(dialect, steps), Made::default());
    let model = if is_streamed { fake.streamed() } else { fake.model() };
    let agent = Agent::new(executor(&made), model, unasked());
    let mut transcript = Transcript::new(dialect).unwrap();
    let end = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
    fake.refused_nothing();
    (end, fake.n_requests())
}

#[tokio::test(start_paused = true)]
async fn a_malformed_call_of_gemini_is_requested_again_a_few_times() {
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"] {
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
async fn an_error_under_the_status_of_a_success_is_said_and_retried_if_it_passes() {
    for (error, passes) in [
        (r#"{"message":"upstream overloaded","code":503}"#, true),
        (r#"{"message":"upstream overloaded","code":"rate_limit_exceeded"}"#, true),
        (r#"{"message":"upstream overloaded","code":401}"#, false),
        (r#""upstream overloaded""#, false),
    ] {
        for dialect in DIALECTS {
            let reply = format!(r#"{{"error":{error}}}"#);
            let event = format!("data: {reply}\n\n");
            let streams: &[_] = &[(&*reply, false), (&*reply, true), (&*event, true)];
            // The events of Bedrock are binary.
            let n_ways = if dialect == Dialect::Bedrock { 2 } else { 3 };
            for (reply, is_streamed) in &streams[..n_ways] {
                let (end, n_requests) = ended(dialect, &[*reply; 9], *is_streamed).await;
                let expected = (EndReason::ModelFailed, if passes { 3 } else { 1 });
                assert_eq!((end.reason, n_requests), expected, "{dialect}: {reply}");
                let said = end.detail.unwrap();
                assert!(said.contains("upstream overloaded"), "{dialect}: {reply}: {said}");
            }
        }
    }
    let whole = r#"{"object":"error","message":"the engine is dead","code":500}"#;
    let event = format!("data: {whole}\n\n");
    for (reply, is_streamed) in [(whole, false), (&event, true)] {
        let (end, n_requests) = ended(Dialect::OpenAi, &[reply; 9], is_streamed).await;
        assert_eq!(n_requests, 3, "{reply}");
        assert!(end.detail.unwrap().contains("the engine is dead"));
    }
}
