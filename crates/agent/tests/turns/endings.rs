//! The ends of a turn: limits, repetitions, refusals, a model that fails, calls that wait.

use std::{sync::Arc, time::Duration};

use callgate_agent::{AgentSettings, Answer, End, EndReason, ErrorKind, Given, Input, TurnLimits};
use callgate_dialect::Dialect;
use callgate_executor::{Decision, Executor, Function};
use callgate_tool::{Session, json};

use crate::{
    fake::{DIALECTS, Said, Step},
    shop::{Talk, add, context, unasked},
};

async fn ended(dialect: Dialect, steps: Vec<Step>, settings: AgentSettings) -> (End, Talk) {
    let mut talk = Talk::new(dialect, steps, settings);
    let end = talk.say("Hello.").await;
    talk.refused_nothing();
    (end, talk)
}

fn limited(limits: TurnLimits) -> AgentSettings {
    AgentSettings { limits, ..unasked() }
}

#[tokio::test]
async fn at_the_limit_of_rounds_the_model_answers_once_more_without_tools() {
    for dialect in DIALECTS {
        let limits = TurnLimits { rounds: 2, ..TurnLimits::default() };
        let steps = vec![add(1), add(2), Step::Says(Said::text("Two are added."))];
        let (end, mut talk) = ended(dialect, steps, limited(limits)).await;
        assert_eq!((end.reason, &*end.text), (EndReason::Limit, "Two are added."), "{dialect}");
        assert_eq!((end.n_rounds, talk.made().len()), (3, 2));
        let body = talk.last().to_string();
        assert!(body.contains("No further call is possible"), "{body}");
        talk.goes_on().await;
    }
}

#[tokio::test]
async fn calls_in_spite_of_the_limit_are_answered_and_not_made() {
    for dialect in DIALECTS {
        let limits = TurnLimits { rounds: 1, ..TurnLimits::default() };
        let (end, mut talk) = ended(dialect, vec![add(1), add(2)], limited(limits)).await;
        assert_eq!((end.reason, talk.made().len()), (EndReason::Limit, 1), "{dialect}");
        talk.goes_on().await;
    }
}

#[tokio::test]
async fn calls_beyond_the_limit_of_calls_are_answered_and_not_made() {
    let limits = TurnLimits { calls: 2, ..TurnLimits::default() };
    let calls =
        [("shop-add", r#"{"n":1}"#), ("shop-add", r#"{"n":2}"#), ("shop-add", r#"{"n":3}"#)];
    let steps = vec![Step::Says(Said::calls(&calls)), Step::Says(Said::text("Two of three."))];
    let (end, mut talk) = ended(Dialect::Anthropic, steps, limited(limits)).await;
    assert_eq!((end.reason, talk.made().len()), (EndReason::Limit, 2));
    assert_eq!(end.text, "Two of three.");
    talk.goes_on().await;
}

#[tokio::test]
async fn the_limit_of_tokens_ends_the_turn_with_an_answer() {
    let limits = TurnLimits { tokens: 1000, ..TurnLimits::default() };
    let dear = Said { tokens: 2000, ..Said::calls(&[("shop-menu", "{}")]) };
    let steps = vec![Step::Says(dear), Step::Says(Said::text("So far."))];
    let (end, _) = ended(Dialect::Gemini, steps, limited(limits)).await;
    assert_eq!((end.reason, &*end.text), (EndReason::Limit, "So far."));
    assert_eq!(end.usage.input, 2000);
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_time_ends_a_hanging_model() {
    let limits = TurnLimits { time: Duration::from_secs(5), ..TurnLimits::default() };
    let mut talk = Talk::new(Dialect::OpenAi, [Step::Hang], limited(limits));
    // The fake has no clock of its own; a real transport ends at the limits that it is given.
    let turn = talk.turn_in(Input::text("Hello."), &context()).await;
    assert_eq!(turn.unwrap().reason, EndReason::Limit);
    assert!(
        talk.transcript.messages_with_results().is_empty(),
        "what was not answered can be sent again"
    );
}

#[tokio::test]
async fn equal_calls_with_equal_results_end_the_turn_as_repeated() {
    for dialect in DIALECTS {
        let steps = vec![add(1), add(1), add(1), add(1), Step::Says(Said::text("I give up."))];
        let (end, mut talk) = ended(dialect, steps, unasked()).await;
        assert_eq!((end.reason, &*end.text), (EndReason::Repeated, "I give up."), "{dialect}");
        assert_eq!(talk.made().len(), 3, "the fourth is not made");
        talk.goes_on().await;
    }
}

#[tokio::test]
async fn the_third_equal_result_of_a_read_is_a_fault_and_that_of_a_write_is_kept() {
    for (tool, is_fault, n_done) in [("shop-add", false, 3), ("shop-menu", true, 2)] {
        for dialect in DIALECTS {
            let call = || Step::Says(Said::calls(&[(tool, r#"{"n":1}"#)]));
            let (_, talk) = ended(dialect, vec![call(), call(), call()], unasked()).await;
            assert_eq!(talk.made().len(), 3, "{dialect}");
            let sent = talk.last().to_string();
            assert_eq!(sent.contains("3 times"), is_fault, "{dialect}: {sent}");
            assert_eq!(sent.matches("done").count(), n_done, "{dialect}: {sent}");
        }
    }
}

#[tokio::test]
async fn equal_calls_of_one_message_are_no_repetition() {
    let three = [("shop-add", r#"{"n":1}"#); 3];
    let (end, talk) =
        ended(Dialect::OpenAi, vec![Step::Says(Said::calls(&three))], unasked()).await;
    assert_eq!((end.reason, talk.made().len()), (EndReason::Answered, 3));
}

#[tokio::test]
async fn a_refusal_ends_the_turn_and_is_not_sent_again() {
    let table = [
        (Dialect::OpenAi, "content_filter"),
        // A proxy passes on the word of the server behind it.
        (Dialect::OpenAi, "PROHIBITED_CONTENT"),
        (Dialect::Anthropic, "content_filter"),
        (Dialect::Anthropic, "refusal"),
        (Dialect::Gemini, "SAFETY"),
        (Dialect::Responses, "content_filter"),
        (Dialect::Bedrock, "guardrail_intervened"),
    ];
    for (dialect, stop) in table {
        let reply = Said { stop, ..Said::text("No.") };
        let mut talk = Talk::new(dialect, [Step::Says(reply)], unasked());
        let end = talk.say("Hello.").await;
        assert_eq!(end.reason, EndReason::Refused, "{dialect}");
        assert!(talk.transcript.messages_with_results().is_empty(), "{dialect}");
    }
}

#[tokio::test]
async fn calls_of_a_reply_that_was_cut_are_not_made() {
    let table = [
        (Dialect::OpenAi, "length"),
        (Dialect::OpenAi, "model_length"),
        (Dialect::Anthropic, "length"),
        (Dialect::Anthropic, "max_tokens"),
        (Dialect::Gemini, "MAX_TOKENS"),
        (Dialect::Responses, "max_output_tokens"),
        (Dialect::Bedrock, "max_tokens"),
    ];
    for (dialect, stop) in table {
        let cut = Said { stop, ..Said::calls(&[("shop-add", r#"{"n":1}"#)]) };
        let (end, mut talk) = ended(dialect, vec![Step::Says(cut)], unasked()).await;
        assert_eq!((end.reason, talk.made().len()), (EndReason::Answered, 0), "{dialect}");
        talk.goes_on().await;
    }
}

#[tokio::test]
async fn replies_that_are_cut_within_calls_again_and_again_end_the_turn() {
    let cut = || Step::Says(Said { stop: "length", ..Said::calls(&[("shop-add", "{\"n\":")]) });
    let steps = vec![cut(), cut(), cut(), Step::Says(Said::text("I cannot."))];
    let (end, mut talk) = ended(Dialect::OpenAi, steps, unasked()).await;
    assert_eq!((end.reason, talk.made().len()), (EndReason::Limit, 0));
    assert!(end.detail.as_ref().unwrap().contains("in the middle of a call"));
    assert_eq!(end.n_rounds, 4);
    talk.goes_on().await;
}

#[tokio::test]
async fn arguments_that_are_no_object_are_not_made_and_servers_take_the_conversation() {
    for dialect in [Dialect::OpenAi, Dialect::Responses] {
        for arguments in ["{\"n\":", "[1]", "7", "n=1"] {
            let steps = vec![
                Step::Says(Said::calls(&[("shop-add", arguments)])),
                Step::Says(Said::text("Sorry.")),
            ];
            let (end, mut talk) = ended(dialect, steps, unasked()).await;
            assert_eq!((end.reason, talk.made().len()), (EndReason::Answered, 0), "{dialect}");
            talk.goes_on().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_to_an_overloaded_model_is_retried_and_no_call_is_repeated() {
    let steps = vec![
        add(1),
        Step::Status(429, Some("2"), r#"{"error":{"message":"slow down"}}"#),
        Step::Status(503, None, "busy"),
        Step::Says(Said::text("Added.")),
    ];
    let (end, talk) = ended(Dialect::OpenAi, steps, unasked()).await;
    assert_eq!((end.reason, talk.made().len()), (EndReason::Answered, 1));
    assert_eq!((talk.n_requests(), end.n_rounds), (4, 2));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_ends_the_turn_with_its_words() {
    let refused = || Step::Status(401, None, r#"{"error":{"message":"no such key"}}"#);
    let (end, talk) = ended(Dialect::Anthropic, vec![refused()], unasked()).await;
    assert_eq!(end.reason, EndReason::ModelFailed);
    assert_eq!(end.detail.as_deref(), Some("the model answered with status 401: no such key"));
    assert!(talk.transcript.messages_with_results().is_empty(), "the input can be sent again");
}

#[tokio::test]
async fn a_reply_without_a_message_ends_the_turn_as_failed() {
    for dialect in DIALECTS {
        let steps = vec![add(1), Step::Raw("{}".to_owned())];
        let (end, mut talk) = ended(dialect, steps, unasked()).await;
        assert_eq!(end.reason, EndReason::ModelFailed, "{dialect}: {end:?}");
        talk.goes_on().await;
    }
}

#[tokio::test]
async fn a_conversation_that_is_too_long_ends_at_a_limit() {
    let table = [
        (Dialect::OpenAi, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#),
        (Dialect::Anthropic, r#"{"error":{"message":"prompt is too long: 210000 tokens"}}"#),
        (Dialect::Bedrock, r#"{"message":"Input is too long for requested model."}"#),
    ];
    for (dialect, body) in table {
        let (end, _) = ended(dialect, vec![Step::Status(400, None, body)], unasked()).await;
        assert_eq!(end.reason, EndReason::Limit, "{dialect}");
    }
}

#[tokio::test]
async fn an_empty_reply_ends_the_turn_and_is_not_sent_again() {
    for dialect in DIALECTS {
        let (end, mut talk) =
            ended(dialect, vec![add(1), Step::Raw(empty(dialect))], unasked()).await;
        assert_eq!((end.reason, &*end.text), (EndReason::Answered, ""), "{dialect}");
        talk.goes_on().await;
    }
}

/// A reply of thoughts alone.
fn empty(dialect: Dialect) -> String {
    let body = match dialect {
        Dialect::Anthropic => {
            r#"{"content":[{"type":"thinking","thinking":"x","signature":"s"}],"stop_reason":"end_turn"}"#
        }
        Dialect::Bedrock => {
            r#"{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"end_turn"}"#
        }
        Dialect::Gemini => {
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"x","thought":true}]},"finishReason":"STOP"}]}"#
        }
        Dialect::Responses => {
            r#"{"status":"completed","output":[{"type":"reasoning","id":"r","summary":[]}]}"#
        }
        _ => {
            r#"{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}"#
        }
    };
    body.to_owned()
}

#[tokio::test]
async fn a_write_waits_for_an_approval_and_goes_on_when_it_is_given() {
    for dialect in DIALECTS {
        let calls = [
            ("shop-menu", "{}"),
            ("shop-add", r#"{"n":1}"#),
            ("shop-cart", "{}"),
            ("shop-add", r#"{"n":2}"#),
        ];
        let steps = vec![Step::Says(Said::calls(&calls))];
        let (end, mut talk) = ended(dialect, steps, AgentSettings::default()).await;
        assert_eq!((end.reason, end.pending.len()), (EndReason::Waiting, 1), "{dialect}");
        assert_eq!(talk.made(), ["shop-menu {}"], "nothing runs behind what waits");
        let decision =
            |id: &str, decision| Input::Answers(vec![Answer::new(id, Given::Decision(decision))]);
        let first = decision(&end.pending[0].id, Decision::Approve);
        let end = talk.turn(first).await;
        assert_eq!((end.reason, end.pending.len()), (EndReason::Waiting, 1), "{dialect}: {end:?}");
        let second = decision(&end.pending[0].id, Decision::Reject);
        let end = talk.turn(second).await;
        assert_eq!(end.reason, EndReason::Answered, "{dialect}");
        assert_eq!(talk.made(), ["shop-menu {}", r#"shop-add {"n":1}"#, "shop-cart {}"]);
        assert!(talk.last().to_string().contains("rejected"));
        talk.goes_on().await;
    }
}

#[tokio::test]
async fn an_input_instead_of_a_decision_passes_the_call_over() {
    for dialect in DIALECTS {
        let (end, mut talk) = ended(dialect, vec![add(1)], AgentSettings::default()).await;
        assert_eq!(end.reason, EndReason::Waiting);
        talk.goes_on().await;
        assert!(talk.made().is_empty());
        assert!(talk.last().to_string().contains("the user went on before this call"), "{dialect}");
    }
}

#[tokio::test]
async fn a_call_of_the_client_waits_for_its_result() {
    let steps = vec![Step::Says(Said::calls(&[("shop-ask", r#"{"n":1}"#)]))];
    let (end, mut talk) = ended(Dialect::OpenAi, steps, unasked()).await;
    assert_eq!((end.reason, end.pending[0].kind), (EndReason::Waiting, "client"));
    let id = end.pending[0].id.clone();
    let wrong = Input::Answers(vec![Answer::new(&*id, Given::Decision(Decision::Approve))]);
    let error = talk.turn_in(wrong, &context()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Answer);
    let answer = Input::Answers(vec![Answer::new(id, Given::Output(json!({"said": "yes"})))]);
    let end = talk.turn(answer).await;
    assert_eq!(end.reason, EndReason::Answered);
    assert!(talk.last().to_string().contains("said"));
}

#[tokio::test]
async fn a_write_without_approvals_is_refused() {
    let executor = Executor::builder();
    let schema = json!({"type": "object"});
    let function = Function::new("shop", "add", schema, |_| async { json!("done") }).unwrap();
    let executor = executor.backend(function).build().unwrap();
    let mut talk = Talk::with(Dialect::OpenAi, [add(1)], executor, AgentSettings::default());
    let end = talk.say("Hello.").await;
    assert_eq!(end.reason, EndReason::Answered);
    let said = talk.last().to_string();
    assert!(said.contains("needs_approval") && said.contains("nobody can be asked"), "{said}");
}

#[tokio::test]
async fn an_agent_calls_only_the_tools_that_it_offers_and_its_caller_may_use() {
    use callgate_agent::TurnContext;
    use callgate_openapi::Pattern;

    let settings =
        || AgentSettings { include: vec![Pattern::name("shop-m*").unwrap()], ..unasked() };
    let calls = || Step::Says(Said::calls(&[("shop-menu", "{}"), ("shop-cart", "{}")]));
    let (_, talk) = ended(Dialect::OpenAi, vec![calls()], settings()).await;
    assert_eq!(talk.made(), ["shop-menu {}"]);
    let context = TurnContext::new(Session::default()).with_toolsets(Arc::default());
    let mut talk = Talk::new(Dialect::OpenAi, [calls()], settings());
    talk.turn_in(Input::text("Hello."), &context).await.unwrap();
    assert!(talk.made().is_empty(), "the caller may use no toolset");
    assert!(talk.last().get("tools").is_none());
}
