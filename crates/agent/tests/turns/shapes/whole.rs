//! Replies that do not come as streams, in the shapes of servers that resemble a provider; some come where a stream was asked
//! for.

use callgate_agent::EndReason;
use callgate_dialect::Dialect;
use callgate_tool::json;

use super::{TWO, made};
use crate::{
    fake::{DIALECTS, Step},
    shop::{Talk, unasked},
};

/// Checks a reply: asked for whole and as a stream.
pub(super) async fn check(dialect: Dialect, reply: &str) {
    let (calls, _, reason) = made(dialect, &[reply.as_bytes().to_vec()]).await;
    assert_eq!((calls, reason), (super::texts(&TWO), EndReason::Answered), "{dialect}: {reply}");
    let mut talk = Talk::new(dialect, [Step::Raw(reply.to_owned())], unasked());
    let end = talk.say("Go.").await;
    talk.refused_nothing();
    assert_eq!((end.reason, &*talk.made()), (EndReason::Answered, &*super::texts(&TWO)), "{reply}");
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
        let mut talk = Talk::new(Dialect::OpenAi, [Step::Raw(reply)], unasked());
        for said in ["Yes.", "That is all."] {
            let end = talk.say("Go.").await;
            assert_eq!(end.text, said);
        }
        talk.refused_nothing();
        assert!(!talk.fake.requests.lock().unwrap()[1].contains("tool_calls"));
    }
}

/// A reply with one call of these arguments, as JSON.
fn reply_with_call(dialect: Dialect, arguments: &str) -> String {
    match dialect {
        Dialect::Anthropic => format!(
            r#"{{"content":[{{"type":"tool_use","id":"a","name":"shop-add","input":{arguments}}}],"stop_reason":"tool_use"}}"#
        ),
        Dialect::Bedrock => format!(
            r#"{{"output":{{"message":{{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"a","name":"shop-add","input":{arguments}}}}}]}}}},"stopReason":"tool_use"}}"#
        ),
        Dialect::Gemini => format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"functionCall":{{"name":"shop-add","args":{arguments}}},"thoughtSignature":"s"}}]}},"finishReason":"STOP"}}]}}"#
        ),
        Dialect::OpenAi => format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"a","type":"function","function":{{"name":"shop-add","arguments":{arguments}}}}}]}},"finish_reason":"stop"}}]}}"#
        ),
        _ => format!(
            r#"{{"status":"completed","output":[{{"type":"function_call","call_id":"a","name":"shop-add","arguments":{arguments}}}]}}"#
        ),
    }
}

#[tokio::test]
async fn arguments_that_repeat_a_name_in_a_text_are_not_made() {
    for dialect in DIALECTS {
        for arguments in [r#"{"n":1,"n":2}"#.to_owned(), json!(r#"{"n":1,"n":2}"#).to_string()] {
            let reply = reply_with_call(dialect, &json!(arguments).to_string());
            let (calls, ..) = made(dialect, &[reply.clone().into_bytes()]).await;
            assert!(calls.is_empty(), "{reply}");
        }
    }
}

#[tokio::test]
async fn arguments_that_are_quoted_twice_are_made_and_go_back_once() {
    let quoted = json!(json!(r#"{"n":1}"#).to_string()).to_string();
    for dialect in DIALECTS {
        let reply = reply_with_call(dialect, &quoted);
        let mut talk = Talk::new(dialect, [Step::Raw(reply)], unasked());
        talk.say("Go.").await;
        talk.refused_nothing();
        assert_eq!(talk.made(), TWO[..1], "{dialect}");
        let text = talk.transcript.messages_with_results()[1].text().replace('\\', "");
        assert!(text.contains(r#"{"n":1}"#) && !text.contains("unreadable"), "{text}");
    }
}

#[tokio::test]
async fn calls_in_choices_of_their_own_are_made_once_each() {
    let call = |id: &str, tool: &str, n: u64| {
        format!(
            r#"{{"finish_reason":"tool_calls","message":{{"role":"assistant","tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"shop-{tool}","arguments":"{{\"n\":{n}}}"}}}}]}}}}"#
        )
    };
    let words =
        r#"{"finish_reason":"tool_calls","message":{"role":"assistant","content":"I look."}}"#;
    let (add, remove) = (call("a", "add", 1), call("b", "remove", 2));
    check(Dialect::OpenAi, &format!(r#"{{"choices":[{words},{add},{remove}]}}"#)).await;
    check(Dialect::OpenAi, &format!(r#"{{"choices":[{add},{words},{remove}]}}"#)).await;
    let stream = format!(r#"{{"choices":[{words},{add},{remove}]}}"#);
    let stream = super::event(&stream.replace(r#""message""#, r#""delta""#));
    let (calls, ..) = made(Dialect::OpenAi, &[stream.into_bytes()]).await;
    assert_eq!(calls, super::texts(&TWO));
}
