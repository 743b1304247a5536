//! Budgets of principals at the sidecar: kept over a restart, and not shared by two of them.

use crate::prelude::*;

const AGENT: &str = "  lean: {model: main, confirm: never, budget: {tokens: 100, per: 24h}}";
const ACCESS: &str = "access:
  principals:
    kim: {bearer: 'literal:a-token-of-kim-0123456789'}
    lee: {bearer: 'literal:a-token-of-lee-0123456789'}";

fn turn(sidecar: &Sidecar, caller: &str, input: &str) -> Value {
    let token = format!("Bearer a-token-of-{caller}-0123456789");
    let line = "POST /v1/agents/lean/turns";
    let (status, body) = sidecar.answer(line, &[("Authorization", &token)], &said(input));
    assert_eq!(status, 200, "{body}");
    Value::parse(&body).unwrap()
}

#[test]
fn a_budget_that_is_used_up_ends_turns_of_its_principal_alone_and_after_a_restart_too() {
    let world = World::with(AGENT, ACCESS);
    let sidecar = world.sidecar();
    for _ in 0..2 {
        assert_eq!(reason(&turn(&sidecar, "kim", "Hello.")), "answered", "60 tokens each");
    }
    let n_requests = world.model.n_requests();
    let over = turn(&sidecar, "kim", "Hello.");
    assert_eq!(reason(&over), "limit", "{over}");
    let said = over["end"]["detail"].as_str().unwrap();
    assert!(said.contains("the budget of 100 tokens in 24 hours is used up"), "{said}");
    let wait: u64 = over["end"]["retryAfter"].to_string().parse().unwrap();
    assert!((80_000..=86_400).contains(&wait), "{over}");
    assert_eq!(world.model.n_requests(), n_requests, "the model was not asked");
    assert_eq!(reason(&turn(&sidecar, "lee", "Hello.")), "answered");
    sidecar.kill();
    let sidecar = world.sidecar();
    assert_eq!(reason(&turn(&sidecar, "kim", "Hello.")), "limit");
    assert_eq!(reason(&turn(&sidecar, "lee", "Hello.")), "answered");
    assert_eq!(reason(&turn(&sidecar, "lee", "Hello.")), "limit");
    world.model.refused_nothing();
}

#[test]
fn a_budget_ends_a_turn_between_two_rounds_and_the_conversation_can_be_sent() {
    let world = World::with(AGENT, ACCESS);
    let sidecar = world.sidecar();
    assert_eq!(reason(&turn(&sidecar, "kim", "Hello.")), "answered");
    let over = turn(&sidecar, "kim", "Write.");
    assert_eq!((reason(&over), world.shop.n_writes()), ("limit", 1), "{over}");
    let messages = over["messages"].as_array().unwrap();
    assert_eq!(messages.last().unwrap()["role"].as_str(), Some("tool"), "{over}");
}

#[test]
fn tokens_of_a_model_that_states_no_usage_are_estimated() {
    let world = World::with(AGENT, ACCESS);
    let sidecar = world.sidecar();
    let turned = turn(&sidecar, "kim", "Uncounted.");
    assert_eq!(turned["usage"]["estimated"].as_bool(), Some(true), "{turned}");
    let input: u64 = turned["usage"]["input"].to_string().parse().unwrap();
    assert!((20..2000).contains(&input), "{turned}");
    assert_eq!(reason(&turn(&sidecar, "kim", "Uncounted.")), "limit", "{input} tokens and more");
}
