//! The keys of writes, by which a service makes each of them once.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use callgate_code::{CodeSettings, Engine, load};
use callgate_executor::{Call, Function};
use callgate_policy::{Idempotency, IdempotencyKey, RecordBounds};
use callgate_tool::{Effect, Session, json};

use crate::shop::{Shop, Test, asked};

pub(crate) fn tests() -> Vec<Test> {
    vec![(
        "a_program_repeated_under_its_key_makes_each_write_once_at_a_service_that_honours_keys",
        Box::pin(a_repeated_program()),
    )]
}

/// The keys that a service has seen, and how many of its requests.
type Seen = Arc<Mutex<(BTreeSet<String>, usize)>>;

/// A process whose memory of keys ends with it, before a service that outlives it.
fn process(seen: &Seen) -> Shop {
    let schema = json!({
        "type": "object",
        "properties": {"Idempotency-Key": {"type": "string", "minLength": 36}, "item": {"type": "string"}},
        "required": ["Idempotency-Key", "item"], "additionalProperties": false,
    });
    let seen = Arc::clone(seen);
    let order = Function::new("shop", "order", schema, move |call| {
        let key = call.arguments()["Idempotency-Key"].as_str().unwrap().to_owned();
        let mut seen = seen.lock().unwrap();
        seen.0.insert(key);
        seen.1 += 1;
        async { json!(true) }
    });
    let mut settings = CodeSettings::new("code", Engine::Monty);
    settings.calls.effects = vec![Effect::Read, Effect::Write];
    Shop::of_tool(load(settings).unwrap(), |builder| {
        builder
            .backend(order.unwrap().with_effect(Effect::Write))
            .middleware(Idempotency::new(RecordBounds::default()))
    })
}

async fn run(shop: &Shop, key: Option<&str>) {
    let code = "import asyncio\nawait shop.order('a')\nawait asyncio.gather(shop.order('b'), shop.order(item='c'))";
    let asked = asked(code);
    let session = Session::default();
    let call = Call::new(&asked, &session);
    let call = match key {
        Some(key) => call.with_extension(IdempotencyKey(key.to_owned())),
        None => call,
    };
    let result = shop.executor.call_with(call).await;
    assert!(result.text().unwrap().contains(r#""execution_error":"""#), "{result:?}");
}

fn counts(seen: &Seen) -> (usize, usize) {
    let seen = seen.lock().unwrap();
    (seen.0.len(), seen.1)
}

async fn a_repeated_program() {
    let seen = Seen::default();
    for _ in 0..2 {
        run(&process(&seen), Some("order-17")).await;
    }
    assert_eq!(counts(&seen), (3, 6));
    run(&process(&seen), Some("order-18")).await;
    run(&process(&seen), None).await;
    run(&process(&seen), None).await;
    assert_eq!(counts(&seen), (12, 15));
    let shop = process(&seen);
    let stubs = shop.run("await search('order an item')").await;
    let stubs = stubs.text("execution_result");
    assert!(stubs.contains("shop.order(item: str)"), "{stubs}");
}
