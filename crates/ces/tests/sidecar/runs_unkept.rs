//! `:run` while the store of sessions fails: a run that begins without it is refused, and one that has made its calls says how
//! they ended.

use callgate_testkit::temporary_file;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::routing::get;

use crate::{
    prelude::*,
    runs_removed::calls,
    store::{FailingStore, Failure},
};

const DESCRIPTION: &str = "
paths: {/orders: {get: {operationId: order, responses: {'200': {description: made}}}}}
";

#[tokio::test]
async fn a_run_whose_calls_were_made_says_how_they_ended_whatever_the_store_does() {
    let n_sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&n_sent);
    let order = get(async move || format!("order {}", count.fetch_add(1, Ordering::SeqCst)));
    let server = callgate_testkit::serve(Router::new().route("/orders", order)).await;
    let (_folder, file) = temporary_file("spec.yaml", callgate_testkit::describe(DESCRIPTION));
    let text = format!(
        "toolsets:\n  shop: {{openapi: '{}', server: '{server}', prefix: ''}}\n  app: {{prefix: '', functions: [{{name: get_battery, input: {{type: object}}}}]}}",
        file.display()
    );
    let store = Arc::new(FailingStore::new());
    let environment = Environment::new().with_state(Arc::<FailingStore>::clone(&store));
    let sidecar = Sidecar::with(&text, &environment).await;
    let failures = [Failure::Unavailable, Failure::Full, Failure::Conflict];
    for (failure, n_served) in failures.iter().flat_map(|it| (0..12).map(move |n| (*it, n))) {
        let path = format!("/v1/sessions/{failure:?}-{n_served}:run");
        n_sent.store(0, Ordering::SeqCst);
        store.fail_after(n_served, failure);
        let run = sidecar.post(&path, &calls(&["order", "get_battery"])).await;
        store.fail(Failure::None);
        let (n_sent, text) = (n_sent.load(Ordering::SeqCst), &run.text);
        let at = format!("{failure:?} after {n_served}: {}: {text}", run.status);
        if run.status == 503 {
            assert_eq!((n_sent, run.header("retry-after")), (0, "1"), "{at}");
            continue;
        }
        assert_eq!((run.status, n_sent), (200, 1), "{at}");
        assert!(text.contains("\"turnIndex\":1"), "{at}");
        // The other results of a turn that waits come with the client's answer.
        let is_told = text.contains("order 0") && text.contains(UNASKED);
        assert!(is_told || text.contains("\"toolCalls\""), "{at}");
    }
}

const UNASKED: &str = "was not asked to run it; call again later";
