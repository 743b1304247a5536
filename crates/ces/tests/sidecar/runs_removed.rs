//! `:run` repeated under its key after tools of its turn, which waits for the client, were removed: no call is made again, and no
//! result of a removed tool is shown.

use callgate_testkit::temporary_file;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::routing::post;

use crate::prelude::*;

const DESCRIPTION: &str = "
paths: {/orders: {post: {operationId: order, responses: {'200': {description: made}}}}}
";

struct World {
    sidecar: Sidecar,
    n_orders: Arc<AtomicUsize>,
    shop: String,
    _folder: TempDir,
}

impl World {
    async fn start() -> Self {
        let n_orders = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&n_orders);
        let order = post(async move || format!("order {}", count.fetch_add(1, Ordering::SeqCst)));
        let server = callgate_testkit::serve(Router::new().route("/orders", order)).await;
        let (folder, file) = temporary_file("spec.yaml", callgate_testkit::describe(DESCRIPTION));
        let shop = format!("shop: {{openapi: '{}', server: '{server}', prefix: ''", file.display());
        let sidecar = Sidecar::of(&configuration(&shop, true, true)).await;
        Self { sidecar, n_orders, shop, _folder: folder }
    }

    async fn remove(&self, has_order: bool, has_battery: bool) {
        self.sidecar.reload(&configuration(&self.shop, has_order, has_battery)).await;
    }

    async fn run(&self, key: &str, body: &Value) -> Answered {
        let headers = [JSON, ("idempotency-key", key)];
        self.sidecar.send("POST", "/v1/sessions/s:run", &headers, &body.to_string()).await
    }

    /// Runs an order and a call that the client is asked for. Returns the answer, and the client's answer to it.
    async fn begin(&self) -> (Answered, Value) {
        let first = self.run("a", &calls(&["order", "get_battery"])).await;
        let asked = first.json()["outputs"][0]["toolCalls"]["toolCalls"][0].clone();
        assert_eq!(asked["displayName"], "get_battery", "{}", first.text);
        let answer = json!({"id": asked["id"], "tool": asked["tool"], "displayName": asked["displayName"], "response": {"percent": 80}});
        (first, json!({"inputs": [{"toolResponses": {"toolResponses": [answer]}}]}))
    }

    fn n_orders(&self) -> usize {
        self.n_orders.load(Ordering::SeqCst)
    }
}

fn configuration(shop: &str, has_order: bool, has_battery: bool) -> String {
    let order = if has_order { "" } else { ", tools: {exclude: [order]}" };
    let battery = if has_battery { "get_battery" } else { "another" };
    format!(
        "toolsets:\n  {shop}{order}}}\n  app: {{prefix: '', functions: [{{name: {battery}, input: {{type: object}}}}]}}"
    )
}

pub(crate) fn calls(tools: &[&str]) -> Value {
    let call = |tool: &&str| json!({"id": *tool, "tool": *tool});
    json!({"inputs": [{"toolCalls": {"toolCalls": (tools.iter().map(call).collect::<Vec<_>>())}}]})
}

#[tokio::test]
async fn a_run_whose_client_tool_was_removed_ends_and_orders_nothing_again() {
    let world = World::start().await;
    let (first, _) = world.begin().await;
    assert!(!first.text.contains("order 0"), "{}", first.text);
    world.remove(true, false).await;
    let body = calls(&["order", "get_battery"]);
    let repeated = world.run("a", &body).await;
    assert_eq!((repeated.status, world.n_orders()), (200, 1), "{}", repeated.text);
    assert!(repeated.text.contains("tool_removed"), "{}", repeated.text);
    assert!(repeated.text.contains("order 0"), "{}", repeated.text);
    let third = world.run("a", &body).await;
    assert_eq!((third.text, world.n_orders()), (repeated.text, 1));
    // The session waits for nobody.
    let another = world.run("b", &calls(&["order"])).await;
    assert_eq!((another.status, world.n_orders()), (200, 2), "{}", another.text);
}

#[tokio::test]
async fn a_run_whose_other_tool_was_removed_asks_its_client_again_and_hides_the_result() {
    let world = World::start().await;
    let (first, answer) = world.begin().await;
    world.remove(false, true).await;
    let body = calls(&["order", "get_battery"]);
    assert_eq!(world.run("a", &body).await.text, first.text);
    let ended = world.run("b", &answer).await;
    assert!(ended.text.contains("percent"), "{}", ended.text);
    assert!(ended.text.contains("tool_removed"), "{}", ended.text);
    let repeated = world.run("a", &body).await;
    assert_eq!(repeated.text, ended.text);
    assert!(!repeated.text.contains("order 0"), "{}", repeated.text);
    assert_eq!(world.n_orders(), 1);
}

#[tokio::test]
async fn a_run_that_ended_before_its_tools_were_removed_shows_none_of_their_results() {
    let world = World::start().await;
    let (_, answer) = world.begin().await;
    let ended = world.run("b", &answer).await;
    assert!(ended.text.contains("percent") && ended.text.contains("order 0"), "{}", ended.text);
    world.remove(false, false).await;
    for (key, body) in [("a", calls(&["order", "get_battery"])), ("b", answer)] {
        let repeated = world.run(key, &body).await;
        let is_shown = repeated.text.contains("percent") || repeated.text.contains("order 0");
        assert!(!is_shown, "{key}: {}", repeated.text);
    }
    assert_eq!(world.n_orders(), 1);
}
