//! Replies that do not come as streams, in the shapes of servers that resemble a provider; some come where a stream was asked
//! for.

use callgate_agent::{Agent, EndReason, Input, Transcript};
use callgate_dialect::Dialect;

use super::{TWO, made};
use crate::{
    fake::{Fake, Step},
    shop::{Made, context, executor, unasked},
};

/// Checks a reply: asked for whole and as a stream.
pub(super) async fn check(dialect: Dialect, reply: &str) {
    let (calls, _, reason) = made(dialect, &[reply.as_bytes().to_vec()]).await;
    assert_eq!((calls, reason), (super::texts(&TWO), EndReason::Answered), "{dialect}: {reply}");
    let (fake, made) = (Fake::new(dialect, [Step::Raw(reply.to_owned())]), Made::default());
    let agent = Agent::new(executor(&made), fake.model(), unasked());
    let mut transcript = Transcript::new(dialect).unwrap();
    let end = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
    fake.refused_nothing();
    assert_eq!((end.reason, &*made.all()), (EndReason::Answered, &*super::texts(&TWO)), "{reply}");
}

#[tokio::test]
async fn calls_without_ids_are_made_once_each_and_answered_by_the_ids_that_are_made() {
    for (one, other) in [
        (r#""id":"a","#, r#""id":"b","#),
        ("", ""),
        (r#""id":"","#, r#""id":null,"#),
        (r#""id":1,"#, r#""id":2,"#),
        (r#""id":"call_1_1","#, ""),
    ] {
        let add = format!(
            r#"{{{one}"type":"function","function":{{"name":"shop-add","arguments":"{{\"n\":1}}"}}}}"#
        );
        let remove =
            format!(r#"{{{other}"function":{{"name":"shop-remove","arguments":{{"n":2}}}}}}"#);
        let message =
            format!(r#"{{"role":"assistant","content":null,"tool_calls":[{add},{remove}]}}"#);
        let reply = format!(r#"{{"choices":[{{"message":{message},"finish_reason":"stop"}}]}}"#);
        check(Dialect::OpenAi, &reply).await;
        let add = format!(r#"{{{one}"type":"tool_use","name":"shop-add","input":{{"n":1}}}}"#);
        let remove =
            format!(r#"{{{other}"type":"tool_use","name":"shop-remove","input":"{{\"n\":2}}"}}"#);
        let words = r#"{"type":"text","text":""}"#;
        let reply = format!(r#"{{"content":[{words},{add},{remove}],"stop_reason":"tool_use"}}"#);
        check(Dialect::Anthropic, &reply).await;
        let (one, other) = (one.replace("id", "toolUseId"), other.replace("id", "toolUseId"));
        let add = format!(r#"{{"toolUse":{{{one}"name":"shop-add","input":{{"n":1}}}}}}"#);
        let remove = format!(r#"{{"toolUse":{{{other}"name":"shop-remove","input":{{"n":2}}}}}}"#);
        let message = format!(r#"{{"role":"assistant","content":[{add},{remove}]}}"#);
        let reply = format!(r#"{{"output":{{"message":{message}}},"stopReason":"tool_use"}}"#);
        check(Dialect::Bedrock, &reply).await;
        let (one, other) =
            (one.replace("toolUseId", "call_id"), other.replace("toolUseId", "call_id"));
        let add = format!(
            r#"{{"type":"function_call",{one}"name":"shop-add","arguments":"{{\"n\":1}}"}}"#
        );
        let remove = format!(
            r#"{{"type":"function_call",{other}"name":"shop-remove","arguments":{{"n":2}}}}"#
        );
        check(
            Dialect::Responses,
            &format!(r#"{{"status":"completed","output":[{add},{remove}]}}"#),
        )
        .await;
    }
}

#[tokio::test]
async fn a_list_of_no_calls_is_not_sent_back() {
    for calls in ["null", "[]"] {
        let message = format!(r#"{{"role":"assistant","content":"Yes.","tool_calls":{calls}}}"#);
        let reply = format!(r#"{{"choices":[{{"message":{message},"finish_reason":"stop"}}]}}"#);
        let (fake, made) = (Fake::new(Dialect::OpenAi, [Step::Raw(reply)]), Made::default());
        let agent = Agent::new(executor(&made), fake.model(), unasked());
        let mut transcript = Transcript::new(Dialect::OpenAi).unwrap();
        for said in ["Yes.", "That is all."] {
            let end = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
            assert_eq!(end.text, said);
        }
        fake.refused_nothing();
        assert!(!fake.requests.lock().unwrap()[1].contains("tool_calls"));
    }
}
