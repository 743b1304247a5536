//! The query of a request: no path ignores a parameter that it does not read.

use crate::prelude::*;

/// The paths of monitoring.
const PROBES: [&str; 3] = ["/healthz", "/metrics", "/readyz"];

#[tokio::test]
async fn a_probe_may_have_any_query() {
    let sidecar = Sidecar::of_pets().await;
    for path in PROBES {
        let plain = sidecar.get(path).await.status;
        for query in ["x", "x=1", "_=1700000000&dryRun=true"] {
            let answered = sidecar.get(&format!("{path}?{query}")).await;
            assert_eq!(answered.status, plain, "{path}?{query}");
            assert_ne!(plain, 400, "{path}");
        }
    }
}

#[tokio::test]
async fn every_path_refuses_a_query_that_it_does_not_read() {
    let sidecar = Sidecar::of_pets().await;
    let operations = sidecar.operations().await;
    assert!(operations.len() > 20, "{operations:?}");
    let others = operations.iter().filter(|(_, path)| !PROBES.contains(&path.as_str()));
    for (method, path) in others {
        sidecar.refuses_query(method, path).await;
    }
    for (method, path) in [
        ("DELETE", "/v1/conversations/x/x"),
        ("GET", "/.well-known/oauth-protected-resource"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("GET", "/openapi.json"),
        ("GET", "/v1/agents"),
        ("GET", "/v1/conversations"),
        ("POST", "/mcp"),
        ("POST", "/mcp/"),
        ("POST", "/mcp/pets"),
        ("POST", "/v1/agents/x/turns"),
    ] {
        sidecar.refuses_query(method, path).await;
    }
}

#[tokio::test]
async fn a_call_whose_request_has_a_query_is_not_made() {
    let service = Service::start().await;
    let body = json!({"calls": [{"tool": "order"}]});
    for query in ["dryRun=true", "execution=client", "foo=1"] {
        let answered = service.sidecar.post(&format!("/v1/calls?{query}"), &body).await;
        assert_eq!((answered.status, service.n_orders()), (400, 0), "{query}");
    }
    assert_eq!(service.sidecar.post("/v1/calls", &body).await.status, 200);
    assert_eq!(service.n_orders(), 1);
}
