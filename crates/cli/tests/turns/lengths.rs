//! Replies without an end, and results that are too long for a model.

use crate::prelude::*;

#[test]
fn a_reply_without_an_end_is_bounded_by_bytes() {
    for input in ["Endless.", "Endless event."] {
        let world = World::new();
        let turn = world.sidecar().turn(input);
        assert_eq!(reason(&turn), "model_failed", "{turn}");
        let said = turn["end"]["detail"].as_str().unwrap();
        assert!(said.contains("more than 16777216 bytes"), "{said}");
        assert_eq!(world.model.n_requests(), 1, "it is not asked for again");
        assert_eq!(turn["messages"].as_array().unwrap().len(), 0, "{turn}");
    }
}

#[test]
fn a_reply_without_an_end_is_bounded_by_time() {
    let world = World::with("  hasty: {model: main, limits: {time: 1s}}", "");
    let sidecar = world.sidecar();
    world.model.middle().close();
    let line = "POST /v1/agents/hasty/turns";
    let (status, body) = sidecar.answer(line, &[], &said("Slow."));
    world.model.middle().open();
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""reason":"limit""#), "{body}");
}

#[test]
fn a_reply_of_which_a_byte_comes_again_and_again_is_bounded_by_time() {
    let world = World::with("  hasty: {model: main, limits: {time: 1s}}", "");
    let sidecar = world.sidecar();
    let line = "POST /v1/agents/hasty/turns";
    let (status, body) = sidecar.answer(line, &[], &said("Byte by byte."));
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""reason":"limit""#), "{body}");
    assert!(sidecar.turn("Hello.")["end"]["reason"].as_str() == Some("answered"));
}

#[test]
fn a17_a_long_result_is_cut_before_the_model_reads_it() {
    let world = World::new();
    let turn = world.sidecar().turn("Long.");
    assert_eq!(reason(&turn), "answered", "{turn}");
    let results = world.model.results();
    let n_bytes = results[0].len();
    assert!((8_000..20_000).contains(&n_bytes), "{n_bytes} bytes of 124,000");
    assert!(results[0].contains("result:"), "the handle of the whole: {}", results[0]);
}
