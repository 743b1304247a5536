//! The line that a turn of an agent leaves in the file.

use super::*;

fn turn_end<'t>(id: TurnId, principal: &'t Principal, session: &'t Session) -> TurnEnd<'t> {
    TurnEnd {
        id,
        agent: "pizza",
        principal: Some(principal),
        session,
        end: "answered",
        n_rounds: 2,
        n_calls: 1,
        input_tokens: 900,
        output_tokens: 80,
        is_estimated: false,
        elapsed: Duration::from_millis(1500),
    }
}

/// Makes a call of a turn, and ends the turn. Returns its id.
async fn take_a_turn(process: &Process) -> TurnId {
    let id = TurnId::unique();
    let (principal, session) = (Principal::new("kim"), Session::new("s-canary"));
    let asked = ToolCall::new("7", "pets-get", Arguments::new());
    let call = Call::new(&asked, &session).with_principal(principal.clone()).with_extension(id);
    process.executor.call_with(call).await;
    process.audit.record_turn_end(&turn_end(id, &principal, &session)).await;
    id
}

#[tokio::test]
async fn a_turn_has_a_line_after_those_of_its_calls_which_name_it() {
    let desk = Desk::new();
    let process = desk.open().await;
    let id = take_a_turn(&process).await.to_string();
    process.end();
    let lines = desk.lines();
    let events: Vec<_> = lines.iter().map(|line| text(line, "event")).collect();
    assert_eq!(events, ["opened", "begun", "ended", "turn_ended"]);
    let (begun, turn) = (&lines[1], &lines[3]);
    assert_eq!((text(begun, "turn"), text(turn, "turn")), (&*id, &*id));
    for name in ["principal", "session"] {
        assert_eq!(text(turn, name), text(begun, name), "{name}");
    }
    let names = "line time event turn agent principal session end rounds calls input_tokens output_tokens elapsed_ms mac";
    let members = turn.as_object().unwrap().keys().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(members.join(" "), names);
    assert_eq!((text(turn, "agent"), text(turn, "end")), ("pizza", "answered"));
    let numbers = ["rounds", "calls", "input_tokens", "output_tokens", "elapsed_ms"];
    let numbers = numbers.map(|name| turn[name].to_string());
    assert_eq!(numbers, ["2", "1", "900", "80", "1500"]);
    assert!(!desk.text().contains("canary"), "the id of the session is a digest");
}

#[tokio::test]
async fn a_line_of_a_turn_is_verified_and_the_next_process_goes_on_after_it() {
    let desk = Desk::new();
    let process = desk.open().await;
    take_a_turn(&process).await;
    process.end();
    let process = desk.open().await;
    assert!(process.audit.calls_without_end().is_empty());
    let (principal, session) = (Principal::new("kim"), Session::default());
    process.audit.record_turn_end_later(&turn_end(TurnId::unique(), &principal, &session));
    process.end();
    let verified = desk.verified();
    assert_eq!((verified.n_lines, verified.flaw), (6, None));
    let altered = desk.text().replacen(r#""input_tokens":900"#, r#""input_tokens":100"#, 1);
    fs::write(desk.file(), altered).unwrap();
    let flaw = desk.verified().flaw.unwrap();
    assert_eq!((flaw.kind, flaw.line), (FlawKind::Altered, 4));
}
