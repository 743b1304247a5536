//! Conversations of the agent of the manual: an approval that names its session alone, what `messages` say, and what is removed.

#![cfg(feature = "agents")]

use crate::prelude::*;

use callgate_testkit::{Received, Service as Served};

/// The configuration of the manual, with servers of this machine.
fn configuration(model: &str, pizza: &str) -> String {
    let text = include_str!("../../../../config/agents.yaml");
    text.replace("http://127.0.0.1:11434", model).replace("https://pizza.example.com", pizza)
}

/// Checks the cart out after words of a user, and answers after results.
fn reply(request: &Received) -> (u16, String) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    let message = if last["role"] == "user" {
        let call = |id: &str, tool: &str| json!({"id": id, "type": "function", "function": {"name": tool, "arguments": "{}"}});
        let calls = [call("c0", "pizza-get_cart"), call("c1", "pizza-checkout")];
        json!({"role": "assistant", "content": null, "tool_calls": calls})
    } else {
        json!({"role": "assistant", "content": "Your pizza is on its way."})
    };
    let usage = json!({"prompt_tokens": 5, "completion_tokens": 2});
    (200, json!({"choices": [{"message": message}], "usage": usage}).to_string())
}

struct World {
    sidecar: Sidecar,
    pizza: Served,
    _model: Served,
}

impl World {
    async fn start() -> Self {
        let model = Served::start(reply).await;
        let pizza = Served::start(|_: &Received| (200, r#"{"order":7}"#.to_owned())).await;
        let sidecar = Sidecar::of(&configuration(&model.origin, &pizza.origin)).await;
        Self { sidecar, pizza, _model: model }
    }

    async fn turn(&self, body: &Value) -> Value {
        self.sidecar.post("/v1/agents/pizza/turns", body).await.ok()
    }

    /// The first turn of the manual, whose call waits.
    async fn order(&self, session: &str) -> Value {
        let parameters = json!({"cartId": "c-1", "paymentId": "p-1"});
        let session = json!({"id": session, "parameters": parameters});
        let turn = self.turn(&json!({"session": session, "input": "A pizza, please."})).await;
        assert_eq!(turn["end"]["reason"], "waiting", "{turn}");
        turn
    }

    fn lines(&self) -> Vec<String> {
        self.pizza.received().iter().map(|request| request.line.clone()).collect()
    }
}

/// An approval that names its session alone, as the manual has it.
fn approval(session: &str) -> Value {
    json!({"session": {"id": session}, "approvals": [{"id": "c1", "decision": "approve"}]})
}

const SENT: [&str; 2] = ["GET /v1/carts/c-1", "POST /v1/carts/c-1/checkout"];

#[tokio::test]
async fn an_approval_that_names_its_session_alone_makes_the_call_that_was_shown() {
    let world = World::start().await;
    let first = world.order("s-1").await;
    assert_eq!(world.lines(), SENT[..1]);
    let url = first["pending"][0]["request"]["url"].as_str().unwrap();
    assert!(url.ends_with("/carts/c-1/checkout"), "{url}");
    let second = world.turn(&approval("s-1")).await;
    assert_eq!(second["end"]["reason"], "answered", "{second}");
    assert_eq!(world.lines(), SENT);
    assert_eq!(world.pizza.last().body, r#"{"paymentId":"p-1"}"#);
    // The values were those of the calls that waited.
    let third = world.turn(&json!({"session": {"id": "s-1"}, "input": "Again."})).await;
    assert!(third["messages"].to_string().contains("unknown_session"), "{third}");
    assert_eq!(world.lines(), SENT);
}

#[tokio::test]
async fn values_of_another_turn_or_principal_do_not_stand_in_for_those_of_a_waiting_call() {
    let world = World::start().await;
    world.order("s-1").await;
    // Words of the user pass the call over; the turn brings no values, so that its calls find none.
    let passed = world.turn(&json!({"session": {"id": "s-1"}, "input": "Wait."})).await;
    assert_eq!(passed["end"]["reason"], "answered", "{passed}");
    let answered = world.sidecar.post("/v1/agents/pizza/turns", &approval("s-1")).await;
    assert_eq!(answered.status, 409, "{}", answered.text);
    world.order("s-2").await;
    let parameters = json!({"CARTID": "c-9"});
    let mut other = approval("s-2");
    other["session"]["parameters"] = parameters;
    let turn = world.turn(&other).await;
    // Its own values win, and the call that was approved is not this one.
    assert_eq!(turn["end"]["reason"], "waiting", "{turn}");
    let url = turn["pending"][0]["request"]["url"].as_str().unwrap();
    assert!(url.ends_with("/carts/c-9/checkout"), "{url}");
    assert_eq!(world.lines(), [SENT[0], SENT[0]]);
}

#[tokio::test]
async fn the_messages_of_all_responses_are_the_conversation_and_none_says_what_was_not_so() {
    let world = World::start().await;
    let (first, second) = (world.order("s-1").await, world.turn(&approval("s-1")).await);
    let messages = [&first, &second].map(|turn| turn["messages"].as_array().unwrap().clone());
    let roles = messages.concat().iter().map(|it| it["role"].clone()).collect::<Vec<_>>();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "assistant"]);
    assert_eq!(messages[0].len(), 2, "{first}");
    let told = Value::from(messages.concat()).to_string();
    assert!(!told.contains("nothing was sent") && told.contains("order"), "{told}");
}

#[tokio::test]
async fn conversations_are_listed_and_removed_alone_or_with_their_session() {
    let world = World::start().await;
    for session in ["a/b", "s 2", "s-3"] {
        world.order(session).await;
    }
    let listed =
        async |query: &str| world.sidecar.get(&format!("/v1/conversations{query}")).await.ok();
    let first = listed("?limit=2").await;
    assert_eq!(first["conversations"].as_array().unwrap().len(), 2);
    let cursor: String = url_encoded(first["nextCursor"].as_str().unwrap());
    let second = listed(&format!("?limit=2&cursor={cursor}")).await;
    assert_eq!(second["conversations"], json!([{"agent": "pizza", "session": "s-3"}]));
    assert!(second["nextCursor"].is_null());
    for (query, status) in [("?limit=0", 400), ("?cursor=x", 400), ("?x=1", 400)] {
        let answered = world.sidecar.get(&format!("/v1/conversations{query}")).await;
        assert_eq!(answered.status, status, "{query}");
    }
    let removed = async |path: &str| world.sidecar.send("DELETE", path, &[], "").await.status;
    assert_eq!(removed("/v1/conversations/pizza/a%2Fb").await, 204);
    assert_eq!(removed("/v1/conversations/pizza/a%2Fb").await, 404);
    assert_eq!(removed("/v1/sessions/s%202").await, 204);
    assert_eq!(removed("/v1/sessions/s%202").await, 404);
    assert_eq!(listed("").await["conversations"], second["conversations"]);
    for session in ["a/b", "s 2"] {
        let answered = world.sidecar.post("/v1/agents/pizza/turns", &approval(session)).await;
        assert_eq!(answered.status, 409, "{}", answered.text);
    }
    let third = world.turn(&approval("s-3")).await;
    assert_eq!(third["end"]["reason"], "answered", "{third}");
}

fn url_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
