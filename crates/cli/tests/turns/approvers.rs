//! Four eyes within a turn: somebody else approves the write of the caller's agent, and the turn goes on.

use crate::prelude::*;
use std::io::Cursor;

use zip::ZipArchive;

const AGENT: &str = "  careful: {model: main, confirm: writes}";
const ACCESS: &str = "access:
  four_eyes: true
  principals:
    kim: {bearer: 'literal:a-token-of-kim-0123456789', approves: [shop], admin: true}
    lee: {bearer: 'literal:a-token-of-lee-0123456789', approves: [shop], toolsets: []}";

fn sent(sidecar: &Sidecar, caller: &str, path: &str, body: &str) -> (u16, Value) {
    let token = format!("Bearer a-token-of-{caller}-0123456789");
    let line = format!("POST {path}");
    let (status, body) = sidecar.answer(&line, &[("Authorization", &token)], body);
    (status, Value::parse(&body).unwrap())
}

const TURNS: &str = "/v1/agents/careful/turns";

/// The answer of the caller to its own call.
fn decided(id: &str, decision: &str) -> String {
    json!({"session": {"id": "s-1"}, "approvals": [{"id": id, "decision": decision}]}).to_string()
}

#[test]
fn another_person_approves_the_write_of_a_turn_and_the_turn_goes_on() {
    let world = World::with(AGENT, ACCESS);
    let sidecar = world.sidecar();
    let (_, turn) = sent(&sidecar, "kim", TURNS, &said("Write."));
    let pending = turn["pending"][0].clone();
    assert_eq!(pending["approvers"].as_str(), Some("others"), "{turn}");
    let (id, approval) = (pending["id"].as_str().unwrap(), pending["approval"].as_str().unwrap());
    let of_approval = format!("/v1/approvals/{approval}");

    let (_, own) = sent(&sidecar, "kim", TURNS, &decided(id, "approve"));
    assert_eq!(reason(&own), "waiting", "{own}");
    assert_eq!(own["pending"][0]["approval"].as_str(), Some(approval), "{own}");
    let (status, own) = sent(&sidecar, "kim", &of_approval, r#"{"decision": "approve"}"#);
    assert_eq!((status, world.shop.n_writes()), (403, 0), "{own}");

    let (status, marked) = sent(&sidecar, "lee", &of_approval, r#"{"decision": "approve"}"#);
    assert_eq!((status, world.shop.n_writes()), (200, 0), "the decision sends nothing: {marked}");
    let (_, turn) = sent(&sidecar, "kim", TURNS, &decided(id, "approve"));
    assert_eq!(reason(&turn), "answered", "{turn}");
    assert_eq!((turn["text"].as_str(), world.shop.n_writes()), (Some("It is done."), 1));
    let (status, again) = sent(&sidecar, "kim", TURNS, &decided(id, "approve"));
    assert_eq!((status, world.shop.n_writes()), (409, 1), "{again}");
    world.model.refused_nothing();
}

#[test]
fn a_write_that_another_person_rejects_is_reported_to_the_model() {
    let world = World::with(AGENT, ACCESS);
    let sidecar = world.sidecar();
    let (_, turn) = sent(&sidecar, "kim", TURNS, &said("Write."));
    let pending = turn["pending"][0].clone();
    let (id, approval) = (pending["id"].as_str().unwrap(), pending["approval"].as_str().unwrap());
    let of_approval = format!("/v1/approvals/{approval}");
    assert_eq!(sent(&sidecar, "lee", &of_approval, r#"{"decision": "reject"}"#).0, 200);
    let (_, turn) = sent(&sidecar, "kim", TURNS, &decided(id, "approve"));
    assert_eq!(reason(&turn), "answered", "{turn}");
    let results = world.model.results();
    assert!(results[0].contains("rejected") && !results[0].contains("lee"), "{results:?}");
    assert_eq!(world.shop.n_writes(), 0);
    world.model.refused_nothing();
}

/// A body of a turn that is recorded.
fn recorded(body: &str) -> String {
    let mut body = Value::parse(body).unwrap();
    body.as_object_mut().unwrap().insert("record", true.into());
    body.to_string()
}

/// Unpacks the fixture of a turn beside the configuration, and runs it. Returns its `turn.json`.
#[track_caller]
fn replayed(world: &World, sidecar: &Sidecar, turn: &Value) -> String {
    let handle = turn["recording"]["handle"].as_str().unwrap_or_else(|| panic!("{turn}"));
    let line = format!("GET /v1/results/{handle}?session=s-1");
    let token = [("Authorization", "Bearer a-token-of-kim-0123456789")];
    let mut answer = Vec::new();
    sidecar.send(&line, &token, "").read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
    let mut archive = ZipArchive::new(Cursor::new(&answer[head + 4..])).unwrap();
    let folder = world.folder().join("careful-turn");
    archive.extract(world.folder()).unwrap();
    let mut test = Command::new(env!("CARGO_BIN_EXE_callgate"));
    let ran = test.args(["test", "careful-turn"]).current_dir(world.folder()).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let form = std::fs::read_to_string(folder.join("turn.json")).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    form
}

#[test]
fn turns_about_which_others_decide_are_fixtures_that_pass() {
    for (decision, n_writes) in [("approve", 1), ("reject", 0)] {
        let world = World::with(AGENT, ACCESS);
        let sidecar = world.sidecar();
        let (_, turn) = sent(&sidecar, "kim", TURNS, &recorded(&said("Write.")));
        replayed(&world, &sidecar, &turn);
        let pending = turn["pending"][0].clone();
        let (id, approval) =
            (pending["id"].as_str().unwrap(), pending["approval"].as_str().unwrap());
        let (_, own) = sent(&sidecar, "kim", TURNS, &recorded(&decided(id, "approve")));
        let problem = own["recording"]["problem"].as_str().unwrap_or_default();
        assert!(problem.contains("nobody else has decided"), "{own}");
        let body = json!({"decision": decision}).to_string();
        assert_eq!(sent(&sidecar, "lee", &format!("/v1/approvals/{approval}"), &body).0, 200);
        let (_, turn) = sent(&sidecar, "kim", TURNS, &recorded(&decided(id, "approve")));
        assert_eq!(reason(&turn), "answered", "{turn}");
        let form = replayed(&world, &sidecar, &turn);
        assert!(form.contains(&format!("\"decision\": \"{decision}\"")), "{form}");
        assert_eq!(world.shop.n_writes(), n_writes, "a replay sends nothing");
    }
}
