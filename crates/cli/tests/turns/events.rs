//! Turns as server-sent events, and callers that leave in the middle of a turn.

use crate::prelude::*;

const CAREFUL: &str = "  careful: {model: main, confirm: writes}";

#[test]
fn text_of_a_model_is_streamed_before_its_reply_ends() {
    let world = World::new();
    let sidecar = world.sidecar();
    world.model.middle().close();
    let mut events = sidecar.events("Hello.");
    let (name, data) = events.next().unwrap();
    assert_eq!((&*name, data["text"].as_str()), ("text", Some("Hello ")));
    world.model.middle().open();
    let rest = events.rest();
    assert_eq!(rest[0].1["text"].as_str(), Some("there."), "{rest:?}");
    let (name, end) = &rest[1];
    assert_eq!((&**name, end["text"].as_str()), ("end", Some("Hello there.")), "{rest:?}");
    assert_eq!(end["usage"]["output"].to_string(), "10");
}

#[test]
fn calls_and_results_are_sent_in_their_order() {
    let world = World::with(CAREFUL, "");
    let sidecar = world.sidecar();
    let events = sidecar.events("Both.").rest();
    let told: Vec<_> = events
        .iter()
        .map(|(name, data)| {
            let about = data.get("tool").or_else(|| data.get("text"));
            format!("{name} {}", about.and_then(Value::as_str).unwrap_or_default())
        })
        .collect();
    let expected = "call shop-read|result shop-read|call shop-write|result shop-write|text It is |text done.|end It is done.";
    assert_eq!(told.join("|"), expected);
    assert_eq!(events[2].1["args"]["n"].to_string(), "2", "{events:?}");
    assert_eq!(events[3].1["status"].to_string(), "200", "{events:?}");

    let events = sidecar.events_of("POST /v1/agents/careful/turns", "Write.").rest();
    let names: Vec<_> = events.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["call", "pending", "end"], "{events:?}");
    assert_eq!(events[1].1["kind"].as_str(), Some("approval"));
    assert_eq!(events[2].1["end"]["reason"].as_str(), Some("waiting"));
}

#[test]
fn an_event_says_that_words_of_a_stream_that_broke_off_do_not_count() {
    let world = World::new();
    let events = world.sidecar().events("Break off once.").rest();
    let text = |data: &Value| data.get("text").map(|text| text.as_str().unwrap().to_owned());
    let shown: Vec<_> = events.iter().map(|(name, data)| (&**name, text(data))).collect();
    let shown: Vec<_> = shown.iter().map(|(name, text)| (*name, text.as_deref())).collect();
    let expected = [
        ("text", Some("Hel")),
        ("retry", Some("Hel")),
        ("text", Some("Hello ")),
        ("text", Some("there.")),
        ("end", Some("Hello there.")),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_turn_that_does_not_begin_is_refused_with_a_status() {
    let world = World::new();
    let sidecar = world.sidecar();
    let status = |accept: &str, body: &str| sidecar.answer(KEEPER, &[("Accept", accept)], body).0;
    assert_eq!(status("text/html", &said("Hello.")), 406);
    assert_eq!(status("text/event-stream", "{}"), 400);
    let approval =
        r#"{"session": {"id": "s-1"}, "approvals": [{"id": "x", "decision": "approve"}]}"#;
    assert_eq!(status("text/event-stream", approval), 409);
    assert_eq!(world.model.n_requests(), 0);
    world.model.middle().close();
    let events = sidecar.events("Hello.");
    assert_eq!(status("text/event-stream", &said("Hello?")), 409);
    world.model.middle().open();
    assert_eq!(events.rest().last().unwrap().0, "end");
}

/// Leaves a turn that writes at a gate, and goes on after it.
#[track_caller]
fn leaves(world: &World, sidecar: &Sidecar, headers: &[(&str, &str)], gate: &Gate) {
    gate.close();
    let caller = sidecar.send(KEEPER, headers, &said("Write."));
    gate.until_reached();
    drop(caller);
    let turn = sidecar.turn_after("Go on.");
    gate.open();
    assert_eq!(turn["end"]["reason"].as_str(), Some("answered"), "{turn}");
    world.model.refused_nothing();
}

#[test]
fn a_caller_that_leaves_cancels_its_turn_and_the_conversation_goes_on() {
    let world = World::new();
    let sidecar = world.sidecar();
    let ways: [&[(&str, &str)]; 2] = [&[], &[("Accept", "text/event-stream")]];
    for (n, headers) in ways.into_iter().enumerate() {
        let n_before = 2 * n;
        leaves(&world, &sidecar, headers, world.shop.gate());
        let results = world.model.results();
        assert_eq!(world.shop.n_writes(), n_before + 1, "each write is sent once: {results:?}");
        assert_eq!(results.len(), n_before + 1, "each write is sent once: {results:?}");
        assert!(results[n_before].contains("maybe"), "{results:?}");
        leaves(&world, &sidecar, headers, world.model.after_results());
        let results = world.model.results();
        assert_eq!(world.shop.n_writes(), n_before + 2, "each write is sent once: {results:?}");
        assert_eq!(results.len(), n_before + 2, "each write is sent once: {results:?}");
        assert!(results[n_before + 1].contains("a thing of the shop"), "{results:?}");
    }
    let (_, metrics) = sidecar.answer("GET /metrics", &[], "");
    let counted = r#"callgate_turns_total{agent="keeper",end="cancelled"} 4"#;
    assert!(metrics.contains(counted), "{metrics}");
    let counted = r#"callgate_turns_total{agent="keeper",end="answered"} 4"#;
    assert!(metrics.contains(counted), "{metrics}");
}
