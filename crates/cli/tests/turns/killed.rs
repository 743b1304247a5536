//! A sidecar that is killed with SIGKILL in the middle of a turn, and one that goes on with its file. The model refuses a
//! conversation in which a call has no result, or two.

use crate::prelude::*;

/// The end of a turn that goes on after the process of the turn before was killed at a gate.
fn goes_on(world: &World, input: &str, gate: &Gate) -> Value {
    let sidecar = world.sidecar();
    assert_eq!(reason(&sidecar.turn("Read.")), "answered");
    gate.close();
    let caller = sidecar.send(KEEPER, &[], &said(input));
    gate.until_reached();
    sidecar.kill();
    drop(caller);
    gate.open();
    let turn = continued(&world.sidecar());
    world.model.refused_nothing();
    turn
}

/// The lease of a process that has ended is free at once: no response is 409.
fn continued(sidecar: &Sidecar) -> Value {
    let turn = sidecar.turn("Go on.");
    assert_eq!(reason(&turn), "answered", "{turn}");
    turn
}

#[test]
fn a_conversation_goes_on_after_a_kill_during_the_reply_of_the_model() {
    let world = World::new();
    goes_on(&world, "Write.", world.model.middle());
    assert_eq!((world.shop.n_writes(), world.model.results().len()), (0, 1));
}

#[test]
fn a_conversation_goes_on_after_a_kill_during_a_read() {
    let world = World::new();
    goes_on(&world, "Read.", world.shop.gate());
    let results = world.model.results();
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(results[1].contains("maybe"), "{results:?}");
}

#[test]
fn a_write_is_sent_once_and_may_have_been_executed_after_a_kill_during_it() {
    let world = World::new();
    goes_on(&world, "Write.", world.shop.gate());
    let results = world.model.results();
    assert_eq!((world.shop.n_writes(), results.len()), (1, 2), "{results:?}");
    assert!(results[1].contains("may have been executed"), "{results:?}");
}

#[test]
fn a_write_that_has_its_result_keeps_it_after_a_kill_between_two_rounds() {
    let world = World::new();
    let sidecar = world.sidecar();
    sidecar.turn("Hello.");
    world.model.after_results().close();
    let caller = sidecar.send(KEEPER, &[], &said("Write."));
    world.model.after_results().until_reached();
    sidecar.kill();
    drop(caller);
    world.model.after_results().open();
    continued(&world.sidecar());
    world.model.refused_nothing();
    let results = world.model.results();
    assert_eq!((world.shop.n_writes(), results.len()), (1, 1), "{results:?}");
    assert!(results[0].contains("a thing of the shop"), "{results:?}");
}
