//! Tests of sidecars that share a Redis server, which runs where `CALLGATE_REDIS_SERVER` names its program.

mod tls;
#[cfg(feature = "agents")]
mod turns;

use std::sync::atomic::Ordering;

use callgate_testkit::{RedisProgram, RedisServer};

use super::{
    restart::{Shop, call, send},
    *,
};

/// The state in a server, by the key that this file of secrets has.
fn state(server: &RedisServer) -> String {
    format!("{{redis: {{url: 'redis://127.0.0.1:{}'}}, key: 'file:key'}}", server.port)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key"), "k".repeat(32)).unwrap();
    folder
}

#[tokio::test]
async fn a_call_that_one_sidecar_begins_another_one_ends_and_it_is_made_once() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let (server, shop, folder) = (program.start(&[]), Shop::open().await, folder());
    let bought = || shop.bought.load(Ordering::SeqCst);
    let sidecar = async || shop.sidecar_with(&state(&server), folder.path()).await.unwrap();
    let (first, second) = (sidecar().await, sidecar().await);
    let session = json!({"parameters": {"owner": "kim"}, "credentials": {"token": "t0k3n"}});
    send(&first, "PUT", "/v1/sessions/s-1", &session).await;
    let pets = call(&second, json!({"tool": "pets-list", "args": {}})).await;
    assert_eq!(pets["response"], r#"[("owner", "kim")]"#);

    let keyed = json!({"tool": "pets-buy", "args": {"body": "cat"}, "idempotencyKey": "order-1"});
    let (one, other) = tokio::join!(call(&first, keyed.clone()), call(&second, keyed.clone()));
    assert_eq!(bought(), 1, "{one} {other}");
    assert_eq!(call(&second, keyed).await["response"], "bought cat");

    let asked = call(&first, json!({"tool": "asked-buy", "args": {"body": "dog"}})).await;
    let path = format!("/v1/approvals/{}", asked["pending"]["id"].as_str().unwrap());
    let approve = json!({"decision": "approve"});
    let (one, other) =
        tokio::join!(send(&first, "POST", &path, &approve), send(&second, "POST", &path, &approve));
    assert_eq!(bought(), 2, "{one} {other}");
    // The call of the other one may still run.
    let codes = ["outcome_unknown", "still_running"].map(Value::from);
    let refused = [&one, &other].into_iter().filter(|it| codes.contains(&it["error"]["code"]));
    assert_eq!(refused.count(), 1, "{one} {other}");
}

#[tokio::test]
async fn a_sidecar_starts_before_its_server_and_refuses_what_needs_it_until_it_is_there() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let (mut server, shop, folder) = (program.start(&[]), Shop::open().await, folder());
    server.kill();
    let sidecar = shop.sidecar_with(&state(&server), folder.path()).await.unwrap();
    let call = async |call: &Value| {
        send(&sidecar, "POST", "/v1/calls", &json!({"calls": [call]})).await["results"][0].take()
    };
    let free = json!({"tool": "pets-buy", "args": {"body": "cat"}});
    assert_eq!(call(&free).await["response"], "bought cat");
    let keyed = json!({"tool": "pets-buy", "args": {"body": "dog"}, "idempotencyKey": "order-1"});
    let refused = call(&keyed).await;
    assert_eq!(refused["error"]["reached"], "no", "{refused}");
    assert_eq!(shop.bought.load(Ordering::SeqCst), 1);
    server.restart();
    let (begun, mut answer) = (tokio::time::Instant::now(), refused);
    while answer["response"] != "bought dog" {
        assert!(begun.elapsed() < Duration::from_secs(3), "{answer}");
        answer = call(&keyed).await;
    }
    assert_eq!(shop.bought.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn two_sidecars_share_one_rate_and_each_counts_alone_or_refuses_while_the_server_is_away() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let (shop, folder) = (Shop::open().await, folder());
    for (on_outage, n_answered) in [("local", 20), ("refuse", 0)] {
        let mut server = program.start(&[]);
        let state = format!(
            "{}\nlimits: {{shared: true, on_outage: {on_outage}}}\n\
             calls: {{rate: {{calls: 10, per: 1h, burst: 10}}}}",
            state(&server)
        );
        let begin = async || shop.sidecar_with(&state, folder.path()).await.unwrap();
        let sidecars = [begin().await, begin().await];
        assert_eq!(at_once(&sidecars, "rate_limited").await, 10);
        server.kill();
        // New sidecars have not counted anything yet.
        let sidecars = [begin().await, begin().await];
        let code = if n_answered == 0 { "overloaded" } else { "rate_limited" };
        assert_eq!(at_once(&sidecars, code).await, n_answered);
    }
}

/// The number of fifty calls at once over all sidecars that are answered; the others end with a code.
async fn at_once(sidecars: &[Sidecar; 2], code: &str) -> usize {
    let buy = json!({"tool": "pets-buy", "args": {"body": "cat"}});
    let body = json!({"calls": [buy]});
    let calls = (0..50).map(|at| send(&sidecars[at % 2], "POST", "/v1/calls", &body));
    let answers = futures_util::future::join_all(calls).await;
    let results = answers.iter().map(|answer| &answer["results"][0]);
    let (answered, refused): (Vec<_>, Vec<_>) =
        results.partition(|result| result["response"] == "bought cat");
    for refused in refused {
        assert_eq!(refused["error"]["code"], code, "{refused}");
        assert_eq!(refused["error"]["reached"], "no", "{refused}");
    }
    answered.len()
}
