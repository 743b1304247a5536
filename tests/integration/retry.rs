//! The policy `retry` of a toolset: which failed requests are sent again, after which wait, and that a write is sent at most
//! once. A scripted transport answers on a paused clock.

mod connections;
mod script;

use crate::prelude::*;

use callgate::config::RetryWhen;
use proptest::prelude::*;

use self::script::{Answer, Broken, Delayed, Hanging, Script, Silent, Status, TOOLS, named};

fn safe() -> Retry {
    Retry { when: RetryWhen::Safe, ..Retry::default() }
}

fn failed(result: &ToolResult) -> &Fault {
    let Outcome::Failed(fault) = &result.outcome else { panic!("{result:?}") };
    fault
}

fn obstacle(journal: &Journal) -> Option<&'static str> {
    journal.events().iter().find_map(|event| match event {
        Event::NotRetried { why } => Some(*why),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn without_a_policy_no_answer_and_no_broken_connection_is_repeated() {
    for answer in [
        Status(503, "1"),
        Status(429, "0"),
        Status(502, ""),
        Broken(ErrorKind::Connect, 0),
        Broken(ErrorKind::Send, 0),
        Silent,
    ] {
        for (tool, _) in TOOLS {
            let script = Script::new(&[answer, Status(200, "")]);
            let result = script.call(tool, Retry::default()).await;
            assert!(result.is_failed(), "{tool} {answer:?}");
            assert_eq!(script.n_sent(), 1, "{tool} {answer:?}");
            assert_eq!(result.journal.attempts(), None);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_is_repeated_until_it_is_answered_and_the_result_says_so() {
    let script = Script::new(&[Status(503, ""), Broken(ErrorKind::Send, 0), Status(200, "")]);
    let result = script.call("get", safe()).await;
    assert_eq!(result.text(), Some(r#""said""#));
    let written = serde_json::to_value(&result).unwrap();
    assert_eq!(written["attempts"], 3);
    let note = "the call took 3 attempts: the service answered 503, then the connection to the service failed";
    assert_eq!(written["notes"], serde_json::json!([note]));
    let waits = script.waits();
    assert!((100..=200).contains(&waits[0]) && (200..=400).contains(&waits[1]), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn each_status_and_fault_is_repeated_as_the_manual_says() {
    for (answer, is_read_repeated, is_write_repeated) in [
        (Status(429, ""), true, false),
        (Status(502, ""), true, false),
        (Status(503, "1"), true, false),
        (Status(504, ""), true, false),
        (Status(408, ""), false, false),
        (Status(500, ""), false, false),
        (Status(501, ""), false, false),
        (Status(404, "1"), false, false),
        (Broken(ErrorKind::Connect, 0), true, true),
        (Broken(ErrorKind::Dns, 0), true, true),
        (Broken(ErrorKind::Send, 0), true, false),
        (Broken(ErrorKind::Receive, 0), true, false),
        (Broken(ErrorKind::TimedOut, 1), true, false),
        (Broken(ErrorKind::Tls, 0), false, false),
        (Broken(ErrorKind::Refused, 0), false, false),
        (Broken(ErrorKind::TooLarge, 0), false, false),
        (Broken(ErrorKind::NothingRecorded, 0), false, false),
    ] {
        for (tool, is_safe) in TOOLS {
            let script = Script::new(&[answer, Status(200, "")]);
            let result = script.call(tool, safe()).await;
            let is_repeated = is_write_repeated || (is_safe && is_read_repeated);
            assert_eq!(script.n_sent(), 1 + usize::from(is_repeated), "{tool} {answer:?}");
            assert_eq!(result.is_failed(), !is_repeated, "{tool} {answer:?}");
            assert_eq!(result.journal.attempts(), is_repeated.then_some(2));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_wait_that_a_service_asks_for_is_kept_and_has_a_bound() {
    for (asked, seconds) in
        [("4", 4), ("0", 0), ("Wed, 21 Oct 2015 07:28:09 GMT", 9), ("soon", 0), ("10", 10)]
    {
        let script = Script::new(&[Status(503, asked), Status(200, "")]);
        assert!(!script.call("get", safe()).await.is_failed(), "{asked}");
        let waited = script.waits()[0];
        assert!((seconds * 1000..=10_000).contains(&waited), "{asked}: {waited}");
        assert!(waited <= seconds * 1000 + 200, "{asked}: {waited}");
    }
    for (asked, seconds) in [("11", 11), ("Wed, 21 Oct 2015 07:30:00 GMT", 120)] {
        let script = Script::new(&[Status(429, asked), Status(200, "")]);
        let result = script.call("get", safe()).await;
        assert_eq!(script.n_sent(), 1, "{asked}");
        assert_eq!(failed(&result).retry_after, Some(Duration::from_secs(seconds)));
        assert_eq!(failed(&result).next, Next::TryLater);
        let why = "the service asks for a longer wait than `retry` allows";
        assert_eq!(obstacle(&result.journal), Some(why));
    }
}

#[tokio::test(start_paused = true)]
async fn the_wait_that_google_writes_in_a_body_is_kept_as_that_of_a_header_is() {
    let script = Script::new(&[Delayed(429, "3.5s"), Delayed(503, "soon"), Status(200, "")]);
    assert!(!script.call("get", safe()).await.is_failed());
    let waits = script.waits();
    assert!((3600..=3700).contains(&waits[0]) && (200..=400).contains(&waits[1]), "{waits:?}");
    let script = Script::new(&[Delayed(429, "34s"), Status(200, "")]);
    let result = script.call("get", safe()).await;
    assert_eq!((script.n_sent(), failed(&result).status), (1, Some(429)));
    assert_eq!(failed(&result).retry_after, Some(Duration::from_secs(34)));
    assert!(failed(&result).body.is_some(), "the body that was read for the wait is there");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_may_name_a_wait_is_read_within_the_time_of_its_attempt_alone() {
    for (limit, waits) in [(None, 1100..=1200), (Some(400), 500..=600)] {
        let retry = Retry { attempt_timeout: limit.map(Duration::from_millis), ..safe() };
        let script = Script::new(&[Hanging(503), Status(200, "")]);
        assert!(!script.call("get", retry).await.is_failed());
        assert!(waits.contains(&script.waits()[0]), "{limit:?}: {:?}", script.waits());
    }
}

#[tokio::test(start_paused = true)]
async fn all_attempts_fit_into_the_time_of_the_call() {
    let script = Script::new(&[Status(503, "4")]);
    let (asked, session) = (named("get"), Session::default());
    let started = Instant::now();
    let deadline = started + Duration::from_secs(5);
    let executor = script.executor(safe());
    let result = executor.call_with(Call::new(&asked, &session).with_deadline(deadline)).await;
    assert_eq!((script.n_sent(), failed(&result).status), (2, Some(503)));
    assert_eq!(obstacle(&result.journal), Some("the time of the call is up before that"));
    assert!(Instant::now() < deadline);

    let script = Script::new(&[Silent]);
    let (started, retry) = (Instant::now(), safe());
    let retry = Retry { attempt_timeout: Some(Duration::from_secs(8)), ..retry };
    let result = script.call("get", retry).await;
    assert_eq!(failed(&result).code, FaultCode::TimedOut);
    assert_eq!((script.n_sent(), started.elapsed().as_secs()), (3, 30));
    let waits = script.waits();
    assert!(waits.iter().all(|wait| (8_000..9_000).contains(wait)), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_one_attempt_holds_for_reads_alone() {
    let retry = Retry { attempt_timeout: Some(Duration::from_secs(2)), ..safe() };
    for (tool, is_safe) in TOOLS {
        let script = Script::new(&[Silent, Status(200, "")]);
        let started = Instant::now();
        let result = script.call(tool, retry).await;
        assert_eq!(result.is_failed(), !is_safe, "{tool}");
        assert_eq!(script.n_sent(), 1 + usize::from(is_safe), "{tool}");
        assert_eq!(started.elapsed().as_secs(), if is_safe { 2 } else { 30 }, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn in_an_outage_retries_add_a_tenth_to_the_requests() {
    let script = Script::new(&[Status(503, "")]);
    let (executor, session) = (script.executor(safe()), Session::default());
    let asked = named("get");
    let calls = (0..1000).map(|_| executor.call(&asked, &session));
    let results = join_all(calls).await;
    assert!(results.iter().all(ToolResult::is_failed));
    // Ten are saved up, and a hundred are earned.
    assert!((1_050..=1_110).contains(&script.n_sent()), "{}", script.n_sent());
    let why = "too many calls of the toolset were retried a moment ago";
    assert!(results.iter().any(|result| obstacle(&result.journal) == Some(why)));
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_the_last_attempt_does_not_hide_that_an_earlier_one_reached_the_service() {
    let script = Script::new(&[Status(503, ""), Broken(ErrorKind::Connect, 0)]);
    let result = script.call("get", safe()).await;
    let fault = failed(&result);
    assert_eq!((fault.code, fault.reached), (FaultCode::Unreachable, Reached::Yes));
    let message =
        "in attempt 3, the service could not be reached, nothing was sent; try again later";
    assert_eq!(fault.message, message);
    let script = Script::new(&[Broken(ErrorKind::Connect, 0)]);
    let result = script.call("post", safe()).await;
    assert_eq!((script.n_sent(), failed(&result).reached), (3, Reached::No));
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_and_says_how_far_the_call_came() {
    for (tool, answer, reached) in [
        ("get", Status(503, "9"), Reached::Yes),
        ("post", Broken(ErrorKind::Connect, 0), Reached::No),
    ] {
        let script = Script::new(&[answer]);
        let (asked, session, stop) = (named(tool), Session::default(), Stop::default());
        let (executor, started) = (script.executor(safe()), Instant::now());
        let call = executor.call_with(Call::new(&asked, &session).with_stop(stop.clone()));
        let (result, ()) = tokio::join!(call, async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            stop.stop();
        });
        assert_eq!((failed(&result).code, failed(&result).reached), (FaultCode::Stopped, reached));
        assert_eq!((script.n_sent(), started.elapsed().as_millis()), (1, 50), "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_sends_nothing() {
    let script = Script::new(&[Status(503, "")]);
    let result = script.executor(safe()).dry_run(&named("get"), &Session::default()).await;
    assert!(matches!(result.outcome, Outcome::Planned(_)));
    assert_eq!((script.n_sent(), result.journal.attempts()), (0, None));
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let wait = prop_oneof![Just(""), Just("0"), Just("3"), Just("60"), Just("tomorrow")];
    let status = prop_oneof![Just(200), Just(401), Just(404), Just(429), 500..=505_u16];
    let kind = prop_oneof![
        Just(ErrorKind::Connect),
        Just(ErrorKind::Dns),
        Just(ErrorKind::Receive),
        Just(ErrorKind::Send),
        Just(ErrorKind::TimedOut),
        Just(ErrorKind::Tls),
        Just(ErrorKind::Coding),
    ];
    let busy = || prop_oneof![Just(200_u16), Just(429), Just(503)];
    let delay = prop_oneof![Just("0s"), Just("3.5s"), Just("60s"), Just("soon")];
    prop_oneof![
        (busy(), delay).prop_map(|(status, delay)| Delayed(status, delay)),
        busy().prop_map(Hanging),
        (status, wait).prop_map(|(status, wait)| Status(status, wait)),
        (kind, 0..12_u64).prop_map(|(kind, seconds)| Broken(kind, seconds)),
        Just(Silent),
    ]
}

fn any_policy() -> impl Strategy<Value = Retry> {
    let when = prop_oneof![1 => Just(RetryWhen::None), 4 => Just(RetryWhen::Safe)];
    let limit = proptest::option::of((1..20_u64).prop_map(Duration::from_secs));
    (when, 1..=10_usize, 1..40_u64, limit).prop_map(|(when, attempts, wait, attempt_timeout)| {
        Retry { when, attempts, wait: Duration::from_secs(wait), attempt_timeout }
    })
}

proptest! {
    #[test]
    fn a_write_reaches_the_service_at_most_once_whatever_happens(
        answers in proptest::collection::vec(any_answer(), 1..8),
        retry in any_policy(),
        tool in 0..TOOLS.len(),
    ) {
        let (tool, is_safe) = TOOLS[tool];
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        let (script, result, elapsed) = runtime.block_on(async {
            let (script, started) = (Script::new(&answers), Instant::now());
            let result = script.call(tool, retry).await;
            (script, result, started.elapsed())
        });
        let most = if retry.when == RetryWhen::Safe { retry.attempts } else { 1 };
        prop_assert!(script.n_sent() <= most);
        prop_assert!(is_safe || script.n_seen() <= 1);
        prop_assert!(elapsed <= Duration::from_secs(30), "{elapsed:?}");
        prop_assert_eq!(result.journal.attempts().unwrap_or(1), script.n_sent());
        if let Outcome::Failed(fault) = &result.outcome {
            prop_assert_eq!(fault.reached == Reached::No, script.n_seen() == 0, "{:?}", fault);
        }
    }
}
