//! The records of turns for operators: lines of the audit file, and warnings of the log.

use crate::prelude::*;

const KEY: &str = "0123456789abcdef0123456789abcdef";

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn texts<'a>(lines: &[&'a Value], name: &str) -> Vec<&'a str> {
    lines.iter().map(|line| text(line, name)).collect()
}

fn of<'a>(lines: &'a [Value], event: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| text(line, "event") == event).collect()
}

#[test]
fn each_turn_has_a_line_in_the_audit_which_its_calls_name() {
    let audit = format!("audit: {{file: audit.jsonl, key: 'literal:{KEY}', mode: required}}");
    let world = World::with("", &audit);
    let sidecar = world.sidecar();
    sidecar.turn("Both.");
    world.shop.gate().close();
    let caller = sidecar.send(KEEPER, &[], &said("Write."));
    world.shop.gate().until_reached();
    drop(caller);
    sidecar.turn_after("Hello.");
    world.shop.gate().open();
    sidecar.kill();

    let file = world.folder().join("audit.jsonl");
    let written = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = written.lines().map(|line| Value::parse(line).unwrap()).collect();
    let (ended, begun) = (of(&lines, "turn_ended"), of(&lines, "begun"));
    assert_eq!(texts(&ended, "end"), ["answered", "cancelled", "answered"], "{written}");
    let turns = texts(&ended, "turn");
    assert_eq!(texts(&begun, "turn"), [turns[0], turns[0], turns[1]], "{written}");
    let first = ended[0];
    assert_eq!(text(first, "agent"), "keeper");
    let numbers = ["rounds", "calls", "input_tokens", "output_tokens"];
    assert_eq!(numbers.map(|name| first[name].to_string()), ["2", "2", "100", "20"], "{first}");
    assert_eq!(text(first, "session"), text(begun[0], "session"));
    assert!(!written.contains("Both.") && !written.contains("It is "), "{written}");

    let mut verify = Command::new(env!("CARGO_BIN_EXE_callgate"));
    verify.args(["audit", "verify", "--key", "env:AUDIT_KEY"]).arg(&file).env("AUDIT_KEY", KEY);
    let verified = verify.output().unwrap();
    let shown = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success() && shown.contains("as they were written"), "{verified:?}");
}

#[test]
fn a_failing_model_and_a_limit_are_warnings_with_their_reasons() {
    let world = World::with("  hasty: {model: main, confirm: never, limits: {rounds: 1}}", "");
    let sidecar = world.sidecar();
    sidecar.turn("Fail.");
    let line = sidecar.logged("end=model_failed");
    assert!(line.contains("WARN") && line.contains("no such key"), "{line}");
    assert_eq!(n_requests(&sidecar, "_OTHER"), "1");
    sidecar.answer("POST /v1/agents/hasty/turns", &[], &said("Read."));
    let line = sidecar.logged("end=limit");
    assert!(line.contains("WARN") && line.contains("The 1 rounds"), "{line}");
    sidecar.turn("Hello.");
    let line = sidecar.logged("end=answered");
    assert!(line.contains("INFO") && line.contains("turn="), "{line}");
    assert_eq!(n_requests(&sidecar, ""), "3", "two of the turn at its limit, and one of the last");
}

/// The number of requests to the model whose time was measured, of a kind of failure.
fn n_requests(sidecar: &Sidecar, failure: &str) -> String {
    let (_, metrics) = sidecar.answer("GET /metrics", &[], "");
    let labels =
        r#"gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="m-1""#;
    let failed =
        if failure.is_empty() { String::new() } else { format!(r#",error_type="{failure}""#) };
    let family = "gen_ai_client_operation_duration_seconds";
    let buckets = format!(r#"{family}_bucket{{{labels}{failed},le="81.92"}} "#);
    assert!(metrics.contains(&buckets), "{metrics}");
    let counted = format!("{family}_count{{{labels}{failed}}} ");
    let (_, rest) = metrics.split_once(&counted).unwrap_or_else(|| panic!("{metrics}"));
    rest.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_turn_whose_events_nobody_reads_is_cancelled_and_says_so() {
    let world = World::new();
    let sidecar = world.sidecar();
    let events = sidecar.events("Endless.");
    let line = sidecar.logged("end=cancelled");
    let reason = "the caller left 8 MiB of events unread";
    assert!(line.contains("WARN") && line.contains(reason), "{line}");
    let (name, end) = events.rest().pop().unwrap();
    assert_eq!((&*name, end["end"]["detail"].as_str()), ("end", Some(reason)), "{end}");
    assert_eq!(sidecar.turn("Hello.")["end"]["reason"].as_str(), Some("answered"));
}
