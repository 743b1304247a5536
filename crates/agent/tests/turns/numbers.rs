//! Numbers of a provider, of any size and form: none ends a turn, and none is computed with before it is bounded.

use callgate_agent::{End, EndReason};
use callgate_dialect::Dialect;

use crate::{
    fake::{DIALECTS, Said, Step, body},
    shop::{Talk, unasked},
};

/// The end of a turn, and the number of requests in it.
async fn ended(dialect: Dialect, step: Step) -> (End, usize) {
    let mut talk = Talk::new(dialect, [step], unasked());
    let end = talk.say("Hello.").await;
    (end, talk.n_requests())
}

#[tokio::test(start_paused = true)]
async fn a_model_that_asks_for_a_wait_of_any_length_ends_the_turn_with_its_words() {
    for after in ["18446744073709551615", "99999999999999999999999", "31536000"] {
        let busy = Step::Status(429, Some(after), r#"{"error":{"message":"slow down"}}"#);
        let (end, n_requests) = ended(Dialect::OpenAi, busy).await;
        assert_eq!((end.reason, n_requests), (EndReason::ModelFailed, 1), "{after}");
        let said = "the model answered with status 429: slow down";
        assert_eq!(end.detail.as_deref(), Some(said), "{after}");
    }
}

#[tokio::test]
async fn tokens_of_any_size_and_form_are_counted_within_a_bound() {
    let names = "candidatesTokenCount completion_tokens inputTokens input_tokens
        outputTokens output_tokens promptTokenCount prompt_tokens";
    for (tokens, expected) in [
        ("null", 0),
        ("-7", 0),
        ("-1e999", 0),
        ("12.0", 12),
        (r#""12""#, 0),
        ("18446744073709551615", 1 << 40),
        ("1e300", 1 << 40),
        ("1e999", 1 << 40),
    ] {
        let counts = names.split_whitespace().map(|name| format!(r#""{name}":{tokens}"#));
        let usage = counts.collect::<Vec<_>>().join(",");
        for dialect in DIALECTS {
            let reply = body_with_usage(dialect, &usage);
            let (end, _) = ended(dialect, Step::Raw(reply)).await;
            assert_eq!(end.reason, EndReason::Answered, "{dialect}: {:?}", end.detail);
            let used = (end.usage.input, end.usage.output);
            // Where a provider counts none, the turn estimates.
            let is_counted = used == (expected, expected) || (expected == 0 && end.is_estimated);
            assert!(is_counted, "{dialect}: {tokens}: {used:?}");
        }
    }
}

#[tokio::test]
async fn tokens_of_chat_completions_are_counted_under_the_names_of_responses_too() {
    for usage in [
        r#""input_tokens":11,"output_tokens":5,"total_tokens":16"#,
        r#""prompt_tokens":11,"completion_tokens":5,"input_tokens":0,"output_tokens":null"#,
    ] {
        let reply = body_with_usage(Dialect::OpenAi, usage);
        let (end, _) = ended(Dialect::OpenAi, Step::Raw(reply)).await;
        assert_eq!(end.usage.input, 11, "{usage}");
        assert_eq!(end.usage.output, 5, "{usage}");
        assert!(!end.is_estimated, "{usage}");
    }
}

/// A reply whose usage has these members.
fn body_with_usage(dialect: Dialect, usage: &str) -> String {
    let reply = body(dialect, &Said::text("Done."));
    let (head, _) = reply.rsplit_once(",\"usage").unwrap();
    let member = if dialect == Dialect::Gemini { "usageMetadata" } else { "usage" };
    format!(r#"{head},"{member}":{{{usage}}}}}"#)
}
